// SPDX-License-Identifier: MIT
// The passes of a bounds job. runtime/queries/distance/bounds/voronoi.h says what the bounds
// promise.
#include "gpu/work.h"

#include <math.h>
#include <string.h>

enum {
    GROUP = 64,         // threads, as in the shaders
    ROWS = 1 << 14,     // triangles or bricks of a dispatch: watchdogs are impatient
    TESTS = 1 << 24,    // samples against triangles of a dispatch
    GROUPS_MAX = 65535, // of a dispatch, which every device allows
    BRICKS_MAX = 1 << 24,
    LIST_MAX = 1 << 16, // a longer list would keep one group busy for too long
    PAIRS_FIRST = 32,   // lists of the first job, per triangle
};

static const uint32_t clean_brick[4] = {0, UINT32_MAX, 0, UINT32_MAX};

typedef struct head {
    uint32_t total, active, longest, wrapped;
} head;

static void set_uint(GLuint program, const char *name, uint32_t value)
{
    glUniform1ui(glGetUniformLocation(program, name), value);
}

static void set_float(GLuint program, const char *name, float value)
{
    glUniform1f(glGetUniformLocation(program, name), value);
}

static void set_triple(GLuint program, const char *name, const uint32_t v[3])
{
    glUniform3ui(glGetUniformLocation(program, name), v[0], v[1], v[2]);
}

// Runs a pass over `rows`, `most` at a time, each sent off at once.
static shl_gpu_status dispatch(shl_work *work, int pass, uint32_t rows, uint32_t most,
                               uint32_t rows_of_a_group, shl_gpu_line *why)
{
    const GLuint program = work->program[pass];
    for (uint32_t begin = 0; begin < rows; begin += most) {
        const uint32_t count = rows - begin < most ? rows - begin : most;
        set_uint(program, "first", begin);
        set_uint(program, "last", begin + count);
        glDispatchCompute((count + rows_of_a_group - 1) / rows_of_a_group, 1, 1);
        glFlush();
        const shl_gpu_status st = shl_work_alive(work, why);
        if (st != SHL_GPU_OK)
            return st;
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    return SHL_GPU_OK;
}

static void use(const shl_work *work, int pass, const shl_gpu_bounds *job,
                const uint32_t extent[3], uint32_t capacity)
{
    const GLuint program = work->program[pass];
    glUseProgram(program);
    set_triple(program, "extent", extent);
    set_float(program, "cutoff", job->band + job->eps);
    set_uint(program, "capacity", capacity);
    if (pass == SHL_PASS_ALLOCATE)
        set_uint(program, "owners", job->grid ? 1 : 2);
    if (pass == SHL_PASS_FUSED) {
        static const uint32_t none[3] = {0, 0, 0};
        set_float(program, "most", 2 * job->band + job->eps);
        set_float(program, "band", job->band);
        set_triple(program, "cells", job->grid ? job->cells : none);
    }
}

static void clear(const shl_work *work, int buffer, uint64_t bytes, const uint32_t pattern[4],
                  bool four)
{
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, work->buffer[buffer]);
    glClearBufferSubData(GL_SHADER_STORAGE_BUFFER, four ? GL_RGBA32UI : GL_R32UI, 0,
                         (GLsizeiptr)bytes, four ? GL_RGBA_INTEGER : GL_RED_INTEGER,
                         GL_UNSIGNED_INT, pattern);
}

static void read_back(const shl_work *work, int buffer, uint64_t bytes, void *out)
{
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, work->buffer[buffer]);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)bytes, out);
}

// Sizes that no device has are refused before anything is asked of it.
static shl_gpu_status measure(const shl_gpu_bounds *job, uint32_t extent[3], uint64_t *bricks,
                              shl_gpu_line *why)
{
    *bricks = 1;
    for (int k = 0; k < 3; k++) {
        if (job->cells[k] == 0 || job->cells[k] > 1u << 20)
            return shl_gpu_fail(why, SHL_GPU_LIMIT, "a grid of %u x %u x %u cells",
                                job->cells[0], job->cells[1], job->cells[2]);
        extent[k] = (job->cells[k] + 3) / 4;
        *bricks *= extent[k];
    }
    if (*bricks > BRICKS_MAX)
        return shl_gpu_fail(why, SHL_GPU_LIMIT, "%llu bricks, at most %d are held",
                            (unsigned long long)*bricks, BRICKS_MAX);
    return SHL_GPU_OK;
}

static uint64_t cells_of(const shl_gpu_bounds *job)
{
    return (uint64_t)job->cells[0] * job->cells[1] * job->cells[2];
}

