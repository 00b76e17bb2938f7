// SPDX-License-Identifier: MIT
// Everything that can be missing when the GPU is asked for: the tool goes on, and says why in
// one line. libepoxy ends the process where a check is forgotten, so the exit code tells.
#include "greatest.h"

#include <jansson.h>
#include <shoal/context.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/shoal-gpu-XXXXXX";
static char module[4096]; // for this program, which is not beside it
static bool works;        // the GPU starts here when nothing is hidden

// A file that no loader takes hides the library of that name.
static void hide(const char *under, const char *library)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, under);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", folder, under, library);
    FILE *f = fopen(path, "w");
    if (f)
        fclose(f);
}

// What `shoal info` says of the GPU under the variables in `environment`, where @ is the
// folder; NULL if it does not end as it should.
static json_t *info(const char *environment)
{
    char command[2048] = "env ";
    size_t n = strlen(command);
    for (const char *c = environment; *c; c++)
        n += (size_t)(*c == '@' ? snprintf(command + n, sizeof command - n, "%s", folder)
                                : snprintf(command + n, sizeof command - n, "%c", *c));
    snprintf(command + n, sizeof command - n, " '%s' info --json 2>'%s/said'",
             getenv("SHOAL_TOOL"), folder);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return NULL;
    json_t *all = json_loadf(pipe, 0, NULL);
    json_t *gpu = json_incref(json_object_get(all, "gpu"));
    json_decref(all);
    return pclose(pipe) == 0 ? gpu : NULL;
}

static const char *reason_of(const json_t *gpu)
{
    const char *text = json_string_value(json_object_get(gpu, "reason"));
    return text ? text : "";
}

typedef struct row {
    const char *name, *environment, *reason; // "" means that it works
} row;

static const row rows[] = {
    {"plain", "SHOAL_GPU=force", ""},
    {"home", "SHOAL_GPU=force HOME=/nonexistent", ""},
    {"gl43", "SHOAL_GPU=force MESA_GL_VERSION_OVERRIDE=4.3", ""},
    {"off", "SHOAL_GPU=off", "SHOAL_GPU=off"},
    {"module", "SHOAL_GPU=force SHOAL_GPU_MODULE=/nonexistent.so", "the module does not load"},
    {"stranger", "SHOAL_GPU=force SHOAL_GPU_MODULE=libc.so.6", "not a module of this version"},
    {"epoxy", "SHOAL_GPU=force LD_LIBRARY_PATH=@/epoxy", "the module does not load"},
    {"egl", "SHOAL_GPU=force LD_LIBRARY_PATH=@/egl", "no EGL: "},
    {"gl", "SHOAL_GPU=force LD_LIBRARY_PATH=@/gl", "neither libGL.so.1 nor libOpenGL.so.0"},
    {"opengl", "SHOAL_GPU=force LD_LIBRARY_PATH=@/onlygl", ""},
    {"vendor", "SHOAL_GPU=force __EGL_VENDOR_LIBRARY_DIRS=/nonexistent",
     "EGL has no platforms"},
    {"driver", "SHOAL_GPU=force LIBGL_DRIVERS_PATH=/nonexistent", "EGL found no driver"},
    {"override", "SHOAL_GPU=force MESA_GL_VERSION_OVERRIDE=4.2", "no OpenGL 4.3 context"},
    {"softpipe", "SHOAL_GPU=force GALLIUM_DRIVER=softpipe", "no OpenGL 4.3 context"},
};

TEST tells_why(const row *r)
{
    json_t *gpu = info(r->environment);
    ASSERTm("the tool failed", gpu);
    const bool ready = json_is_true(json_object_get(gpu, "ready"));
    if (works) {
        if (!strstr(reason_of(gpu), r->reason) || ready != !*r->reason)
            fprintf(stderr, "%s: %s\n", r->name, reason_of(gpu));
        ASSERT_EQ(!*r->reason, ready);
        ASSERT(strstr(reason_of(gpu), r->reason));
    }
    ASSERT(*reason_of(gpu) && !strchr(reason_of(gpu), '\n'));
    ASSERT_EQ(ready, *json_string_value(json_object_get(gpu, "device")) != 0);
    json_decref(gpu);
    if (!works)
        SKIPm("no GPU even when forced");
    PASS();
}

