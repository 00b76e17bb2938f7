// SPDX-License-Identifier: MIT
// A plug-in that used the library is unloaded while OpenMP's threads still wait for work: the
// code that they run must stay. The plug-in is examples/first.c.
#include "greatest.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

TEST plug_in_comes_and_goes(void)
{
    const char *path = getenv("SHOAL_PLUGIN"), *library = getenv("SHOAL_LIBRARY");
    ASSERT(path && library);
    for (int i = 0; i < 3; i++) {
        void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        ASSERTm(dlerror(), plugin);
        void *entry = dlsym(plugin, "main");
        int (*run)(void) = NULL;
        memcpy(&run, &entry, sizeof run);
        ASSERT(run);
        ASSERT_EQ(0, run());
        ASSERT_EQ(0, dlclose(plugin));
        ASSERT_FALSE(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
        // threads that still spin show here; those that sleep, at the end of the process
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        ASSERT(dlopen(library, RTLD_NOW | RTLD_NOLOAD));
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(plug_in_comes_and_goes);
    GREATEST_MAIN_END();
}
