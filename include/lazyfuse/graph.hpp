// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations that are recorded once and launched often, on the GPU as one CUDA graph: with loops and branches. A
// header of its own, beside lazyfuse.hpp, cuda.hpp or cuda.cuh.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <lazyfuse/record/calls.hpp>
#include <lazyfuse/record/control.hpp>
#include <lazyfuse/record/record.hpp>
