// SPDX-License-Identifier: MIT
#include "runtime/context.h"

#include "layouts/float_env.h"
#include "layouts/versioned.h"
#include "runtime/jobs/team.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEF_BYTES_LEAST = SHL_END_OF(shoal_context_def, log_user) };
SHL_ASSERT_LAST(shoal_context_def, log_user);
SHL_ASSERT_LAST(shoal_machine, cache_bytes);
SHL_ASSERT_LAST(shoal_gpu_info, reason);

const char *shoal_status_text(shoal_status status)
{
    static const char *const texts[] = {
        [SHOAL_OK] = "done",
        [SHOAL_ERR_ARGUMENT] = "wrong argument",
        [SHOAL_ERR_STALE] = "stale id",
        [SHOAL_ERR_MEMORY] = "out of memory",
        [SHOAL_ERR_LIMIT] = "too large",
        [SHOAL_ERR_FILE] = "file error",
        [SHOAL_ERR_FORMAT] = "format error",
        [SHOAL_ERR_DEVICE] = "no GPU",
    };
    const size_t count = sizeof texts / sizeof *texts;
    return (size_t)status < count ? texts[status] : "unknown status";
}

#define TEXT(x) #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *shoal_version(void)
{
    return VERSION(SHOAL_VERSION_MAJOR, SHOAL_VERSION_MINOR, SHOAL_VERSION_PATCH);
}

enum { LINE_BYTES = 512 };

static _Thread_local char last_error[LINE_BYTES];

static void log_line(const shoal_context *ctx, shoal_status status, const char *text)
{
    if (ctx && ctx->log)
        ctx->log(ctx->log_user, status, text);
}

// The arguments may be the last error itself.
shoal_status shl_fail(const shoal_context *ctx, shoal_status status, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(last_error, text, strlen(text) + 1);
    log_line(ctx, status, text);
    return status;
}

void shl_warn(const shoal_context *ctx, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_line(ctx, SHOAL_OK, text);
}

const char *shoal_last_error(void)
{
    return last_error;
}

static void *counted_alloc(void *user, size_t size, size_t align)
{
    shoal_context *ctx = user;
    void *memory = ctx->user.alloc(ctx->user.user, size, align);
    if (memory) {
        atomic_fetch_add_explicit(&ctx->allocations, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&ctx->bytes, size, memory_order_relaxed);
    }
    return memory;
}

static void counted_release(void *user, void *memory, size_t size)
{
    shoal_context *ctx = user;
    atomic_fetch_sub_explicit(&ctx->bytes, size, memory_order_relaxed);
    ctx->user.release(ctx->user.user, memory, size);
}

static const shoal_context_def defaults = {.size = sizeof defaults, .cpu = SHOAL_CPU_BEST};

void shoal_context_def_init(shoal_context_def *def, size_t size)
{
    shl_def_write(def, size, &defaults, sizeof defaults);
}

// SHOAL_CPU lowers the limit, so that anyone can compare bodies without a rebuild.
static bool cpu_limit(shoal_cpu *limit, const char **wrong)
{
    const char *text = secure_getenv("SHOAL_CPU");
    if (!text || !*text)
        return true;
    shoal_cpu asked;
    if (strcmp(text, "ref") == 0)
        asked = SHOAL_CPU_REF;
    else if (strcmp(text, "avx2") == 0)
        asked = SHOAL_CPU_AVX2;
    else if (strcmp(text, "avx512") == 0)
        asked = SHOAL_CPU_AVX512;
    else {
        *wrong = text;
        return false;
    }
    if (asked < *limit)
        *limit = asked;
    return true;
}

// SHOAL_TEAM=fixed is for tests and studies of threads.
static bool fixed_team(bool *out)
{
    const char *text = secure_getenv("SHOAL_TEAM");
    *out = text && strcmp(text, "fixed") == 0;
    return *out || !text || !*text;
}

