// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random shapes, slices, permutations, broadcasts and overlaps against the index loops of support/tensor.hpp.
// Seeds are fixed; a failure names the seed of its case.
#include "support/arrays.hpp"

#include <algorithm>
#include <random>

namespace {

using test::extents;

template <class Space>
class properties : public test::on<Space> {};
TYPED_TEST_SUITE(properties, test::every_space, test::space_name);

constexpr int cases = 60;

class dice {
 public:
  explicit dice(unsigned seed) : random_(seed) {}
  /// Uniform in [low, high].
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool coin() { return (*this)(0, 1) == 1; }

  extents shape(int rank, std::int64_t low, std::int64_t high) {
    extents s;
    for (int k = 0; k < rank; ++k) s.push_back((*this)(low, high));
    return s;
  }
  test::tensor<std::int32_t> tensor(const extents& s) {
    return test::generate<std::int32_t>(s, [&](const extents&) { return (*this)(-1000, 1000); });
  }

 private:
  std::mt19937_64 random_;
};

/// One axis of a slice as the user writes it, and as a loop reads it.
struct random_slice {
  lf::range written{0, 0};
  test::strided read{0, 1, 0};

  random_slice(dice& d, std::int64_t extent) {
    const std::int64_t steps[] = {1, 1, 1, 2, 3, -1, -1, -2, -3};
    const std::int64_t step = steps[d(0, 8)];
    // bounds may lie outside the axis
    const std::int64_t start = d(-extent - 2, extent + 2), stop = d(-extent - 2, extent + 2);
    const bool whole_start = d(0, 3) == 0, whole_stop = d(0, 3) == 0;
    written = lf::range(whole_start ? lf::range_bound(lf::none) : lf::range_bound(start),
                        whole_stop ? lf::range_bound(lf::none) : lf::range_bound(stop), step);
    // Python's rule, spelled out: walk and keep what lies inside
    std::int64_t first = whole_start ? (step > 0 ? 0 : extent - 1) : (start < 0 ? start + extent : start);
    std::int64_t last = whole_stop ? (step > 0 ? extent : -1) : (stop < 0 ? stop + extent : stop);
    if (step > 0) first = std::max<std::int64_t>(first, 0), last = std::min(last, extent);
    if (step < 0) first = std::min(first, extent - 1), last = whole_stop ? last : std::max<std::int64_t>(last, -1);
    std::int64_t count = 0;
    for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) ++count;
    read = {first, step, count};
  }
};

TYPED_TEST(properties, a_slice_reads_what_a_loop_reads) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed);
    const extents s = d.shape(3, 1, 9);
    const auto t = d.tensor(s);
    const auto x = test::array_of<TypeParam, 3>(t);
    const random_slice a(d, s[0]), b(d, s[1]), c(d, s[2]);
    EXPECT_TRUE(test::evaluates_to(x(a.written, b.written, c.written) + 0, test::slice(t, {a.read, b.read, c.read})))
        << "seed " << seed;
  }
}

TYPED_TEST(properties, a_slice_of_a_slice_composes) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed + 1000);
    const extents s = d.shape(2, 1, 20);
    const auto t = d.tensor(s);
    const auto x = test::array_of<TypeParam, 2>(t);
    const random_slice a(d, s[0]), b(d, s[1]);
    const auto outer = test::slice(t, {a.read, b.read});
    const random_slice c(d, a.read.count), e(d, b.read.count);
    EXPECT_TRUE(
        test::evaluates_to(x(a.written, b.written)(c.written, e.written) + 0, test::slice(outer, {c.read, e.read})))
        << "seed " << seed;
  }
}

TYPED_TEST(properties, a_view_of_an_expression_is_the_expression_of_views) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed + 2000);
    const extents s = d.shape(2, 1, 12);
    const auto t = d.tensor(s), u = d.tensor({d.coin() ? s[0] : 1, d.coin() ? s[1] : 1});
    const auto x = test::array_of<TypeParam, 2>(t), y = test::array_of<TypeParam, 2>(u);
    const auto whole = test::zip<std::int32_t>(t, u, [](int a, int b) { return a - 2 * b; });
    const random_slice a(d, s[0]), b(d, s[1]);
    EXPECT_TRUE(test::evaluates_to((x - y * 2)(a.written, b.written), test::slice(whole, {a.read, b.read})))
        << "seed " << seed;
    EXPECT_TRUE(test::evaluates_to(lf::transpose(x - y * 2)(b.written, a.written),
                                   test::permute(test::slice(whole, {a.read, b.read}), {1, 0})))
        << "seed " << seed;
  }
}

