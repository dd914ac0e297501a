// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// docs/numpy.md.
std::string numpy_page();
/// Those of NumPy's names that the page does not have, " a b".
std::string missing_of(const std::string& names);
/// A program that compiles everything that the page says is lazyfuse; it runs nothing.
std::string numpy_spellings();
