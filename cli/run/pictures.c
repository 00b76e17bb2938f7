// SPDX-License-Identifier: MIT
#include "cli/run/pictures.h"

#include "cli/frames/png_file.h"
#include "cli/run/contact_sheet.h"
#include "cli/run/video.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const shl_option shl_picture_options[] = {
    {"frames", 0, "N", "pictures of the run, evenly over its steps; default 5, 0 for none",
     false},
    {"boxes", 0, "PERCENT", "draw boxes of the trees, so deep, by how tight they are", false},
    {"size", 0, "WxH", "of pictures; default 1280x720", false},
    {"eye", 0, "X,Y,Z", "where pictures are seen from; default so that all is seen", false},
    {"target", 0, "X,Y,Z", "what is in the middle; default the middle of all bodies", false},
    {"up", 0, "X,Y,Z", "which way is upwards; default 0,0,1", false},
    {"angle", 0, "DEGREES", "of view, from top to bottom", false},
    {"video", 0, NULL, "also a film of the pictures; without it from 12 pictures on", false},
    {0},
};

enum { WIDTH = 1280, HEIGHT = 720, FRAMES = 5, FRAMES_MAX = 100000, SIDE_MAX = 16384 };
enum { FILM_FROM = 12 }; // pictures

static bool read_size(const shl_args *args, shl_pictures *p)
{
    const char *text = shl_args_get(args, "size");
    char *end;
    if (!text)
        return true;
    const unsigned long width = strtoul(text, &end, 10);
    const unsigned long height = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
    if (strspn(text, "0123456789x") != strlen(text) || *end || width < 16 || height < 16 ||
        width > SIDE_MAX || height > SIDE_MAX) {
        shl_usage_error(args->command, "--size '%s' is not WxH, 16 to %d pixels each", text,
                        SIDE_MAX);
        return false;
    }
    p->width = (uint32_t)width;
    p->height = (uint32_t)height;
    return true;
}

static bool read_numbers(const shl_args *args, const char *name, int count, double *out,
                         bool *has)
{
    const char *text = shl_args_get(args, name), *at = text;
    *has = text != NULL;
    for (int k = 0; text && k < count; k++) {
        char *end;
        out[k] = strtod(at, &end);
        if (end == at || !isfinite(out[k]) || *end != (k + 1 < count ? ',' : '\0')) {
            shl_usage_error(args->command, "--%s '%s' is not %s", name, text,
                            count == 3 ? "three numbers, as 1,2,3" : "a number");
            return false;
        }
        at = end + 1;
    }
    return true;
}

static bool read_camera(const shl_args *args, shl_pictures *p)
{
    if (!read_numbers(args, "eye", 3, p->camera.eye, &p->has_eye) ||
        !read_numbers(args, "target", 3, p->camera.target, &p->has_target) ||
        !read_numbers(args, "up", 3, p->camera.up, &p->has_up) ||
        !read_numbers(args, "angle", 1, &p->camera.angle, &p->has_angle))
        return false;
    const double *eye = p->camera.eye, *target = p->camera.target, *up = p->camera.up;
    if (p->has_up && up[0] == 0 && up[1] == 0 && up[2] == 0) {
        shl_usage_error(args->command, "--up '%s' is no direction", shl_args_get(args, "up"));
        return false;
    }
    if (p->has_eye && p->has_target && eye[0] == target[0] && eye[1] == target[1] &&
        eye[2] == target[2]) {
        shl_usage_error(args->command, "--eye and --target are the same place");
        return false;
    }
    if (p->has_angle && !(p->camera.angle > 0 && p->camera.angle < 170)) {
        shl_usage_error(args->command, "--angle %g is not between 0 and 170", p->camera.angle);
        return false;
    }
    return true;
}

int shl_pictures_init(shl_pictures *p, const shl_args *args, const char *folder, double floor,
                      uint32_t steps)
{
    *p = (shl_pictures){.wanted = FRAMES,
                        .steps = steps,
                        .floor = floor,
                        .width = WIDTH,
                        .height = HEIGHT,
                        .boxes = shl_args_has(args, "boxes"),
                        .video = shl_args_has(args, "video"),
                        .command = args->command->name};
    if (snprintf(p->folder, sizeof p->folder, "%s", folder) >= PATH_MAX) {
        shl_say("shoal %s: %s: %s", p->command, folder, strerror(ENAMETOOLONG));
        return SHL_EXIT_IO;
    }
    if (!shl_args_number(args, "frames", 0, FRAMES_MAX, &p->wanted) ||
        !shl_args_number(args, "boxes", 0, 100, &p->level) || !read_size(args, p) ||
        !read_camera(args, p))
        return SHL_EXIT_USAGE;
    const char *gpu = secure_getenv("SHOAL_GPU");
    if (gpu && strcmp(gpu, "off") == 0)
        p->wanted = 0;
    return SHL_EXIT_OK;
}

