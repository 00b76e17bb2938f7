// SPDX-License-Identifier: MIT
// Each variant of each format's syntax, read into exactly the mesh it says.
#include "test_io.h"

#include <stdio.h>

// The mesh as text: "x y z|x y z;a b c|a b c", so that a failure shows all of it.
static const char *show(const parsed *p)
{
    static char text[4096];
    if (p->status != SHOAL_OK)
        return p->error.text;
    int used = 0;
    for (uint32_t v = 0; v < p->mesh.vertex_count; v++) {
        const double *xyz = &p->mesh.xyz[3 * v];
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%g %g %g", v ? "|" : "",
                         xyz[0], xyz[1], xyz[2]);
    }
    for (uint32_t t = 0; t < p->mesh.triangle_count; t++) {
        const uint32_t *corner = &p->mesh.triangles[3 * t];
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%u %u %u", t ? "|" : ";",
                         corner[0], corner[1], corner[2]);
    }
    return text;
}

typedef struct variant {
    const char *input, *mesh;
} variant;

static enum greatest_test_res check(const char *name, const variant *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        parsed p = parse_text(name, rows[i].input);
        ASSERT_STR_EQ(rows[i].mesh, show(&p));
        ASSERT_EQ(SHOAL_OK, p.status);
        ASSERT_STR_EQ("", p.error.text);
        shoal_mesh_finish(&p.mesh);
        ASSERT(is_zero(&p.mesh));
    }
    PASS();
}

#define TRI "0 0 0|1 0 0|0 1 0;0 1 2"
#define QUAD "0 0 0|1 0 0|1 1 0|0 1 0;0 1 2|0 2 3"
#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define V4 "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

TEST obj(void)
{
    static const variant rows[] = {
        {V3 "f 1 2 3\n", TRI},
        {V3 "f 1 2 3", TRI},
        {"v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n", TRI},
        {"v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", TRI},
        {"\xef\xbb\xbf" V3 "f 1 2 3\n", TRI},
        {V3 "f 1/1 2/2 3/3\n", TRI},
        {V3 "f 1//1 2//2 3//3\n", TRI},
        {V3 "f 1/1/1 2/-2/2 3/3/-3\n", TRI},
        {V3 "f -3 -2 -1\n", TRI},
        {V3 "f -3/-3 -2/-2 -1//-1\n", TRI},
        {"f 1 2 3\n" V3, TRI}, // before its vertices
        {"v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 8 8 8\n",
         "9 9 9|0 0 0|1 0 0|0 1 0|8 8 8;1 2 3"},
        {V4 "f 1 2 3 4\n", QUAD},
        {V4 "f 1 2 3 4 1\n", "0 0 0|1 0 0|1 1 0|0 1 0;0 1 2|0 2 3|0 3 0"},
        {V4 "f 1 2 \\\n3 4\n", QUAD},
        {V4 "f 1 2\\\r\n 3 \\\n\\\n4", QUAD},
        {"v 0 \\\n0 0\nv 1 0 0\\\n\nv 0 1 0\nf 1 2 3\n", TRI},
        {"# f 9 9 9 \\\n" V3 "  f\t1  2\v3 # f 7\n", TRI},
        {"v 0 0 0 1.0\nv 1 0 0 .5 .5 .5\nv 0 1 0 1 1 0 0 # w\nf 1 2 3\n", TRI},
        {"mtllib a.mtl\no thing\n" V3 "vt 0 0\nvn 0 0 1\nvp 1\ng a \\\nf 9 9\ns off\n"
         "usemtl m\nl 1 2\np 1\nf 1 2 3\nfo 1 2\n",
         TRI},
        {V3 "f 1 1 1\nf 1 2 3\nf 1 2 3\n", "0 0 0|1 0 0|0 1 0;0 0 0|0 1 2|0 1 2"},
        {"v 1e-3 -2.5E2 +.5\nv 1. 0 -0\nv 0 1 0\nf 1 2 3\n",
         "0.001 -250 0.5|1 0 -0|0 1 0;0 1 2"},
    };
    CHECK_CALL(check("a.obj", rows, sizeof rows / sizeof *rows));
    CHECK_CALL(check("A.OBJ", rows, 1));
    PASS();
}

TEST off(void)
{
    static const variant rows[] = {
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", TRI},
        {"OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2", TRI},
        {"OFF\r\n3 1 0\r\n\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n\r\n", TRI},
        {"OFF\n3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", TRI}, // without edges
        {"# c\n\nOFF # c\n# c\n3 1 0 # c\n# c\n0 0 0 # c\n1 0 0\n# c\n0 1 0\n3 0 1 2 # c\n#",
         TRI},
        {"COFF\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 9 9 9 9\n0 1 0 1 1 1 1\n3 0 1 2\n", TRI},
        {"NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n", TRI},
        {"STOFF\n3 1 0\n0 0 0 0 0\n1 0 0 0 1\n0 1 0 1 1\n3 0 1 2\n", TRI},
        {"STCNOFF\n3 1 0\n0 0 0 1\n1 0 0 1\n0 1 0 1\n3 0 1 2\n", TRI},
        {"OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n", QUAD},
        {"OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 255 0 0\n3  0 2 3 .5 .5 .5 1\n",
         QUAD},
    };
    CHECK_CALL(check("a.off", rows, sizeof rows / sizeof *rows));
    CHECK_CALL(check("noname", rows, 3)); // by content alone
    PASS();
}

