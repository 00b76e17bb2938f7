// SPDX-License-Identifier: MIT
#include "gpu/work.h"

#include "gpu/shaders.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LINES_MAX = 1024, POLL_NS = 20000000, STORAGE_MAX = 1 << 30 };

uint64_t shl_gpu_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Attaches a stage to a program, or says why not.
static bool attach(GLuint program, const shl_stage *stage, char log[256])
{
    const char *lines[LINES_MAX];
    GLsizei count = 0;
    for (int part = 0; part < 3 && stage->text[part]; part++) {
        for (int i = 0; stage->text[part][i] && count < LINES_MAX; i++)
            lines[count++] = stage->text[part][i];
    }
    GLint good = 0;
    const GLuint shader = glCreateShader(stage->kind);
    glShaderSource(shader, count, lines, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        glAttachShader(program, shader);
    else
        glGetShaderInfoLog(shader, 256, NULL, log);
    glDeleteShader(shader);
    return good;
}

shl_gpu_status shl_work_program(const char *name, const shl_stage *stages, int count,
                                GLuint *out, shl_gpu_line *why)
{
    char log[256] = "";
    GLint good = 1;
    *out = glCreateProgram();
    for (int i = 0; i < count && good; i++)
        good = attach(*out, &stages[i], log);
    if (good) {
        glLinkProgram(*out);
        glGetProgramiv(*out, GL_LINK_STATUS, &good);
        if (!good)
            glGetProgramInfoLog(*out, sizeof log, NULL, log);
    }
    if (good)
        return SHL_GPU_OK;
    glDeleteProgram(*out);
    *out = 0;
    return shl_gpu_fail(why, SHL_GPU_ABSENT, "the driver refuses shader %s: %s", name, log);
}

shl_gpu_status shl_work_init(shl_work *work, bool robust, shl_gpu_line *why)
{
    static const struct {
        const char *name;
        const char *const *text;
    } passes[SHL_PASSES] = {
        [SHL_PASS_BIN] = {"bin", shl_shader_bin},
        [SHL_PASS_ALLOCATE] = {"allocate", shl_shader_allocate},
        [SHL_PASS_FILL] = {"fill", shl_shader_fill},
        [SHL_PASS_FUSED] = {"fused", shl_shader_fused},
    };
    *work = (shl_work){0};
    work->tells_resets =
        robust && (epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_KHR_robustness"));
    GLint64 storage = 0;
    GLint texels = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &storage);
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &texels);
    work->storage_max = storage < STORAGE_MAX ? (uint64_t)storage : STORAGE_MAX;
    work->texels_max = texels > 0 ? (uint64_t)texels : 0;
    glGenBuffers(SHL_BUFFERS, work->buffer);
    glGenTextures(1, &work->texture);
    for (int i = 0; i < SHL_PASSES; i++) {
        const shl_stage stage = {GL_COMPUTE_SHADER,
                                 {shl_shader_site, shl_shader_common, passes[i].text}};
        const shl_gpu_status st =
            shl_work_program(passes[i].name, &stage, 1, &work->program[i], why);
        if (st != SHL_GPU_OK) {
            shl_work_finish(work);
            return st;
        }
    }
    return SHL_GPU_OK;
}

void shl_work_finish(shl_work *work)
{
    for (int i = 0; i < SHL_PASSES; i++)
        glDeleteProgram(work->program[i]);
    glDeleteProgram(work->painter);
    glDeleteProgram(work->slicer);
    glDeleteTextures(1, &work->texture);
    glDeleteBuffers(SHL_BUFFERS, work->buffer);
    *work = (shl_work){0};
}

shl_gpu_status shl_work_reserve(shl_work *work, int buffer, uint64_t bytes, shl_gpu_line *why)
{
    const uint64_t most = buffer == SHL_BUFFER_TRIS ? 16 * work->texels_max : work->storage_max;
    if (bytes > most)
        return shl_gpu_fail(why, SHL_GPU_LIMIT, "%llu bytes are needed, the device allows %llu",
                            (unsigned long long)bytes, (unsigned long long)most);
    const GLenum target =
        buffer == SHL_BUFFER_TRIS ? GL_TEXTURE_BUFFER : GL_SHADER_STORAGE_BUFFER;
    glBindBuffer(target, work->buffer[buffer]);
    if (bytes > work->bytes[buffer]) {
        work->bytes[buffer] = 0;
        const uint64_t wanted = bytes + bytes / 4 < most ? bytes + bytes / 4 : bytes;
        while (glGetError() != GL_NO_ERROR) {
        }
        glBufferData(target, (GLsizeiptr)wanted, NULL, GL_DYNAMIC_COPY);
        const GLenum error = glGetError();
        if (error != GL_NO_ERROR) // a buffer that failed can be bound without an error
            return shl_gpu_fail(why, SHL_GPU_MEMORY, "no %llu bytes on the device (0x%x)",
                                (unsigned long long)wanted, error);
        work->bytes[buffer] = wanted;
    }
    if (buffer != SHL_BUFFER_TRIS)
        glBindBufferBase(target, (GLuint)buffer, work->buffer[buffer]);
    return SHL_GPU_OK;
}

shl_gpu_status shl_work_triangles(shl_work *work, const shl_gpu_bounds *job, shl_gpu_line *why)
{
    const uint64_t bytes = sizeof(shl_cell_tri) * (uint64_t)job->count;
    const shl_gpu_status st = shl_work_reserve(work, SHL_BUFFER_TRIS, bytes, why);
    if (st != SHL_GPU_OK)
        return st;
    glBufferSubData(GL_TEXTURE_BUFFER, 0, (GLsizeiptr)bytes, job->tris);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_BUFFER, work->texture);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32UI, work->buffer[SHL_BUFFER_TRIS]);
    return SHL_GPU_OK;
}

shl_gpu_status shl_work_alive(const shl_work *work, shl_gpu_line *why)
{
    if (atomic_load(work->stop))
        return shl_gpu_fail(why, SHL_GPU_LOST, "the job was given up");
    if (shl_gpu_now_ns() > work->until_ns)
        return shl_gpu_fail(why, SHL_GPU_LATE, "the device did not finish in time");
    return SHL_GPU_OK;
}

shl_gpu_status shl_work_wait(shl_work *work, shl_gpu_line *why)
{
    const GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    shl_gpu_status st = SHL_GPU_OK;
    GLenum state = GL_TIMEOUT_EXPIRED;
    while (fence && state == GL_TIMEOUT_EXPIRED && st == SHL_GPU_OK) {
        state = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, POLL_NS);
        if (state == GL_TIMEOUT_EXPIRED)
            st = shl_work_alive(work, why);
    }
    glDeleteSync(fence);
    if (st != SHL_GPU_OK)
        return st;
    const GLenum reset = work->tells_resets ? glGetGraphicsResetStatus() : GL_NO_ERROR;
    if (reset != GL_NO_ERROR)
        return shl_gpu_fail(why, SHL_GPU_LOST, "the device was reset (0x%x)", reset);
    const GLenum error = glGetError();
    if (!fence || state == GL_WAIT_FAILED || error != GL_NO_ERROR)
        return shl_gpu_fail(why, SHL_GPU_LOST, "the device failed (0x%x)", error);
    return SHL_GPU_OK;
}
