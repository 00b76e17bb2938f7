// SPDX-License-Identifier: MIT
// Sequences from seeds for SHOAL_FUZZ_SECONDS (60), from seed SHOAL_FUZZ_SEED (1) on; no other
// tool is needed. A process of its own plays them, so that a crash is a fault like others: its
// seed is told, records that it does not need are left out, and what is left is one command.
//   fuzz_api                  as above
//   fuzz_api SEED [I,J,...]   one sequence, or only those records of it, and what it does
//   fuzz_api -f FILE          the sequence in a file
#include "play.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Fewer sequences than ENOUGH, as on a slow machine, need not reach everything.
enum { RECORDS_MOST = 121, FAILED = 3, HANG_S = 600, SHRINK_S = 180, ENOUGH = 40 };

typedef struct sequence {
    uint8_t bytes[RECORD * RECORDS_MOST];
    uint32_t records;
    bool left_out[RECORDS_MOST];
} sequence;

static sequence sequence_of(uint64_t seed)
{
    sequence s = {0};
    draw d = {seed * 0x2545f4914f6cdd1du};
    s.records = 5 + below(&d, RECORDS_MOST - 4);
    for (uint32_t i = 0; i < RECORD * s.records; i++)
        s.bytes[i] = (uint8_t)below(&d, 256);
    return s;
}

static bool play_it(const sequence *s)
{
    uint8_t bytes[RECORD * RECORDS_MOST];
    size_t size = 0;
    for (uint32_t i = 0; i < s->records; i++) {
        if (s->left_out[i])
            continue;
        memcpy(bytes + size, s->bytes + RECORD * (size_t)i, RECORD);
        size += RECORD;
    }
    return play_sequence(bytes, size);
}

