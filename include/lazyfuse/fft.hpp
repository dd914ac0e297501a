// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms, lazyfuse::fft. A header of its own, beside lazyfuse.hpp, cuda.hpp or cuda.cuh.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <lazyfuse/fft/frequencies.hpp>
#include <lazyfuse/fft/functions.hpp>
