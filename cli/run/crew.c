// SPDX-License-Identifier: MIT
#include "cli/run/crew.h"

#include <shoal/results.h>
#include <stdlib.h>

// Work of a step, in seconds of all workers, that pays for waking one that sleeps.
static const double worth_it_s = 0.1e-3;

bool shl_crew_pays(const shoal_context *context, const shoal_scene_def *def,
                   const shoal_scene *scene)
{
    static const char *const names[] = {"OMP_PLACES", "OMP_PROC_BIND", "OMP_WAIT_POLICY",
                                        "GOMP_SPINCOUNT", "GOMP_CPU_AFFINITY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && *text)
            return false;
    }
    const shoal_machine machine = shoal_context_machine(context);
    return def->executor == SHOAL_EXECUTOR_OMP && def->bind != SHOAL_BIND_CORES &&
           machine.numa_nodes <= 1 && shoal_scene_stats(scene).workers > 1;
}

static void *help(void *user)
{
    shl_crew *c = user;
    uint32_t seen = 0;
    pthread_mutex_lock(&c->lock);
    const uint32_t number = ++c->numbered;
    while (true) {
        while (c->round == seen && !c->quit)
            pthread_cond_wait(&c->changed, &c->lock);
        if (c->quit)
            break;
        seen = c->round;
        if (!c->open) // it is done already
            continue;
        c->inside++;
        pthread_mutex_unlock(&c->lock);
        // only a number that is taken fails, and nobody has the same
        const shoal_status st = shoal_scene_step_work(c->scene, number);
        (void)st;
        pthread_mutex_lock(&c->lock);
        if (--c->inside == 0 && !c->open)
            pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

bool shl_crew_start(shl_crew *c, uint32_t workers)
{
    *c = (shl_crew){.threads = calloc(workers, sizeof *c->threads)};
    if (!c->threads)
        return false;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    while (c->count + 1 < workers && pthread_create(&c->threads[c->count], NULL, help, c) == 0)
        c->count++;
    return true;
}

void shl_crew_finish(shl_crew *c)
{
    if (!c->threads)
        return;
    pthread_mutex_lock(&c->lock);
    c->quit = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->count; i++)
        pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c->threads);
    *c = (shl_crew){0};
}

shoal_status shl_crew_step(shl_crew *c, shoal_scene *scene, uint32_t queries)
{
    if (!c->count)
        return shoal_scene_step(scene, queries);
    const shoal_stats last = shoal_scene_stats(scene);
    if (last.wall_s * last.workers < worth_it_s) {
        const shoal_status alone = shoal_scene_step_begin(scene, queries, 1);
        return alone == SHOAL_OK ? shoal_scene_step_end(scene) : alone; // which does the work
    }
    shoal_status st = shoal_scene_step_begin(scene, queries, c->count + 1);
    if (st != SHOAL_OK)
        return st;
    pthread_mutex_lock(&c->lock);
    c->scene = scene;
    c->round++;
    c->open = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    st = shoal_scene_step_work(scene, 0);
    pthread_mutex_lock(&c->lock);
    c->open = false;
    while (c->inside)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
    const shoal_status ended = shoal_scene_step_end(scene);
    return st == SHOAL_OK ? ended : st;
}
