// SPDX-License-Identifier: MIT
// Pictures of a run, and the page that shows them.
#include "tool.h"

#include <png.h>
#include <stdint.h>

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
    ASSERT(strstr(page, "<td>traversal</td>"));
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
    char *page = page_of("shown/report.html");
    ASSERT(page);
    ASSERT_EQ(3u, count_of(page, "<img alt=\"step "));
    free(page);
    ASSERT(png_size("boxes/pictures/step-000002.png", &width, &height));
    ASSERT(access("boxes/pictures/sheet.png", F_OK) != 0); // one picture is no sheet
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
    RUN_TEST(wrong_ways);
    GREATEST_MAIN_END();
}
