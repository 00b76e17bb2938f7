// SPDX-License-Identifier: MIT
// Pictures of a run, and the page that shows them.
#include "tool.h"

#include <png.h>
#include <stdint.h>
#include <sys/stat.h>

static char *page_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    const size_t got = text ? fread(text, 1, (size_t)size, f) : 0;
    fclose(f);
    if (text)
        text[got] = '\0';
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

static bool png_size(const char *path, uint32_t *width, uint32_t *height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        return false;
    *width = image.width;
    *height = image.height;
    png_image_free(&image);
    return true;
}

// The mean of a rectangle of a picture; below 0: it cannot be read.
static double brightness(const char *path, uint32_t left, uint32_t top, uint32_t width,
                         uint32_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        return -1;
    image.format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(image));
    double sum = 0;
    if (!rgb || !png_image_finish_read(&image, NULL, rgb, 0, NULL) ||
        left + width > image.width || top + height > image.height) {
        free(rgb);
        return -1;
    }
    for (size_t y = top; y < top + height; y++) {
        for (size_t x = 3 * (size_t)left; x < 3 * ((size_t)left + width); x++)
            sum += rgb[3 * y * image.width + x];
    }
    free(rgb);
    return sum / (3.0 * width * height);
}

TEST a_run_leaves_a_page(void)
{
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=2 -o page -q --json"));
    json_error_t error;
    json_t *j = json_load_file("out.txt", 0, &error);
    char *page = page_of("page/report.html");
    ASSERT(j && page);
    ASSERT(strstr(page, json_string_value(json_object_get(j, "hash"))));
    ASSERT(strstr(page, "finished after 200 of 200 steps"));
    ASSERT_EQ(4u, count_of(page, "<svg"));
    ASSERT_EQ(0u, count_of(page, "http")); // it needs nothing from elsewhere
    ASSERT_EQ(0u, count_of(page, "<script"));
    ASSERT_EQ(0u, count_of(page, "<img")); // SHOAL_GPU=off
    ASSERT(strstr(page, "shoal run bumpy-2 --set=k=2"));
    // of the phase table one row a phase, least, mean and most of a thread in order
    const char *row = strstr(page, "<td>traversal</td><td>");
    double least, mean, most;
    ASSERT(row && sscanf(row, "<td>traversal</td><td>%lf</td><td>%lf</td><td>%lf</td>", &least,
                         &mean, &most) == 3);
    ASSERT(least <= mean && mean <= most && most > 0);
    ASSERT(strstr(page, "<td>whole step, as the caller sees it</td>"));
    const json_t *phase = json_object_get(
        json_object_get(json_object_get(json_object_get(j, "time"), "per_thread"), "ms"),
        "traverse");
    ASSERT_IN_RANGE(json_number_value(json_array_get(phase, 1)), mean, 5.1e-5);
    free(page);
    json_decref(j);
    // made again from the folder alone
    ASSERT_EQ(0, remove("page/report.html"));
    ASSERT_EQ(0, shoal("report page"));
    ASSERT_STR_EQ("page/report.html\n", last.out);
    page = page_of("page/report.html");
    ASSERT(page && strstr(page, "</html>"));
    free(page);
    PASS();
}

TEST pictures_are_drawn(void)
{
    unsetenv("SHOAL_GPU");
    const int code = shoal("run chairs -s count=2 --steps 60 --frames 3 -o shown -q");
    const int boxes = shoal("run beams -s k=1 -s bodies=4 --steps 2 --frames 1 --boxes 60 "
                            "-o boxes -q");
    setenv("SHOAL_GPU", "off", 1);
    ASSERT_EQ(0, code);
    ASSERT_EQ(0, boxes);
    if (access("shown/pictures", F_OK) != 0) {
        ASSERT(strstr(last.err, "no OpenGL")); // and the run went on
        SKIPm("no OpenGL here");
    }
    uint32_t width, height;
    static const char *const names[] = {"20", "40", "60"};
    for (int i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "shown/pictures/step-0000%s.png", names[i]);
        ASSERT(png_size(path, &width, &height));
        ASSERT_EQ(1280u, width);
        ASSERT_EQ(720u, height);
    }
    ASSERT(png_size("shown/pictures/sheet.png", &width, &height));
    ASSERT_EQ(3 * 644u - 4, width);
    ASSERT_EQ(360u, height);
    double means[3];
    for (uint32_t i = 0; i < 3; i++) { // each half as large, in the order of steps
        char path[64];
        snprintf(path, sizeof path, "shown/pictures/step-0000%s.png", names[i]);
        means[i] = brightness(path, 0, 0, 1280, 720);
        ASSERT_IN_RANGE(means[i], brightness("shown/pictures/sheet.png", i * 644, 0, 640, 360),
                        0.05);
    }
    // or it would tell nothing
    ASSERT(means[0] - means[1] > 0.2 || means[1] - means[0] > 0.2);
    char *page = page_of("shown/report.html");
    ASSERT(page);
    ASSERT_EQ(3u, count_of(page, "<img alt=\"step "));
    free(page);
    ASSERT(png_size("boxes/pictures/step-000002.png", &width, &height));
    ASSERT(access("boxes/pictures/sheet.png", F_OK) != 0); // one picture is no sheet
    PASS();
}

