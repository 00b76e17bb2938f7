// SPDX-License-Identifier: MIT
#include "layouts/float_env.h"
#include "layouts/versioned.h"
#include "picture/draws.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE_MAX = 16384, DEF_BYTES_LEAST = SHL_END_OF(shoal_picture_def, floor) };
SHL_ASSERT_LAST(shoal_picture_def, floor);

static const double sun[3] = {0.38, -0.50, 0.78};        // of length 1, but for rounding
static const double from[3] = {0.4596, -0.8273, 0.3230}; // the default camera, seen from there

static void middle_of(const shl_sight *box, double middle[3], double *radius)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double half = 0.5 * ((double)box->hi[k] - (double)box->lo[k]);
        middle[k] = 0.5 * ((double)box->hi[k] + (double)box->lo[k]);
        sum += half * half;
    }
    *radius = sum > 0 ? sqrt(sum) : 1;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static bool normalise(double v[3])
{
    const double length = sqrt(dot(v, v));
    for (int k = 0; k < 3; k++)
        v[k] /= length;
    return isfinite(length) && length > 0 && isfinite(v[0] + v[1] + v[2]);
}

// Rows: right, up and backward of an eye that looks along `back` reversed.
static bool axes_of(const double back[3], const double up[3], double axes[3][3])
{
    memcpy(axes[2], back, sizeof axes[2]);
    cross(up, back, axes[0]);
    const bool good = normalise(axes[2]) && normalise(axes[0]);
    cross(axes[2], axes[0], axes[1]);
    return good;
}

// How far away all corners of a box are inside the picture.
static double distance_for(const shl_sight *box, const shoal_picture_def *def)
{
    double axes[3][3], most = 0;
    const double tall = tan(def->camera.angle * M_PI / 360);
    const double slope[2] = {tall * def->width / def->height, tall};
    if (!axes_of(from, def->camera.up, axes))
        return 0;
    for (int corner = 0; corner < 8; corner++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = (double)(corner >> k & 1 ? box->hi[k] : box->lo[k]) - def->camera.target[k];
        for (int k = 0; k < 2; k++)
            most = fmax(most, dot(axes[2], at) + fabs(dot(axes[k], at)) / slope[k]);
    }
    return most;
}

static shoal_picture_def default_of(const shoal_scene *s)
{
    shoal_picture_def def = {.size = sizeof def,
                             .width = 1280,
                             .height = 720,
                             .show = SHOAL_SHOW_PAIRS | SHOAL_SHOW_SPHERES,
                             .camera = {.up = {0, 0, 1}, .angle = 32},
                             .level = 0.5,
                             .floor = NAN};
    const shl_sight box = shl_sight_of(s);
    double radius;
    middle_of(&box, def.camera.target, &radius);
    const double away = 1.06 * distance_for(&box, &def);
    for (int k = 0; k < 3; k++)
        def.camera.eye[k] = def.camera.target[k] + (away > 0 ? away : 1) * from[k];
    return def;
}

void shoal_picture_def_init(const shoal_scene *s, shoal_picture_def *out, size_t size)
{
    SHL_FLOAT_ENV(host);
    const shoal_picture_def def = default_of(s);
    shl_def_write(out, size, &def, sizeof def);
}

// out = clip * axes, seen from `eye`, for points relative to `origin`.
static void view_matrix(const double axes[3][3], const double eye[3], const double clip[4][4],
                        float out[4][4])
{
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? clip[row][3] : 0;
            for (int k = 0; k < 3; k++)
                sum += clip[row][k] * (column < 3 ? axes[k][column] : -dot(axes[k], eye));
            out[row][column] = (float)sum;
        }
    }
}

// What the eye sees of a ball around everything, to its far end.
static bool look(const shoal_picture_def *def, const double origin[3], const double middle[3],
                 double radius, shl_gpu_picture *out)
{
    double back[3], eye[3], axes[3][3], away[3];
    for (int k = 0; k < 3; k++) {
        back[k] = def->camera.eye[k] - def->camera.target[k];
        eye[k] = def->camera.eye[k] - origin[k];
        away[k] = def->camera.eye[k] - middle[k];
        out->eye[k] = (float)eye[k];
    }
    const double angle = def->camera.angle, distance = sqrt(dot(away, away));
    if (!axes_of(back, def->camera.up, axes) || !(angle > 0 && angle < 170) ||
        !isfinite(distance))
        return false;
    const double far = distance + 4 * radius;
    const double nearest = fmax(distance - 4 * radius, far * 1e-4);
    const double tall = 1 / tan(angle * M_PI / 360), wide = tall * def->height / def->width;
    const double clip[4][4] = {
        {wide},
        {0, tall},
        {0, 0, -(far + nearest) / (far - nearest), -2 * far * nearest / (far - nearest)},
        {0, 0, -1, 0}};
    view_matrix((const double(*)[3])axes, eye, clip, out->view);
    return true;
}

