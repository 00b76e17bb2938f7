// SPDX-License-Identifier: MIT
/// What every other header needs: version, status codes, the allocator interface.
///
/// Every function computes in the default floating-point environment, so results do not change
/// if the caller rounds in another mode, flushes denormals to zero or traps on exceptions. The
/// caller's environment, including exception flags, is restored. The caller's own functions
/// (log, allocator, writer) may be called in either of the two.
///
/// Programs need not be compiled against the version of the library that they run with. A
/// definition (shoal_X_def) begins with its size: fields that a program does not know have
/// their defaults, and one that is set, but unknown to the library, is ARGUMENT. What the
/// library tells of itself (statistics, infos) is written up to the size that the caller
/// states. Later versions add fields at the end of those; all other structs stay as they are.
#ifndef SHOAL_BASE_H
#define SHOAL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The build reads these three; the library's soname is the first.
#define SHOAL_VERSION_MAJOR 0
#define SHOAL_VERSION_MINOR 1
#define SHOAL_VERSION_PATCH 0

#define SHOAL_API __attribute__((visibility("default")))
#define SHOAL_CHECK __attribute__((warn_unused_result))

#ifdef __cplusplus
extern "C" {
#endif

/// What a call returns. Anything but SHOAL_OK leaves the object as it was before the call.
typedef enum shoal_status {
    SHOAL_OK = 0,
    SHOAL_ERR_ARGUMENT, ///< an argument violates the header; the log line names it
    SHOAL_ERR_STALE,    ///< the id names a body that was removed
    SHOAL_ERR_MEMORY,   ///< an allocation failed
    SHOAL_ERR_LIMIT,    ///< more rows than 32 bits (or a stated limit) can count
    SHOAL_ERR_FILE,     ///< a file could not be opened, read or written
    SHOAL_ERR_FORMAT,   ///< a file's content breaks its format
    SHOAL_ERR_DEVICE,   ///< the GPU that was required is missing or failed
} shoal_status;

/// A short English text for a status, never NULL.
SHOAL_API const char *shoal_status_text(shoal_status status);

/// The line that the last failing call of this thread logged, or would have logged had there
/// been a context or a log. For people: programs look at the status. Empty before the first
/// failure; calls that succeed and warnings leave it as it is. Of libshoal and
/// libshoal-picture; libshoal-io has shoal_io_error.
/// Valid until a call of the same thread fails. Never NULL, never to be freed.
/// Thread: any, each has its own.
SHOAL_API const char *shoal_last_error(void);

/// "0.1.0".
SHOAL_API const char *shoal_version(void);

/// The allocator. All zero means the C library. `alloc` returns NULL on failure and memory
/// aligned to `align` (a power of two) otherwise; `release` gets the size back. Workers of a
/// step call both, several at once.
typedef struct shoal_allocator {
    void *(*alloc)(void *user, size_t size, size_t align);
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} shoal_allocator;

#ifdef __cplusplus
}
#endif

#endif