// Pictures of runs that are over, were stopped, or move by the step's number alone.
TEST runs_are_drawn_again(void)
{
    uint32_t width, height;
    ASSERT_EQ(0, shoal("run chairs -s count=2 --steps 40 -o over -q"));
    ASSERT_EQ(0, shoal("run beams -s k=1 -s bodies=3 --steps 30 -o beams -q"));
    ASSERT_EQ(0, mkdir("stopped", 0777));
    write_text("stopped/stop", "");
    ASSERT_EQ(75, shoal("run bumpy-2 -s k=1 --steps 9 -o stopped -q"));
    ASSERT_EQ(64, shoal("render over")); // SHOAL_GPU=off
    unsetenv("SHOAL_GPU");
    const int over = shoal("render over --at 10,30-40/5 --size 320x200 -q");
    if (over == 74 && strstr(last.err, "no OpenGL")) {
        setenv("SHOAL_GPU", "off", 1);
        SKIPm("no OpenGL here");
    }
    ASSERT_STR_EQ("", last.err);
    ASSERT_STR_EQ("4 pictures in over/pictures\n", last.out);
    // a program in the current directory is not run, though an empty entry of PATH names it
    write_text("ffmpeg", "#!/bin/sh\ntouch ffmpeg-ran\n");
    ASSERT_EQ(0, chmod("ffmpeg", 0755));
    char path[4096];
    const char *before = getenv("PATH");
    snprintf(path, sizeof path, ":.:%s", before ? before : "");
    setenv("PATH", path, 1);
    const int again = shoal("render over --frames 2 --size 64x64 --video -q -t 1");
    setenv("PATH", path + 3, 1);
    ASSERT(access("ffmpeg-ran", F_OK) != 0);
    ASSERT(strstr(last.err, "video.mp4: there is no program ffmpeg") ||
           access("over/pictures/video.mp4", F_OK) == 0);
    ASSERT_EQ(0, shoal("render beams --at 30 -o elsewhere --eye 9,0,0 --target 0,0,0 "
                       "--angle 20 --boxes 50 -q"));
    ASSERT_STR_EQ("1 picture in elsewhere\n", last.out);
    // straight from above, and no sheet of other steps stays beside a single picture
    ASSERT_EQ(0, shoal("run beams -s k=1 -s bodies=3 --steps 6 -o above --frames 3 -q"));
    ASSERT(access("above/pictures/sheet.png", F_OK) == 0);
    ASSERT_EQ(0, shoal("render above --at 6 --eye 0,0,9 --target 0,0,0 -q"));
    ASSERT_STR_EQ("1 picture in above/pictures\n", last.out);
    ASSERT(access("above/pictures/sheet.png", F_OK) != 0);
    const int stopped = shoal("render stopped -q");
    ASSERT_EQ(64, shoal("render stopped --at 2"));
    ASSERT(strstr(last.err, "--at '2': the run has only 1 steps"));
    setenv("SHOAL_GPU", "off", 1);
    ASSERT_EQ(0, over);
    ASSERT_EQ(0, again);
    ASSERT_EQ(0, stopped);
    ASSERT(png_size("over/pictures/step-000020.png", &width, &height));
    ASSERT_EQ(64u, width);
    ASSERT_EQ(64u, height);
    ASSERT(png_size("over/pictures/sheet.png", &width, &height));
    ASSERT_EQ(2 * 36u - 4, width);
    ASSERT(access("over/pictures/step-000010.png", F_OK) != 0); // of the first call
    ASSERT(png_size("elsewhere/step-000030.png", &width, &height));
    ASSERT_EQ(1280u, width);
    ASSERT(png_size("stopped/pictures/step-000001.png", &width, &height));
    char *page = page_of("over/report.html");
    ASSERT(page);
    ASSERT_EQ(2u, count_of(page, "<img alt=\"step "));
    free(page);
    PASS();
}

