// SPDX-License-Identifier: MIT
// Numbers from a record, counts, an allocator that fails when it is told to, and contexts.
#include "play.h"

#include "tests/zero/worlds.h"

#include <fenv.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

static record_book own_book; // where no parent process looks on
record_book *book = &own_book;
bool verbose;

// --- Numbers. ---

static uint64_t next(draw *d) // splitmix64
{
    uint64_t x = d->state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint32_t below(draw *d, uint32_t n)
{
    return (uint32_t)((next(d) >> 32) * n >> 32);
}

double unit(draw *d)
{
    return (double)(next(d) >> 40) * 0x1p-23 - 1;
}

void turn_of(draw *d, double out[9])
{
    uint64_t seed = next(d) | 1;
    world_turn(&seed, out);
}

// --- What happened. ---

void count(const char *group, const char *name, uint64_t by)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT; // threads of a host count, too
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
    uint32_t i = 0;
    while (i < book->tally_count &&
           (strcmp(book->tallies[i].group, group) || strcmp(book->tallies[i].name, name)))
        i++;
    if (i == book->tally_count && i < TALLIES) {
        tally *t = &book->tallies[book->tally_count++];
        snprintf(t->group, sizeof t->group, "%s", group);
        snprintf(t->name, sizeof t->name, "%s", name);
    }
    if (i < TALLIES)
        book->tallies[i].count += by;
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

bool fault(const char *format, ...)
{
    if (book->fault[0])
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(book->fault, sizeof book->fault, format, args);
    va_end(args);
    return false;
}

void say(const char *format, ...)
{
    if (!verbose)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

// --- The allocator under test. ---

enum { NEVER = -1 };
static const size_t size_most = (size_t)48 << 20; // else a grid could take the machine
static _Atomic long countdown = NEVER;
static _Atomic bool failing, failed;
static bool lasting;
static long armed = NEVER;
static _Atomic long blocks;

static void *brittle_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    bool fails = atomic_load(&failing) || size > size_most;
    if (!fails && atomic_load(&countdown) >= 0 && atomic_fetch_sub(&countdown, 1) == 0) {
        atomic_store(&failing, lasting);
        fails = true;
    }
    if (fails) {
        atomic_store(&failed, true);
        return NULL;
    }
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);
    if (memory) {
        atomic_fetch_add(&blocks, 1);
        memset(memory, 0xa5, size < 4096 ? size : 4096); // nobody may count on zeros
    }
    return memory;
}

static void brittle_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    atomic_fetch_sub(&blocks, 1);
    free(memory);
}

long memory_blocks(void)
{
    return atomic_load(&blocks);
}

void arm(draw *d)
{
    if (!chance(d, 5))
        return;
    armed = below(d, 1u << below(d, 8));
    lasting = chance(d, 2);
}

void memory_limit(void)
{
    atomic_store(&failed, false);
    atomic_store(&countdown, armed);
    armed = NEVER;
}

void memory_restore(void)
{
    atomic_store(&countdown, NEVER);
    atomic_store(&failing, false);
}

bool memory_failed(void)
{
    return atomic_load(&failed);
}

// --- The caller's settings. ---

static struct {
    int rounding, traps;
    bool flush;
} host;

void host_settle(draw *d)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const bool odd = chance(d, 5);
    host.rounding = odd ? modes[below(d, 4)] : FE_TONEAREST;
    host.flush = odd && chance(d, 2);
    host.traps = odd && chance(d, 2) ? FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW : 0;
    count("event", "settings of the host", odd);
    if (odd)
        say("  host: rounding %d, flush %d, traps %d", host.rounding, host.flush, host.traps);
}

void host_enter(void)
{
    fesetround(host.rounding);
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(host.traps);
#if defined(__x86_64__)
    if (host.flush)
        _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
#endif
}

void host_leave(void)
{
    bool same = fegetround() == host.rounding && (fegetexcept() & host.traps) == host.traps;
#if defined(__x86_64__)
    same = same && ((_mm_getcsr() & 0x8040) == 0x8040) == host.flush;
#endif
    fesetenv(FE_DFL_ENV);
    if (!same)
        fault("a call changed how its caller computes");
}

// --- Calls. ---

enum { STATUSES = SHOAL_ERR_DEVICE + 1 };
static _Atomic uint32_t lines[STATUSES];
static const char *const status_names[STATUSES] = {"OK",    "ARGUMENT", "STALE",  "MEMORY",
                                                   "LIMIT", "FILE",     "FORMAT", "DEVICE"};

