// SPDX-License-Identifier: MIT
// The diagram as Sud et al. 2006 make it: for each slice of the grid, the distance function of
// every triangle near enough is drawn into a depth buffer, which keeps the nearest; drawn again
// without each sample's nearest owner, it keeps the next. The fused bounds replace it: this is
// here to be compared with, and as a second way to the grid that shares no pass with them.
#include "gpu/shaders.h"
#include "gpu/work.h"

#include <math.h>
#include <stdlib.h>

// What a drawing makes on the device, and the triangles of each slice.
typedef struct slices {
    shl_work *work;
    const shl_gpu_bounds *job;
    GLuint program, arrays, instances, depth;
    GLuint texture[2], frame[2]; // of the first and of the second round
    uint32_t *begin;             // [cells[2] + 1] first entry of a slice
    uint32_t *entries;           // triangles, slice by slice
    uint32_t *samples;           // [2][cells[1]][cells[0]][2]
} slices;

// Slices [*lo, *hi) whose samples may be in the band of a triangle.
static void slices_of(const shl_gpu_bounds *job, const shl_cell_tri *t, uint32_t *lo,
                      uint32_t *hi)
{
    const float least = fminf(fminf(t->a[2], t->b[2]), t->c[2]) - job->band - 1.5f;
    const float most = fmaxf(fmaxf(t->a[2], t->b[2]), t->c[2]) + job->band + 1.5f;
    const float top = (float)job->cells[2];
    *lo = (uint32_t)fminf(fmaxf(floorf(least), 0), top);
    *hi = (uint32_t)fminf(fmaxf(ceilf(most), 0), top);
}

// Sorts triangles by slices: counts, then fills.
static shl_gpu_status sort_triangles(slices *s, shl_gpu_line *why)
{
    const shl_gpu_bounds *job = s->job;
    const uint32_t height = job->cells[2];
    uint64_t total = 0;
    uint32_t lo, hi;
    s->begin = calloc(height + (size_t)2, sizeof *s->begin);
    s->samples = malloc((size_t)16 * job->cells[0] * job->cells[1]);
    if (!s->begin || !s->samples)
        return shl_gpu_fail(why, SHL_GPU_MEMORY, "no memory for slices");
    for (uint32_t i = 0; i < job->count; i++) {
        slices_of(job, &job->tris[i], &lo, &hi);
        total += hi > lo ? hi - lo : 0;
    }
    if (total > job->pair_limit || total > s->work->storage_max / 4)
        return shl_gpu_fail(why, SHL_GPU_LIMIT, "%llu entries of slices",
                            (unsigned long long)total);
    s->entries = malloc(4 * total + 4);
    if (!s->entries)
        return shl_gpu_fail(why, SHL_GPU_MEMORY, "no memory for slices");
    // begin[z + 2] counts slice z; after the sum begin[z + 1] is its begin, and later its end
    for (uint32_t i = 0; i < job->count; i++) {
        slices_of(job, &job->tris[i], &lo, &hi);
        for (uint32_t z = lo; z < hi; z++)
            s->begin[z + 2]++;
    }
    for (uint32_t z = 0; z < height; z++)
        s->begin[z + 2] += s->begin[z + 1];
    for (uint32_t i = 0; i < job->count; i++) {
        slices_of(job, &job->tris[i], &lo, &hi);
        for (uint32_t z = lo; z < hi; z++)
            s->entries[s->begin[z + 1]++] = i;
    }
    return SHL_GPU_OK;
}

static shl_gpu_status compile(shl_work *work, shl_gpu_line *why)
{
    static const shl_stage stages[] = {
        {GL_VERTEX_SHADER, {shl_shader_site, shl_shader_slices}},
        {GL_FRAGMENT_SHADER, {shl_shader_site, shl_shader_slices_nearest}},
    };
    return work->slicer ? SHL_GPU_OK
                        : shl_work_program("slices", stages, 2, &work->slicer, why);
}

