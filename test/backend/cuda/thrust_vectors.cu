// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's vectors are borrowed where they are, and its algorithms work on arrays.
#include "support/arrays.hpp"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/universal_vector.h>

namespace {

class thrust_vectors : public test::on<lf::cuda> {};

template <class V>
using borrowed_from = decltype(lf::borrow(std::declval<V&>()));
static_assert(std::is_same_v<borrowed_from<thrust::device_vector<float>>, lf::borrowed<float, 1, lf::cuda>>);
static_assert(
    std::is_same_v<borrowed_from<const thrust::device_vector<float>>, lf::borrowed<const float, 1, lf::cuda>>);
static_assert(std::is_same_v<borrowed_from<thrust::host_vector<float>>, lf::borrowed<float, 1, lf::host>>);
static_assert(std::is_same_v<borrowed_from<const thrust::host_vector<float>>, lf::borrowed<const float, 1, lf::host>>);

TEST_F(thrust_vectors, are_read_and_written_where_they_are) {
  thrust::device_vector<float> there(1000);
  thrust::sequence(there.begin(), there.end());
  const thrust::device_vector<float>& constant = there;
  EXPECT_EQ(lf::sum(lf::borrow(constant)).item(), 499500.0f);
  lf::into(lf::borrow(there)) = lf::borrow(constant) * 2 + 1;
  lf::synchronize();
  const thrust::host_vector<float> here = there;
  EXPECT_TRUE(test::evaluates_to(lf::borrow(here), test::counting<float>({1000}, 1, 2)));
}
TEST_F(thrust_vectors, of_managed_memory_are_borrowed_in_either_space) {
  thrust::universal_vector<float> both(10);
  lf::into(lf::borrow(both)) = lf::arange<float>(10);
  lf::synchronize();
  EXPECT_EQ(lf::sum(lf::borrow<lf::host>(both)).item(), 45.0f);
}
TEST_F(thrust_vectors, in_the_wrong_space_are_refused) {
  thrust::device_vector<float> there(4);
  thrust::host_vector<float> here(4);
  EXPECT_THROW((void)lf::borrow<lf::host>(there), lf::borrow_error);
  EXPECT_THROW((void)lf::borrow<lf::cuda>(here), lf::borrow_error);
}
TEST_F(thrust_vectors, algorithms_work_on_the_memory_of_an_array) {
  lf::array<float, 1, lf::cuda> x = lf::flip(lf::arange<float>(1000), lf::axis<0>);
  const auto stream = thrust::cuda::par.on(lf::current_stream());
  thrust::sort(stream, x.data(), x.data() + x.size());
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({1000})));
}

}  // namespace