static char last_line[512];

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    if (text[0] == '\0' || strchr(text, '\n'))
        fault("a log line is \"%s\"", text);
    if ((unsigned)status < STATUSES)
        atomic_fetch_add(&lines[status], 1);
    if (status != SHOAL_OK)
        snprintf(last_line, sizeof last_line, "%s", text);
    say("    log: %s: %s", shoal_status_text(status), text);
}

void watch_begin(void)
{
    for (int i = 0; i < STATUSES; i++)
        atomic_store(&lines[i], 0);
    memory_limit();
    host_enter();
}

shoal_status watch_end(const char *call, shoal_status status)
{
    host_leave();
    memory_restore();
    count("call", call, 1);
    char name[TALLY_TEXT];
    snprintf(name, sizeof name, "%s %s", call + strlen("shoal_"), status_names[status]);
    count("status", name, 1);
    say("  %s: %s", call, shoal_status_text(status));
    if (status != SHOAL_OK && !atomic_load(&lines[status]))
        fault("%s: %s without a line in the log", call, shoal_status_text(status));
    if (status != SHOAL_OK && strcmp(USE(shoal_last_error)(), last_line) != 0)
        fault("%s: the last error is '%s', the log has '%s'", call, shoal_last_error(),
              last_line);
    return status;
}

bool went_well(const char *call, shoal_status status, bool *good)
{
    if (status == SHOAL_OK)
        return true;
    if (status == SHOAL_ERR_MEMORY && memory_failed())
        return false;
    *good = fault("%s: %s, though all was right", call, shoal_status_text(status));
    return false;
}

// --- Contexts. ---

enum { CPUS = SHOAL_CPU_AVX512 + 1 };
static shoal_context *under_test[CPUS], *reference;

shoal_context *context_under_test(uint32_t cpu)
{
    shoal_context_def cd;
    USE(shoal_context_def_init)(&cd, sizeof cd);
    cd.allocator = (shoal_allocator){brittle_alloc, brittle_release, NULL};
    cd.log = log_line;
    cd.cpu = (shoal_cpu)(cpu % CPUS);
    cd.fixed_costs = true;
    cd.gpu = SHOAL_GPU_OFF;
    shoal_context **out = &under_test[cpu % CPUS];
    if (!*out && TRY(shoal_context_create, &cd, out))
        *out = NULL;
    return *out;
}

shoal_context *context_reference(void)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = SHOAL_CPU_REF;
    cd.fixed_costs = true;
    cd.gpu = SHOAL_GPU_OFF;
    if (!reference && shoal_context_create(&cd, &reference))
        reference = NULL;
    return reference;
}

void contexts_drop(void)
{
    for (int i = 0; i < CPUS; i++) {
        USE(shoal_context_destroy)(under_test[i]);
        under_test[i] = NULL;
    }
    shoal_context_destroy(reference);
    reference = NULL;
}

// A context of its own, in which making it may fail.
bool do_context(play *p, draw *d)
{
    (void)p;
    shoal_context_def cd = shoal_context_def_default();
    cd.allocator = (shoal_allocator){brittle_alloc, brittle_release, NULL};
    cd.log = log_line;
    cd.gpu = SHOAL_GPU_OFF;
    const uint32_t wrong = below(d, 6);
    if (wrong == 0)
        cd.size = 0;
    else if (wrong == 1)
        cd.allocator.release = NULL;
    else if (wrong == 2)
        cd.cpu = (shoal_cpu)77;
    arm(d);
    const long before = memory_blocks();
    shoal_context *ctx = (shoal_context *)&cd; // must be overwritten
    watch_begin();
    const shoal_status st = shoal_context_create(&cd, &ctx);
    host_leave();
    memory_restore();
    count("call", "shoal_context_create", 1);
    if (st != SHOAL_OK && ctx)
        return fault("a context that was not made is not NULL");
    if (wrong < 3)
        return st == SHOAL_ERR_ARGUMENT || fault("a wrong context is made");
    bool good = true;
    if (!went_well("shoal_context_create", st, &good))
        return good;
    shoal_machine machine;
    USE(shoal_context_read_machine)(ctx, &machine, sizeof machine);
    shoal_gpu_info gpu;
    USE(shoal_context_read_gpu)(ctx, &gpu, sizeof gpu);
    uint32_t kernels = 0;
    while (USE(shoal_context_kernel)(ctx, kernels).name)
        kernels++;
    USE(shoal_context_destroy)(ctx);
    return (machine.allowed_cpus > 0 && !gpu.ready && kernels > 0 &&
            memory_blocks() == before) ||
           fault("a context: %u CPUs, %u kernels, %ld blocks left", machine.allowed_cpus,
                 kernels, memory_blocks() - before);
}
