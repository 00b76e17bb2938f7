// SPDX-License-Identifier: MIT
#include "gpu/paint.h"

#include "gpu/picture_copy.h"
#include "gpu/shaders.h"

#include <math.h>
#include <string.h>

enum {
    SIDE_MAX = 16384,    // of a picture
    SHADOW_SIDE = 4096,  //
    SAMPLES = 4,         // of a pixel
    TRIANGLES = 1 << 21, // of a call: watchdogs are impatient
    LINES_MAX = 256,     // of a shader
};

// What a picture makes on the device.
typedef struct painter {
    shl_work *work;
    const shl_gpu_picture *picture;
    GLuint program, arrays, buffer[SHL_DRAW_COLUMNS], texture[2];
    GLuint shadow, frame[3]; // of the shadow, of samples, of pixels
    GLuint surface[3];       // colour and depth of samples, colour of pixels
} painter;

enum { FRAME_SHADOW, FRAME_SAMPLES, FRAME_PIXELS };
enum { COLUMN_XYZ, COLUMN_TRIANGLES, COLUMN_FIELDS, COLUMN_INSTANCES, COLUMN_Q };

static bool attach(GLuint program, GLenum kind, const char *const *text, char log[256])
{
    GLsizei count = 0;
    while (text[count] && count < LINES_MAX)
        count++;
    GLint good = 0;
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, count, text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        glAttachShader(program, shader);
    else
        glGetShaderInfoLog(shader, 256, NULL, log);
    glDeleteShader(shader);
    return good;
}

static shl_gpu_status compile(painter *p, shl_gpu_line *why)
{
    char log[256] = "";
    p->program = p->work->painter;
    if (p->program)
        return SHL_GPU_OK;
    p->program = p->work->painter = glCreateProgram();
    GLint good = attach(p->program, GL_VERTEX_SHADER, shl_shader_paint, log) &&
                 attach(p->program, GL_FRAGMENT_SHADER, shl_shader_paint_light, log);
    if (good) {
        glLinkProgram(p->program);
        glGetProgramiv(p->program, GL_LINK_STATUS, &good);
        if (!good)
            glGetProgramInfoLog(p->program, sizeof log, NULL, log);
    }
    if (good)
        return SHL_GPU_OK;
    glDeleteProgram(p->program);
    p->work->painter = 0;
    return shl_gpu_fail(why, SHL_GPU_ABSENT, "the driver refuses the picture's shaders: %s",
                        log);
}

static bool make_frame(GLuint frame, GLenum attachment, GLuint surface)
{
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, surface);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static shl_gpu_status make_frames(painter *p, shl_gpu_line *why)
{
    const GLsizei width = (GLsizei)p->picture->width, height = (GLsizei)p->picture->height;
    glGenTextures(1, &p->shadow);
    glBindTexture(GL_TEXTURE_2D, p->shadow);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT32F, SHADOW_SIDE, SHADOW_SIDE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glGenFramebuffers(3, p->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, p->frame[FRAME_SHADOW]);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, p->shadow, 0);
    glDrawBuffer(GL_NONE);
    bool good = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glGenRenderbuffers(3, p->surface);
    glBindRenderbuffer(GL_RENDERBUFFER, p->surface[0]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, SAMPLES, GL_RGBA8, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, p->surface[1]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, SAMPLES, GL_DEPTH_COMPONENT32F, width,
                                     height);
    glBindRenderbuffer(GL_RENDERBUFFER, p->surface[2]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    make_frame(p->frame[FRAME_SAMPLES], GL_COLOR_ATTACHMENT0, p->surface[0]);
    good = make_frame(p->frame[FRAME_SAMPLES], GL_DEPTH_ATTACHMENT, p->surface[1]) && good;
    good = make_frame(p->frame[FRAME_PIXELS], GL_COLOR_ATTACHMENT0, p->surface[2]) && good;
    if (!good || glGetError() != GL_NO_ERROR)
        return shl_gpu_fail(why, SHL_GPU_MEMORY, "no room for a picture of %d x %d pixels",
                            width, height);
    return SHL_GPU_OK;
}

