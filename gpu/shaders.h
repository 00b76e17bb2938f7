// SPDX-License-Identifier: MIT
// The text of gpu/shaders/, line by line, up to a null. Made by gpu/embed.sh.
#ifndef SHL_GPU_SHADERS_H
#define SHL_GPU_SHADERS_H

extern const char *const shl_shader_site[];   // stands before each of the others
extern const char *const shl_shader_common[]; // and this before those of the fused bounds
extern const char *const shl_shader_bin[], *const shl_shader_allocate[];
extern const char *const shl_shader_fill[], *const shl_shader_fused[];

extern const char *const shl_shader_slices[], *const shl_shader_slices_nearest[];

extern const char *const shl_shader_paint[], *const shl_shader_paint_light[]; // stand alone

#endif
