// SPDX-License-Identifier: MIT
// libepoxy aborts the process when a library or function that is called is missing, so
// everything is asked for before it is called.
#include "gpu/egl.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEVICES_MAX = 16, GL_LEAST = 43 };

shl_gpu_status shl_gpu_fail(shl_gpu_line *why, shl_gpu_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    for (char *c = why->text; *c; c++) {
        if ((unsigned char)*c < ' ') // logs of shader compilers have many lines
            *c = ' ';
    }
    return status;
}

// The handles stay open: libepoxy is about to use the very libraries.
static shl_gpu_status find_libraries(shl_gpu_line *why)
{
    if (!dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL))
        return shl_gpu_fail(why, SHL_GPU_ABSENT, "no EGL: %s", dlerror());
    if (!dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL) &&
        !dlopen("libOpenGL.so.0", RTLD_LAZY | RTLD_LOCAL))
        return shl_gpu_fail(why, SHL_GPU_ABSENT, "neither libGL.so.1 nor libOpenGL.so.0: %s",
                            dlerror());
    return SHL_GPU_OK;
}

// Versions from new to old; robust first, since a plain context hides resets.
static EGLContext make_context(EGLDisplay display, bool *robust, EGLint *error)
{
    static const EGLint versions[2][2] = {{4, 5}, {4, 3}};
    for (int i = 0; i < 4; i++) {
        const EGLint *v = versions[i / 2];
        *robust = i % 2 == 0;
        const EGLint attributes[] = {
            EGL_CONTEXT_MAJOR_VERSION_KHR,
            v[0],
            EGL_CONTEXT_MINOR_VERSION_KHR,
            v[1],
            EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
            *robust ? EGL_CONTEXT_FLAGS_KHR : EGL_NONE,
            EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR,
            EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_KHR,
            EGL_LOSE_CONTEXT_ON_RESET_KHR,
            EGL_NONE,
        };
        const EGLContext context =
            eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
        if (context != EGL_NO_CONTEXT)
            return context;
        *error = eglGetError();
    }
    return EGL_NO_CONTEXT;
}

static bool is_software(const char *renderer)
{
    static const char *const names[] = {"llvmpipe", "softpipe", "swrast", "SwiftShader",
                                        "Software Rasterizer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(renderer, names[i]))
            return true;
    }
    return false;
}

// What the current context is; ABSENT if it is not what was asked for.
static shl_gpu_status look(bool software, shl_gpu_about *about, shl_gpu_line *why)
{
    const int version = epoxy_gl_version();
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    const char *text = (const char *)glGetString(GL_VERSION);
    const char *vendor = (const char *)glGetString(GL_VENDOR);
    if (version < GL_LEAST || !renderer || !text)
        return shl_gpu_fail(why, SHL_GPU_ABSENT, "OpenGL %d.%d, 4.3 is needed", version / 10,
                            version % 10);
    snprintf(about->device, sizeof about->device, "%s", renderer);
    snprintf(about->version, sizeof about->version, "%s", text);
    snprintf(about->vendor, sizeof about->vendor, "%s", vendor ? vendor : "");
    about->gl_major = version / 10;
    about->gl_minor = version % 10;
    about->software = is_software(renderer);
    if (about->software && !software)
        return shl_gpu_fail(why, SHL_GPU_ABSENT,
                            "only a software renderer, %s (SHOAL_GPU=force takes it)",
                            renderer);
    return SHL_GPU_OK;
}

