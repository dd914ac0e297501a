// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// docs/numpy.md.
std::string numpy_page();
/// A program that compiles everything that the page says is lazyfuse; it runs nothing.
std::string numpy_spellings();