static shl_gpu_status make(slices *s, shl_gpu_line *why)
{
    const GLsizei width = (GLsizei)s->job->cells[0], height = (GLsizei)s->job->cells[1];
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width > most || height > most)
        return shl_gpu_fail(why, SHL_GPU_LIMIT, "slices of %d x %d cells", width, height);
    shl_gpu_status st = compile(s->work, why);
    if (st == SHL_GPU_OK)
        st = shl_work_triangles(s->work, s->job, why);
    if (st != SHL_GPU_OK)
        return st;
    s->program = s->work->slicer;
    glGenVertexArrays(1, &s->arrays);
    glBindVertexArray(s->arrays);
    glGenBuffers(1, &s->instances);
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    glBufferData(GL_ARRAY_BUFFER, 4 * (GLsizeiptr)s->begin[s->job->cells[2]] + 4, NULL,
                 GL_STATIC_DRAW);
    glBufferSubData(GL_ARRAY_BUFFER, 0, 4 * (GLsizeiptr)s->begin[s->job->cells[2]], s->entries);
    glEnableVertexAttribArray(0);
    glVertexAttribIPointer(0, 1, GL_UNSIGNED_INT, 0, NULL);
    glVertexAttribDivisor(0, 1);
    glGenRenderbuffers(1, &s->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, s->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, width, height);
    glGenTextures(2, s->texture);
    glGenFramebuffers(2, s->frame);
    glActiveTexture(GL_TEXTURE1);
    bool whole = true;
    for (int i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, s->texture[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RG32UI, width, height);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, s->frame[i]);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, s->texture[i], 0);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                  s->depth);
        whole = whole && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    }
    glBindTexture(GL_TEXTURE_2D, s->texture[0]);
    if (!whole || glGetError() != GL_NO_ERROR)
        return shl_gpu_fail(why, SHL_GPU_MEMORY, "no room for slices of %d x %d cells", width,
                            height);
    return SHL_GPU_OK;
}

static GLint at(const slices *s, const char *name)
{
    return glGetUniformLocation(s->program, name);
}

// Both rounds of a slice; its samples are read back.
static void draw(slices *s, uint32_t z)
{
    static const GLuint nothing[4] = {0x7f800000, UINT32_MAX, 0, 0}; // infinitely far
    static const GLfloat far = 1;
    const GLsizei width = (GLsizei)s->job->cells[0], height = (GLsizei)s->job->cells[1];
    const uint32_t count = s->begin[z + 1] - s->begin[z];
    glUniform1f(at(s, "height"), (float)z + 0.5f);
    for (int round = 0; round < 2; round++) {
        glBindFramebuffer(GL_FRAMEBUFFER, s->frame[round]);
        glClearBufferuiv(GL_COLOR, 0, nothing);
        glClearBufferfv(GL_DEPTH, 0, &far);
        glUniform1i(at(s, "second"), round);
        glDrawArraysInstancedBaseInstance(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)count, s->begin[z]);
        glReadPixels(0, 0, width, height, GL_RG_INTEGER, GL_UNSIGNED_INT,
                     s->samples + (size_t)round * 2 * (size_t)width * (size_t)height);
    }
}

static void read_slice(const slices *s, uint32_t z, shl_gpu_cell *grid)
{
    const size_t n = (size_t)s->job->cells[0] * s->job->cells[1];
    for (size_t i = 0; i < n; i++) {
        shl_gpu_cell *cell = &grid[z * n + i];
        for (int round = 0; round < 2; round++) {
            const union {
                uint32_t bits;
                float value;
            } d = {s->samples[2 * (round * n + i)]};
            cell->distance[round] = d.value;
            cell->owner[round] = s->samples[2 * (round * n + i) + 1];
        }
    }
}

static void finish(slices *s)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDisable(GL_DEPTH_TEST);
    glDeleteFramebuffers(2, s->frame);
    glDeleteTextures(2, s->texture);
    glDeleteRenderbuffers(1, &s->depth);
    glDeleteBuffers(1, &s->instances);
    glDeleteVertexArrays(1, &s->arrays);
    free(s->begin);
    free(s->entries);
    free(s->samples);
}

shl_gpu_status shl_work_slices(shl_work *work, const shl_gpu_bounds *job, float *upper,
                               shl_gpu_cell *grid, shl_gpu_line *why)
{
    slices s = {.work = work, .job = job};
    for (uint32_t i = 0; i < job->count; i++)
        upper[i] = INFINITY; // bounds are left to who asked for the diagram
    shl_gpu_status st = sort_triangles(&s, why);
    if (st == SHL_GPU_OK)
        st = make(&s, why);
    if (st == SHL_GPU_OK) {
        glUseProgram(s.program);
        glUniform2f(at(&s, "size"), (float)job->cells[0], (float)job->cells[1]);
        glUniform1f(at(&s, "band"), job->band);
        glViewport(0, 0, (GLsizei)job->cells[0], (GLsizei)job->cells[1]);
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(GL_LESS);
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
    }
    for (uint32_t z = 0; z < job->cells[2] && st == SHL_GPU_OK; z++) {
        draw(&s, z);
        st = shl_work_wait(work, why); // also: is it late, was it reset
        if (st == SHL_GPU_OK)
            st = shl_work_alive(work, why);
        if (st == SHL_GPU_OK)
            read_slice(&s, z, grid);
    }
    finish(&s);
    return st;
}
