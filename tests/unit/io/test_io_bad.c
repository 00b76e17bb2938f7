// SPDX-License-Identifier: MIT
// Each class of bad input: its status and its exact report.
#include "test_io.h"

#include <stdio.h>

typedef struct bad {
    const char *name, *input, *report;
    shoal_status status; // 0 means SHOAL_ERR_FORMAT
} bad;

static enum greatest_test_res check(const bad *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        counter live = {0};
        shoal_allocator allocator = counter_allocator(&live);
        parsed p = parse_limited(rows[i].name, rows[i].input, strlen(rows[i].input), &allocator,
                                 SHL_IO_ROW_LIMIT);
        ASSERT_STR_EQ(rows[i].report, p.error.text);
        ASSERT_EQ(rows[i].status ? rows[i].status : SHOAL_ERR_FORMAT, p.status);
        ASSERT(is_zero(&p.mesh));
        ASSERT_EQ(0u, live.live_blocks);
        ASSERT_FALSE(live.broken_promise);
    }
    PASS();
}

#define CHECK(rows) CHECK_CALL(check(rows, sizeof rows / sizeof *rows))

#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

TEST obj(void)
{
    static const bad rows[] = {
        {"a.obj", "", "a.obj: the file is empty", 0},
        {"a.obj", "\n\n", "a.obj: the file has no triangles", 0},
        {"a.obj", V3, "a.obj: the file has no triangles", 0},
        {"a.obj", V3 "f 1 2 4\n", "a.obj:4: face names vertex 4, the file has 3", 0},
        {"a.obj", V3 "f 1 2 3\nf 1 99 3\nf 1 2 4\n",
         "a.obj:5: face names vertex 99, the file has 3", 0},
        {"a.obj", V3 "f 1 0 3\n", "a.obj:4: face names vertex 0, the first one is 1", 0},
        {"a.obj", V3 "f 1 2 -4\n", "a.obj:4: face names vertex -4, only 3 come before it", 0},
        {"a.obj", V3 "f 1 2 99999999999\n",
         "a.obj:4: face names vertex 99999999999, the limit is 2147483648", 0},
        {"a.obj", V3 "f\n", "a.obj:4: face has 0 corners, it needs 3", 0},
        {"a.obj", V3 "f 1\n", "a.obj:4: face has 1 corner, it needs 3", 0},
        {"a.obj", V3 "f 1 2", "a.obj:4: face has 2 corners, it needs 3", 0},
        {"a.obj", V3 "f 1 2 x\n", "a.obj:4: 'x' is not a face corner", 0},
        {"a.obj", V3 "f 1 2 3.5\n", "a.obj:4: '3.5' is not a face corner", 0},
        {"a.obj", V3 "f 1 2 3/a\n", "a.obj:4: '3/a' is not a face corner", 0},
        {"a.obj", V3 "f 1 2 /3\n", "a.obj:4: '/3' is not a face corner", 0},
        {"a.obj", "v 0 0\nf 1 1 1", "a.obj:1: vertex has 2 coordinates, it needs 3", 0},
        {"a.obj", "v\n", "a.obj:1: vertex has 0 coordinates, it needs 3", 0},
        {"a.obj", "\nv 0 0 zero\n", "a.obj:2: 'zero' is not a number", 0},
        {"a.obj", "v 0 0 1.5x\n", "a.obj:1: '1.5x' is not a number", 0},
        {"a.obj", "v 0 0x10 0\n", "a.obj:1: '0x10' is not a number", 0},
        {"a.obj", "v 0 1,5 0\n", "a.obj:1: '1,5' is not a number", 0},
        {"a.obj", "v 0 0 1e999\n", "a.obj:1: '1e999' is not finite", 0},
        {"a.obj", "v 0 nan 1\n", "a.obj:1: 'nan' is not finite", 0},
        {"a.obj", "v -inf 0 1\n", "a.obj:1: '-inf' is not finite", 0},
        {"a.obj", "v 0 0 \x01\x80\x7f 1\n", "a.obj:1: '??\?' is not a number", 0},
        {"a.obj", "v 0 0 abcdefghijklmnopqrstuvwxyz\n",
         "a.obj:1: 'abcdefghijklmnopqrstuvwx...' is not a number", 0},
        {"a.obj", "v 0 \\\n0 \\\n", "a.obj:3: vertex has 2 coordinates, it needs 3", 0},
        {"a.txt", V3 "f 1 2 3\n", "a.txt: neither PLY, STL nor OFF by content, nor OBJ by name",
         0},
    };
    CHECK(rows);
    PASS();
}