// What is drawn has to be that run.
TEST other_runs_are_refused(void)
{
    write_text("mine.json", "{\"shoal\": 1, \"steps\": 3, \"bodies\": [{\"generator\": "
                            "\"icosphere\", \"list\": [[0, 0, 0], [1, 0, 0]]}]}");
    ASSERT_EQ(0, shoal("run mine.json -o mine -q"));
    write_text("mine.json", "{\"shoal\": 1, \"steps\": 3, \"bodies\": [{\"generator\": "
                            "\"icosphere\", \"list\": [[0, 0, 0], [1, 1, 0]]}]}");
    ASSERT_EQ(65, shoal("render mine"));
    ASSERT_STR_EQ("shoal render: mine: its scene file, meshes or this tool are no longer those "
                  "of the run\n",
                  last.err);
    ASSERT_EQ(0, remove("mine.json"));
    ASSERT_EQ(65, shoal("render mine"));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -o forged -q"));
    char text[8192], *hash;
    ASSERT(slurp("forged/metrics.jsonl", text, sizeof text));
    hash = strstr(text, "\"hash\":\"");
    ASSERT(hash);
    hash[8] = hash[8] == '0' ? '1' : '0';
    write_text("forged/metrics.jsonl", text);
    unsetenv("SHOAL_GPU");
    const int forged = shoal("render forged -q");
    setenv("SHOAL_GPU", "off", 1);
    ASSERT_EQ(1, forged);
    ASSERT(strstr(last.err, "shoal render: step 1 has the hash "));
    char run[16384];
    ASSERT(slurp("forged/run.json", run, sizeof run));
    char *version = strstr(run, "\"hash_version\": 2");
    ASSERT(version);
    version[strlen("\"hash_version\": ")] = '1';
    write_text("forged/run.json", run);
    ASSERT_EQ(65, shoal("render forged"));
    ASSERT_STR_EQ("shoal render: forged: its hashes have another version than those of this "
                  "shoal\n",
                  last.err);
    version[strlen("\"hash_version\": ")] = '2';
    write_text("forged/run.json", run);
    const refusal rows[] = {
        {"render", 64, "shoal render: it takes the folder of a run (see shoal render --help)"},
        {"render nowhere", 65, "shoal render: nowhere: there is no run.json of a run in it"},
        {"render forged --at 1,", 64,
         "shoal render: --at '1,' is not a list of steps, as 1,50,100-200/10 (see shoal render "
         "--help)"},
        {"render forged --at 1 --frames 2", 64,
         "shoal render: --at and --frames exclude each other (see shoal render --help)"},
        {"render forged --size 3x3", 64,
         "shoal render: --size '3x3' is not WxH, 16 to 16384 pixels each (see shoal render "
         "--help)"},
        {"run bumpy-2 --eye 1,2", 64,
         "shoal run: --eye '1,2' is not three numbers, as 1,2,3 (see shoal run --help)"},
        {"run bumpy-2 --angle 180", 64,
         "shoal run: --angle 180 is not between 0 and 170 (see shoal run --help)"},
    };
    CHECK_REFUSALS(rows);
    PASS();
}

