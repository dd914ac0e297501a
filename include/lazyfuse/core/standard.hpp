// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What device code needs of the standard library: facts about types, and integers of known size. A compiler at run time
// has them in cuda/std alone; others read that for longer than all of lazyfuse.
#pragma once

#if defined(__CUDACC_RTC__)
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
namespace lazyfuse {
namespace standard = ::cuda::std;
}
#else
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
namespace lazyfuse {
namespace standard = ::std;
}
#endif

namespace lazyfuse {

/// As constants: device code may read these where it may not call the functions.
template <class T>
inline constexpr T infinity_of = standard::numeric_limits<T>::infinity();
template <class T>
inline constexpr T lowest_of = standard::numeric_limits<T>::lowest();
template <class T>
inline constexpr T largest_of = standard::numeric_limits<T>::max();

}  // namespace lazyfuse
