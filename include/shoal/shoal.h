// SPDX-License-Identifier: MIT
/// Everything libshoal offers. docs/tour.md says where to start.
#ifndef SHOAL_SHOAL_H
#define SHOAL_SHOAL_H

#include <shoal/base.h>
#include <shoal/context.h>
#include <shoal/diagram.h>
#include <shoal/filter.h>
#include <shoal/model.h>
#include <shoal/positions.h>
#include <shoal/reduced.h>
#include <shoal/results.h>
#include <shoal/scene.h>
#include <shoal/skinned.h>
#include <shoal/trace.h>

#endif