// The light comes in parallel; its picture holds the ball.
static void shine(const double origin[3], const double middle[3], double radius,
                  shl_gpu_picture *out)
{
    static const double up[3] = {0, 0, 1};
    double axes[3][3], light[3] = {sun[0], sun[1], sun[2]}, eye[3];
    axes_of(light, up, axes);
    for (int k = 0; k < 3; k++) {
        out->light[k] = (float)axes[2][k];
        eye[k] = middle[k] - origin[k];
    }
    const double scale = 1 / (1.05 * radius);
    const double clip[4][4] = {{scale}, {0, scale}, {0, 0, -scale, 0}, {0, 0, 0, 1}};
    view_matrix((const double(*)[3])axes, eye, clip, out->shadow);
}

static shoal_status status_of(shl_gpu_status status)
{
    return status == SHL_GPU_OK       ? SHOAL_OK
           : status == SHL_GPU_MEMORY ? SHOAL_ERR_MEMORY
           : status == SHL_GPU_LIMIT  ? SHOAL_ERR_LIMIT
                                      : SHOAL_ERR_DEVICE;
}

static shoal_status collect(const shoal_picture_def *def, shl_draws *draws)
{
    shoal_status st = shl_draws_look(draws);
    if (st == SHOAL_OK)
        st = def->show & SHOAL_SHOW_BOXES ? shl_draw_boxes(def->level, draws)
                                          : shl_draw_bodies(draws);
    if (st == SHOAL_OK && def->show & SHOAL_SHOW_PAIRS)
        st = shl_draw_pairs(def->camera.eye, draws);
    if (st == SHOAL_OK && def->show & SHOAL_SHOW_SPHERES)
        st = shl_draw_spheres(draws);
    if (st == SHOAL_OK && !isnan(def->floor))
        st = shl_draw_floor(def->floor, draws);
    return st;
}

static const char *fault_of(const shoal_picture_def *def, const uint8_t *rgb)
{
    if (!rgb)
        return "rgb is NULL";
    if (def->width < 1 || def->width > SIDE_MAX || def->height < 1 || def->height > SIDE_MAX)
        return "a side has 1 to 16384 pixels";
    if (def->show > 7 || !(def->level >= 0 && def->level <= 1) || isinf(def->floor))
        return "show, level or floor is out of range";
    return NULL;
}

static shoal_status failed(const shoal_scene *s, shoal_status status, const char *why)
{
    char text[500];
    snprintf(text, sizeof text, "picture: %s", why);
    return shoal_scene_report(s, status, text);
}

// The table of the module, if it is the one that this library was built with.
static const shl_gpu_api *table_of(const shoal_painter *painter)
{
    const shl_gpu_api *api = painter->table;
    return api && api->abi == SHL_GPU_ABI && api->size == sizeof *api ? api : NULL;
}

static shoal_status paint(const shoal_scene *s, const shoal_picture_def *def,
                          shl_gpu_picture *picture, shl_draws *draws, uint8_t *rgb)
{
    const shoal_painter painter = shoal_scene_painter(s);
    const shl_gpu_api *api = table_of(&painter);
    char text[480];
    snprintf(text, sizeof text, "no OpenGL: %s",
             painter.device && !api ? "libshoal is of another version" : painter.reason);
    if (!painter.device || !api)
        return failed(s, SHOAL_ERR_DEVICE, text);
    draws->allocator = painter.allocator;
    shoal_status st = collect(def, draws);
    shl_gpu_line why = {"no memory"};
    if (st == SHOAL_OK) {
        picture->draws = draws->draws.data;
        picture->draw_count = draws->count;
        st = status_of(api->paint(painter.device, picture, rgb, &why));
    }
    shl_draws_finish(draws);
    return st == SHOAL_OK || st == SHOAL_ERR_ARGUMENT ? st : failed(s, st, why.text);
}

// Nobody looks at the box: whether a step has begun.
static void take_none(void *user, const shoal_tree_box *box)
{
    (void)user, (void)box;
}

shoal_status shoal_scene_picture(shoal_scene *s, const shoal_picture_def *given, uint8_t *rgb)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return failed(NULL, SHOAL_ERR_ARGUMENT, "the scene is NULL");
    shoal_picture_def def = {.size = sizeof def};
    const char *fault = shl_def_read(&def, sizeof def, DEF_BYTES_LEAST, given,
                                     "start from shoal_picture_def_default()");
    fault = fault ? fault : fault_of(&def, rgb);
    if (fault)
        return failed(s, SHOAL_ERR_ARGUMENT, fault);
    const shoal_status idle = shoal_scene_boxes(s, 0, false, take_none, NULL);
    if (idle != SHOAL_OK)
        return idle;
    shl_draws draws = {.scene = s};
    const shl_sight box = shl_sight_of(s);
    double middle[3], radius;
    middle_of(&box, middle, &radius);
    memcpy(draws.origin, middle, sizeof middle);
    shl_gpu_picture picture = {
        .width = def.width, .height = def.height, .background = {0.93f, 0.945f, 0.96f}};
    if (!look(&def, draws.origin, middle, radius, &picture))
        return failed(s, SHOAL_ERR_ARGUMENT, "the camera has no direction or a wrong angle");
    shine(draws.origin, middle, radius, &picture);
    return paint(s, &def, &picture, &draws, rgb);
}
