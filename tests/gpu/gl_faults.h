// SPDX-License-Identifier: MIT
// Drivers that refuse, forget, reset, lie and hang. libepoxy calls GL through variables, which
// is where the faults go in: everything else is the driver that is there.
#ifndef SHL_TESTS_GL_FAULTS_H
#define SHL_TESTS_GL_FAULTS_H

#include <stdbool.h>

typedef enum gl_fault {
    GL_FAULT_RESET,    // the context is lost, as glGetGraphicsResetStatus tells
    GL_FAULT_SHADER,   // a shader that does not compile
    GL_FAULT_MEMORY,   // glGetError tells of no memory
    GL_FAULT_DEVICE,   // a fence that is never signalled: the device hangs
    GL_FAULT_DRIVER,   // a dispatch that does not return before gl_release(), or for 60 s
    GL_FAULT_CONTEXT,  // robust contexts are refused, as old drivers do
    GL_FAULT_STORAGE,  // storage buffers of 1024 bytes at most
    GL_FAULT_END,      // a context that takes seconds to end, as on a busy machine
    GL_FAULT_DISGUISE, // a name that is not known as a software renderer's
    GL_FAULTS,
} gl_fault;

// `skip` calls pass, then `times` are spoilt. False: libepoxy, which must have been loaded, has
// no such variable.
bool gl_plant(gl_fault fault, int skip, int times);

// All of them.
void gl_weed(void);

// The driver that hangs goes on. Then waits until it has.
bool gl_has_woken(void);
void gl_release(void);

#endif
