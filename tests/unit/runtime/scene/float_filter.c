// SPDX-License-Identifier: MIT
// Rows of shoal/filter.h.
#include "float_calls.h"

#define EACH_SCALE(i) for (int i = 0; i < SCALES; i++)

static void set_filter(float_host *h)
{
    EACH_SCALE(i)
    {
        HOST_STATUS(shoal_scene_set_filter(h->scenes[i], h->bodies[i][BEHIND], 2, 3));
    }
}

static void set_excluded(float_host *h)
{
    EACH_SCALE(i)
    {
        HOST_STATUS(shoal_scene_set_excluded(h->scenes[i], &h->bodies[i][BEHIND],
                                             &h->bodies[i][F32_A], 1));
    }
}

static void set_static(float_host *h)
{
    EACH_SCALE(i)
    {
        for (int on = 1; on >= 0; on--)
            HOST_STATUS(shoal_scene_set_static(h->scenes[i], h->bodies[i][F32_B], on));
    }
}

static void set_max_rows(float_host *h)
{
    EACH_SCALE(i)
    {
        HOST_STATUS(shoal_scene_set_max_rows(h->scenes[i], SHOAL_QUERY_PAIRS, 1));
        HOST_STATUS(shoal_scene_step(h->scenes[i], SHOAL_QUERY_PAIRS | SHOAL_QUERY_NEAREST));
        HOST_STATUS(shoal_scene_set_max_rows(h->scenes[i], SHOAL_QUERY_PAIRS, 0));
    }
}

static void row_count(float_host *h)
{
    EACH_SCALE(i)
    {
        HOST_ADD(uint64_t, shoal_scene_row_count(h->scenes[i], SHOAL_QUERY_PAIRS));
        HOST_ADD(uint64_t, shoal_scene_row_count(h->scenes[i], SHOAL_QUERY_NEAREST));
    }
}

static void set_user_data(float_host *h)
{
    HOST_STATUS(shoal_scene_set_user_data(h->scenes[0], h->bodies[0][BEHIND], 5));
}

static void user_data(float_host *h)
{
    uint64_t out = 0;
    HOST_STATUS(shoal_scene_user_data(h->scenes[0], h->bodies[0][BEHIND], &out));
    float_add(h, &out, sizeof out);
}

static void model_set_user_data(float_host *h)
{
    HOST_STATUS(shoal_model_set_user_data(h->models[0], 6));
}

static void model_user_data(float_host *h)
{
    HOST_ADD(uint64_t, shoal_model_user_data(h->models[0]));
}

const float_row float_filter_rows[] = {{"shoal_scene_set_filter", set_filter},
                                       {"shoal_scene_set_excluded", set_excluded},
                                       {"shoal_scene_set_static", set_static},
                                       {"shoal_scene_set_max_rows", set_max_rows},
                                       {"shoal_scene_row_count", row_count},
                                       {"shoal_scene_set_user_data", set_user_data},
                                       {"shoal_scene_user_data", user_data},
                                       {"shoal_model_set_user_data", model_set_user_data},
                                       {"shoal_model_user_data", model_user_data},
                                       {0}};
