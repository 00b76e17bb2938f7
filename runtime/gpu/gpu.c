// SPDX-License-Identifier: MIT
#include "runtime/gpu/gpu.h"

#include "runtime/gpu/module_file.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool shl_gpu_link_init(shl_gpu_link *link, shoal_gpu wanted, const shl_place *place)
{
    *link = (shl_gpu_link){.place = place, .required = wanted == SHOAL_GPU_REQUIRE};
    pthread_mutex_init(&link->lock, NULL);
    const char *text = secure_getenv("SHOAL_GPU");
    const bool off = text && strcmp(text, "off") == 0;
    link->forced = text && strcmp(text, "force") == 0;
    if (text && *text && !off && !link->forced)
        return false;
    link->tried = off || wanted == SHOAL_GPU_OFF;
    if (link->tried)
        snprintf(link->info.reason, sizeof link->info.reason, "%s",
                 off ? "SHOAL_GPU=off" : "the context was made without");
    return true;
}

void shl_gpu_link_finish(shl_gpu_link *link)
{
    if (link->gpu && link->process == getpid())
        link->api->destroy(link->gpu);
    pthread_mutex_destroy(&link->lock);
}

static void enter(void *user)
{
    shl_place_roam(user);
}

// Never unloaded: drivers leave threads and handlers behind.
static const char *load(shl_gpu_link *link, char *text, size_t size)
{
    char path[PATH_MAX + 64];
    if (!shl_gpu_module_file(path, sizeof path, text, size))
        return text;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!module) {
        snprintf(text, size, "the module does not load: %s", dlerror());
        return text;
    }
    void *entry = dlsym(module, SHL_GPU_ENTRY);
    shl_gpu_module_fn *table = NULL;
    memcpy(&table, &entry, sizeof table); // ISO C has no cast from data to function
    const shl_gpu_api *api = table ? table() : NULL;
    if (!api || api->abi != SHL_GPU_ABI || api->size != sizeof *api) {
        snprintf(text, size, "%.300s is not a module of this version", path);
        return text;
    }
    link->api = api;
    return NULL;
}

static void start(shl_gpu_link *link)
{
    shoal_gpu_info *info = &link->info;
    char text[sizeof info->reason];
    const char *reason = load(link, text, sizeof text);
    if (reason) {
        snprintf(info->reason, sizeof info->reason, "%s", reason);
        return;
    }
    const shl_gpu_def def = {.software = link->forced || link->paints,
                             .job_ms = link->job_ms,
                             .enter = enter,
                             .user = (void *)link->place};
    shl_gpu_line why = {""};
    if (link->api->create(&def, &link->gpu, &why) != SHL_GPU_OK) {
        snprintf(info->reason, sizeof info->reason, "%s", why.text);
        return;
    }
    link->process = getpid();
    shl_gpu_about about;
    link->api->about(link->gpu, &about);
    info->ready = true;
    info->software = about.software;
    snprintf(info->device, sizeof info->device, "%s", about.device);
    snprintf(info->driver, sizeof info->driver, "%s", about.version);
    snprintf(info->version, sizeof info->version, "OpenGL %d.%d%s, %s platform", about.gl_major,
             about.gl_minor, about.robust ? ", robust" : "", about.platform);
    snprintf(info->reason, sizeof info->reason, "%s",
             link->forced ? "SHOAL_GPU=force" : "a hardware device");
}

shl_gpu *shl_gpu_open(shl_gpu_link *link)
{
    pthread_mutex_lock(&link->lock);
    if (!link->tried)
        start(link);
    link->tried = true;
    if (link->gpu && link->process != getpid()) {
        link->gpu = NULL;
        link->info = (shoal_gpu_info){.reason = "it belongs to the process before fork()"};
    }
    pthread_mutex_unlock(&link->lock);
    return link->gpu;
}