#define O3 "0 0 0\n1 0 0\n0 1 0\n"

TEST off(void)
{
    static const bad rows[] = {
        {"a.off", "O", "a.off: neither PLY, STL nor OFF by content, nor OBJ by name", 0},
        {"a.off", "OFF\n", "a.off:2: the file ends where an integer is expected", 0},
        {"a.off", "OFF\n3\n", "a.off:3: the file ends where an integer is expected", 0},
        {"a.off", "OFF\nx 1 0\n", "a.off:2: 'x' is not an integer", 0},
        {"a.off", "OFF\n-3 1 0\n", "a.off:2: the count of vertices is -3", 0},
        {"a.off", "OFF\n3 -1 0\n", "a.off:2: the count of faces is -1", 0},
        {"a.off", "OFF\n3 1073741824 0\n" O3,
         "a.off:2: 3 vertices and 1073741824 faces do not fit in the 21 bytes that follow", 0},
        {"a.off", "OFF\n2147483649 1 0\n" O3,
         "a.off:2: the count of vertices is 2147483649, the limit 2147483648", SHOAL_ERR_LIMIT},
        {"a.off", "OFF\n3 99999999999999999999 0\n" O3,
         "a.off:2: the count of faces is 100000000000000000, the limit 2147483648",
         SHOAL_ERR_LIMIT},
        {"a.off", "OFF\n3 0 0\n" O3, "a.off: the file has no triangles", 0},
        {"a.off", "OFF\n3 1 0\n" O3 "2 0 1     \n", "a.off:6: face has 2 corners, it needs 3",
         0},
        {"a.off", "OFF\n3 1 0\n" O3 "1 0 1 2\n", "a.off:6: face has 1 corner, it needs 3", 0},
        {"a.off", "OFF\n3 1 0\n" O3 "-3 0 1 2\n", "a.off:6: face has -3 corners, it needs 3",
         0},
        {"a.off", "OFF\n3 1 0\n" O3 "4 0 1 2\n", "a.off:6: face names 3 of its 4 corners", 0},
        {"a.off", "OFF\n3 1 0\n" O3 "3 0 1 3\n",
         "a.off:6: face names vertex 3, the file has 0 to 2", 0},
        {"a.off", "OFF\n3 1 0\n" O3 "3 0 1 -1\n",
         "a.off:6: face names vertex -1, the file has 0 to 2", 0},
        {"a.off", "OFF\n3 1 0\n" O3 "3 0 1 1.5\n", "a.off:6: '1.5' is not an integer", 0},
        {"a.off", "OFF\n3 1 0\n0 0\n1 0 0\n0 1 0   \n3 0 1 2\n",
         "a.off:3: vertex has 2 coordinates, it needs 3", 0},
        {"a.off", "OFF\n3 1 0\n0 0 inf\n" O3 "3 0 1 2\n", "a.off:3: 'inf' is not finite", 0},
        {"a.off", "OFF\n3 1 0\n# a long comment that makes the file long\n0 0 0\n1 0 0\n",
         "a.off:6: the file ends after 2 of 3 vertices", 0},
        {"a.off", "OFF\n3 2 0\n" O3 "3 0 1 2 # a comment\n",
         "a.off:7: the file ends after 1 of 2 faces", 0},
        {"a.off", "OFF\n3 1 0\n" O3 "3 0 1 2\n3 0 1 2\n", "a.off:7: '3' after the last face",
         0},
        {"a.off", "4OFF\n3 1 0\n", "a.off:1: '4OFF' is not three-dimensional", 0},
        {"a.off", "OFF BINARY\n", "a.off:1: binary OFF is not supported", 0},
    };
    CHECK(rows);
    PASS();
}

#define H "ply\nformat ascii 1.0\n"
#define PV "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PF "element face 1\nproperty list uchar int vertex_indices\n"
#define PFULL H PV PF "end_header\n"