static shl_gpu_status check_limits(const shl_work *work, const shl_gpu_picture *picture,
                                   shl_gpu_line *why)
{
    GLint most = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
    const uint32_t side = most > 0 && most < SIDE_MAX ? (uint32_t)most : SIDE_MAX;
    if (picture->width == 0 || picture->height == 0 || picture->width > side ||
        picture->height > side)
        return shl_gpu_fail(why, SHL_GPU_LIMIT, "%u x %u pixels; a side has 1 to %u",
                            picture->width, picture->height, side);
    for (uint32_t i = 0; i < picture->draw_count; i++) {
        uint64_t bytes[SHL_DRAW_COLUMNS];
        shl_draw_bytes(&picture->draws[i], bytes);
        for (int k = 0; k < SHL_DRAW_COLUMNS; k++) {
            const bool texels = k == COLUMN_FIELDS || k == COLUMN_Q;
            const uint64_t limit = texels ? 4 * work->texels_max : (uint64_t)INT32_MAX;
            if (bytes[k] > limit)
                return shl_gpu_fail(why, SHL_GPU_LIMIT,
                                    "%llu bytes of one mesh, the device allows %llu",
                                    (unsigned long long)bytes[k], (unsigned long long)limit);
        }
    }
    return SHL_GPU_OK;
}

static void set_matrix(GLuint program, const char *name, const float m[4][4])
{
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_TRUE, &m[0][0]);
}

static void set_triple(GLuint program, const char *name, const float v[3])
{
    glUniform3f(glGetUniformLocation(program, name), v[0], v[1], v[2]);
}

static void set_int(GLuint program, const char *name, GLint value)
{
    glUniform1i(glGetUniformLocation(program, name), value);
}

// How wide a texel of the shadow is in the world: its matrix maps lengths to clip space.
static float texel_of(const shl_gpu_picture *picture)
{
    const float *row = picture->shadow[0];
    const float scale = sqrtf(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
    return scale > 0 ? 2 / (scale * SHADOW_SIDE) : 0;
}

static void upload(const painter *p, const shl_gpu_draw *d)
{
    uint64_t bytes[SHL_DRAW_COLUMNS];
    shl_draw_bytes(d, bytes);
    const void *const data[SHL_DRAW_COLUMNS] = {d->xyz, d->triangles, d->fields, d->instances,
                                                d->q};
    static const float nothing[4] = {0};
    for (int k = 0; k < SHL_DRAW_COLUMNS; k++) {
        const GLenum target = k == COLUMN_TRIANGLES ? GL_ELEMENT_ARRAY_BUFFER : GL_ARRAY_BUFFER;
        glBindBuffer(target, p->buffer[k]); // buffers of no bytes are an error
        glBufferData(target, bytes[k] ? (GLsizeiptr)bytes[k] : (GLsizeiptr)sizeof nothing,
                     bytes[k] ? data[k] : nothing, GL_STREAM_DRAW);
    }
    for (int k = 0; k < 2; k++) {
        glActiveTexture(k == 0 ? GL_TEXTURE0 : GL_TEXTURE1);
        glBindTexture(GL_TEXTURE_BUFFER, p->texture[k]);
        glTexBuffer(GL_TEXTURE_BUFFER, GL_R32F, p->buffer[k == 0 ? COLUMN_FIELDS : COLUMN_Q]);
    }
    glBindBuffer(GL_ARRAY_BUFFER, p->buffer[COLUMN_XYZ]);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
}

// Attributes of instances from `first` on.
static void point_at(const painter *p, uint32_t first)
{
    glBindBuffer(GL_ARRAY_BUFFER, p->buffer[COLUMN_INSTANCES]);
    const size_t size = sizeof(shl_gpu_instance);
    for (GLuint row = 0; row < 4; row++) {
        glEnableVertexAttribArray(1 + row);
        glVertexAttribPointer(1 + row, 4, GL_FLOAT, GL_FALSE, (GLsizei)size,
                              (const void *)(uintptr_t)(first * size + 16 * row));
        glVertexAttribDivisor(1 + row, 1);
    }
}

static shl_gpu_status draw_all(const painter *p, shl_gpu_line *why)
{
    for (uint32_t i = 0; i < p->picture->draw_count; i++) {
        const shl_gpu_draw *d = &p->picture->draws[i];
        if (d->triangle_count == 0 || d->instance_count == 0)
            continue;
        upload(p, d);
        set_int(p->program, "field_count", (GLint)d->field_count);
        uint32_t most = TRIANGLES / d->triangle_count;
        most = most ? most : 1;
        for (uint32_t first = 0; first < d->instance_count; first += most) {
            const uint32_t left = d->instance_count - first;
            set_int(p->program, "first", (GLint)first);
            point_at(p, first);
            glDrawElementsInstanced(GL_TRIANGLES, (GLsizei)(3 * d->triangle_count),
                                    GL_UNSIGNED_INT, NULL,
                                    (GLsizei)(left < most ? left : most));
            const shl_gpu_status st = shl_work_wait(p->work, why);
            if (st != SHL_GPU_OK)
                return st;
        }
    }
    return SHL_GPU_OK;
}

static shl_gpu_status draw_shadow(const painter *p, shl_gpu_line *why)
{
    glBindFramebuffer(GL_FRAMEBUFFER, p->frame[FRAME_SHADOW]);
    glViewport(0, 0, SHADOW_SIDE, SHADOW_SIDE);
    glClear(GL_DEPTH_BUFFER_BIT);
    set_matrix(p->program, "view", p->picture->shadow);
    // nothing may read the texture while it is drawn to
    glActiveTexture(GL_TEXTURE2);
    glBindTexture(GL_TEXTURE_2D, 0);
    glEnable(GL_DEPTH_CLAMP); // what lies beyond the light's picture is no edge in it
    const shl_gpu_status st = draw_all(p, why);
    glDisable(GL_DEPTH_CLAMP);
    return st;
}

static shl_gpu_status draw_picture(const painter *p, shl_gpu_line *why)
{
    const shl_gpu_picture *picture = p->picture;
    glBindFramebuffer(GL_FRAMEBUFFER, p->frame[FRAME_SAMPLES]);
    glViewport(0, 0, (GLsizei)picture->width, (GLsizei)picture->height);
    glClearColor(picture->background[0], picture->background[1], picture->background[2], 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    set_matrix(p->program, "view", picture->view);
    glActiveTexture(GL_TEXTURE2);
    glBindTexture(GL_TEXTURE_2D, p->shadow);
    return draw_all(p, why);
}

// Samples become pixels, and GL's lowest row our last.
static shl_gpu_status read_back(const painter *p, uint8_t *rgb, shl_gpu_line *why)
{
    const GLsizei width = (GLsizei)p->picture->width, height = (GLsizei)p->picture->height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, p->frame[FRAME_SAMPLES]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, p->frame[FRAME_PIXELS]);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, p->frame[FRAME_PIXELS]);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    for (GLsizei y = 0; y < height; y++)
        glReadPixels(0, height - 1 - y, width, 1, GL_RGB, GL_UNSIGNED_BYTE,
                     rgb + 3 * (size_t)y * (size_t)width);
    return shl_work_wait(p->work, why); // a reset during the copies spoils them
}

