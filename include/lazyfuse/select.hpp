// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that masks and indices name, read and written, and histograms: x(mask), x(indices), compress, nonzero, put,
// add_at, bincount, histogram. A header of its own, beside lazyfuse.hpp, cuda.hpp or cuda.cuh.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <lazyfuse/selection/evaluate.hpp>
#include <lazyfuse/selection/histogram.hpp>
#include <lazyfuse/selection/indices.hpp>
#include <lazyfuse/selection/reduce.hpp>
#include <lazyfuse/selection/scatter.hpp>