TEST ply_header(void)
{
    static const bad rows[] = {
        {"a.ply", "plx\n", "a.ply: neither PLY, STL nor OFF by content, nor OBJ by name", 0},
        {"a.ply", "ply\n", "a.ply:2: the file ends before 'end_header'", 0},
        {"a.ply", H PV, "a.ply:7: the file ends before 'end_header'", 0},
        {"a.ply", "ply\n" PV PF "end_header\n" O3 "3 0 1 2\n",
         "a.ply:8: the header names no format", 0},
        {"a.ply", "ply\nformat utf8 1.0\n", "a.ply:2: 'utf8' is not a PLY format", 0},
        {"a.ply", "ply\nformat ascii 2.0\n", "a.ply:2: '2.0' is not PLY version 1.0", 0},
        {"a.ply", H "elements vertex 3\n", "a.ply:3: 'elements' is no word of a PLY header", 0},
        {"a.ply", H "element vertex -3\n", "a.ply:3: the count of 'vertex' is -3", 0},
        {"a.ply", H "element vertex\n", "a.ply:3: the line ends where an integer is expected",
         0},
        {"a.ply", H "element vertex many\n", "a.ply:3: 'many' is not an integer", 0},
        {"a.ply", H "element vertex 2147483649\n",
         "a.ply:3: the count of 'vertex' is 2147483649, the limit 2147483648", SHOAL_ERR_LIMIT},
        {"a.ply", H "element face 3000000000\n",
         "a.ply:3: the count of 'face' is 3000000000, the limit 2147483648", SHOAL_ERR_LIMIT},
        {"a.ply", H PV PV, "a.ply:7: element 'vertex' appears twice", 0},
        {"a.ply", H "property float x\n", "a.ply:3: a property before the first element", 0},
        {"a.ply", H "element vertex 3\nproperty quad x\n",
         "a.ply:4: 'quad' is not a property type", 0},
        {"a.ply", H "element vertex 3\nproperty list float int x\n",
         "a.ply:4: a list counted by a float", 0},
        {"a.ply", H "element vertex 3\nproperty list uchar float x\n",
         "a.ply:4: property 'x' is a list", 0},
        {"a.ply", H PV "element face 1\nproperty int vertex_index\n",
         "a.ply:8: property 'vertex_index' is not a list", 0},
        {"a.ply", H PV "property float x\n", "a.ply:7: property 'x' appears twice", 0},
        {"a.ply", H "element vertex 3\nproperty float x\nproperty float y\n" PF "end_header\n",
         "a.ply:8: the vertices have no x, y and z", 0},
        {"a.ply", H PV "element face 1\nproperty list uchar int loop\nend_header\n",
         "a.ply:9: the faces have no list 'vertex_indices'", 0},
        {"a.ply", H PF "end_header\n", "a.ply:5: there is no element 'vertex'", 0},
        {"a.ply",
         H PV "element face 1073741824\nproperty list uchar int vertex_indices\n"
              "end_header\n" O3 "3 0 1 2\n",
         "a.ply:13: 1073741824 faces do not fit in the 8 bytes that follow", 0},
        {"a.ply",
         H "element vertex 1073741824\nproperty float x\nproperty float y\n"
           "property float z\n" PF "end_header\n" O3 "3 0 1 2\n",
         "a.ply:10: 1073741824 vertices do not fit in the 26 bytes that follow", 0},
    };
    CHECK(rows);
    PASS();
}

TEST ply_data(void)
{
    static const bad rows[] = {
        {"a.ply", H PV "end_header\n" O3, "a.ply: the file has no triangles", 0},
        {"a.ply", PFULL O3 "2 0 1    \n", "a.ply:13: face has 2 corners, it needs 3", 0},
        {"a.ply", PFULL O3 "0        \n", "a.ply:13: face has 0 corners, it needs 3", 0},
        {"a.ply", PFULL O3 "-1       \n", "a.ply:13: a list of -1 values", 0},
        {"a.ply", PFULL O3 "99 0 1 2\n",
         "a.ply:13: a list of 99 values, 7 bytes before the end", 0},
        {"a.ply", PFULL O3 "4 0 1 2  \n", "a.ply:14: the file ends inside its data", 0},
        {"a.ply", PFULL O3 "3 0 1 3\n", "a.ply:13: face names vertex 3, the file has 0 to 2",
         0},
        {"a.ply", PFULL O3 "3 0 1 -1\n", "a.ply:13: face names vertex -1, the file has 0 to 2",
         0},
        {"a.ply", PFULL O3 "3 0 1 .5\n", "a.ply:13: 0.5 is not a count or index", 0},
        {"a.ply", PFULL O3 "3 0 1 1e30\n", "a.ply:13: 1e+30 is not a count or index", 0},
        {"a.ply", PFULL "0 0 nan\n" O3 "3 0 1 2\n", "a.ply:10: 'nan' is not finite", 0},
        {"a.ply", PFULL "0 0 1e999\n" O3 "3 0 1 2\n", "a.ply:10: '1e999' is not finite", 0},
        {"a.ply", PFULL "0 zero 0\n" O3 "3 0 1 2\n", "a.ply:10: 'zero' is not a number", 0},
        {"a.ply", PFULL O3 "3 0 1 2\n9\n", "a.ply:14: 2 bytes after the last row", 0},
    };
    CHECK(rows);
    PASS();
}