void shl_pictures_finish(shl_pictures *p)
{
    free(p->rgb);
    p->rgb = NULL;
}

// Picture i of n is of step ceil(steps i / n), so that the last one is of the last step.
bool shl_pictures_due(const shl_pictures *p, uint32_t step)
{
    const uint64_t n = p->wanted;
    for (uint32_t i = 0; p->at && i < p->at_count; i++) {
        if (p->at[i] == step)
            return n > 0;
    }
    return n && !p->at && (step * n) / p->steps > ((step - 1) * n) / p->steps;
}

static int cannot_write(const shl_pictures *p, const char *path, int code)
{
    shl_say("shoal %s: %s: %s", p->command, path, strerror(code));
    return code == ENOMEM ? SHL_EXIT_MEMORY : SHL_EXIT_IO;
}

static void look_from(const shl_pictures *p, shoal_camera *camera)
{
    if (p->has_eye)
        memcpy(camera->eye, p->camera.eye, sizeof camera->eye);
    if (p->has_target)
        memcpy(camera->target, p->camera.target, sizeof camera->target);
    // straight from above or below, up is where y goes
    if (camera->eye[0] == camera->target[0] && camera->eye[1] == camera->target[1]) {
        camera->up[1] = 1;
        camera->up[2] = 0;
    }
    if (p->has_up)
        memcpy(camera->up, p->camera.up, sizeof camera->up);
    if (p->has_angle)
        camera->angle = p->camera.angle;
}

int shl_pictures_step(shl_pictures *p, uint32_t step, const shl_engine *engine)
{
    if (!shl_pictures_due(p, step) || p->none)
        return SHL_EXIT_OK;
    shoal_picture_def def = shoal_picture_def_default(engine->scene);
    def.width = p->width;
    def.height = p->height;
    def.floor = p->floor;
    look_from(p, &def.camera);
    if (p->boxes) {
        def.show = SHOAL_SHOW_BOXES;
        def.level = p->level / 100.0;
    }
    if (!p->rgb)
        p->rgb = malloc(3 * (size_t)p->width * p->height);
    if (!p->rgb)
        return cannot_write(p, "a picture", ENOMEM);
    if (shoal_scene_picture(engine->scene, &def, p->rgb) != SHOAL_OK) {
        p->none = true;
        shl_say("shoal: warning: %s", engine->said);
        return SHL_EXIT_OK;
    }
    if (mkdir(p->folder, 0777) != 0 && errno != EEXIST)
        return cannot_write(p, p->folder, errno);
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/step-%06u.png", p->folder, step);
    const int code = shl_png_write(path, p->width, p->height, p->rgb);
    p->drawn += code == 0;
    return code ? cannot_write(p, path, code) : SHL_EXIT_OK;
}

// A film is a nicety: its failure is said, and that is all.
static int make_film(const shl_pictures *p)
{
    shl_picture_list list;
    char path[PATH_MAX + 32], why[256];
    const int code = shl_picture_list_read(p->folder, &list);
    if (code)
        return cannot_write(p, p->folder, code);
    snprintf(path, sizeof path, "%s/video.mp4", p->folder);
    if ((p->video && list.count > 1) || list.count >= FILM_FROM) {
        const shl_film film = shl_video_write(p->folder, &list, path, why, sizeof why);
        if (film == SHL_FILM_FAILED || (film == SHL_FILM_NO_TOOL && p->video))
            shl_say("shoal %s: no %s: %s", p->command, path, why);
    }
    shl_picture_list_free(&list);
    return SHL_EXIT_OK;
}

int shl_pictures_end(shl_pictures *p)
{
    const uint32_t pictures = p->at ? p->at_count : p->wanted;
    if (p->none || p->wanted == 0 || pictures < 2)
        return SHL_EXIT_OK;
    char sheet[PATH_MAX + 32];
    snprintf(sheet, sizeof sheet, "%s/sheet.png", p->folder);
    const int code = shl_sheet_write(p->folder, sheet);
    return code ? cannot_write(p, sheet, code) : make_film(p);
}
