// SPDX-License-Identifier: MIT
#include "bench/peers/memory.h"

#include <cstdio>
#include <malloc.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

// Anonymous memory: what was allocated, and not the code of a library.
static size_t resident_bytes()
{
    FILE *f = fopen("/proc/self/status", "r");
    if (!f)
        throw std::runtime_error("no /proc/self/status");
    char line[256];
    unsigned long kib = 0;
    bool found = false;
    while (!found && fgets(line, sizeof line, f))
        found = sscanf(line, "RssAnon: %lu kB", &kib) == 1;
    fclose(f);
    if (!found)
        throw std::runtime_error("/proc/self/status does not tell RssAnon");
    return kib * (size_t)1024;
}

static size_t grow(const std::function<std::unique_ptr<contender>()> &make, uint32_t steps)
{
    malloc_trim(0);
    const size_t before = resident_bytes();
    const std::unique_ptr<contender> who = make();
    for (uint32_t step = 0; step < steps; step++) {
        who->deform(step);
        who->step();
    }
    malloc_trim(0); // what only the set-up needed
    return resident_bytes() - before;
}

size_t resident_growth(const std::function<std::unique_ptr<contender>()> &make, uint32_t steps)
{
    int ends[2];
    if (pipe(ends) != 0)
        throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child < 0)
        throw std::runtime_error("no child process");
    if (child == 0) {
        size_t bytes = 0;
        try {
            bytes = grow(make, steps);
        } catch (const std::exception &e) {
            fprintf(stderr, "peers: %s\n", e.what());
        }
        _exit(bytes && write(ends[1], &bytes, sizeof bytes) == (ssize_t)sizeof bytes ? 0 : 1);
    }
    close(ends[1]);
    size_t bytes = 0;
    const bool told = read(ends[0], &bytes, sizeof bytes) == (ssize_t)sizeof bytes;
    close(ends[0]);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0 || !told)
        throw std::runtime_error("the child that measures memory failed");
    return bytes;
}
