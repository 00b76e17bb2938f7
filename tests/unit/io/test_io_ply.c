// SPDX-License-Identifier: MIT
// PLY: the same small meshes in all encodings, types and shapes the header can declare.
#include "test_io.h"

#include <stdio.h>

static bool is_quad(const parsed *p)
{
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 1, 1, -2, 0, 1, 3};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    if (p->status != SHOAL_OK || p->mesh.vertex_count != 4 || p->mesh.triangle_count != 2) {
        printf("%s\n", p->error.text);
        return false;
    }
    return memcmp(p->mesh.xyz, xyz, sizeof xyz) == 0 &&
           memcmp(p->mesh.triangles, triangles, sizeof triangles) == 0;
}

#define CHECK_QUAD(parse_call)                                                                 \
    do {                                                                                       \
        parsed p_ = parse_call;                                                                \
        ASSERT(is_quad(&p_));                                                                  \
        shoal_mesh_finish(&p_.mesh);                                                           \
    } while (0)

#define V "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define F "element face 1\nproperty list uchar int vertex_indices\n"
#define XYZ "0 0 0\n1 0 0\n1 1 -2\n0 1 3\n"

TEST text(void)
{
    static const char *const rows[] = {
        "ply\nformat ascii 1.0\n" V F "end_header\n" XYZ "4 0 1 2 3\n",
        "ply\nformat ascii 1.0\n" V F "end_header\n" XYZ "4 0 1 2 3",
        "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\nproperty float x\r\nproperty float "
        "y\r\n"
        "property float z\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\n"
        "end_header\r\n0 0 0\r\n1 0 0\r\n1 1 -2\r\n0 1 3\r\n4 0 1 2 3\r\n",
        "ply\ncomment a b\nformat ascii 1.0\nobj_info c\n\n" V
        "element face 2\nproperty list uint8 uint32 vertex_index\nend_header\n" XYZ
        "3 0 1 2\n3 0 2 3\n",
        // Faces first, in types and an order of their own.
        "ply\nformat ascii 1.0\n" F "element vertex 4\nproperty double z\nproperty uchar red\n"
        "property int8 y\nproperty short x\nend_header\n4 0 1 2 3\n"
        "0 9 0 0\n0 9 0 1\n-2 9 1 1\n3 9 1 0\n",
        // What we do not know is passed over, lists and rows alike, nan too.
        "ply\nformat ascii 1.0\nelement empty 999999999999\nelement edge 2\nproperty int a\n"
        "property list uchar float b\nelement vertex 4\nproperty list uchar uchar l\n"
        "property float x\nproperty float nx\nproperty float y\nproperty float z\n"
        "element face 1\nproperty float q\nproperty list uchar int vertex_indices\n"
        "property list int float texcoord\nend_header\n"
        "7 0\n7 3 nan 2 3\n0 0 nan 0 0\n2 8 8 1 inf 0 0\n0 1 x 1 -2\n0 0 0 1 3\n"
        "0.5 4 0 1 2 3 2 .5 .5\n",
        // Rows need not be lines.
        "ply\nformat ascii 1.0\n" V F "end_header\n0 0 0 1 0 0 1 1 -2 0\n1 3 4 0\n\n1 2 3\n",
        "ply\nformat ascii 1.0\n" V "element tristrips 1\n"
        "property list int int vertex_indices\nend_header\n" XYZ "8 0 1 2 -1 0 2 3 -1\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_QUAD(parse_text(i % 2 ? "a.ply" : "noname", rows[i]));
    PASS();
}

// Every second triangle of a strip is turned; too short strips give nothing.
TEST strips(void)
{
    static const uint32_t want[] = {0, 1, 2, 2, 1, 3, 2, 3, 0, 3, 2, 1};
    parsed p = parse_text("a.ply", "ply\nformat ascii 1.0\n" V "element tristrips 2\n"
                                   "property list int int vertex_indices\nend_header\n" XYZ
                                   "6 0 1 2 3 0 -1\n7 0 1 -1 3 2 1 -1\n");
    ASSERT_EQ(SHOAL_OK, p.status);
    ASSERT_EQ_FMT(4u, p.mesh.triangle_count, "%u");
    ASSERT_MEM_EQ(want, p.mesh.triangles, sizeof want);
    shoal_mesh_finish(&p.mesh);
    PASS();
}

typedef struct builder {
    char bytes[2048];
    size_t size;
    bool big;
} builder;

static void put(builder *b, const void *value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        b->bytes[b->size++] = ((const char *)value)[b->big ? size - 1 - i : i];
}

static void put_as(builder *b, const char *type, double value)
{
    const int8_t i8 = (int8_t)value;
    const int16_t i16 = (int16_t)value;
    const int32_t i32 = (int32_t)value;
    const float f32 = (float)value;
    if (strstr(type, "char") || strstr(type, "int8"))
        put(b, &i8, 1);
    else if (strstr(type, "short") || strstr(type, "int16"))
        put(b, &i16, 2);
    else if (strstr(type, "int"))
        put(b, &i32, 4);
    else if (strcmp(type, "float") == 0 || strcmp(type, "float32") == 0)
        put(b, &f32, 4);
    else
        put(b, &value, 8);
}

static void build_binary(builder *b, bool big, const char *type, const char *index_type,
                         const char *eol)
{
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 1, 1, -2, 0, 1, 3};
    *b = (builder){.big = big};
    b->size = (size_t)snprintf(
        b->bytes, sizeof b->bytes,
        "ply%sformat binary_%s_endian 1.0%selement vertex 4%sproperty %s x%sproperty uchar a%s"
        "property %s y%sproperty %s z%sproperty list ushort double l%s"
        "element face 1%sproperty list %s %s vertex_indices%s"
        "property short flags%selement rest 1%sproperty double d%send_header%s",
        eol, big ? "big" : "little", eol, eol, type, eol, eol, type, eol, type, eol, eol, eol,
        index_type[0] == 'f' ? "int" : index_type, index_type, eol, eol, eol, eol, eol);
    for (int v = 0; v < 4; v++) {
        put_as(b, type, xyz[3 * v]);
        put_as(b, "uchar", 10); // a line feed
        put_as(b, type, xyz[3 * v + 1]);
        put_as(b, type, xyz[3 * v + 2]);
        put_as(b, "ushort", v);
        for (int i = 0; i < v; i++)
            put_as(b, "double", 0.0 / 1);
    }
    put_as(b, index_type[0] == 'f' ? "int" : index_type, 4);
    for (int c = 0; c < 4; c++)
        put_as(b, index_type, c);
    put_as(b, "short", 7);
    put_as(b, "double", 7);
}

