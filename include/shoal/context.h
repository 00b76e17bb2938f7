// SPDX-License-Identifier: MIT
/// A context: allocator, log and the kernels chosen for this CPU. Made once, shared by all.
#ifndef SHOAL_CONTEXT_H
#define SHOAL_CONTEXT_H

#include <shoal/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_context shoal_context;

/// Receives one line of text, without newline, when a call fails, or a warning with SHOAL_OK:
/// the call succeeds, but probably not as intended, for example with more threads than CPUs.
/// May be called from any thread that calls the library. Must not call back into the library.
typedef void shoal_log_fn(void *user, shoal_status status, const char *text);

/// Instruction sets a context may use.
typedef enum shoal_cpu {
    SHOAL_CPU_REF = 0,           ///< the portable reference bodies only
    SHOAL_CPU_AVX2 = 1,          ///< AVX2, without fused multiply-add
    SHOAL_CPU_AVX512 = 2,        ///< AVX-512 as since Ice Lake and Zen 4, where it pays
    SHOAL_CPU_BEST = 0x7fffffff, ///< the best this machine has
} shoal_cpu;

/// Whether a context may use the GPU. Results are the same either way.
typedef enum shoal_gpu {
    SHOAL_GPU_AUTO = 0, ///< a hardware device if there is one, where it pays; else the CPU. The
                        ///< environment's SHOAL_GPU=force takes software renderers too, and
                        ///< uses what it finds always; SHOAL_GPU=off looks for none
    SHOAL_GPU_OFF,      ///< never looks for one
    SHOAL_GPU_REQUIRE,  ///< without one, making the context fails; where it fails, the step
                        ///< does, with SHOAL_ERR_DEVICE
} shoal_gpu;

/// How a context is made. Start from shoal_context_def_default(), then set fields.
typedef struct shoal_context_def {
    uint32_t size;    ///< set by shoal_context_def_default(); do not touch
    shoal_cpu cpu;    ///< upper limit; the environment's SHOAL_CPU=ref|avx2|avx512 lowers it
    shoal_gpu gpu;    ///< default SHOAL_GPU_AUTO
    bool fixed_costs; ///< strategies that weigh costs use built-in ones; else the first scene
                      ///< that needs them measures this machine's, in less than 2 ms
    shoal_allocator allocator; ///< all zero: malloc
    shoal_log_fn *log;         ///< NULL: silent
    void *log_user;            ///< handed to log
} shoal_context_def;

/// Write the default def, as programs know it whose header gives it `size` bytes.
SHOAL_API void shoal_context_def_init(shoal_context_def *def, size_t size);

/// The best CPU, malloc, no log.
static inline shoal_context_def shoal_context_def_default(void)
{
    shoal_context_def def;
    shoal_context_def_init(&def, sizeof def);
    return def;
}

/// Make a context. `*out` is NULL on failure.
/// Thread: any.  Errors: ARGUMENT (no default def, half an allocator, an unknown cpu or gpu,
/// there or in the environment), MEMORY, DEVICE (a required GPU is missing).
SHOAL_API SHOAL_CHECK shoal_status shoal_context_create(const shoal_context_def *def,
                                                        shoal_context **out);

/// Free a context. Every model and scene made from it must be gone. NULL is fine.
SHOAL_API void shoal_context_destroy(shoal_context *ctx);

/// One kernel and the body chosen for it.
typedef struct shoal_kernel_info {
    const char *name; ///< "range_box_f32"
    const char *body; ///< "ref", "avx2", "avx512"
} shoal_kernel_info;

/// The chosen body of kernel `index`, or {NULL, NULL} past the last one.
SHOAL_API shoal_kernel_info shoal_context_kernel(const shoal_context *ctx, uint32_t index);

/// The machine as the process sees it; 0 or "" where unknown.
typedef struct shoal_machine {
    char cpu[96];            ///< model name
    uint32_t packages;       ///< sockets
    uint32_t numa_nodes;     ///< memory domains
    uint32_t cores;          ///< physical cores
    uint32_t cpus;           ///< hardware threads
    uint32_t allowed_cpus;   ///< of those, the ones this process may use; at least 1
    uint64_t cache_bytes[3]; ///< levels 1 to 3 of the first core
} shoal_machine;

/// Write the first `size` bytes of what was read when the context was made.
SHOAL_API void shoal_context_read_machine(const shoal_context *ctx, shoal_machine *out,
                                          size_t size);

/// The same, as this header knows it.
static inline shoal_machine shoal_context_machine(const shoal_context *ctx)
{
    shoal_machine out;
    shoal_context_read_machine(ctx, &out, sizeof out);
    return out;
}

/// The GPU of a context; texts are "" where there is none.
typedef struct shoal_gpu_info {
    bool ready;       ///< there is one, and shoal may use it
    bool software;    ///< it is a renderer on the CPU
    char device[128]; ///< "NVIDIA GeForce ..."
    char version[64]; ///< "OpenGL 4.5, robust, device platform"
    char driver[128]; ///< the driver's own version text
    char reason[480]; ///< why it is or is not used, one line
} shoal_gpu_info;

/// Write the first `size` bytes of what is known of the GPU. The first call looks for it, which
/// takes up to some hundred milliseconds, and remembers what it found.
/// Thread: any.
SHOAL_API void shoal_context_read_gpu(shoal_context *ctx, shoal_gpu_info *out, size_t size);

/// The same, as this header knows it.
static inline shoal_gpu_info shoal_context_gpu(shoal_context *ctx)
{
    shoal_gpu_info out;
    shoal_context_read_gpu(ctx, &out, sizeof out);
    return out;
}

#ifdef __cplusplus
}
#endif

#endif