// Software renderers are for tests: by default they are named and refused.
TEST refuses_software(void)
{
    if (!works)
        SKIPm("no GPU even when forced");
    json_t *gpu = info("SHOAL_GPU=");
    ASSERT(gpu);
    if (json_is_false(json_object_get(gpu, "ready")))
        ASSERT(strstr(reason_of(gpu), "SHOAL_GPU=force"));
    else
        ASSERT(json_is_false(json_object_get(gpu, "software")));
    json_decref(gpu);
    PASS();
}

static uint32_t lines;
static char line[600];

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    (void)status;
    lines++;
    snprintf(line, sizeof line, "%s", text);
}

static shoal_status make(shoal_gpu gpu, const char *environment, shoal_context **out)
{
    setenv("SHOAL_GPU", environment, 1);
    shoal_context_def def = shoal_context_def_default();
    def.gpu = gpu;
    def.log = log_line;
    lines = 0;
    return shoal_context_create(&def, out);
}

TEST required_or_not(void)
{
    shoal_context *ctx = NULL;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, make(SHOAL_GPU_AUTO, "on", &ctx));
    ASSERT(!ctx && lines == 1 && strstr(line, "SHOAL_GPU=on"));
    ASSERT_EQ(SHOAL_ERR_DEVICE, make(SHOAL_GPU_REQUIRE, "off", &ctx));
    ASSERT(!ctx && lines == 1 && strstr(line, "SHOAL_GPU=off"));
    setenv("SHOAL_GPU_MODULE", "/nonexistent.so", 1);
    ASSERT_EQ(SHOAL_ERR_DEVICE, make(SHOAL_GPU_REQUIRE, "force", &ctx));
    ASSERT(!ctx && lines == 1 && strstr(line, "/nonexistent.so"));
    ASSERT_EQ(SHOAL_OK, make(SHOAL_GPU_AUTO, "force", &ctx));
    ASSERT(!shoal_context_gpu(ctx).ready && lines == 0);
    shoal_context_destroy(ctx);
    setenv("SHOAL_GPU_MODULE", module, 1);
    ASSERT_EQ(SHOAL_OK, make(SHOAL_GPU_OFF, "force", &ctx));
    ASSERT(!shoal_context_gpu(ctx).ready && *shoal_context_gpu(ctx).reason);
    shoal_context_destroy(ctx);
    if (!works)
        SKIPm("no GPU even when forced");
    for (int i = 0; i < 3; i++) { // again and again, two at a time
        shoal_context *other = NULL;
        ASSERT_EQ(SHOAL_OK, make(SHOAL_GPU_REQUIRE, "force", &ctx));
        ASSERT_EQ(SHOAL_OK, make(SHOAL_GPU_REQUIRE, "force", &other));
        ASSERT(shoal_context_gpu(ctx).ready && shoal_context_gpu(other).ready);
        shoal_context_destroy(other);
        shoal_context_destroy(ctx);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!mkdtemp(folder))
        return 1;
    snprintf(module, sizeof module, "%s",
             getenv("SHOAL_GPU_MODULE") ? getenv("SHOAL_GPU_MODULE") : "");
    unsetenv("SHOAL_GPU_MODULE"); // the tool finds it by itself
    hide("epoxy", "libepoxy.so.0");
    hide("egl", "libEGL.so.1");
    hide("gl", "libGL.so.1");
    hide("gl", "libOpenGL.so.0");
    hide("onlygl", "libGL.so.1");
    json_t *gpu = info("SHOAL_GPU=force");
    works = gpu && json_is_true(json_object_get(gpu, "ready"));
    if (gpu && !works)
        fprintf(stderr, "no GPU: %s\n", reason_of(gpu));
    json_decref(gpu);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        RUN_TEST1(tells_why, &rows[i]);
    RUN_TEST(refuses_software);
    RUN_TEST(required_or_not);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "cannot remove %s\n", folder);
    GREATEST_MAIN_END();
}
