// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections, scatters and histograms on the GPU by what nvcc has compiled (compiled/): memory, streams and what is
// asked of it.
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/selection/libraries.hpp>

#include "backend/cuda/compiled/radix.hpp"
#include "backend/cuda/compiled/selection.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"

#include <cstddef>
#include <cstdint>

namespace lazyfuse::selection_detail {

namespace {

using cuda_detail::check;

/// Memory of the current stream, given back to it when this goes.
template <class T>
array<T, 1, cuda> room_for(index_t n) {
  return array<T, 1, cuda>(shape<1>{n > 0 ? n : 1});
}

/// The largest word that divides elements, and so rows.
int word_of(std::size_t element_size) {
  int word = 16;
  while (element_size % static_cast<std::size_t>(word) != 0) word /= 2;
  return word;
}

cuda_detail::processor this_processor() {
  const cuda_detail::device_facts& facts = cuda_detail::device();
  return {facts.processors, facts.shared_bytes};
}

template <class Key>
void add_sorted(const rows& to, const destinations& at, const rows& values) {
  const cudaStream_t stream = current_stream();
  const auto keys = room_for<Key>(at.count), other_keys = room_for<Key>(at.count);
  const auto positions = room_for<std::uint32_t>(at.count), other_positions = room_for<std::uint32_t>(at.count);
  check(cuda_detail::places_as_keys(at.rows, at.count, keys.unshared(), positions.unshared(), stream),
        "places_as_keys");
  cuda_detail::radix_rows<Key> all{
      1, at.count, keys.unshared(), other_keys.unshared(), positions.unshared(), other_positions.unshared()};
  std::size_t bytes = 0;
  check(cuda_detail::radix_sort<true>(nullptr, bytes, all, stream), "cub::DeviceRadixSort");
  const auto work = room_for<std::uint8_t>(static_cast<index_t>(bytes));
  check(cuda_detail::radix_sort<true>(work.unshared(), bytes, all, stream), "cub::DeviceRadixSort");
  const auto add = [&](void* memory) {
    check(cuda_detail::add_runs(memory, bytes, to.type, to.data, values.data, to.length, values.count, all.keys,
                                all.values, at.count, stream),
          "add_runs");
  };
  add(nullptr);
  const auto sums = room_for<std::uint8_t>(static_cast<index_t>(bytes));
  add(sums.unshared());
}

}  // namespace

void before_writing(cuda, allocation* a) {
  record_detail::refuse_computing("an assignment to elements by indices or by a mask");
  if (a) cuda_detail::use(a, true);
}
bool before_reading(cuda, allocation* a) {
  record_detail::refuse_computing("an assignment to elements by indices or by a mask");
  if (a->device >= 0 && a->device != cuda_detail::current_device()) return false;
  cuda_detail::use(a, false);
  return true;
}

index_t count_selected(cuda, const int64* count) {
  record_detail::refuse_reading("the length of a selection");
  const cudaStream_t stream = current_stream();
  if (cuda_detail::capturing(stream))
    throw_value("compress: a stream that is captured into a graph cannot wait for how many elements there are");
  int64 found = 0;
  check(cudaMemcpyAsync(&found, count, sizeof found, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return found;
}

index_t scatter(cuda, const rows& to, const destinations& at, const rows& values) {
  record_detail::refuse_computing("an assignment to elements by indices or by a mask");
  if (at.count == 0 || to.length == 0) return -1;
  const cudaStream_t stream = current_stream();
  const cuda_detail::row_writes writes{
      to.data, values.data, to.length * static_cast<index_t>(to.element_size), values.count, word_of(to.element_size),
      at.rows, at.count};
  if (values.count == 1) {
    check(cuda_detail::write_rows(writes, nullptr, stream), "write_rows");
    return -1;
  }
  const auto last = room_for<unsigned long long>(to.count);
  check(cudaMemsetAsync(last.unshared(), 0, static_cast<std::size_t>(last.size()) * sizeof(unsigned long long), stream),
        "cudaMemsetAsync");
  check(cuda_detail::write_rows(writes, last.unshared(), stream), "write_rows");
  return -1;
}

index_t scatter_sum(cuda, const rows& to, const destinations& at, const rows& values) {
  record_detail::refuse_computing("add_at");
  if (at.count == 0 || to.length == 0) return -1;
  if (at.count > 0xffffffff) throw_value("add_at: on the GPU there are fewer than 2^32 indices");
  if (to.count < 0xffffffff) add_sorted<std::uint32_t>(to, at, values);
  else add_sorted<std::uint64_t>(to, at, values);
  return -1;
}

void count_in_bins(cuda, const bins& b, const void* values, index_t n, int64* counts) {
  record_detail::refuse_computing("histogram");
  check(cuda_detail::count_between({b.type, b.edges, b.count, b.width, b.low, b.high}, values, n, counts,
                                   this_processor(), current_stream()),
        "count_between");
}

void count_numbers(cuda, const int64* values, index_t n, index_t bins, int64* counts) {
  record_detail::refuse_computing("bincount");
  check(cuda_detail::count_numbers(values, n, bins, counts, this_processor(), current_stream()), "count_numbers");
}

}  // namespace lazyfuse::selection_detail
