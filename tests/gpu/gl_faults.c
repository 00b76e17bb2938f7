// SPDX-License-Identifier: MIT
#include "gl_faults.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

typedef void any_fn(void);

// The variable through which a GL or EGL function is called.
static any_fn **variable(const char *name)
{
    static void *epoxy;
    char full[128];
    if (!epoxy)
        epoxy = dlopen("libepoxy.so.0", RTLD_NOW | RTLD_NOLOAD);
    snprintf(full, sizeof full, "epoxy_%s", name);
    return epoxy ? (any_fn **)dlsym(epoxy, full) : NULL;
}

// What stood in a variable; how many calls pass, and how many are spoilt then.
typedef struct spot {
    any_fn **where, *before;
    atomic_int skip, times;
} spot;

static spot spots[GL_FAULTS];
static atomic_bool released, woken; // the driver that hangs

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static bool strikes(gl_fault fault)
{
    spot *s = &spots[fault];
    return atomic_fetch_sub(&s->skip, 1) <= 0 && atomic_fetch_sub(&s->times, 1) > 0;
}

// The first call through libepoxy's own pointer replaces it; the fault is put back after it.
static void stay(gl_fault fault, any_fn *body)
{
    spot *s = &spots[fault];
    if (*s->where != body) {
        s->before = *s->where;
        *s->where = body;
    }
}

static unsigned bad_reset(void)
{
    return strikes(GL_FAULT_RESET) ? 0x8253 : 0; // guilty
}

typedef void source_fn(unsigned, int, const char *const *, const int *);
static void bad_source(unsigned shader, int count, const char *const *text, const int *length)
{
    static const char *const nonsense[] = {"#version 430\n", "void main() { nonsense; }\n"};
    if (strikes(GL_FAULT_SHADER))
        count = 2, text = nonsense, length = NULL;
    ((source_fn *)spots[GL_FAULT_SHADER].before)(shader, count, text, length);
    stay(GL_FAULT_SHADER, (any_fn *)bad_source);
}

static unsigned bad_error(void)
{
    return strikes(GL_FAULT_MEMORY) ? 0x505 : 0; // GL_OUT_OF_MEMORY
}

static unsigned bad_wait(void *fence, unsigned flags, uint64_t ns)
{
    (void)fence;
    (void)flags;
    pause_ms((long)(ns / 1000000));
    return 0x911B; // GL_TIMEOUT_EXPIRED
}

typedef void dispatch_fn(unsigned, unsigned, unsigned);
static void bad_dispatch(unsigned x, unsigned y, unsigned z)
{
    const bool struck = strikes(GL_FAULT_DRIVER);
    for (int i = 0; struck && i < 6000 && !atomic_load(&released); i++)
        pause_ms(10);
    ((dispatch_fn *)spots[GL_FAULT_DRIVER].before)(x, y, z);
    stay(GL_FAULT_DRIVER, (any_fn *)bad_dispatch);
    if (struck)
        atomic_store(&woken, true);
}

typedef void *context_fn(void *, void *, void *, const int *);
static void *bad_context(void *display, void *config, void *share, const int *attributes)
{
    bool robust = false;
    for (int i = 0; attributes[i] != 0x3038; i += 2)
        robust = robust || attributes[i] == 0x31BD;
    if (robust && strikes(GL_FAULT_CONTEXT))
        return NULL;
    context_fn *const real = (context_fn *)spots[GL_FAULT_CONTEXT].before;
    void *made = real(display, config, share, attributes);
    stay(GL_FAULT_CONTEXT, (any_fn *)bad_context);
    return made;
}

typedef void integer64_fn(unsigned, int64_t *);
static void bad_limit(unsigned name, int64_t *out)
{
    ((integer64_fn *)spots[GL_FAULT_STORAGE].before)(name, out);
    stay(GL_FAULT_STORAGE, (any_fn *)bad_limit);
    if (name == 0x90DE)
        *out = 1024; // GL_MAX_SHADER_STORAGE_BLOCK_SIZE
}

typedef const unsigned char *string_fn(unsigned);
static const unsigned char *bad_string(unsigned name)
{
    const unsigned char *text = ((string_fn *)spots[GL_FAULT_DISGUISE].before)(name);
    stay(GL_FAULT_DISGUISE, (any_fn *)bad_string);
    return name == 0x1F01 ? (const unsigned char *)"a device in disguise" : text; // GL_RENDERER
}

typedef void delete_fn(int, const unsigned *);
static void bad_delete(int count, const unsigned *names)
{
    const bool struck = strikes(GL_FAULT_END);
    if (struck)
        pause_ms(4000);
    ((delete_fn *)spots[GL_FAULT_END].before)(count, names);
    stay(GL_FAULT_END, (any_fn *)bad_delete);
    if (struck)
        atomic_store(&woken, true);
}

static const struct {
    const char *name;
    any_fn *body;
} faults[GL_FAULTS] = {
    [GL_FAULT_RESET] = {"glGetGraphicsResetStatus", (any_fn *)bad_reset},
    [GL_FAULT_SHADER] = {"glShaderSource", (any_fn *)bad_source},
    [GL_FAULT_MEMORY] = {"glGetError", (any_fn *)bad_error},
    [GL_FAULT_DEVICE] = {"glClientWaitSync", (any_fn *)bad_wait},
    [GL_FAULT_DRIVER] = {"glDispatchCompute", (any_fn *)bad_dispatch},
    [GL_FAULT_CONTEXT] = {"eglCreateContext", (any_fn *)bad_context},
    [GL_FAULT_STORAGE] = {"glGetInteger64v", (any_fn *)bad_limit},
    [GL_FAULT_END] = {"glDeleteTextures", (any_fn *)bad_delete},
    [GL_FAULT_DISGUISE] = {"glGetString", (any_fn *)bad_string},
};

bool gl_plant(gl_fault fault, int skip, int times)
{
    spot *s = &spots[fault];
    any_fn **where = variable(faults[fault].name);
    if (!where)
        return false;
    s->before = *where;
    atomic_store(&s->skip, skip);
    atomic_store(&s->times, times);
    atomic_store(&released, false);
    atomic_store(&woken, false);
    s->where = where;
    *where = faults[fault].body;
    return true;
}

void gl_weed(void)
{
    for (int i = 0; i < GL_FAULTS; i++) {
        if (spots[i].where)
            *spots[i].where = spots[i].before;
        spots[i].where = NULL;
    }
}

bool gl_has_woken(void)
{
    return atomic_load(&woken);
}

void gl_release(void)
{
    atomic_store(&released, true);
    while (!atomic_load(&woken))
        pause_ms(10);
}