// The data of a binary PLY, whose reports count bytes.
TEST ply_binary(void)
{
    static const char header[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\n"
        "property float x\nproperty float y\nproperty float z\n" PF "end_header\n";
    enum { START = sizeof header - 1, SIZE = START + 36 + 13 };
    static const struct {
        int at;         // byte of the data that is changed
        uint32_t value; // to this, little endian
        int size;       // of the file, counted from the data's start
        const char *reason;
    } rows[] = {
        {8, 0x7fc00000, 49, "byte %d: number is not finite"},
        {16, 0x7f800000, 49, "byte %d: number is not finite"},
        {45, 3, 49, "byte %d: face names vertex 3, the file has 0 to 2"},
        {45, 0xffffffff, 49, "byte %d: face names vertex -1, the file has 0 to 2"},
        {0, 0, 48, "byte %d: 1 faces do not fit in the 12 bytes that follow"},
        {0, 0, 35, "byte %d: 3 vertices do not fit in the 35 bytes that follow"},
        {0, 0, 52, "byte %d: 3 bytes after the last row"},
    };
    static const int places[] = {8, 16, 49, 49, 36, 0, 49};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char bytes[SIZE + 3] = {0}, reason[128], report[160];
        memcpy(bytes, header, START);
        memcpy(bytes + START + 36, "\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
        memcpy(bytes + START + rows[i].at, &rows[i].value, 4);
        snprintf(reason, sizeof reason, "%s", rows[i].reason);
        char *mark = strstr(reason, "%d");
        snprintf(report, sizeof report, "a.ply: %.*s%d%s", (int)(mark - reason), reason,
                 START + places[i], mark + 2);
        parsed p = parse_bytes("a.ply", bytes, (size_t)(START + rows[i].size));
        ASSERT_STR_EQ(report, p.error.text);
        ASSERT_EQ(SHOAL_ERR_FORMAT, p.status);
        ASSERT(is_zero(&p.mesh));
    }
    PASS();
}

#define L "solid\nfacet normal 0 0 1\nouter loop\n"
#define C3 "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"

TEST stl_text(void)
{
    static const bad rows[] = {
        {"a.stl", "solid\n", "a.stl:2: the file ends where 'facet' is expected", 0},
        {"a.stl", "solid\nendsolid\n", "a.stl: the file has no triangles", 0},
        {"a.stl", "solid\nface\n", "a.stl:2: 'face' where 'facet' is expected", 0},
        {"a.stl", L "vertex 0 0 0\nvertex 1 0 0\nendloop\n",
         "a.stl:6: 'endloop' where 'vertex' is expected", 0},
        {"a.stl", L C3 "vertex 1 1 1\nendloop\n",
         "a.stl:7: 'vertex' where 'endloop' is expected", 0},
        {"a.stl", L C3 "endloop\n", "a.stl:8: the file ends where 'endfacet' is expected", 0},
        {"a.stl", L C3 "endloop\nendfacet\n",
         "a.stl:9: the file ends where 'facet' is expected", 0},
        {"a.stl", L C3 "endloop\nendfacet\nendsolid\nmore\n",
         "a.stl:10: 'more' where 'solid' is expected", 0},
        {"a.stl", L "vertex 0 0\n", "a.stl:4: the line ends where a number is expected", 0},
        {"a.stl", L "vertex 0 0", "a.stl:4: the file ends where a number is expected", 0},
        {"a.stl", L "vertex 0 x 0\n", "a.stl:4: 'x' is not a number", 0},
        {"a.stl", L "vertex 0 NaN 0\n", "a.stl:4: 'NaN' is not finite", 0},
        {"a.stl", "hello", "a.stl: byte 0: a binary STL needs 84 bytes, the file has 5", 0},
    };
    CHECK(rows);
    PASS();
}

TEST stl_binary(void)
{
    static const uint32_t infinite = 0x7f800000, count = 1;
    char bytes[84 + 50] = "solid name"; // cut short it still is not taken for text
    memcpy(bytes + 80, &count, 4);
    parsed p = parse_bytes("a.stl", bytes, 133);
    ASSERT_STR_EQ("a.stl: byte 80: 1 triangles need 134 bytes, the file has 133", p.error.text);
    ASSERT_EQ(SHOAL_ERR_FORMAT, p.status);
    memcpy(bytes + 84 + 12 + 20, &infinite, 4);
    p = parse_bytes("a.stl", bytes, 134);
    ASSERT_STR_EQ("a.stl: byte 116: coordinate is not finite", p.error.text);
    ASSERT_EQ(SHOAL_ERR_FORMAT, p.status);
    memset(bytes + 80, 0, 4);
    p = parse_bytes("a.stl", bytes, 84);
    ASSERT_STR_EQ("a.stl: the file has no triangles", p.error.text);
    memset(bytes + 80, 0xff, 4);
    p = parse_bytes("a.stl", bytes, 134);
    ASSERT_STR_EQ(
        "a.stl: byte 80: 4294967295 triangles need 214748364834 bytes, the file has 134",
        p.error.text);
    PASS();
}

TEST not_text(void)
{
    parsed p = parse_bytes("a.obj", "v 0 0 0\n\0", 9);
    ASSERT_STR_EQ("a.obj: byte 8: a zero byte: this is not text", p.error.text);
    ASSERT_EQ(SHOAL_ERR_FORMAT, p.status);
    PASS();
}

// The limit on rows, lowered: counted by a header or met row by row, and just not met.
TEST limits(void)
{
    static const struct {
        const char *name, *input, *report;
    } rows[] = {
        {"a.obj", V3 "v 1 1 1\nf 1 2 3\n", "a.obj:4: more than 3 vertices"},
        {"a.obj", V3 "f 1 2 3 1 2 3\n", "a.obj:4: more than 3 triangles"},
        {"a.obj", V3 "f 1 2 3 1 2\n", ""},
        {"a.off", "OFF\n3 1 0\n" O3 "6 0 1 2 0 1 2\n", "a.off:6: more than 3 triangles"},
        {"a.off", "OFF\n4 1 0\n" O3, "a.off:2: the count of vertices is 4, the limit 3"},
        {"a.off", "OFF\n3 1 0\n" O3 "5 0 1 2 0 1\n", ""},
        {"a.ply", PFULL O3 "6 0 1 2 0 1 2\n", "a.ply:13: more than 3 triangles"},
        {"a.ply", PFULL O3 "5 0 1 2 0 1\n", ""},
        {"a.stl", L C3 "endloop endfacet\nfacet\nouter loop\nvertex 9 9 9\n",
         "a.stl:10: more than 3 vertices"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        counter live = {0};
        shoal_allocator allocator = counter_allocator(&live);
        parsed p =
            parse_limited(rows[i].name, rows[i].input, strlen(rows[i].input), &allocator, 3);
        ASSERT_STR_EQ(rows[i].report, p.error.text);
        ASSERT_EQ(rows[i].report[0] ? SHOAL_ERR_LIMIT : SHOAL_OK, p.status);
        shoal_mesh_finish(&p.mesh);
        ASSERT_EQ(0u, live.live_blocks);
    }
    PASS();
}

// A header longer than our table is a clear refusal.
TEST header_limits(void)
{
    static char text[40000];
    int used = snprintf(text, sizeof text, "%s", H);
    for (int i = 0; i < 65; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "element e%d 1\n", i);
    parsed p = parse_text("a.ply", text);
    ASSERT_STR_EQ("a.ply:67: more than 64 elements", p.error.text);
    ASSERT_EQ(SHOAL_ERR_LIMIT, p.status);
    used = snprintf(text, sizeof text, "%selement vertex 1\n", H);
    for (int i = 0; i < 1025; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "property float p%d\n", i);
    p = parse_text("a.ply", text);
    ASSERT_STR_EQ("a.ply:1028: more than 1024 properties", p.error.text);
    ASSERT_EQ(SHOAL_ERR_LIMIT, p.status);
    PASS();
}

// However long or strange a name is, the reason is there and the report is one line.
TEST names(void)
{
    char name[1000];
    memset(name, 'a', sizeof name);
    memcpy(name + sizeof name - 5, ".obj", 5);
    memcpy(name + sizeof name - 9, "b\n\xc3\xa9", 4);
    parsed p = parse_text(name, V3 "f 1 2 4\n");
    ASSERT(is_one_line(&p.error));
    ASSERT(strncmp(p.error.text, "...aaaa", 7) == 0);
    ASSERT(strstr(p.error.text, "b?\xc3\xa9.obj:4: face names vertex 4, the file has 3"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(obj);
    RUN_TEST(off);
    RUN_TEST(ply_header);
    RUN_TEST(ply_data);
    RUN_TEST(ply_binary);
    RUN_TEST(stl_text);
    RUN_TEST(stl_binary);
    RUN_TEST(not_text);
    RUN_TEST(limits);
    RUN_TEST(header_limits);
    RUN_TEST(names);
    GREATEST_MAIN_END();
}
