// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library for any C++20 compiler: expressions over host arrays. For arrays on the GPU: cuda.hpp, or cuda.cuh.
// From the bottom up, so that a compiler's "included from" is short.
#pragma once

#include <lazyfuse/error.hpp>
#include <lazyfuse/op/rule.hpp>

#include <lazyfuse/op/registry.hpp>

#include <lazyfuse/expr/map.hpp>

#include <lazyfuse/expr/concat.hpp>
#include <lazyfuse/expr/einsum.hpp>
#include <lazyfuse/expr/fuse.hpp>
#include <lazyfuse/expr/gradient.hpp>
#include <lazyfuse/expr/grid.hpp>
#include <lazyfuse/expr/losses.hpp>
#include <lazyfuse/expr/pad.hpp>
#include <lazyfuse/expr/parts.hpp>
#include <lazyfuse/expr/products.hpp>
#include <lazyfuse/expr/random.hpp>
#include <lazyfuse/expr/reductions.hpp>
#include <lazyfuse/expr/roll.hpp>
#include <lazyfuse/expr/scan.hpp>
#include <lazyfuse/expr/take.hpp>

#include <lazyfuse/array/borrow.hpp>
#include <lazyfuse/array/empty.hpp>

#include <lazyfuse/backend/host/backend.hpp>

#include <lazyfuse/evaluate/assign.hpp>
#include <lazyfuse/evaluate/explain.hpp>
#include <lazyfuse/evaluate/from.hpp>
#include <lazyfuse/evaluate/into.hpp>
#include <lazyfuse/evaluate/kernels.hpp>
#include <lazyfuse/evaluate/lazy_array.hpp>
#include <lazyfuse/evaluate/materialize.hpp>
#include <lazyfuse/evaluate/prepare.hpp>
#include <lazyfuse/evaluate/print.hpp>
#include <lazyfuse/evaluate/scope.hpp>
#include <lazyfuse/evaluate/source.hpp>
#include <lazyfuse/evaluate/tie.hpp>
#include <lazyfuse/evaluate/to.hpp>
#include <lazyfuse/evaluate/tune.hpp>

#include <lazyfuse/io/npy.hpp>
