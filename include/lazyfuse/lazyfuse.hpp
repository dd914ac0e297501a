// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library for any C++20 compiler: expressions over host arrays. CUDA sources include cuda.cuh.
#pragma once

#include <lazyfuse/backend/host/backend.hpp>
#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/assign.hpp>
#include <lazyfuse/evaluate/explain.hpp>
#include <lazyfuse/evaluate/print.hpp>
#include <lazyfuse/evaluate/scope.hpp>
