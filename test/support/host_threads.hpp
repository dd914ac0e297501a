// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of threads of the host, which tests change.
#pragma once

extern "C" {  // of the OpenMP runtime that the library links
void omp_set_num_threads(int);
int omp_get_max_threads();
}

namespace test {

/// As many threads as before when it ends, also if an assertion ends the test.
class same_threads_after {
 public:
  same_threads_after() = default;
  ~same_threads_after() { omp_set_num_threads(before_); }
  same_threads_after(const same_threads_after&) = delete;
  same_threads_after& operator=(const same_threads_after&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

}  // namespace test
