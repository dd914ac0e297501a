// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra, lazyfuse::linalg: systems of equations, decompositions, and what follows from them. A header of its
// own, beside lazyfuse.hpp, cuda.hpp or cuda.cuh.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <lazyfuse/linalg/decompositions.hpp>
#include <lazyfuse/linalg/least_squares.hpp>
#include <lazyfuse/linalg/solve.hpp>
