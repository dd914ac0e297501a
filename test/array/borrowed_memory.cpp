// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of others, in either space: pointers, spans and mdspans in, mdspans out; what may be written, and which
// mistakes are explained.
#include "support/arrays.hpp"

#include <lazyfuse/interop/mdspan.hpp>

#include <cuda/std/span>

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace {

namespace stdx = ::cuda::std;
using lf::none, lf::range;

template <class Space>
class borrowed : public test::on<Space> {};
TYPED_TEST_SUITE(borrowed, test::spaces, test::space_name);

/// 24 floats of the space, counted from 0.
template <class Space>
lf::array<float, 1, Space> numbers() {
  return lf::arange<float>(24);
}
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const lf::borrow_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

template <class Layout, class Space>
auto as_mdspan(float* p) {
  using extents = stdx::extents<int, 4, stdx::dynamic_extent>;
  if constexpr (std::is_same_v<Layout, stdx::layout_stride>)
    return stdx::mdspan<float, extents, Layout>(
        p, typename Layout::template mapping<extents>(extents(3), stdx::array<int, 2>{6, 2}));
  else return stdx::mdspan<float, extents, Layout>(p, extents(3));
}
template <class Layout, class Space>
void read_and_write(std::int64_t row, std::int64_t column) {
  auto memory = numbers<Space>();
  const auto m = as_mdspan<Layout, Space>(memory.data());
  const auto want = test::generate<float>({4, 3}, [&](const test::extents& i) { return i[0] * row + i[1] * column; });
  EXPECT_TRUE(test::evaluates_to(lf::borrow<Space>(m), want));
  lf::into(lf::borrow<Space>(m)) = lf::borrow<Space>(m) * 2;
  EXPECT_TRUE(test::evaluates_to(lf::borrow<Space>(m) / 2, want));
  EXPECT_EQ(memory(23).item(), 23.0f) << "beyond the span";
}
TYPED_TEST(borrowed, mdspans_of_every_layout_are_read_and_written) {
  read_and_write<stdx::layout_right, TypeParam>(3, 1);
  read_and_write<stdx::layout_left, TypeParam>(1, 4);
  read_and_write<stdx::layout_stride, TypeParam>(6, 2);
}
TYPED_TEST(borrowed, an_mdspan_may_have_any_rank) {
  auto memory = numbers<TypeParam>();
  const stdx::mdspan<float, stdx::extents<int>> one(memory.data());
  EXPECT_EQ(lf::borrow<TypeParam>(one).item(), 0.0f);
  const stdx::mdspan<float, stdx::dextents<short, 4>> four(memory.data(), 2, 3, 2, 2);
  EXPECT_TRUE(test::evaluates_to(lf::borrow<TypeParam>(four), test::counting<float>({2, 3, 2, 2})));
  const stdx::mdspan<float, stdx::dextents<int, 2>> none(nullptr, 0, 5);
  EXPECT_TRUE(test::evaluates_to(lf::borrow<TypeParam>(none), test::tensor<float>({0, 5})));
}

TYPED_TEST(borrowed, const_memory_is_read_and_cannot_be_written) {
  const auto memory = numbers<TypeParam>();
  const float* const p = memory.data();
  const auto x = lf::borrow<TypeParam>(p, {4, 6});
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(x)>, lf::borrowed<const float, 2, TypeParam>>);
  static_assert(std::is_same_v<lf::value_t<decltype(x)>, float>);
  // also its views, and const memory under other names
  const auto view = lf::transpose(x(range(1, 3)));
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(view)>, lf::borrowed<const float, 2, TypeParam>>);
  EXPECT_TRUE(test::evaluates_to(view(0) + x(0, 1), test::tensor<float>({2}, {7, 13})));
  const stdx::mdspan<const float, stdx::dextents<int, 1>> m(p, 3);
  const auto span = stdx::span<const float>(p, 3);
  static_assert(std::is_same_v<decltype(lf::borrow<TypeParam>(m)), lf::borrowed<const float, 1, TypeParam>>);
  EXPECT_TRUE(
      test::evaluates_to(lf::borrow<TypeParam>(span) + lf::borrow<TypeParam>(m), test::tensor<float>({3}, {0, 2, 4})));
  // what is read as const and what is written may be one
  auto other = numbers<TypeParam>();
  float* const q = other.data();
  lf::into(lf::borrow<TypeParam>(q + 1, {23})) = lf::borrow<TypeParam>(static_cast<const float*>(q), {23});
  EXPECT_TRUE(test::evaluates_to(
      other, test::generate<float>({24}, [](const test::extents& i) { return i[0] == 0 ? 0 : i[0] - 1; })));
}
TYPED_TEST(borrowed, const_and_other_memory_of_one_address_are_one_operand_of_rows) {
  auto memory = numbers<TypeParam>();
  float* const p = memory.data();
  const auto x = lf::borrow<TypeParam>(static_cast<const float*>(p), {4, 6});
  lf::into(lf::borrow<TypeParam>(p, {4, 6})) = x - lf::mean(x, lf::axis<1>, lf::keepdims);
  EXPECT_TRUE(
      test::evaluates_to(memory, test::generate<float>({24}, [](const test::extents& i) { return i[0] % 6 - 2.5; })));
}