#define FACET(a, b, c)                                                                         \
    "facet normal 0 0 1\nouter loop\nvertex " a "\nvertex " b "\nvertex " c                    \
    "\nendloop\nendfacet\n"

TEST stl_text(void)
{
    static const variant rows[] = {
        {"solid\n" FACET("0 0 0", "1 0 0", "0 1 0") "endsolid\n", TRI},
        {"solid a name\n" FACET("0 0 0", "1 0 0", "0 1 0") "endsolid a name", TRI},
        {"SOLID\n  FACET NORMAL nan nan nan\r\n OUTER LOOP\r\n VERTEX 0 0 0\r\nVERTEX 1 0 0\n"
         "VERTEX 0 1 0\nENDLOOP ENDFACET ENDSOLID",
         TRI},
        // Welded, also where the zeros differ in sign; numbered by first use.
        {"solid\n" FACET("0 0 0", "1 0 0", "1 1 0")
             FACET("-0 0 -0.0", "1 1 0", "0 1 0") "endsolid\n",
         QUAD},
        {"solid a\n" FACET("0 0 0", "1 0 0", "1 1 0") "endsolid a\nsolid b\n" FACET(
             "0 0 0", "1 1 0", "0 1 0") "endsolid b\n",
         QUAD},
        {"solid\nendsolid\nsolid\n" FACET("5 5 5", "5 5 5", "5 5 5") "endsolid\n",
         "5 5 5;0 0 0"},
        // The next double is another vertex.
        {"solid\n" FACET("1 0 0", "1.0000000000000002 0 0", "0 1 0") "endsolid\n",
         "1 0 0|1 0 0|0 1 0;0 1 2"},
    };
    CHECK_CALL(check("a.stl", rows, sizeof rows / sizeof *rows));
    CHECK_CALL(check("noname", rows, 1));
    PASS();
}

static size_t make_stl(char *out, const char *header, const float *corner, uint32_t count)
{
    memset(out, 0, 80);
    memcpy(out, header, strlen(header));
    memcpy(out + 80, &count, 4);
    for (uint32_t t = 0; t < count; t++) {
        memset(out + 84 + 50 * t, 0x7f, 50); // normals and attributes may be anything
        memcpy(out + 84 + 50 * t + 12, &corner[9 * t], 36);
    }
    return 84 + 50 * (size_t)count;
}

TEST stl_binary(void)
{
    static const float corner[6][3] = {{0, 0, 0},     {1, 0, 0}, {1, 1, 0},
                                       {-0.0f, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const char *const headers[] = {"", "solid but binary", "ply", "OFF", "# v 1 2 3"};
    char bytes[256];
    for (int i = 0; i < 5; i++) {
        size_t size = make_stl(bytes, headers[i], corner[0], 2);
        parsed p = parse_bytes(i % 2 ? "a.stl" : "noname", bytes, size);
        ASSERT_STR_EQ(QUAD, show(&p));
        ASSERT_EQ(SHOAL_F32, p.mesh.scalar);
        shoal_mesh_finish(&p.mesh);
    }
    PASS();
}

// Many vertices, so that the weld's table grows often: a strip over a grid.
TEST stl_weld_large(void)
{
    enum { N = 3000 };
    static float corner[3 * N][3];
    static char bytes[84 + 50 * N];
    for (int t = 0; t < N; t++) {
        for (int c = 0; c < 3; c++) {
            int v = t + c;
            corner[3 * t + c][0] = (float)(v / 2) * 0.25f - 300;
            corner[3 * t + c][1] = (float)(v % 2);
        }
    }
    parsed p = parse_bytes("a.stl", bytes, make_stl(bytes, "", corner[0], N));
    ASSERT_EQ(SHOAL_OK, p.status);
    ASSERT_EQ_FMT(N + 2u, p.mesh.vertex_count, "%u");
    for (uint32_t t = 0; t < N; t++) {
        for (uint32_t c = 0; c < 3; c++)
            ASSERT_EQ_FMT(t + c, p.mesh.triangles[3 * t + c], "%u");
    }
    shoal_mesh_finish(&p.mesh);
    PASS();
}

// float32 values stay marked as such; one digit more and they are not.
TEST scalar(void)
{
    static const struct {
        const char *text;
        shoal_scalar scalar;
    } rows[] = {{"v 0.5 0 0\nv 1 0 0\nv 16777216 1e10 0\nf 1 2 3\n", SHOAL_F32},
                {"v 0.1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", SHOAL_F64},
                {"v 0 0 0\nv 1 0 0\nv 16777217 1 0\nf 1 2 3\n", SHOAL_F64},
                {"v 0 0 0\nv 1 0 0\nv 0 -1e39 0\nf 1 2 3\n", SHOAL_F64},
                {"v 0 0 0\nv 1 0 0\nv 0 1e-46 0\nf 1 2 3\n", SHOAL_F64}};
    for (int i = 0; i < 5; i++) {
        parsed p = parse_text("a.obj", rows[i].text);
        ASSERT_EQ(SHOAL_OK, p.status);
        ASSERT_EQ(rows[i].scalar, p.mesh.scalar);
        shoal_mesh_finish(&p.mesh);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(obj);
    RUN_TEST(off);
    RUN_TEST(stl_text);
    RUN_TEST(stl_binary);
    RUN_TEST(stl_weld_large);
    RUN_TEST(scalar);
    GREATEST_MAIN_END();
}
