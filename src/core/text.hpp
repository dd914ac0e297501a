// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and places in the texts of errors.
#pragma once

#include <lazyfuse/core/index.hpp>

#include <string>

namespace lazyfuse {

/// (3, 4), (5,), ()
std::string text_of(const index_t* extents, int rank);

/// " (file:line)" of whoever asked this thread for what runs now, or nothing (asked_at).
std::string place_asked();

}  // namespace lazyfuse