static shl_gpu_status reserve(shl_work *work, const shl_gpu_bounds *job, uint64_t bricks,
                              shl_gpu_line *why)
{
    const uint64_t lists = 4 * (uint64_t)PAIRS_FIRST * job->count;
    const uint64_t bytes[SHL_BUFFERS] = {
        [SHL_BUFFER_BRICKS] = 16 * bricks,
        [SHL_BUFFER_HEAD] = sizeof(head),
        [SHL_BUFFER_ACTIVE] = 4 * bricks,
        [SHL_BUFFER_LISTS] = lists < work->storage_max ? lists : work->storage_max,
        [SHL_BUFFER_LEAST] = 4 * (uint64_t)job->count,
        [SHL_BUFFER_GRID] = job->grid ? sizeof(shl_gpu_cell) * cells_of(job) : 16,
    };
    shl_gpu_status st = SHL_GPU_OK;
    for (int i = 0; i < SHL_BUFFER_TRIS && st == SHL_GPU_OK; i++)
        st = shl_work_reserve(work, i, bytes[i], why);
    if (st == SHL_GPU_OK)
        st = shl_work_triangles(work, job, why);
    if (st != SHL_GPU_OK)
        return st;
    static const uint32_t infinite[4] = {0x7f800000, 0x7f800000, UINT32_MAX, UINT32_MAX};
    clear(work, SHL_BUFFER_LEAST, bytes[SHL_BUFFER_LEAST], infinite, false);
    clear(work, SHL_BUFFER_GRID, bytes[SHL_BUFFER_GRID], infinite, true);
    return SHL_GPU_OK;
}

// Counts, then enlarges the lists; a second time if they were too short.
static shl_gpu_status make_lists(shl_work *work, const shl_gpu_bounds *job,
                                 const uint32_t extent[3], uint64_t bricks, head *out,
                                 shl_gpu_line *why)
{
    static const uint32_t zero[4] = {0};
    for (int round = 0; round < 2; round++) {
        const uint32_t capacity = (uint32_t)(work->bytes[SHL_BUFFER_LISTS] / 4);
        clear(work, SHL_BUFFER_BRICKS, 16 * bricks, clean_brick, true);
        clear(work, SHL_BUFFER_HEAD, sizeof(head), zero, true);
        use(work, SHL_PASS_BIN, job, extent, capacity);
        shl_gpu_status st = dispatch(work, SHL_PASS_BIN, job->count, ROWS, GROUP, why);
        if (st == SHL_GPU_OK) {
            use(work, SHL_PASS_ALLOCATE, job, extent, capacity);
            st = dispatch(work, SHL_PASS_ALLOCATE, (uint32_t)bricks, ROWS * GROUP, GROUP, why);
        }
        if (st == SHL_GPU_OK)
            st = shl_work_wait(work, why);
        if (st != SHL_GPU_OK)
            return st;
        read_back(work, SHL_BUFFER_HEAD, sizeof *out, out);
        if (out->wrapped || out->total > job->pair_limit || out->longest > LIST_MAX)
            return shl_gpu_fail(why, SHL_GPU_LIMIT,
                                "lists of %s%u entries, the longest %u: a coarser grid or a "
                                "narrower band is needed",
                                out->wrapped ? "over " : "",
                                out->wrapped ? UINT32_MAX : out->total, out->longest);
        if (out->total <= capacity)
            break;
        st = shl_work_reserve(work, SHL_BUFFER_LISTS, 4 * (uint64_t)out->total, why);
        if (st != SHL_GPU_OK)
            return st;
    }
    use(work, SHL_PASS_FILL, job, extent, (uint32_t)(work->bytes[SHL_BUFFER_LISTS] / 4));
    return dispatch(work, SHL_PASS_FILL, job->count, ROWS, GROUP, why);
}

shl_gpu_status shl_work_bounds(shl_work *work, const shl_gpu_bounds *job, float *upper,
                               shl_gpu_cell *grid, shl_gpu_line *why)
{
    uint32_t extent[3] = {0};
    uint64_t bricks;
    head found = {0};
    shl_gpu_status st = measure(job, extent, &bricks, why);
    if (st != SHL_GPU_OK)
        return st;
    if (job->count == 0) { // buffers of no bytes are an error
        for (uint64_t i = 0; job->grid && i < cells_of(job); i++)
            grid[i] = (shl_gpu_cell){{INFINITY, INFINITY}, {UINT32_MAX, UINT32_MAX}};
        return SHL_GPU_OK;
    }
    if (job->slices)
        return shl_work_slices(work, job, upper, grid, why);
    st = reserve(work, job, bricks, why);
    if (st == SHL_GPU_OK)
        st = make_lists(work, job, extent, bricks, &found, why);
    if (st != SHL_GPU_OK)
        return st;
    const uint32_t capacity = (uint32_t)(work->bytes[SHL_BUFFER_LISTS] / 4);
    uint32_t a_time = TESTS / (2 * GROUP * (found.longest ? found.longest : 1));
    a_time = a_time < 1 ? 1 : a_time > GROUPS_MAX ? GROUPS_MAX : a_time;
    use(work, SHL_PASS_FUSED, job, extent, capacity);
    st = dispatch(work, SHL_PASS_FUSED, found.active, a_time, 1, why);
    if (st == SHL_GPU_OK)
        st = shl_work_wait(work, why);
    if (st != SHL_GPU_OK)
        return st;
    read_back(work, SHL_BUFFER_LEAST, 4 * (uint64_t)job->count, upper);
    if (job->grid)
        read_back(work, SHL_BUFFER_GRID, sizeof *grid * cells_of(job), grid);
    return shl_work_wait(work, why); // a reset during the copies spoils them
}