TYPED_TEST(properties, broadcasting_equals_repeating) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed + 3000);
    const extents s = d.shape(3, 1, 7);
    extents a = s, b = {s[1], s[2]};
    for (auto& n : a) n = d(0, 2) == 0 ? 1 : n;
    for (auto& n : b) n = d(0, 2) == 0 ? 1 : n;
    const auto t = d.tensor(a), u = d.tensor(b);
    const auto x = test::array_of<TypeParam, 3>(t);
    const auto y = test::array_of<TypeParam, 2>(u);
    EXPECT_TRUE(test::evaluates_to(x * 3 - y, test::zip<std::int32_t>(t, u, [](int p, int q) { return 3 * p - q; })))
        << "seed " << seed << test::text(a) << test::text(b);
  }
}

TYPED_TEST(properties, permuted_and_sliced_operands_meet) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed + 4000);
    const extents s = d.shape(4, 1, 6);
    const auto t = d.tensor(s), u = d.tensor({s[2], s[0], s[3], s[1]}), v = d.tensor({s[3], s[2], s[1], s[0]});
    const auto x = test::array_of<TypeParam, 4>(t), y = test::array_of<TypeParam, 4>(u),
               z = test::array_of<TypeParam, 4>(v);
    const auto want = test::zip<std::int32_t>(test::zip<std::int32_t>(t, test::permute(u, {1, 3, 0, 2}), std::plus<>()),
                                              test::permute(v, {3, 2, 1, 0}), std::minus<>());
    EXPECT_TRUE(test::evaluates_to(x + lf::permute_dims<1, 3, 0, 2>(y) - lf::transpose(z), want)) << "seed " << seed;
    const random_slice a(d, s[1]), b(d, s[3]);
    EXPECT_TRUE(test::evaluates_to(
        (x + lf::permute_dims<1, 3, 0, 2>(y) - lf::transpose(z))(lf::all, a.written, lf::all, b.written),
        test::slice(want, {{0, 1, s[0]}, a.read, {0, 1, s[2]}, b.read})))
        << "seed " << seed;
  }
}

TYPED_TEST(properties, writing_through_a_slice_equals_a_loop_even_where_it_reads_itself) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed + 5000);
    const extents s = d.shape(2, 2, 14);
    const auto t = d.tensor(s);
    auto x = test::array_of<TypeParam, 2>(t);
    // two windows of one shape, each forwards or backwards, often overlapping
    const std::int64_t rows = d(1, s[0]), columns = d(1, s[1]);
    const std::int64_t r0 = d(0, s[0] - rows), c0 = d(0, s[1] - columns), r1 = d(0, s[0] - rows),
                       c1 = d(0, s[1] - columns);
    const bool back_rows = d.coin(), back_columns = d.coin();
    const auto window = [](std::int64_t start, std::int64_t n, bool back) {
      return back ? lf::range(start + n - 1, start == 0 ? lf::range_bound(lf::none) : lf::range_bound(start - 1), -1)
                  : lf::range(start, start + n);
    };
    x(window(r0, rows, false), window(c0, columns, false)) =
        x(window(r1, rows, back_rows), window(c1, columns, back_columns)) * 3;
    auto want = t;
    const auto source = test::slice(t, {{back_rows ? r1 + rows - 1 : r1, back_rows ? -1 : 1, rows},
                                        {back_columns ? c1 + columns - 1 : c1, back_columns ? -1 : 1, columns}});
    test::for_each_index(source.shape, [&](const extents& i) { want[{r0 + i[0], c0 + i[1]}] = source[i] * 3; });
    EXPECT_TRUE(test::evaluates_to(x, want)) << "seed " << seed;
  }
}