TEST binary(void)
{
    static const char *const types[] = {"char",  "int8",  "short",   "int16",  "int",
                                        "int32", "float", "float32", "double", "float64"};
    static const char *const index_types[] = {"char",   "uchar",  "int8",   "uint8", "short",
                                              "ushort", "int16",  "uint16", "int",   "uint",
                                              "int32",  "uint32", "float"};
    builder b;
    for (int big = 0; big < 2; big++) {
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            for (size_t i = 0; i < sizeof index_types / sizeof *index_types; i++) {
                build_binary(&b, big, types[t], index_types[i], i % 2 ? "\n" : "\r\n");
                CHECK_QUAD(parse_bytes("a.ply", b.bytes, b.size));
            }
        }
    }
    PASS();
}

// Unsigned means unsigned: 200 vertices named by one byte.
TEST unsigned_index(void)
{
    builder b = {0};
    b.size = (size_t)snprintf(b.bytes, sizeof b.bytes,
                              "ply\nformat binary_little_endian 1.0\nelement vertex 200\n"
                              "property uchar x\nproperty uchar y\nproperty char z\n"
                              "element face 1\nproperty list char uchar vertex_indices\n"
                              "end_header\n");
    for (int v = 0; v < 200; v++)
        put(&b, (const unsigned char[]){(unsigned char)v, 255, 255}, 3);
    put(&b, "\3\xc7\x80\1", 4);
    parsed p = parse_bytes("a.ply", b.bytes, b.size);
    ASSERT_STR_EQ("", p.error.text);
    ASSERT_EQ(199, p.mesh.triangles[0] + 0u);
    ASSERT_EQ(128, p.mesh.triangles[1] + 0u);
    ASSERT_EQ(199.0, p.mesh.xyz[3 * 199]);
    ASSERT_EQ(255.0, p.mesh.xyz[1]);
    ASSERT_EQ(-1.0, p.mesh.xyz[2]);
    shoal_mesh_finish(&p.mesh);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(text);
    RUN_TEST(strips);
    RUN_TEST(binary);
    RUN_TEST(unsigned_index);
    GREATEST_MAIN_END();
}
