// SPDX-License-Identifier: MIT
// Text from strangers: names of files and folders, and what run folders say of themselves,
// must not reach a terminal, a page or a path as more than text.
#include "run_folder.h"

#include <dirent.h>
#include <sys/stat.h>

static char page[1 << 20];

static const char scene_text[] = "{\"shoal\": 1, \"steps\": 2, \"bodies\": [{\"generator\": "
                                 "\"icosphere\", \"k\": 1, \"list\": [[0, 0, 0]]}]}";

// Whether a text is one that terminals show as it is.
static bool is_printable(const char *text)
{
    for (; *text; text++) {
        if (((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f ||
            ((unsigned char)*text & 0x80))
            return false;
    }
    return true;
}

// A run whose run.json has other values.
static bool forge(const char *folder, json_t *values)
{
    json_t *run = run_json(folder);
    char path[64];
    snprintf(path, sizeof path, "%s/run.json", folder);
    const bool good = run && values && json_object_update(run, values) == 0 &&
                      json_dump_file(run, path, 0) == 0;
    json_decref(run);
    json_decref(values);
    return good;
}

// Of any length up to beyond what is held of a line and of the file.
TEST long_texts_arrive_whole(void)
{
    static const size_t sizes[] = {200, 256, 300, 5000, 70000, 200000};
    static char text[200001];
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -o long -q"));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(text, 'v', sizes[i]);
        text[sizes[i]] = '\0';
        ASSERT(forge("long", json_pack("{s:s, s:s, s:s}", "version", text, "executor", text,
                                       "hash", text)));
        ASSERT_EQ(0, shoal("report long"));
        ASSERT(slurp("long/report.html", page, sizeof page));
        char *at = strstr(page, "A run of shoal v");
        ASSERT(at);
        ASSERT_EQ(sizes[i], strspn(at + 15, "v"));
        ASSERT_EQ(0, strncmp(at + 15 + sizes[i], ", finished", 10));
        at = strstr(page, "<td>executor</td><td>v");
        ASSERT(at);
        ASSERT_EQ(sizes[i], strspn(at + 21, "v"));
        ASSERT(strstr(at, ", strategy auto, broad phase auto</td>"));
        ASSERT(strstr(page, "</body></html>\n"));
    }
    PASS();
}

TEST large_numbers_stay_numbers(void)
{
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -o large -q"));
    ASSERT(forge("large", json_pack("{s:f, s:f, s:f, s:f, s:{s:f, s:f}}", "bodies", 1e308,
                                    "triangles", -1e308, "steps_done", 1e308, "memory_bytes",
                                    1e308, "machine", "cpus", 1e308, "cores", 1e308)));
    ASSERT_EQ(0, shoal("report large"));
    ASSERT(slurp("large/report.html", page, sizeof page));
    ASSERT(strstr(page, "<div><b>1e+308</b><span>bodies</span></div>\n"));
    ASSERT(strstr(page, "<div><b>-1e+308</b><span>triangles</span></div>\n"));
    ASSERT(strstr(page, "<div><b>1e+302 MB</b><span>memory of the library</span></div>\n"));
    const char *at = strstr(page, " cores, ");
    ASSERT(at && strstr(at, " memory domains</td>"));
    for (const char *c = page; *c; c++)
        ASSERT(*c >= ' ' || *c == '\n');
    write_text("large/metrics.jsonl",
               "{\"step\": 1, \"pairs\": 1.7e308, \"self_pairs\": 1.7e308, \"measured\": "
               "{\"wall_ms\": 1.7e308, \"gather_ms\": 1.7e308, \"refit_ms\": 1.7e308}}\n"
               "{\"step\": 2, \"pairs\": -1e308, \"measured\": {\"wall_ms\": 1.7e308}}\n");
    ASSERT_EQ(0, shoal("report large"));
    ASSERT(slurp("large/report.html", page, sizeof page));
    ASSERT(strstr(page, "</body></html>\n"));
    PASS();
}

// All that a page takes from a folder, as markup.
TEST pages_hold_no_markup_of_others(void)
{
    static const char mark[] = "\"'><script>alert(1)</script><img src=x onerror=y>";
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -o page -q"));
    json_t *all = json_object(), *run = run_json("page"), *value;
    const char *key;
    json_object_foreach(run, key, value)
    {
        if (json_is_string(value))
            json_object_set_new(all, key, json_string(mark));
    }
    ASSERT(json_object_size(all) > 8);
    json_object_set_new(all, "command", json_pack("[s, s, s]", "shoal", mark, "it's \x1b[m"));
    json_object_set_new(all, "build",
                        json_pack("{s:s, s:s}", "compiler", mark, "commit", mark));
    json_object_set_new(all, "machine", json_pack("{s:s}", "cpu", mark));
    json_object_set_new(all, "gpu", json_pack("{s:s}", "device", mark));
    json_decref(run);
    ASSERT(forge("page", all));
    ASSERT_EQ(0, shoal("report page"));
    ASSERT(slurp("page/report.html", page, sizeof page));
    ASSERT_EQ(NULL, strstr(page, "<script"));
    ASSERT_EQ(NULL, strstr(page, "<img"));
    ASSERT_EQ(NULL, strstr(page, "onerror=y>"));
    ASSERT(strstr(page, "A run of shoal &#34;&#39;&#62;&#60;script&#62;"));
    // a word of the command line stays one for a shell
    ASSERT(strstr(page, "&#39;it&#39;\\&#39;&#39;s \xef\xbf\xbd[m&#39;</pre>"));
    ASSERT_EQ(NULL, strchr(page, '\x1b'));
    PASS();
}

// What --add brings is another program's.
TEST experiments_hold_no_markup_of_others(void)
{
    static char text[1 << 14];
    char wide[400] = ""; // 133 characters of three bytes: a label is cut within one
    for (int i = 0; i < 133; i++)
        strcat(wide, "\xe2\x82\xac");
    snprintf(
        text, sizeof text,
        "{\"experiments\": [{\"id\": \"<script>1\", \"summary\": \"<script>2\", \"rows\": ["
        "{\"contender\": \"a%s<script>3\", \"x<script>_us\": 1e308, \"whole_us\": 2},"
        "{\"contender\": \"b\", \"x<script>_us\": 1e308, \"whole_us\": 1e-308},"
        "{\"contender\": 5, \"x<script>_us\": [[1e308]], \"whole_us\": 1e308},"
        "{\"vertices\": 35, \"%0200d_us\": 0.25, \"paper_%0200d_us\": 15.5}],"
        "\"gates\": [{\"name\": \"<script>4\", \"value\": 1e308, \"better\": 3}]}]}",
        wide, 0, 0);
    write_text("others.json", text);
    const int code = shoal("bench V8 --repeat 1 --html bench.html --add others.json");
    ASSERTm(last.err, code == 0 || code == 1);
    ASSERT(slurp("bench.html", page, sizeof page));
    ASSERT_EQ(NULL, strstr(page, "<script"));
    ASSERT(strstr(page, "</body></html>\n"));
    const char *label = strstr(page, "text-anchor=\"end\">a\xe2\x82\xac");
    ASSERT(label);
    // 94 bytes are 31 characters and a part of one
    ASSERT(strncmp(strchr(label, '>') + 2 + 3 * 31, "?</text>", 8) == 0);
    PASS();
}

// Scene files by names that no terminal should see.
TEST names_of_files_are_harmless(void)
{
    static const struct {
        const char *file, *scene, *folder;
    } rows[] = {
        {"a\x1b]0;b\x07.json", "a_]0;b_", "a__0_b_"},
        {"c\xc2\x9b\x9b.json", "c___", "c___"},
        {"$(d) 'e'.json", "$(d) 'e'", "__d_ _e_"},
        {"\xe2\x80\xae"
         "f.json",
         "___f", "___f"},
        {".g.json", ".g", "_g"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[256], line[128], path[128];
        write_text(rows[i].file, scene_text);
        setenv("NAME", rows[i].file, 1);
        snprintf(command, sizeof command, "run \"./$NAME\" -q --plot plot.svg");
        ASSERT_EQm(last.err, 0, shoal(command));
        snprintf(line, sizeof line, "%s: 1 body, ", rows[i].scene);
        if (strncmp(line, last.out, strlen(line)) != 0)
            ASSERT_STR_EQ(line, last.out);
        snprintf(line, sizeof line, "  folder       runs/%s-1\n", rows[i].folder);
        ASSERTm(last.out, strstr(last.out, line));
        snprintf(path, sizeof path, "runs/%s-1", rows[i].folder);
        json_t *run = run_json(path);
        ASSERT_STR_EQ(rows[i].scene, text_of(run, "scene"));
        json_decref(run);
        // refused, and the name is told
        write_text(rows[i].file, "{");
        ASSERT_EQ(65, shoal("run \"./$NAME\" -q"));
        ASSERTm(last.err, is_printable(last.err));
    }
    PASS();
}

// At any byte a name may have to be cut.
TEST long_names_are_cut_between_characters(void)
{
    for (int n = 55; n < 66; n++) {
        char name[128] = "";
        memset(name, 'x', (size_t)n);
        strcat(name, "\xe2\x82\xac\xe2\x82\xac.json");
        write_text(name, scene_text);
        setenv("NAME", name, 1);
        ASSERT_EQm(last.err, 0, shoal("run \"$NAME\" -q --json"));
        json_error_t error;
        json_t *j = json_loads(last.out, 0, &error);
        ASSERT(j);
        const size_t length = strlen(text_of(j, "scene"));
        ASSERT(length <= 63 && length >= (size_t)(n < 63 ? n : 63));
        json_decref(j);
        ASSERT_EQ(0, remove(name));
    }
    PASS();
}

// A folder's name, a word of the command line, a value that is not UTF-8.
TEST words_are_harmless(void)
{
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 2 -q -o \"$(printf 'f\\033[31m\\377')\""));
    ASSERTm(last.out, is_printable(last.out));
    ASSERT(strstr(last.out, "  folder       f\\x1b[31m\\xff\n"));
    ASSERT(strstr(last.out, "  report       f\\x1b[31m\\xff/report.html\n"));
    json_t *run = run_json("f\x1b[31m\xff"), *command = json_object_get(run, "command");
    ASSERT(run);
    ASSERT_EQ(7u, json_array_size(command)); // all of it is there
    ASSERT_STR_EQ("--output=f\x1b[31m\xef\xbf\xbd",
                  json_string_value(json_array_get(command, 6)));
    json_decref(run);
    ASSERT_EQ(0, shoal("report \"$(printf 'f\\033[31m\\377')\""));
    ASSERT_STR_EQ("f\\x1b[31m\\xff/report.html\n", last.out);
    ASSERT_EQ(65, shoal("report \"$(printf 'no\\033[31m\\302\\233')\""));
    ASSERT_STR_EQ("shoal report: no\\x1b[31m\\xc2\\x9b: there is no run.json of a run in it\n",
                  last.err);
    ASSERT_EQ(64, shoal("run \"$(printf 'no\\033scene')\""));
    ASSERT(strstr(last.err, "unknown scene 'no\\x1bscene'"));
    write_text("own.json", scene_text);
    ASSERT_EQ(65, shoal("run own.json -q -s name=\"$(printf 'a\\377')\""));
    ASSERT_STR_EQ("shoal run: -s 'name=a\\xff': the value is not UTF-8\n", last.err);
    ASSERT_EQ(65, shoal("run own.json -q -s name=\"$(printf 'a\\302\\233')\""));
    ASSERT_STR_EQ("shoal run: -s 'name=a?\?': name: the name holds a control character\n",
                  last.err);
    write_text("\x1b[1m\xff.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    ASSERT_EQ(0, shoal("info ./*.obj"));
    ASSERTm(last.out, is_printable(last.out));
    ASSERT(strstr(last.out, "file       ./\\x1b[1m\\xff.obj, a mesh\n"));
    ASSERT_EQ(0, shoal("query ./*.obj"));
    ASSERT(strstr(last.out, "file 0    ./\\x1b[1m\\xff.obj, vertices 3, triangles 1\n"));
    ASSERT_EQ(0, shoal("model ./*.obj -o x.model"));
    ASSERT(strstr(last.out, "name       _[1m_\n"));
    setenv("OMP_PLACES", "\x1b[2m", 1);
    const int code = shoal("info");
    unsetenv("OMP_PLACES");
    ASSERT_EQ(0, code);
    ASSERTm(last.out, is_printable(last.out));
    PASS();
}

// Names are refused where they do not fit, not cut to those of others.
TEST long_paths_are_refused(void)
{
    char path[4200] = "deep";
    while (strlen(path) < 4050)
        strcat(path, "/.");
    setenv("NAME", path, 1);
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 2 -q -o deep"));
    ASSERT_EQ(65, shoal("render \"$NAME\""));
    ASSERT(strstr(last.err, ": File name too long\n"));
    ASSERT_EQ(65, shoal("report \"$NAME\""));
    ASSERT(strstr(last.err, ": File name too long\n"));
    while (strlen(path) < 4090)
        strcat(path, "/.");
    setenv("NAME", path, 1);
    write_text("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    ASSERT_EQ(74, shoal("query t.obj --voronoi --grid 4 -o \"$NAME\""));
    ASSERT(strstr(last.err, ": File name too long\n"));
    ASSERT_EQ(0, count_files("deep", "dia"));
    // no cut number of steps either
    write_text("own.json", scene_text);
    char command[256];
    snprintf(command, sizeof command, "run own.json -q --steps '2%60s7'", "");
    ASSERT_EQ(65, shoal(command));
    PASS();
}

// Files that were never finished are removed by their own names.
TEST long_names_are_swept(void)
{
    char path[4200] = "sweep", name[256], file[4500];
    while (strlen(path) < 4020)
        strcat(path, "/.");
    ASSERT_EQ(0, mkdir("sweep", 0777));
    memset(name, 'x', 200);
    snprintf(name + 200, sizeof name - 200, ".tmp");
    memcpy(name, ".shoal-", 7);
    snprintf(file, sizeof file, "sweep/%s", name);
    write_text(file, "");
    char other[256]; // what is left of the path when it is cut
    snprintf(other, sizeof other, "%.*s", (int)(4095 - strlen(path) - 1), name);
    snprintf(file, sizeof file, "sweep/%s", other);
    write_text(file, "precious");
    setenv("NAME", path, 1);
    ASSERT_EQm(last.err, 0, shoal("run bumpy-2 -s k=1 --steps 2 -q -o \"$NAME\""));
    ASSERT_EQ(0, access(file, F_OK));
    ASSERT_EQ(1, count_files("sweep", ".shoal-"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(long_texts_arrive_whole);
    RUN_TEST(large_numbers_stay_numbers);
    RUN_TEST(pages_hold_no_markup_of_others);
    RUN_TEST(experiments_hold_no_markup_of_others);
    RUN_TEST(names_of_files_are_harmless);
    RUN_TEST(long_names_are_cut_between_characters);
    RUN_TEST(words_are_harmless);
    RUN_TEST(long_paths_are_refused);
    RUN_TEST(long_names_are_swept);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