static shl_gpu_status try_display(EGLDisplay display, bool software, shl_egl *out,
                                  shl_gpu_about *about, shl_gpu_line *why)
{
    EGLint major = 0, minor = 0, error = 0;
    if (display == EGL_NO_DISPLAY)
        return shl_gpu_fail(why, SHL_GPU_ABSENT, "EGL has no %s display (0x%x)",
                            about->platform, (unsigned)eglGetError());
    if (!eglInitialize(display, &major, &minor))
        return shl_gpu_fail(why, SHL_GPU_ABSENT, "EGL found no driver for a %s display (0x%x)",
                            about->platform, (unsigned)eglGetError());
    static const char *const needed[] = {"EGL_KHR_create_context", "EGL_KHR_no_config_context",
                                         "EGL_KHR_surfaceless_context"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!epoxy_has_egl_extension(display, needed[i]))
            return shl_gpu_fail(why, SHL_GPU_ABSENT, "EGL %d.%d lacks %s", major, minor,
                                needed[i]);
    }
    if (!eglBindAPI(EGL_OPENGL_API))
        return shl_gpu_fail(why, SHL_GPU_ABSENT, "EGL %d.%d knows no OpenGL", major, minor);
    *out = (shl_egl){display, make_context(display, &about->robust, &error)};
    if (out->context == EGL_NO_CONTEXT)
        return shl_gpu_fail(why, SHL_GPU_ABSENT, "no OpenGL 4.3 context (EGL error 0x%x)",
                            (unsigned)error);
    shl_gpu_status st = SHL_GPU_OK;
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, out->context))
        st = shl_gpu_fail(why, SHL_GPU_ABSENT, "the context cannot be made current (0x%x)",
                          (unsigned)eglGetError());
    if (st == SHL_GPU_OK)
        st = look(software, about, why);
    if (st != SHL_GPU_OK)
        shl_egl_close(out);
    return st;
}

// Hardware in the first round, software in the second.
static shl_gpu_status try_devices(bool software, shl_egl *out, shl_gpu_about *about,
                                  shl_gpu_line *why)
{
    EGLDeviceEXT devices[DEVICES_MAX];
    EGLint count = 0;
    snprintf(about->platform, sizeof about->platform, "device");
    if (!eglQueryDevicesEXT(DEVICES_MAX, devices, &count) || count == 0)
        return shl_gpu_fail(why, SHL_GPU_ABSENT, "EGL knows no device");
    shl_gpu_status st = SHL_GPU_ABSENT;
    for (int round = 0; round < (software ? 2 : 1); round++) {
        for (EGLint i = 0; i < count && st != SHL_GPU_OK; i++) {
            const char *has = eglQueryDeviceStringEXT(devices[i], EGL_EXTENSIONS);
            const bool soft = has && epoxy_extension_in_string(has, "EGL_MESA_device_software");
            if (soft == (round == 1))
                st = try_display(
                    eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL),
                    software, out, about, why);
        }
    }
    return st;
}

shl_gpu_status shl_egl_open(bool software, shl_egl *out, shl_gpu_about *about,
                            shl_gpu_line *why)
{
    memset(about, 0, sizeof *about);
    shl_gpu_status st = find_libraries(why);
    if (st != SHL_GPU_OK)
        return st;
    // before a display is known libepoxy takes EGL for 1.4, so the EXT names are the safe ones
    const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!client || !epoxy_extension_in_string(client, "EGL_EXT_platform_base"))
        return shl_gpu_fail(why, SHL_GPU_ABSENT,
                            "EGL has no platforms: no driver is installed");
    st = SHL_GPU_ABSENT;
    const bool devices = epoxy_extension_in_string(client, "EGL_EXT_platform_device") &&
                         (epoxy_extension_in_string(client, "EGL_EXT_device_base") ||
                          epoxy_extension_in_string(client, "EGL_EXT_device_enumeration"));
    snprintf(why->text, sizeof why->text, "EGL has neither devices nor surfaceless displays");
    if (devices)
        st = try_devices(software, out, about, why);
    if (st != SHL_GPU_OK &&
        epoxy_extension_in_string(client, "EGL_MESA_platform_surfaceless")) {
        snprintf(about->platform, sizeof about->platform, "surfaceless");
        st = try_display(
            eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL),
            software, out, about, why);
    }
    return st;
}

void shl_egl_close(shl_egl *egl)
{
    if (egl->context != EGL_NO_CONTEXT) {
        eglMakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(egl->display, egl->context);
        eglReleaseThread();
    }
    *egl = (shl_egl){EGL_NO_DISPLAY, EGL_NO_CONTEXT};
}