// --- Processes. ---

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Plays one sequence, quietly. Whether it fails, in whatever way.
static bool fails(const sequence *s)
{
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        alarm(HANG_S);
        _exit(play_it(s) ? 0 : FAILED);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

// Halves, quarters, ... of the records are left out as long as it still fails.
static void shrink(sequence *s)
{
    const double until = now() + SHRINK_S;
    for (uint32_t many = s->records / 2; many > 0; many /= 2) {
        for (uint32_t at = 1; at < s->records && now() < until; at += many) {
            sequence less = *s;
            for (uint32_t i = at; i < at + many && i < s->records; i++)
                less.left_out[i] = true;
            if (memcmp(&less, s, sizeof less) != 0 && fails(&less))
                *s = less;
        }
    }
}

static void report(const char *program, uint64_t seed, int status)
{
    sequence s = sequence_of(seed);
    char reason[sizeof book->fault];
    snprintf(reason, sizeof reason, "%s", book->fault);
    printf("FAIL: seed %llu: %s%s %d\n", (unsigned long long)seed, reason,
           WIFSIGNALED(status) ? "; signal" : "; exit code",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    printf("again: %s %llu\n", program, (unsigned long long)seed);
    fflush(stdout);
    if (!fails(&s)) {
        puts("it did not fail a second time: threads, or what earlier sequences left");
        return;
    }
    shrink(&s);
    printf("less: %s %llu 0", program, (unsigned long long)seed);
    for (uint32_t i = 1; i < s.records; i++) {
        if (!s.left_out[i])
            printf(",%u", i);
    }
    putchar('\n');
}

static void play_on(uint64_t seed, double until)
{
    while (now() < until) {
        const sequence s = sequence_of(book->seed = seed++);
        alarm(HANG_S);
        if (!play_it(&s))
            _exit(FAILED);
        book->sequences++;
    }
    contexts_drop();
    exit(0);
}

// --- What was reached. ---

static uint64_t reached(const char *group, const char *name)
{
    for (uint32_t i = 0; i < book->tally_count; i++) {
        const tally *t = &book->tallies[i];
        if (strcmp(t->group, group) == 0 && strcmp(t->name, name) == 0)
            return t->count;
    }
    return 0;
}

static void print_counts(void)
{
    char group[sizeof book->tallies->group] = "";
    bool printed[TALLIES] = {false};
    for (uint32_t i = 0; i < book->tally_count; i++) {
        if (printed[i])
            continue;
        snprintf(group, sizeof group, "%s", book->tallies[i].group);
        printf("%s:\n", group);
        for (uint32_t k = i; k < book->tally_count; k++) {
            const tally *t = &book->tallies[k];
            if (strcmp(t->group, group) != 0)
                continue;
            printf("  %-40s %llu\n", t->name, (unsigned long long)t->count);
            printed[k] = true;
        }
    }
}

// Every function that a header declares was called.
static uint32_t missing_calls(const char *folder, const char *header)
{
    char path[4096], word[80];
    static char text[1 << 17];
    snprintf(path, sizeof path, "%s/shoal/%s", folder, header);
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("FAIL: no file %s\n", path);
        return 1;
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    uint32_t missing = 0;
    for (char *at = text; (at = strstr(at, "\nSHOAL_API")) != NULL;) {
        char *open = strchr(at, '('), *name = open;
        while (name && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
            name--;
        if (!open)
            break;
        snprintf(word, sizeof word, "%.*s", (int)(open - name), name);
        at = open;
        if (reached("call", word))
            continue;
        printf("FAIL: %s was never called\n", word);
        missing++;
    }
    return missing;
}

// Every value of everything that varies was used.
static uint32_t missing_values(void)
{
    static const struct {
        const char *group;
        uint32_t names;
    } wanted[] = {{"kind", 3},     {"steps with", 3}, {"query", 9},  {"executor", 4},
                  {"strategy", 5}, {"broad", 5},      {"engine", 4}, {"coherence", 3},
                  {"builder", 5},  {"bounds", 4},     {"blend", 5},  {"region", 4},
                  {"layout", 9},   {"state", 8},      {"found", 9},  {"event", 14},
                  {"deed", 19},    {"theme", 4}};
    uint32_t missing = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        uint32_t names = 0;
        for (uint32_t k = 0; k < book->tally_count; k++)
            names += strcmp(book->tallies[k].group, wanted[i].group) == 0 &&
                     book->tallies[k].count > 0;
        if (names >= wanted[i].names)
            continue;
        printf("FAIL: %s: %u of %u were reached\n", wanted[i].group, names, wanted[i].names);
        missing++;
    }
    return missing;
}

// --- Ways to start it. ---

static int one_sequence(const char *seed, const char *only)
{
    sequence s = sequence_of(strtoull(seed, NULL, 10));
    for (uint32_t i = 1; only && i < s.records; i++)
        s.left_out[i] = true;
    for (const char *at = only; at && *at; at += *at == ',') {
        char *end;
        const unsigned long i = strtoul(at, &end, 10);
        if (end == at || i >= s.records)
            return 2;
        s.left_out[i] = false;
        at = end;
    }
    verbose = true;
    const bool good = play_it(&s);
    contexts_drop();
    puts(good ? "clean" : book->fault);
    return good ? 0 : 1;
}

static int one_file(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file)
        return 2;
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    verbose = true;
    const bool good = play_sequence(bytes, size);
    contexts_drop();
    puts(good ? "clean" : book->fault);
    return good ? 0 : 1;
}

static double number_of(const char *variable, double otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtod(text, NULL) : otherwise;
}

int main(int argc, char **argv)
{
    // idle threads that spin only slow down a machine with fewer cores than threads; OpenMP
    // reads this before main() begins
    if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 0) == 0)
        execv("/proc/self/exe", argv);
    if (argc == 3 && strcmp(argv[1], "-f") == 0)
        return one_file(argv[2]);
    if (argc > 1)
        return one_sequence(argv[1], argc > 2 ? argv[2] : NULL);
    record_book *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    book = shared;
    const double seconds = number_of("SHOAL_FUZZ_SECONDS", 60);
    const uint64_t seed = (uint64_t)number_of("SHOAL_FUZZ_SEED", 1);
    const pid_t child = fork();
    if (child == 0)
        play_on(seed, now() + seconds);
    int status = 1;
    waitpid(child, &status, 0);
    const uint64_t sequences = book->sequences, records = book->records;
    print_counts();
    printf("%llu sequences from seed %llu, %llu records\n", (unsigned long long)sequences,
           (unsigned long long)seed, (unsigned long long)records);
    uint32_t failures = status != 0, passed = 0, skipped = 0;
    static const char *const headers[] = {"base.h",    "context.h", "diagram.h", "model.h",
                                          "skinned.h", "reduced.h", "results.h", "scene.h",
                                          "study.h",   "trace.h"};
    const char *folder = getenv("SHOAL_INCLUDE");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const bool judged = folder && sequences >= ENOUGH && status == 0;
        const uint32_t missing = judged ? missing_calls(folder, headers[i]) : 0;
        failures += missing;
        *(judged ? &passed : &skipped) += missing == 0;
    }
    if (sequences >= ENOUGH && status == 0)
        failures += missing_values();
    else
        skipped++;
    if (status != 0)
        report(argv[0], book->seed, status);
    printf("Pass: %llu, fail: %u, skip: %u.\n", (unsigned long long)(sequences + passed),
           failures, skipped);
    return failures ? 1 : 0;
}
