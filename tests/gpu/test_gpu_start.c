// SPDX-License-Identifier: MIT
// Everything that can be missing when the GPU is asked for: the tool goes on, and says why in
// one line. libepoxy ends the process where a check is forgotten, so the exit code tells.
#include "../cli/show.h"

#include <jansson.h>
#include <shoal/context.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/shoal-gpu-XXXXXX";
static char module[4096]; // for this program, which is not beside it
static bool works;        // the GPU starts here when nothing is hidden
static bool known;        // and it is Mesa's llvmpipe, of which it is known what hides it

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

// What the tool prints as JSON under the variables in `environment`, where @ is the folder;
// NULL if it does not end as it should: then it is shown. What it says else goes to a file.
static json_t *ask(const char *environment, const char *arguments)
{
    char command[2048] = "env ";
    size_t n = strlen(command);
    for (const char *c = environment; *c; c++)
        n += (size_t)(*c == '@' ? snprintf(command + n, sizeof command - n, "%s", folder)
                                : snprintf(command + n, sizeof command - n, "%c", *c));
    snprintf(command + n, sizeof command - n, " '%s' %s --json >'%s/out.txt' 2>'%s/err.txt'",
             getenv("SHOAL_TOOL"), arguments, folder, folder);
    const int status = system(command);
    show_ran(command, status);
    char path[256];
    snprintf(path, sizeof path, "%s/out.txt", folder);
    json_t *all = status == 0 ? json_load_file(path, 0, NULL) : NULL;
    if (!all)
        show_failure();
    return all;
}

// What `shoal info` says of the GPU.
static json_t *info(const char *environment)
{
    json_t *all = ask(environment, "info");
    json_t *gpu = json_incref(json_object_get(all, "gpu"));
    json_decref(all);
    return gpu;
}

// The distance of two tetrahedra, by the GPU if there is one.
static json_t *query(const char *environment)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, "query %s/0.obj %s/1.obj --distance --engine grid",
             folder, folder);
    return ask(environment, arguments);
}

static void write_meshes(void)
{
    for (int i = 0; i < 2; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%d.obj", folder, i);
        FILE *f = fopen(path, "w");
        if (!f)
            return;
        fprintf(f,
                "v %d 0 0\nv %d 0 0\nv %d 1 0\nv %d 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
                2 * i, 2 * i + 1, 2 * i, 2 * i);
        fclose(f);
    }
}

// The tool's own lines among those on stderr, where drivers talk too; the last one.
static uint32_t said(char text[600])
{
    char path[256], row[600];
    snprintf(path, sizeof path, "%s/err.txt", folder);
    FILE *f = fopen(path, "r");
    uint32_t count = 0;
    *text = 0;
    while (f && fgets(row, sizeof row, f)) {
        if (strncmp(row, "shoal", 5) == 0) {
            memcpy(text, row, sizeof row);
            count++;
        }
    }
    if (f)
        fclose(f);
    return count;
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
    {"nonadjacent", "SHOAL_GPU=force SHOAL_GPU_MODULE=@/nonadjacent.so",
     "not a module of this version"},
    {"search", "SHOAL_GPU=force SHOAL_GPU_MODULE=libc.so.6", "is not an absolute path"},
    {"relative", "SHOAL_GPU=force SHOAL_GPU_MODULE=./nonadjacent.so",
     "is not an absolute path"},
    {"folder", "SHOAL_GPU=force SHOAL_GPU_MODULE=@", "is not a file"},
    {"epoxy", "SHOAL_GPU=force LD_LIBRARY_PATH=@/epoxy", "the module does not load"},
    {"egl", "SHOAL_GPU=force LD_LIBRARY_PATH=@/egl", "no EGL: "},
    {"gl", "SHOAL_GPU=force LD_LIBRARY_PATH=@/gl", "neither libGL.so.1 nor libOpenGL.so.0"},
    {"opengl", "SHOAL_GPU=force LD_LIBRARY_PATH=@/onlygl", ""},
    {"vendor", "SHOAL_GPU=force __EGL_VENDOR_LIBRARY_DIRS=/nonexistent",
     "EGL has no platforms"},
    {"mesa", "SHOAL_GPU=force LD_LIBRARY_PATH=@/mesa", "EGL has no platforms"},
    {"driver", "SHOAL_GPU=force LIBGL_DRIVERS_PATH=/nonexistent", "EGL found no driver"},
    // Mesa's zink leaks where it finds no Vulkan driver, and is unloaded before anyone could
    // say whose memory that was
    {"vulkan",
     "SHOAL_GPU=force LIBGL_ALWAYS_SOFTWARE=1 MESA_LOADER_DRIVER_OVERRIDE=zink "
     "VK_ICD_FILENAMES=/nonexistent ASAN_OPTIONS=detect_leaks=0",
     "EGL found no driver"},
    {"override", "SHOAL_GPU=force MESA_GL_VERSION_OVERRIDE=4.2", "no OpenGL 4.3 context"},
    {"softpipe", "SHOAL_GPU=force GALLIUM_DRIVER=softpipe", "no OpenGL 4.3 context"},
};