TYPED_TEST(properties, an_update_of_an_array_by_its_own_views_equals_the_update_of_a_copy) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed + 6000);
    const std::int64_t n = d(1, 40);
    const auto t = d.tensor({n, n});
    auto x = test::array_of<TypeParam, 2>(t);
    const bool shared = d.coin();
    const auto sharer = shared ? x : test::array_of<TypeParam, 2>(t);
    switch (d(0, 3)) {
      case 0:
        x = x + x;
        break;
      case 1:
        x = lf::transpose(x) + x;
        break;
      case 2:
        x = lf::flip(x, lf::axis<0>) - x;
        break;
      default:
        x += x(lf::range(0, 1), lf::all);
        break;
    }
    const auto after = test::tensor_of(x);
    EXPECT_TRUE(test::evaluates_to(sharer, t)) << "seed " << seed;
    dice again(seed + 6000);
    (void)again(1, 40), (void)again.tensor({n, n}), (void)again.coin();
    const std::int64_t which = again(0, 3);
    EXPECT_TRUE(test::same(after, test::generate<std::int32_t>({n, n},
                                                               [&](const extents& i) {
                                                                 switch (which) {
                                                                   case 0:
                                                                     return t[i] + t[i];
                                                                   case 1:
                                                                     return t[{i[1], i[0]}] + t[i];
                                                                   case 2:
                                                                     return t[{n - 1 - i[0], i[1]}] - t[i];
                                                                   default:
                                                                     return t[i] + t[{0, i[1]}];
                                                                 }
                                                               })))
        << "seed " << seed;
  }
}

TYPED_TEST(properties, reductions_of_random_views_equal_a_loop) {
  const auto plus = [](std::int64_t a, std::int32_t b) { return a + b; };
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed + 7000);
    const extents s = d.shape(3, 1, 12);
    const auto t = d.tensor(s);
    const auto x = test::array_of<TypeParam, 3>(t);
    const random_slice a(d, s[0]), b(d, s[1]), c(d, s[2]);
    const auto view = lf::permute_dims<2, 0, 1>(x(a.written, b.written, c.written));
    const auto want = test::permute(test::slice(t, {a.read, b.read, c.read}), {2, 0, 1});
    EXPECT_TRUE(test::evaluates_to(lf::sum(view, lf::axis<0>), test::fold<std::int64_t>(want, {0}, 0, plus)))
        << "seed " << seed;
    EXPECT_TRUE(test::evaluates_to(lf::sum(view, lf::axis<1>), test::fold<std::int64_t>(want, {1}, 0, plus)))
        << "seed " << seed;
    EXPECT_TRUE(test::evaluates_to(lf::sum(view, lf::axis<0, 2>), test::fold<std::int64_t>(want, {0, 2}, 0, plus)))
        << "seed " << seed;
    EXPECT_TRUE(test::evaluates_to(lf::sum(view), test::fold<std::int64_t>(want, {0, 1, 2}, 0, plus)))
        << "seed " << seed;
  }
}

TYPED_TEST(properties, reshapes_keep_the_order_of_elements) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    dice d(seed + 8000);
    const std::int64_t a = d(1, 6), b = d(1, 6), c = d(1, 6), e = d(1, 6);
    const auto t = d.tensor({a, b, c, e});
    const auto x = test::array_of<TypeParam, 4>(t);
    EXPECT_TRUE(
        test::evaluates_to(lf::reshape(x, {a * b, c * e}), test::tensor<std::int32_t>({a * b, c * e}, t.values)))
        << "seed " << seed;
    EXPECT_TRUE(test::evaluates_to(lf::reshape(lf::reshape(x, {a * b * c * e}), {e, c, b * a}),
                                   test::tensor<std::int32_t>({e, c, b * a}, t.values)))
        << "seed " << seed;
    EXPECT_TRUE(
        test::evaluates_to(lf::reshape(x + 1, {a, -1}),
                           test::tensor<std::int32_t>(
                               {a, b * c * e}, test::transform<std::int32_t>(t, [](int v) { return v + 1; }).values)))
        << "seed " << seed;
  }
}

}  // namespace
