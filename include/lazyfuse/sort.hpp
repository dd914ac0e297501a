// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting, and what is found by order: sort, argsort, topk, quantiles, searching and unique elements. A header of its
// own, beside lazyfuse.hpp, cuda.hpp or cuda.cuh.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <lazyfuse/sort/quantiles.hpp>
#include <lazyfuse/sort/search.hpp>
#include <lazyfuse/sort/sorts.hpp>
#include <lazyfuse/sort/unique.hpp>
