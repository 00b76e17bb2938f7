// SPDX-License-Identifier: MIT
// Any bytes, as any format: a sane mesh or one line of report. The first byte picks the name,
// whose suffix decides where the content does not.
#include "io/reader.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"a.obj", "a.stl", "a.ply", "a"};
    if (size == 0)
        return 0;
    shl_source source = {bytes + 1, size - 1, names[bytes[0] % 4], SHL_IO_ROW_LIMIT};
    shoal_allocator allocator = shl_io_allocator(NULL);
    shoal_mesh mesh;
    shoal_io_error error;
    shoal_status status = shl_mesh_parse(&source, &allocator, &mesh, &error);
    if (status == SHOAL_OK) {
        for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count; i++) {
            if (!(mesh.xyz[i] - mesh.xyz[i] == 0))
                abort();
        }
        for (size_t i = 0; i < 3 * (size_t)mesh.triangle_count; i++) {
            if (mesh.triangles[i] >= mesh.vertex_count)
                abort();
        }
    } else if (mesh.xyz || mesh.triangles || !error.text[0] || strpbrk(error.text, "\r\n")) {
        abort();
    }
    shoal_mesh_finish(&mesh);
    return 0;
}
