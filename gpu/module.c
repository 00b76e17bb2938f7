// SPDX-License-Identifier: MIT
#include "gpu/module.h"

#include "gpu/thread.h"

__attribute__((visibility("default"))) shl_gpu_module_fn shl_gpu_module;

const shl_gpu_api *shl_gpu_module(void)
{
    static const shl_gpu_api api = {
        .abi = SHL_GPU_ABI,
        .size = sizeof api,
        .create = shl_gpu_create,
        .destroy = shl_gpu_destroy,
        .about = shl_gpu_describe,
        .submit = shl_gpu_submit,
        .done = shl_gpu_done,
        .collect = shl_gpu_collect,
        .paint = shl_gpu_paint,
    };
    return &api;
}