TYPED_TEST(borrowed, mistakes_are_explained) {
  auto memory = numbers<TypeParam>();
  float* const p = memory.data();
  float* const nowhere = nullptr;
  float* const odd = reinterpret_cast<float*>(reinterpret_cast<char*>(p) + 2);
  const struct {
    float* pointer;
    const char* text;
  } cases[] = {{nowhere, "borrow: the pointer is null"},
               {odd, "borrow: the address is not a multiple of the alignment of the elements"}};
  for (const auto& [pointer, text] : cases) {
    const std::string message = message_of([&, at = pointer] { (void)lf::borrow<TypeParam>(at, {2, 3}); });
    EXPECT_NE(message.find(text), std::string::npos) << message;
    EXPECT_NE(message.find("borrowed_memory.cpp:"), std::string::npos) << "the caller's place: " << message;
  }
  EXPECT_THROW((void)lf::borrow<TypeParam>(p, {2, -3}), lf::shape_error);
  EXPECT_NO_THROW((void)lf::borrow<TypeParam>(nowhere, {0, 3})) << "of nothing there is no address";
}
TYPED_TEST(borrowed, memory_of_another_space_is_refused) {
#if defined(LAZYFUSE_CUDA)
  std::vector<float> here(4);
  const auto there = numbers<lf::cuda>();
  float *pinned = nullptr, *managed = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 16), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 16), cudaSuccess);
  const std::string on_gpu = message_of([&] { (void)lf::borrow<lf::cuda>(here); });
  EXPECT_NE(on_gpu.find("borrow: the memory is the host's"), std::string::npos) << on_gpu;
  const std::string on_host = message_of([&] { (void)lf::borrow(there.data(), {4}); });
  EXPECT_NE(on_host.find("borrow: the memory is a GPU's"), std::string::npos) << on_host;
  for (float* const both : {pinned, managed}) {
    lf::into(lf::borrow<lf::cuda>(both, {4})) = lf::arange<float>(4);
    lf::synchronize();
    EXPECT_EQ(lf::sum(lf::borrow<lf::host>(both, {4}) + 1).item(), 10.0f);
  }
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
#endif
}

