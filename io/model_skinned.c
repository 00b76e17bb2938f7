// SPDX-License-Identifier: MIT
// What control points and weights of a model file have to be like; the library's rules
// (include/shoal/skinned.h), so that what can be read can also be used.
#include "io/model_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double sum_error = 1e-5; // of a vertex's weights

__attribute__((format(printf, 3, 4))) static shl_skinned_fault
fault_at(shl_model_part part, size_t entry, const char *format, ...)
{
    shl_skinned_fault fault = {.part = part, .entry = entry};
    va_list args;
    va_start(args, format);
    vsnprintf(fault.text, sizeof fault.text, format, args);
    va_end(args);
    return fault;
}

static shl_skinned_fault vertex_fault(const shoal_model_file *f, uint32_t v)
{
    double sum = 0;
    for (uint32_t e = f->weight_begin[v]; e < f->weight_begin[v + 1]; e++) {
        if (f->weight_control[e] >= f->control_count)
            return fault_at(SHL_MODEL_WNOD, e,
                            "vertex %" PRIu32 " names control point %" PRIu32
                            ", the model has %" PRIu32,
                            v, f->weight_control[e], f->control_count);
        if (!(f->weight[e] >= 0 && isfinite(f->weight[e])))
            return fault_at(SHL_MODEL_WGHT, e, "a weight of vertex %" PRIu32 " is %g", v,
                            (double)f->weight[e]);
        sum += (double)f->weight[e];
    }
    if (!(sum > 0))
        return fault_at(SHL_MODEL_WBEG, v, "vertex %" PRIu32 " has no control point", v);
    if (!(fabs(sum - 1) <= sum_error))
        return fault_at(SHL_MODEL_WBEG, v, "the weights of vertex %" PRIu32 " sum to %.9g", v,
                        sum);
    return fault_at(SHL_MODEL_PARTS, 0, "none");
}

shl_skinned_fault shl_skinned_fault_of(const shoal_model_file *f)
{
    for (size_t i = 0; i < 3 * (size_t)f->control_count; i++) {
        if (!isfinite(f->controls[i]))
            return fault_at(SHL_MODEL_NODE, i, "control point %zu is not finite", i / 3);
    }
    const struct {
        const double *of;
        shl_model_part part;
        const char *name;
    } series[] = {{f->radii, SHL_MODEL_RADI, "radius"},
                  {f->control_masses, SHL_MODEL_NMAS, "mass"}};
    for (size_t i = 0; i < 2 * (size_t)f->control_count; i++) {
        const double *of = series[i % 2].of, value = of ? of[i / 2] : 1;
        if (!(value > 0 && isfinite(value)))
            return fault_at(series[i % 2].part, i / 2, "the %s of control point %zu is %g",
                            series[i % 2].name, i / 2, value);
    }
    for (uint32_t v = 0; v <= f->rest.vertex_count; v++) {
        const uint32_t begin = f->weight_begin[v], least = v ? f->weight_begin[v - 1] : 0;
        if (begin < least || begin > f->weight_count || (v == 0 && begin))
            return fault_at(SHL_MODEL_WBEG, v,
                            "weights of vertex %" PRIu32 " begin at %" PRIu32 " of %zu", v,
                            begin, f->weight_count);
    }
    if (f->weight_begin[f->rest.vertex_count] != f->weight_count)
        return fault_at(SHL_MODEL_WBEG, f->rest.vertex_count,
                        "%zu weights, %" PRIu32 " are used", f->weight_count,
                        f->weight_begin[f->rest.vertex_count]);
    shl_skinned_fault fault = fault_at(SHL_MODEL_PARTS, 0, "none");
    for (uint32_t v = 0; v < f->rest.vertex_count && fault.part == SHL_MODEL_PARTS; v++)
        fault = vertex_fault(f, v);
    return fault;
}
