// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms by cuFFT, which is loaded when the first one is asked for; used here and nowhere else.
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/fft/transforms.hpp>
#include <lazyfuse/observe/recording.hpp>

#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "backend/cuda/runtime/toolkit.hpp"
#include "fft/recently_used.hpp"

#include <cufftXt.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace lazyfuse::fft_detail {

namespace {

struct cufft_functions {
  cuda_detail::toolkit_library found{"cufft", CUFFT_VER_MAJOR};
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetAutoAllocation) set_allocation;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftSetWorkArea) set_work_area;
  decltype(&cufftXtMakePlanMany) make_plan;
  decltype(&cufftXtExec) execute;

  cufft_functions() {
    found.find(create, "cufftCreate");
    found.find(destroy, "cufftDestroy");
    found.find(set_allocation, "cufftSetAutoAllocation");
    found.find(set_stream, "cufftSetStream");
    found.find(set_work_area, "cufftSetWorkArea");
    found.find(make_plan, "cufftXtMakePlanMany");
    found.find(execute, "cufftXtExec");
  }
};
const cufft_functions& cufft() {
  static const auto* const functions = new cufft_functions;
  return *functions;
}

void check(const char* operation, cufftResult result, const char* function) {
  if (result == CUFFT_SUCCESS) return;
  throw_fft(operation, (std::string(function) + " failed with cufftResult " + std::to_string(result)).c_str());
}

/// What a plan is made for.
struct form {
  int device;
  sides between;
  bool twice_as_wide;
  int axes;
  std::array<index_t, most_axes> extents;
  index_t count;
  bool operator==(const form&) const = default;
};
/// Plans that are kept, of all devices.
constexpr std::size_t most_plans = 64;

/// A plan of the library, without memory of its own to work in. One thread at a time uses it: it is told the stream and
/// the memory before each call, which the call hands on to its kernels.
struct plan {
  int device;
  cufftHandle handle = 0;
  std::size_t work_bytes = 0;
  std::mutex alone;

  plan(const char* operation, const form& f) : device(f.device) {
    check(operation, cufft().create(&handle), "cufftCreate");
    try {
      make(operation, f);
    } catch (...) {
      cufft().destroy(handle);
      throw;
    }
  }
  plan(const plan&) = delete;
  plan& operator=(const plan&) = delete;
  ~plan() {
    try {
      const cuda_detail::device_scope there(device);
      cufft().destroy(handle);
    } catch (...) {  // the device is gone, and the plan with it
    }
  }

 private:
  void make(const char* operation, const form& f) {
    check(operation, cufft().set_allocation(handle, 0), "cufftSetAutoAllocation");
    const cudaDataType real = f.twice_as_wide ? CUDA_R_64F : CUDA_R_32F,
                       complex = f.twice_as_wide ? CUDA_C_64F : CUDA_C_32F;
    long long extents[most_axes];
    for (int k = 0; k < f.axes; ++k) extents[k] = f.extents[static_cast<std::size_t>(k)];
    // Without strides, rows follow each other.
    check(operation,
          cufft().make_plan(handle, f.axes, extents, nullptr, 1, 0, f.between == sides::from_real ? real : complex,
                            nullptr, 1, 0, f.between == sides::to_real ? real : complex, f.count, &work_bytes, complex),
          "cufftXtMakePlanMany");
  }
};

std::shared_ptr<plan> plan_of(const char* operation, const transforms& t, cudaStream_t stream) {
  static auto& known = *new recently_used<form, plan>(most_plans);
  form f{cuda_detail::current_device(), t.between, t.twice_as_wide, t.axes, {}, t.count};
  for (int k = 0; k < t.axes; ++k) f.extents[static_cast<std::size_t>(k)] = t.extents[k];
  const bool captured = cuda_detail::capturing(stream);
  const auto make = [&] {
    if (captured)
      throw_fft(operation, "a stream that is captured into a graph cannot make cuFFT's plan; transform once before");
    return std::make_shared<plan>(operation, f);
  };
  auto found = known.find_or(f, make, [](const plan&) { return std::size_t{0}; });
  if (captured) {  // the graph's kernels read the plan's tables, for as long as anyone has the graph
    static std::mutex mutex;
    static auto& for_ever = *new std::set<std::shared_ptr<plan>>;
    const std::lock_guard lock(mutex);
    for_ever.insert(found);
  }
  return found;
}

}  // namespace

void transform(cuda, const char* operation, const transforms& t, void* from, void* to) {
  record_detail::refuse_computing(operation);
  index_t numbers = t.count;
  for (int k = 0; k < t.axes; ++k) numbers *= t.extents[k];
  if (numbers == 0) return;
  if (!cufft().found) throw_fft(operation, "cuFFT is not there: libcufft of the CUDA Toolkit was not found");
  auto* const stream = current_stream();
  if (t.read) cuda_detail::use(t.read, false, stream);
  const auto p = plan_of(operation, t, stream);
  array<std::uint8_t, 1, cuda> work;
  if (p->work_bytes > 0) work = array<std::uint8_t, 1, cuda>(shape<1>{static_cast<index_t>(p->work_bytes)});
  const std::lock_guard alone(p->alone);
  check(operation, cufft().set_stream(p->handle, stream), "cufftSetStream");
  if (p->work_bytes > 0) check(operation, cufft().set_work_area(p->handle, work.unshared()), "cufftSetWorkArea");
  check(operation, cufft().execute(p->handle, from, to, t.backward ? CUFFT_INVERSE : CUFFT_FORWARD), "cufftXtExec");
}

}  // namespace lazyfuse::fft_detail