// Experiments as a page: its own, and those of another program that were added.
TEST experiments_make_a_page(void)
{
    write_text("others.json",
               "{\"machine\": {}, \"experiments\": [{\"id\": \"peers\", \"rows\": ["
               "{\"scene\": \"L1\", \"contender\": \"literal hybrid\", \"whole_us\": 2000.5},"
               "{\"scene\": \"L1\", \"contender\": \"shoal hybrid\", \"whole_us\": 150.0},"
               "{\"scene\": \"L1\", \"contender\": \"shoal auto\", \"whole_us\": 140.0},"
               "{\"scene\": \"L1\", \"contender\": \"Embree refit\", \"whole_us\": 1500.0},"
               "{\"vertices\": 35, \"root_us\": 0.25, \"paper_root_us\": 15.5}],"
               "\"gates\": [{\"name\": \"a < b\", \"value\": 3.0, \"need\": 2.0, \"aim\": 1.0,"
               "\"better\": \"lower\", \"pass\": false}]}]}");
    const int code = shoal("bench V8 --repeat 1 --html bench.html --add others.json --json");
    ASSERT(code == 0 || code == 1); // gates are not what this is about
    json_error_t error;
    json_t *j = json_load_file("out.txt", 0, &error);
    ASSERT(j);
    ASSERT_EQ(1u, json_array_size(json_object_get(j, "experiments"))); // those it ran
    char *page = page_of("bench.html");
    ASSERT(page);
    ASSERT(strstr(page, "<h2>V8 <small>"));
    ASSERT(strstr(page, "<h2>peers</h2>"));
    ASSERT(strstr(page, "</html>"));
    ASSERT_EQ(0u, count_of(page, "http"));
    ASSERT_EQ(0u, count_of(page, "<script"));
    ASSERT(strstr(page, "<td>a &#60; b</td><td>3</td><td>at most 2</td><td>1</td>"
                        "<td class=\"bad\">does not hold</td>"));
    // who is who: b0 paper, b1 literal, b2 equal care, b3 shoal, b4 peers
    ASSERT(strstr(page, "<i class=\"dot b1\"></i>literal hybrid"));
    ASSERT(strstr(page, "<i class=\"dot b2\"></i>shoal hybrid"));
    ASSERT(strstr(page, "<i class=\"dot b3\"></i>shoal auto"));
    ASSERT(strstr(page, "<i class=\"dot b4\"></i>Embree refit"));
    ASSERT(strstr(page, "<i class=\"dot b0\"></i>paper_root_us"));
    ASSERT_EQ(2u, count_of(page, "<svg")); // whole_us of all four, root_us beside the paper's
    ASSERT_EQ(1u, count_of(page, "<rect class=\"s0 area\""));
    ASSERT_EQ(1u, count_of(page, "<rect class=\"s4 area\""));
    ASSERT_EQ(2u, count_of(page, "<rect class=\"s3 area\""));
    ASSERT(strstr(page, "shoal bench V8 --repeat=1 --html=bench.html"));
    free(page);
    json_decref(j);
    write_text("others.json", "{\"experiments\": 3}");
    const refusal rows[] = {
        {"bench V8 --add others.json", 64,
         "shoal bench: --add needs --html (see shoal bench --help)"},
        {"bench V8 --html x.html --add others.json", 65,
         "shoal bench: others.json:1:1: expected what shoal bench --json prints"},
        {"bench V8 --html x.html --add none.json", 65,
         "shoal bench: none.json:1:1: unable to open none.json: No such file or directory"},
    };
    CHECK_REFUSALS(rows);
    ASSERT_EQ(74, shoal("bench V8 --repeat 1 --html no/where.html"));
    ASSERT(strstr(last.err, "shoal bench: no/where.html: No such file or directory"));
    PASS();
}

TEST wrong_ways(void)
{
    ASSERT_EQ(64, shoal("report"));
    ASSERT_EQ(65, shoal("report nowhere"));
    ASSERT_STR_EQ("shoal report: nowhere: there is no run.json of a run in it\n", last.err);
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -o hurt -q"));
    ASSERT(strstr(last.out, "  report       hurt/report.html\n")); // where to look
    ASSERT_EQ(0, remove("hurt/report.html"));
    FILE *f = fopen("hurt/metrics.jsonl", "a");
    ASSERT(f);
    fputs("{\"step\": 4}\n", f);
    fclose(f);
    ASSERT_EQ(65, shoal("report hurt"));
    ASSERT_STR_EQ("shoal report: hurt/metrics.jsonl:4: this is no step of a run\n", last.err);
    ASSERT(access("hurt/report.html", F_OK) != 0);
    ASSERT_EQ(0, mkdir("no-run", 0777));
    f = fopen("no-run/run.json", "w");
    ASSERT(f);
    fputs("{\"command\": 5}", f);
    fclose(f);
    ASSERT_EQ(65, shoal("report no-run"));
    ASSERT_STR_EQ("shoal report: no-run: there is no run.json of a run in it\n", last.err);
    ASSERT_EQ(64, shoal("bench kernels --plot x.svg"));
    ASSERT(strstr(last.err, "shoal bench: --plot needs scaling, L1 or M2"));
    ASSERT_EQ(64, shoal("bench L1 --csv x"));
    ASSERT_EQ(64, shoal("run bumpy-2 --frames x"));
    ASSERT_EQ(64, shoal("run bumpy-2 --boxes 101"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(a_run_leaves_a_page);
    RUN_TEST(pictures_are_drawn);
    RUN_TEST(runs_are_drawn_again);
    RUN_TEST(other_runs_are_refused);
    RUN_TEST(experiments_make_a_page);
    RUN_TEST(wrong_ways);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
