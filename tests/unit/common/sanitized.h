// SPDX-License-Identifier: MIT
// Whether a sanitizer watches this program, and whether it is the one for races.
#ifndef TESTS_UNIT_COMMON_SANITIZED_H
#define TESTS_UNIT_COMMON_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#if defined(__SANITIZE_THREAD__)
#define WATCHED_FOR_RACES true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED_FOR_RACES true
#endif
#endif
#ifndef WATCHED_FOR_RACES
#define WATCHED_FOR_RACES false
#endif

#endif