// Only a context that requires the GPU starts it at once.
static shoal_status start_gpu(shoal_context *ctx, shoal_gpu wanted)
{
    if (!shl_gpu_link_init(&ctx->gpu, wanted, &ctx->place))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "context: SHOAL_GPU=%s is not off or force",
                        secure_getenv("SHOAL_GPU"));
    if (shl_gpu_link_init(&ctx->painter, wanted, &ctx->place))
        ctx->painter.paints = true;
    if (wanted == SHOAL_GPU_REQUIRE && !shl_gpu_open(&ctx->gpu))
        return shl_fail(ctx, SHOAL_ERR_DEVICE, "context: no GPU: %s", ctx->gpu.info.reason);
    return SHOAL_OK;
}

shoal_status shoal_context_create(const shoal_context_def *given, shoal_context **out)
{
    SHL_FLOAT_ENV(host);
    if (!out)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "context: out is NULL");
    *out = NULL;
    shoal_context_def def = defaults;
    const char *fault = shl_def_read(&def, sizeof def, DEF_BYTES_LEAST, given,
                                     "start from shoal_context_def_default()");
    if (fault)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "context: %s", fault);
    const shoal_context said = {.log = def.log, .log_user = def.log_user};
    shoal_cpu cpu = def.cpu;
    const char *wrong = NULL;
    if (!cpu_limit(&cpu, &wrong))
        return shl_fail(&said, SHOAL_ERR_ARGUMENT,
                        "context: SHOAL_CPU=%s is not ref, avx2 or avx512", wrong);
    bool fixed;
    if (!fixed_team(&fixed))
        return shl_fail(&said, SHOAL_ERR_ARGUMENT, "context: SHOAL_TEAM=%s is not fixed",
                        secure_getenv("SHOAL_TEAM"));
    if ((unsigned)def.gpu > SHOAL_GPU_REQUIRE ||
        (def.cpu != SHOAL_CPU_BEST && (unsigned)def.cpu > SHOAL_CPU_AVX512))
        return shl_fail(&said, SHOAL_ERR_ARGUMENT, "context: unknown cpu %d or gpu %d",
                        (int)def.cpu, (int)def.gpu);
    if (!def.allocator.alloc != !def.allocator.release)
        return shl_fail(&said, SHOAL_ERR_ARGUMENT,
                        "context: allocator needs alloc and release");

    const shoal_allocator memory = def.allocator.alloc ? def.allocator : shl_allocator_libc();
    shoal_context *ctx = shl_zalloc(&memory, sizeof *ctx);
    if (!ctx)
        return shl_fail(&said, SHOAL_ERR_MEMORY, "context: no memory");
    ctx->user = memory;
    ctx->allocator = (shoal_allocator){counted_alloc, counted_release, ctx};
    ctx->log = def.log;
    ctx->log_user = def.log_user;
    ctx->fixed_costs = def.fixed_costs;
    ctx->fixed_team = fixed;
    shl_kernels_init(&ctx->kernels, cpu);
    shl_place_init(&ctx->place);
    shl_place_correct(&ctx->place, shl_team_cpus());
    const shoal_status st = start_gpu(ctx, def.gpu);
    if (st != SHOAL_OK)
        shoal_context_destroy(ctx);
    else
        *out = ctx;
    return st;
}

void shoal_context_destroy(shoal_context *ctx)
{
    if (ctx) {
        shl_gpu_link_finish(&ctx->gpu);
        shl_gpu_link_finish(&ctx->painter);
        shl_place_finish(&ctx->place);
        const shoal_allocator memory = ctx->user;
        shl_free(&memory, ctx, sizeof *ctx);
    }
}

shoal_kernel_info shoal_context_kernel(const shoal_context *ctx, uint32_t index)
{
    return shl_kernels_info(&ctx->kernels, index);
}

void shoal_context_read_machine(const shoal_context *ctx, shoal_machine *out, size_t size)
{
    shl_versioned_write(out, size, &ctx->place.machine, sizeof ctx->place.machine);
}

void shoal_context_read_gpu(shoal_context *ctx, shoal_gpu_info *out, size_t size)
{
    SHL_FLOAT_ENV(host);
    shl_gpu_open(&ctx->gpu);
    shl_versioned_write(out, size, &ctx->gpu.info, sizeof ctx->gpu.info);
}
