// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short elementwise results of unlike shapes and programs: where kernels are made at run time they share a launch, and
// everywhere each has the bits it has alone.
#include "support/arrays.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

namespace {

using lf::all, lf::axis, lf::newaxis, lf::none, lf::range;

template <class Space>
inline constexpr bool is_cuda = std::is_same_v<Space, lf::cuda>;

/// While it lives, kernels are made at run time wherever they can be.
struct [[maybe_unused]] all_made {
#if defined(LAZYFUSE_CUDA)
  lf::jit before = lf::current_jit();
  all_made() { lf::use_jit(lf::jit::always); }
  ~all_made() { lf::use_jit(before); }
#else
  all_made() = default;
  ~all_made() = default;
#endif
  all_made(const all_made&) = delete;
  all_made& operator=(const all_made&) = delete;
};

template <class Space>
class shared_launches : public test::on<Space> {
 protected:
  static auto line(std::int64_t n, float first = 0) {
    return test::array_of<Space, 1>(test::counting<float>({n}, first, 0.25f));
  }
  static auto table(std::int64_t rows, std::int64_t columns, float first = 0) {
    return test::array_of<Space, 2>(test::counting<float>({rows, columns}, first, 0.25f));
  }
  /// How many kernels, or parts of them, ran, and in how many launches.
  struct counts {
    std::size_t kernels, launches;
  };
  static counts of(const lf::kernel_trace& t) { return {t.kernels().size(), static_cast<std::size_t>(t.launches())}; }
  static void expect(const char* what, const counts& ran, std::size_t kernels, std::size_t launches) {
    EXPECT_EQ(ran.kernels, kernels) << what;
    EXPECT_EQ(ran.launches, is_cuda<Space> ? launches : kernels) << what;
  }
  /// Materialises e... together, compares each with what it is alone, bit for bit.
  template <class... E>
  static counts together(const E&... e) {
    const lf::kernel_trace trace;
    const auto results = lf::materialize(e...);
    const counts ran = of(trace);
    const auto compare = [](const auto& r, const auto& alone) {
      EXPECT_TRUE(test::evaluates_to(r, test::tensor_of(alone)));
    };
    std::apply([&](const auto&... r) { (compare(r, e), ...); }, results);
    return ran;
  }
};
TYPED_TEST_SUITE(shared_launches, test::spaces, test::space_name);

TYPED_TEST(shared_launches, expressions_of_unlike_shapes_are_one_launch_and_have_their_bits) {
  const all_made made;
  const auto x = this->line(1000, -3), y = this->line(77), z = this->line(4099, 1);
  const auto m = this->table(30, 41), n = this->table(30, 8);
  const lf::array<int, 1, TypeParam> i{3, -1, 4, 1, -5};
  const lf::array<double, 0, TypeParam> one = lf::array<double, 1, TypeParam>{2.5, 3}(0);
  const auto h = lf::array<lf::half, 1, TypeParam>(lf::cast<lf::half>(y));
  const auto empty = this->line(0);
  auto odd = this->line(6);
  odd = lf::where(odd > 0.5f, std::numeric_limits<float>::quiet_NaN(), odd);
  this->expect("two", this->together(x * 2 + 1, lf::exp(y)), 2, 1);
  this->expect("types", this->together(x / 3, i * i, one + 1, h * h + h, odd < 1), 5, 1);
  this->expect("views", this->together(lf::flip(x) - x, m(all, range(1, none, 3)) * 2, lf::sqrt(z(range(1, none)))), 3,
               1);
  this->expect("broadcast", this->together(m + m(0), n * n(all, range(0, 1)), y(all, newaxis) - i), 3, 1);
  this->expect("empty", this->together(x + 1, empty + 1, y + 1), 2, 1);
  const auto computed =
      this->together(lf::arange<float>(33) * 2, lf::random::uniform<float>({100}, lf::seed{7}), y + 1);
  EXPECT_EQ(computed.kernels, 3u);
  EXPECT_LE(computed.launches, 3u);  // random numbers may be a kernel that the program has
  this->expect("one of one shape", this->together(x + 1, y - 1, x * 2), test::planned_by_values<TypeParam> ? 2 : 3, 1);
}
TYPED_TEST(shared_launches, what_is_no_short_transform_is_a_launch_of_its_own) {
  const all_made made;
  const auto x = this->line(1000), y = this->line(77);
  this->expect("a sum", this->together(x + 1, y - 1, lf::sum(x)), 3, 2);
  EXPECT_EQ(this->together(x + 1, lf::sum(x), y - 1).kernels, 3u);  // by types, x + 1 and its sum are one group

  this->expect("a scan", this->together(lf::cumsum(y), x + 1), 2, 2);
  // What follows from a sum is a kernel of its own, too.
  const auto s = lf::sum(x * x);
  const lf::kernel_trace trace;
  const auto [a, b, c] = lf::materialize(x + 1, y * s, y(range(0, 5)) * 2);
  EXPECT_TRUE(test::evaluates_to(a, test::tensor_of(x + 1)));
  EXPECT_TRUE(test::evaluates_to(b, test::tensor_of(y * s), test::within{4, 1e-6}));
  EXPECT_TRUE(test::evaluates_to(c, test::tensor_of(y(range(0, 5)) * 2)));
}
TYPED_TEST(shared_launches, more_expressions_than_a_launch_takes_are_several) {
  const auto x = this->line(2000);
  using lazy = lf::lazy_array<float, 1, TypeParam>;
  const auto e = [&](int n) { return lazy(x(range(0, n)) * 2); };
  this->expect("nine", this->together(e(10), e(200), e(31), e(4), e(1999), e(6), e(77), e(8), e(1023)), 9, 2);
}
TYPED_TEST(shared_launches, results_that_others_read_or_overwrite_come_first) {
  const all_made made;
  auto a = this->line(5), b = this->line(12);
  const auto sum_before = test::tensor_of(b(range(2, 7)) + 1), twice = test::tensor_of(b * 2);
  lf::assign(lf::tie(a, b), b(range(2, 7)) + 1, b * 2);  // b is overwritten where it lies
  EXPECT_TRUE(test::evaluates_to(a, sum_before));
  EXPECT_TRUE(test::evaluates_to(b, twice));
  // Each of the other's values before.
  const auto of_a = test::tensor_of(a(range(0, 3)) * 2), of_b = test::tensor_of(b + a(1));
  auto c = this->line(3);
  lf::assign(lf::tie(c, b), a(range(0, 3)) * 2, b + a(1));
  EXPECT_TRUE(test::evaluates_to(c, of_a));
  EXPECT_TRUE(test::evaluates_to(b, of_b));
  // One whose value another one contains.
  const auto x = this->line(40), w = this->line(40, 3);
  const auto y = lf::sin(x) + w;
  this->together(y, y(all, newaxis) * x(range(0, 3)), lf::exp(x(range(0, 3))));
}
TYPED_TEST(shared_launches, views_are_targets) {
  const all_made made;
  auto m = this->table(6, 9), n = this->table(6, 9);
  auto v = this->line(20);
  const auto x = this->line(9, 5), y = this->line(4, -2);
  lf::kernel_trace trace;
  lf::assign(lf::tie(m(1), v(range(2, 10, 2))), x * 2, y + 1);
  const auto ran = this->of(trace);
  EXPECT_EQ(ran.launches < ran.kernels, is_cuda<TypeParam>);
  n(1) = x * 2;
  EXPECT_TRUE(test::evaluates_to(m, test::tensor_of(n)));
  auto w = this->line(20);
  w(range(2, 10, 2)) = y + 1;
  EXPECT_TRUE(test::evaluates_to(v, test::tensor_of(w)));
  lf::assign(lf::tie(m(0), m(2, range(1, 5)), m(range(3, none), 0)), x - 1, y * 3, y(range(0, 3)));
  n(0) = x - 1;
  n(2, range(1, 5)) = y * 3;
  n(range(3, none), 0) = y(range(0, 3));
  EXPECT_TRUE(test::evaluates_to(m, test::tensor_of(n)));
}
TYPED_TEST(shared_launches, lazy_arrays_share_launches_whatever_the_policy) {
  const auto x = this->line(300), y = this->line(41);
  const lf::lazy_array<float, 1, TypeParam> a = x * 2 + 1, b = lf::exp(y) - y;
  const lf::kernel_trace trace;
  const auto [p, q] = lf::materialize(a, b);
  this->expect("lazy", this->of(trace), 2, 1);
  EXPECT_TRUE(test::evaluates_to(p, test::tensor_of(a)));
  EXPECT_TRUE(test::evaluates_to(q, test::tensor_of(b)));
}
TYPED_TEST(shared_launches, plans_say_which_kernels_share_one) {
  const all_made made;
  const auto x = this->line(300), y = this->line(41);
  const auto small = lf::plan(x * 2, y + 1, lf::exp(y(range(0, 5))), lf::sum(y));
  ASSERT_EQ(small.kernels.size(), 4u);
  int joined = 0;
  for (const lf::planned_kernel& k : small.kernels) joined += k.joined;
  EXPECT_EQ(joined, is_cuda<TypeParam> ? 2 : 0);
  EXPECT_EQ(small.costs().launches, 4 - joined);
  EXPECT_EQ(lf::explain(small).find("in the launch of the one before") != std::string::npos, is_cuda<TypeParam>);
  // One that takes longer than launches do is by itself.
  const auto large = lf::plan(lf::broadcast_to(x, {100000, 300}) * 2, y + 1);
  ASSERT_EQ(large.kernels.size(), 2u);
  EXPECT_EQ(large.costs().launches, 2);
  const lf::array<float, 1, TypeParam> none_there(lf::shape(0));
  EXPECT_EQ(lf::plan(none_there + 1, y + 1).costs().launches, 1);
}

}  // namespace
