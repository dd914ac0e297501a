// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// operator new of a program, counted, of which any call can be made to fail. failing_new.cpp is linked with it.
#pragma once

#include <atomic>

namespace test {

inline std::atomic<long> made{0}, live{0}, fails{0};  // fails: the number of the one that does; 0: none

inline thread_local int others = 0;  ///< above 0: what is allocated and freed is not counted, and does not fail

}  // namespace test
