// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many arrays as one expression, and one expression many times: batch, into(arrays), for_each_zip, repeat<N>. A header
// of its own, beside lazyfuse.hpp, cuda.hpp or cuda.cuh.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <lazyfuse/batch/batch.hpp>
#include <lazyfuse/batch/for_each_zip.hpp>
#include <lazyfuse/batch/into.hpp>
#include <lazyfuse/batch/repeat.hpp>