TYPED_TEST(borrowed, an_array_is_seen_as_an_mdspan) {
  lf::array<float, 2, TypeParam> x = lf::reshape(lf::arange<float>(6), {2, 3});
  const lf::array<float, 2, TypeParam> sharer = x;
  {
    lf::kernel_trace trace;
    const auto m = lf::mdspan(sharer);
    static_assert(
        std::is_same_v<std::remove_cvref_t<decltype(m)>, stdx::mdspan<const float, stdx::dextents<std::int64_t, 2>>>);
    EXPECT_EQ(m.data_handle(), sharer.data());
    EXPECT_EQ(m.extent(0), 2);
    EXPECT_EQ(m.extent(1), 3);
    EXPECT_EQ(trace.allocations(), 0) << "a const array does not detach";
  }
  const auto m = lf::mdspan(x);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(m)>, stdx::mdspan<float, stdx::dextents<std::int64_t, 2>>>);
  EXPECT_NE(m.data_handle(), sharer.data()) << "one that is not const detaches";
  lf::into(lf::borrow<TypeParam>(m)) = lf::borrow<TypeParam>(m) + 1;
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({2, 3}, 1)));
  EXPECT_TRUE(test::evaluates_to(sharer, test::counting<float>({2, 3})));
  lf::array<double, 0, TypeParam> one = lf::full(lf::shape<0>{}, 3.0);
  EXPECT_EQ(lf::borrow<TypeParam>(lf::mdspan(one)).item(), 3.0);
}
TYPED_TEST(borrowed, borrowed_memory_and_its_views_are_seen_as_mdspans) {
  auto memory = numbers<TypeParam>();
  const auto x = lf::borrow<TypeParam>(memory.data(), {4, 6});
  const auto m = lf::mdspan(lf::transpose(x(range(1, none), range(0, 6, 2))));
  EXPECT_EQ(m.data_handle(), memory.data() + 6);
  EXPECT_EQ(m.extent(0), 3);
  EXPECT_EQ(m.stride(0), 2);
  EXPECT_EQ(m.stride(1), 6);
  EXPECT_TRUE(test::evaluates_to(lf::borrow<TypeParam>(m)(0), test::tensor<float>({3}, {6, 12, 18})));
  EXPECT_THROW((void)lf::mdspan(lf::flip(x, lf::axis<0>)), lf::borrow_error);
  EXPECT_THROW((void)lf::mdspan(lf::broadcast_to(x(0), {3, 6})), lf::borrow_error);
  EXPECT_THROW((void)lf::mdspan(memory(range(0, 3))), lf::borrow_error);
}

template <class C>
using borrowed_from = decltype(lf::borrow(std::declval<C>()));

TEST(borrowed_on_the_host, containers_and_spans_give_their_elements_and_whether_they_are_const) {
  using mutable_view = lf::borrowed<int, 1, lf::host>;
  using const_view = lf::borrowed<const int, 1, lf::host>;
  static_assert(std::is_same_v<borrowed_from<std::vector<int>&>, mutable_view>);
  static_assert(std::is_same_v<borrowed_from<const std::vector<int>&>, const_view>);
  static_assert(std::is_same_v<borrowed_from<std::array<int, 3>&>, mutable_view>);
  static_assert(std::is_same_v<borrowed_from<const std::array<int, 3>&>, const_view>);
  static_assert(std::is_same_v<borrowed_from<std::span<int>>, mutable_view>);
  static_assert(std::is_same_v<borrowed_from<const std::span<int>&>, mutable_view>);
  static_assert(std::is_same_v<borrowed_from<std::span<const int, 3>>, const_view>);
  static_assert(std::is_same_v<borrowed_from<stdx::span<int>>, mutable_view>);
  static_assert(
      std::is_same_v<borrowed_from<std::basic_string_view<char32_t>>, lf::borrowed<const char32_t, 1, lf::host>>);
  std::array<int, 3> a{1, 2, 3};
  lf::into(lf::borrow(std::span(a).subspan(1))) = 7;
  EXPECT_EQ(a, (std::array<int, 3>{1, 7, 7}));
}

/// An mdspan of no standard library: what borrow asks of one, and no more.
struct somebodys_mdspan {
  using element_type = int;
  struct accessor_type {
    int& access(int* p, std::size_t i) const { return p[i]; }
  };
  static constexpr std::size_t rank() { return 2; }
  static constexpr bool is_always_strided() { return true; }
  int* data_handle() const { return data; }
  int mapping() const { return 0; }
  accessor_type accessor() const { return {}; }
  int extent(std::size_t) const { return 2; }
  int stride(std::size_t axis) const { return axis == 0 ? 1 : -2; }
  int* data;
};
TEST(borrowed_on_the_host, any_type_with_the_members_of_an_mdspan_is_one) {
  int values[] = {1, 2, 3, 4};
  EXPECT_TRUE(
      test::evaluates_to(lf::borrow(somebodys_mdspan{values + 2}), test::tensor<std::int32_t>({2, 2}, {3, 1, 4, 2})));
}

}  // namespace