static void finish(painter *p)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glUseProgram(0);
    glBindVertexArray(0);
    glDeleteVertexArrays(1, &p->arrays);
    glDeleteFramebuffers(3, p->frame);
    glDeleteRenderbuffers(3, p->surface);
    glDeleteTextures(1, &p->shadow);
    glDeleteTextures(2, p->texture);
    glDeleteBuffers(SHL_DRAW_COLUMNS, p->buffer);
}

shl_gpu_status shl_paint(shl_work *work, const shl_gpu_picture *picture, uint8_t *rgb,
                         shl_gpu_line *why)
{
    painter p = {.work = work, .picture = picture};
    shl_gpu_status st = check_limits(work, picture, why);
    if (st != SHL_GPU_OK)
        return st;
    while (glGetError() != GL_NO_ERROR) {
    }
    glGenVertexArrays(1, &p.arrays);
    glBindVertexArray(p.arrays);
    glGenBuffers(SHL_DRAW_COLUMNS, p.buffer);
    glGenTextures(2, p.texture);
    st = compile(&p, why);
    if (st == SHL_GPU_OK)
        st = make_frames(&p, why);
    if (st == SHL_GPU_OK) {
        glUseProgram(p.program);
        set_matrix(p.program, "shadow", picture->shadow);
        glUniform1f(glGetUniformLocation(p.program, "texel"), texel_of(picture));
        set_triple(p.program, "eye", picture->eye);
        set_triple(p.program, "light", picture->light);
        glEnable(GL_DEPTH_TEST);
        st = draw_shadow(&p, why);
    }
    if (st == SHL_GPU_OK)
        st = draw_picture(&p, why);
    if (st == SHL_GPU_OK)
        st = read_back(&p, rgb, why);
    finish(&p);
    return st;
}
