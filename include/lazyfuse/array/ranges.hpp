// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The concepts of ranges and the functions that read them. The views of <ranges> take longer to compile than all else
// that is needed of the standard library, and libstdc++ has a header without them.
#pragma once

#if __has_include(<bits/ranges_base.h>)
#include <string_view>

#include <bits/ranges_base.h>
#else
#include <ranges>
#endif
