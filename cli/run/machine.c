// SPDX-License-Identifier: MIT
#include "cli/run/machine.h"

#include "shoal_build.h" // made by meson

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined __clang__
#define TEXT(x) #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
const char shl_compiler[] =
    "clang " DOTTED(__clang_major__, __clang_minor__, __clang_patchlevel__);
#else
const char shl_compiler[] = "gcc " __VERSION__;
#endif

json_t *shl_machine_json(const shl_engine *e)
{
    const shoal_machine m = shoal_context_machine(e->ctx);
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:[I, I, I]}", "cpu",
                     shl_json_new_text(m.cpu), "packages", (json_int_t)m.packages, "numa_nodes",
                     (json_int_t)m.numa_nodes, "cores", (json_int_t)m.cores, "cpus",
                     (json_int_t)m.cpus, "allowed_cpus", (json_int_t)m.allowed_cpus,
                     "cache_bytes", (json_int_t)m.cache_bytes[0], (json_int_t)m.cache_bytes[1],
                     (json_int_t)m.cache_bytes[2]);
}

json_t *shl_bindings_json(const shl_engine *e, uint32_t threads)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < threads; i++) {
        const shoal_binding b = shoal_scene_binding(e->scene, i);
        json_array_append_new(out, b.cpu < 0 ? json_null()
                                             : json_pack("{s:i, s:i, s:i}", "cpu", b.cpu,
                                                         "core", b.core, "numa", b.numa));
    }
    return out;
}

json_t *shl_environment_json(void)
{
    static const char *const fronts[] = {"OMP_", "GOMP_", "KMP_", "SHOAL_"};
    json_t *out = json_object();
    for (char **e = environ; *e; e++) {
        const size_t length = strcspn(*e, "=");
        bool ours = false;
        for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
            ours |= strncmp(*e, fronts[i], strlen(fronts[i])) == 0;
        char name[64];
        if (!ours || (*e)[length] != '=' || length >= sizeof name)
            continue;
        memcpy(name, *e, length);
        name[length] = '\0';
        json_object_set_new(out, name, shl_json_new_text(*e + length + 1));
    }
    return out;
}

json_t *shl_gpu_json(const shl_engine *e)
{
    const shoal_gpu_info g = shoal_context_gpu(e->ctx);
    return json_pack("{s:b, s:b, s:o, s:o, s:o, s:o}", "ready", g.ready, "software", g.software,
                     "device", shl_json_new_text(g.device), "version",
                     shl_json_new_text(g.version), "driver", shl_json_new_text(g.driver),
                     "reason", shl_json_new_text(g.reason));
}

json_t *shl_build_json(void)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "version", shoal_version(), "commit",
                     SHL_BUILD_COMMIT, "compiler", shl_compiler, "flags", SHL_BUILD_FLAGS);
}

json_t *shl_kernels_json(const shl_engine *e)
{
    json_t *out = json_object();
    for (uint32_t i = 0;; i++) {
        const shoal_kernel_info kernel = shoal_context_kernel(e->ctx, i);
        if (!kernel.name)
            return out;
        json_object_set_new(out, kernel.name, json_string(kernel.body));
    }
}
