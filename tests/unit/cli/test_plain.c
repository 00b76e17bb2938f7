// SPDX-License-Identifier: MIT
// Text from strangers: what is plain, where it is cut, and outputs that take any length.
#include "greatest.h"
#include "io_folder.h"

#include "io/plain.h"
#include "io/reader.h"

#include <string.h>
#include <unistd.h>

TEST characters_are_plain_or_not(void)
{
    static const struct {
        const char *text;
        size_t size;
    } rows[] = {{"a", 1},
                {"~", 1},
                {"\x1b", 0},
                {"\n", 0},
                {"\x7f", 0},
                {"\xc3\xa9", 2},
                {"\xc2\x9b", 0},     // CSI in UTF-8
                {"\x9b", 0},         // and as a byte
                {"\xc0\xaf", 0},     // '/' in too many bytes
                {"\xe0\x80\xaf", 0}, // and in more
                {"\xe2\x82\xac", 3},
                {"\xe2\x82", 0},         // cut
                {"\xed\xa0\x80", 0},     // a surrogate
                {"\xe2\x80\xae", 0},     // right to left from here
                {"\xe2\x80\xa8", 0},     // a line ends
                {"\xf0\x9f\x90\x9f", 4}, // a fish
                {"\xf4\x90\x80\x80", 0}, // beyond the last one
                {"\xff", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ASSERT_EQm(rows[i].text, rows[i].size, shl_plain_size(rows[i].text));
    PASS();
}

TEST names_are_cut_between_characters(void)
{
    char name[8];
    shl_plain_name("12345\xc3\xa9", 7, name, sizeof name);
    ASSERT_STR_EQ("12345\xc3\xa9", name);
    shl_plain_name("123456\xc3\xa9", 8, name, sizeof name);
    ASSERT_STR_EQ("123456", name);
    shl_plain_name("1234567\xc3\xa9", 9, name, sizeof name);
    ASSERT_STR_EQ("1234567", name);
    shl_plain_name("a\x1b[m\xff", 5, name, sizeof name);
    ASSERT_STR_EQ("a_[m_", name);
    shl_plain_name("ab\xc3\xa9", 3, name, sizeof name); // the length itself cuts one
    ASSERT_STR_EQ("ab_", name);
    char text[] = "a\xc3\xa9\xe2\x80\xae\n";
    shl_plain_mask(text);
    ASSERT_STR_EQ("a\xc3\xa9????", text);
    PASS();
}

static bool printed(const char *text, bool page, const char *wanted)
{
    char got[256];
    FILE *f = tmpfile();
    if (!f)
        return false;
    if (page)
        shl_print_escaped(f, text);
    else
        shl_line(f, "%s", text);
    rewind(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    return strcmp(got, wanted) == 0;
}

TEST lines_and_pages_are_harmless(void)
{
    ASSERT(
        printed("a\x1b]0;b\x07\n\xc3\xa9\xff", false, "a\\x1b]0;b\\x07\\x0a\xc3\xa9\\xff\n"));
    ASSERT(printed("\xc2\x9b", false, "\\xc2\\x9b\n"));
    ASSERT(printed("<a b=\"'&\">\n", true, "&#60;a b=&#34;&#39;&#38;&#34;&#62;\n"));
    ASSERT(printed("\x01\xff\xc3\xa9", true, "\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9"));
    shoal_io_error error;
    ASSERT_EQ(SHOAL_ERR_FILE,
              shl_io_fail_file(&error, "a\xc2\x9b\x9b.obj", SHOAL_ERR_FILE, "%s", "no"));
    ASSERT_STR_EQ("a???.obj: no", error.text);
    PASS();
}

// Below, at and beyond what the writer holds of a line, and of the file.
TEST outputs_take_any_length(void)
{
    static const size_t sizes[] = {1, 254, 255, 256, 257, 4096, 65535, 65536, 65537, 300000};
    static char line[300001], got[700000];
    static shl_output out;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *path = in_folder("out");
        const size_t n = sizes[i];
        for (size_t k = 0; k < n; k++)
            line[k] = (char)('a' + k * 7 % 26);
        line[n] = '\0';
        shl_output_init(&out, path);
        shl_put_text(&out, "%s;", line);
        shl_put_bytes(&out, line, n);
        shl_put_escaped(&out, "&");
        ASSERT_EQ(0, shl_output_finish(&out));
        FILE *f = fopen(path, "rb");
        ASSERT(f);
        const size_t size = fread(got, 1, sizeof got, f);
        fclose(f);
        ASSERT_EQ(2 * n + 6, size);
        ASSERT_EQ(0, memcmp(got, line, n));
        ASSERT_EQ(';', got[n]);
        ASSERT_EQ(0, memcmp(got + n + 1, line, n));
        ASSERT_EQ(0, memcmp(got + 2 * n + 1, "&#38;", 5));
    }
    unlink(in_folder("out"));
    ASSERT_EQ(0, file_count());
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!folder_open())
        return 1;
    RUN_TEST(characters_are_plain_or_not);
    RUN_TEST(names_are_cut_between_characters);
    RUN_TEST(lines_and_pages_are_harmless);
    RUN_TEST(outputs_take_any_length);
    rmdir(folder);
    GREATEST_MAIN_END();
}