TEST tells_why(const row *r)
{
    json_t *gpu = info(r->environment);
    ASSERTm("the tool failed", gpu);
    const bool ready = json_is_true(json_object_get(gpu, "ready"));
    if (known) {
        if (!strstr(reason_of(gpu), r->reason) || ready != !*r->reason)
            fprintf(stderr, "%s: %s\n", r->name, reason_of(gpu));
        ASSERT_EQ(!*r->reason, ready);
        ASSERT(strstr(reason_of(gpu), r->reason));
    }
    ASSERT(*reason_of(gpu) && !strchr(reason_of(gpu), '\n'));
    ASSERT_EQ(ready, *json_string_value(json_object_get(gpu, "device")) != 0);
    json_decref(gpu);
    if (!known)
        SKIPm("no llvmpipe to hide");
    PASS();
}

// The same answer, and one line if the GPU was wanted and is missing.
TEST answers(const row *r)
{
    json_t *truth = query("SHOAL_GPU=off"), *got = query(r->environment);
    ASSERTm("the tool failed", truth && got);
    char text[600];
    const uint32_t lines_said = said(text);
    const char *hash = json_string_value(json_object_get(got, "hash"));
    ASSERT_STR_EQ(json_string_value(json_object_get(truth, "hash")), hash);
    ASSERT_EQ(2, json_integer_value(json_object_get(got, "pairs")));
    const json_int_t jobs = json_integer_value(json_object_get(got, "gpu_jobs"));
    const bool wanted = strstr(r->environment, "SHOAL_GPU=force") != NULL;
    ASSERT_EQ(wanted && !jobs, lines_said);
    ASSERT(!lines_said || strstr(text, "the CPU is used"));
    if (known) {
        ASSERT_EQ(!*r->reason, jobs);
        ASSERT(!lines_said || strstr(text, r->reason));
    }
    json_decref(truth);
    json_decref(got);
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
    show_run.folder = folder;
    snprintf(module, sizeof module, "%s",
             getenv("SHOAL_GPU_MODULE") ? getenv("SHOAL_GPU_MODULE") : "");
    unsetenv("SHOAL_GPU_MODULE"); // the tool finds it by itself
    hide("epoxy", "libepoxy.so.0");
    hide("egl", "libEGL.so.1");
    hide("gl", "libGL.so.1");
    hide("gl", "libOpenGL.so.0");
    hide("onlygl", "libGL.so.1");
    hide("mesa", "libEGL_mesa.so.0");
    write_meshes();
    char nonadjacent[256];
    snprintf(nonadjacent, sizeof nonadjacent, "%s/nonadjacent.so", folder);
    if (symlink(getenv("SHOAL_HOSTILE"), nonadjacent) != 0)
        return 1;
    json_t *gpu = info("SHOAL_GPU=force");
    works = gpu && json_is_true(json_object_get(gpu, "ready"));
    const char *device = json_string_value(json_object_get(gpu, "device"));
    known = works && device && strncmp(device, "llvmpipe", 8) == 0;
    if (gpu && !works)
        fprintf(stderr, "no GPU: %s\n", reason_of(gpu));
    json_decref(gpu);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        RUN_TEST1(tells_why, &rows[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        RUN_TEST1(answers, &rows[i]);
    RUN_TEST(refuses_software);
    RUN_TEST(required_or_not);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "cannot remove %s\n", folder);
    GREATEST_MAIN_END();
}
