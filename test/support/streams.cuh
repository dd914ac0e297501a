// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and graphs of the tests, released at the end of their scope; work that takes long enough to lose a race.
#pragma once

#include "arrays.hpp"

#include <cuda_runtime_api.h>

namespace test {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// A stream; unless asked otherwise it does not wait for the legacy stream.
class stream {
 public:
  explicit stream(unsigned flags = cudaStreamNonBlocking) { check(cudaStreamCreateWithFlags(&handle_, flags)); }
  ~stream() { cudaStreamDestroy(handle_); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  operator cudaStream_t() const { return handle_; }
  void wait() const { check(cudaStreamSynchronize(handle_)); }

 private:
  cudaStream_t handle_ = nullptr;
};

/// What was captured between construction and end(), ready to run.
class graph {
 public:
  explicit graph(cudaStream_t s) : stream_(s) { check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)); }
  ~graph() {
    if (capturing_) cudaStreamEndCapture(stream_, &graph_);
    if (runnable_ != nullptr) cudaGraphExecDestroy(runnable_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  void end() {
    capturing_ = false;
    check(cudaStreamEndCapture(stream_, &graph_));
    check(cudaGraphInstantiate(&runnable_, graph_, 0));
  }
  void replay() const {
    check(cudaGraphLaunch(runnable_, stream_));
    check(cudaStreamSynchronize(stream_));
  }
  std::size_t nodes() const {
    std::size_t n = 0;
    check(cudaGraphGetNodes(graph_, nullptr, &n));
    return n;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t runnable_ = nullptr;
  bool capturing_ = true;
};

/// 2^24 floats: a kernel over them runs for tens of microseconds, many of them for milliseconds.
inline constexpr std::int64_t many = std::int64_t{1} << 24;

/// x as it is, after a detour of many sines that are multiplied by zero.
template <class X>
auto slowly(const X& x) {
  auto a = lf::sin(x * 1.1f);
  auto b = lf::sin(lf::cos(a) + x);
  auto c = lf::sin(lf::exp(b) + a);
  auto d = lf::sin(lf::cos(c) * b);
  return x + lf::minimum(lf::abs(a + b + c + d), 0);
}

}  // namespace test
