// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked builds: what would be read or written beyond its memory is named before a kernel is launched.
#include "support/arrays.hpp"

namespace {

static_assert(lf::ir::checked_build);

using lf::all, lf::axis, lf::range;

template <class Space>
class bounds : public test::on<Space> {
 protected:
  using vector = lf::array<float, 1, Space>;
  using matrix = lf::array<float, 2, Space>;
};
TYPED_TEST_SUITE(bounds, test::every_space, test::space_name);

/// What is thrown, without the place that asked; assignments have none.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const lf::index_error& e) {
    const std::string text = e.what();
    return text.substr(0, text.find(std::string(" (") + __FILE__ + ":"));
  }
  return "nothing was thrown";
}

TYPED_TEST(bounds, of_arrays_hold_for_what_is_read) {
  const typename TestFixture::vector x{1, 2, 3, 4};
  auto v = x(range(1, 3)) + 0.5f;
  EXPECT_EQ(lf::sum(v).item(), 6.0f);
  auto wrong = lf::view(x, range(1, 3));
  wrong.tree.extents[0] = 40;  // what no function of the library makes
  EXPECT_EQ(message_of([&] { const typename TestFixture::vector y = wrong * 2; }),
            "(x0 * x1): x0, of shape (40,) and steps (1,), has elements 1 to 40 of memory with 4");
  EXPECT_EQ(message_of([&] { (void)lf::sum(wrong * 2).item(); }),
            "sum((x0 * x1)): x0, of shape (40,) and steps (1,), has elements 1 to 40 of memory with 4");
  auto before = lf::flip(lf::view(x, all));
  before.tree.offset = 2;
  EXPECT_EQ(message_of([&] { const typename TestFixture::vector y = before * 2; }),
            "(x0 * x1): x0, of shape (4,) and steps (-1,), has elements -1 to 2 of memory with 4");
}
TYPED_TEST(bounds, hold_for_rows) {
  const auto x = test::array_of<TypeParam, 2>(test::counting<float>({8, 16}));
  auto wrong = lf::view(x, all, all);
  wrong.tree.extents[0] = 9;
  const std::string text = message_of([&] { const typename TestFixture::matrix y = lf::softmax(wrong, axis<1>); });
  EXPECT_NE(text.find("x0, of shape (9, 16) and steps (16, 1), has elements 0 to 143 of memory with 128"),
            std::string::npos)
      << text;
}
TYPED_TEST(bounds, hold_for_what_is_written) {
  typename TestFixture::vector x{1, 2, 3, 4};
  const auto write = [&](int offset) {
    auto to = x(range(0, 2));
    to.tree.offset = offset;
    std::move(to) = lf::zeros<float>({2});
  };
  write(2);
  EXPECT_EQ(lf::sum(x).item(), 3.0f);
  EXPECT_EQ(message_of([&] { write(3); }),
            "x0: the result, of shape (2,) and steps (1,), has elements 3 to 4 of memory with 4");
  EXPECT_EQ(lf::sum(x).item(), 3.0f);
}

#if defined(__CUDACC__)
TEST(bounds_of_borrowed_memory, are_asked_of_the_device) {
  if (const std::string why = test::why_unavailable<lf::cuda>(); !why.empty()) GTEST_SKIP() << why;
  float* p = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&p), 100 * sizeof(float)), cudaSuccess);
  lf::into(lf::borrow<lf::cuda>(p, {100})) = 1;
  EXPECT_EQ(lf::sum(lf::borrow<lf::cuda>(p, {100})).item(), 100.0f);
  EXPECT_EQ(message_of([&] { (void)lf::sum(lf::borrow<lf::cuda>(p, {200})).item(); }),
            "sum(x0): x0, of shape (200,) and steps (1,), has elements 0 to 199 of memory with 100");
  EXPECT_EQ(message_of([&] { lf::into(lf::borrow<lf::cuda>(p + 50, {100})) = 1; }),
            "x0: the result, of shape (100,) and steps (1,), has elements 50 to 149 of memory with 100");
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}
#endif

}  // namespace
