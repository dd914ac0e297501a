// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, views and allocators of other libraries, in and out: the blocks of docs/interop.md.
#include "expect.hpp"

#include <lazyfuse/interop/dlpack.hpp>
#include <lazyfuse/interop/mdspan.hpp>
#include <lazyfuse/lazyfuse.hpp>

#include <algorithm>
#include <list>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

namespace lf = lazyfuse;

void pointers_and_spans() {
  // [borrow]
  std::vector<double> prices{3, 1, 2};
  const double weights[] = {0.5, 0.25, 0.25};
  const auto p = lf::borrow(prices);              // a view: nothing is copied
  const auto w = lf::borrow(std::span(weights));  // of const elements: it can only be read
  const double mean = lf::sum(p * w).item();      // 2.25
  lf::into(p) = p - mean;                         // written where they are
  // [borrow]
  expect(mean == 2.25 && prices == std::vector<double>{0.75, -1.25, -0.25});

  double table[4 * 8] = {};
  // [pointer]
  const auto left = lf::borrow(table, {4, 6}, {8, 1});        // 4 rows of 6, 8 apart
  lf::into(left(lf::all, 0)) = lf::arange<double>(4);         // slices of it are written, too
  const auto transposed = lf::borrow(table, {8, 4}, {1, 8});  // any steps, also negative ones
  // [pointer]
  expect(table[3 * 8] == 3 && lf::sum(transposed(0)).item() == 6);
}

void mdspans() {
  std::vector<float> field(6);
  // [mdspan]
  const cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_left> m(field.data(), 2, 3);
  lf::into(lf::borrow(m)) = lf::reshape(lf::arange<float>(6), {2, 3});  // in: any mdspan with strides

  lf::array<float, 2> x = lf::borrow(m) * 10;
  const auto view = lf::mdspan(x);  // out: cuda::std::mdspan<float, dextents<int64_t, 2>>
  // [mdspan]
  expect(field == std::vector<float>{0, 3, 1, 4, 2, 5} && view.stride(0) == 3 && view.data_handle()[4] == 40);
}

void ranges() {
  // [ranges]
  const std::vector<std::vector<float>> rows{{1, 2, 3}, {4, 5, 6}};
  lf::array x(rows);                                                // array<float, 2>, a copy
  std::ranges::reverse(x);                                          // host arrays are contiguous ranges, row-major
  const auto largest = std::ranges::max_element(std::as_const(x));  // through a const array nothing is copied
  const auto y = lf::from<lf::host>(std::list<int>{1, 2, 3});       // the same as a function, with a space
  // [ranges]
  expect(x(0, 0).item() == 6 && largest == std::as_const(x).begin() && y.size() == 3);
}

// [resource]
/// Memory of a size that the program has set aside.
class arena {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, lf::stream_handle) {
    used_ = (used_ + alignment - 1) / alignment * alignment + bytes;
    return used_ <= sizeof(memory_) ? memory_ + used_ - bytes : nullptr;  // null: memory_error
  }
  void deallocate(void*, std::size_t, std::size_t, lf::stream_handle) {}
  bool operator==(const arena& other) const { return this == &other; }

 private:
  alignas(64) unsigned char memory_[4096];
  std::size_t used_ = 0;
};
// [resource]

void memory() {
  // [memory]
  arena mine;
  std::pmr::synchronized_pool_resource pool;
  lf::array<float, 1> kept;
  {
    const lf::memory_scope scope(lf::host{}, mine);                     // for this thread, to the end of the block
    const lf::array<float, 1> x = lf::arange<float>(100);               // from mine
    kept = lf::materialize(lf::memory_scope(lf::host{}, pool), x * 2);  // from pool: for one evaluation
  }
  lf::use_memory<lf::host>(pool);  // for all threads, from now on
  lf::use_memory<lf::host>();      // back to the library's own
  // [memory]
  expect(lf::resource_of(kept) == lf::refer<lf::host>(pool));
  bool refused = false;
  try {
    const lf::memory_scope scope(lf::host{}, mine);
    kept = lf::zeros<float>({10000});
  } catch (const lf::memory_error&) {
    refused = true;
  }
  expect(refused && kept.size() == 100);
}

/// What stands for the other library.
double their_sum(lf::dlpack::managed_tensor_versioned* m) {
  const auto* const data = static_cast<const double*>(m->dl_tensor.data);
  double sum = 0;
  for (std::int64_t i = 0; i < m->dl_tensor.shape[0]; ++i) sum += data[i * m->dl_tensor.strides[0]];
  m->deleter(m);
  return sum;
}

void dlpack() {
  // [dlpack]
  lf::array<double, 1> x{1, 2, 3};
  const double sum = their_sum(lf::to_dlpack(x));   // shared and therefore read-only
  auto* const given = lf::to_dlpack(std::move(x));  // given away: it may be written

  const auto y = lf::from_dlpack<double, 1>(given);  // borrowed; the deleter is called when the last use ends
  lf::into(y) = y * 10;
  const auto total = lf::sum(y);  // keeps the tensor alive
  // [dlpack]
  expect(sum == 6 && total.item() == 60);
}

int main() {
  pointers_and_spans();
  mdspans();
  ranges();
  memory();
  dlpack();
}
