// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assign(tie(x, y), e1, e2): all of the values before, in the kernels that materialize needs, in place where that is
// safe; all or nothing. As Python's x, y = e1, e2 over NumPy's arrays.
#include "support/reference_data.hpp"
#include "support/resources.hpp"

#include <array>
#include <tuple>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::none, lf::range;

template <class Space>
class assigned_together : public test::on<Space> {};
TYPED_TEST_SUITE(assigned_together, test::spaces, test::space_name);

using test::thrown_by, test::values;
template <class Space>
using vector = lf::array<float, 1, Space>;
template <class Space>
using matrix = lf::array<float, 2, Space>;

template <class Space>
matrix<Space> counting(float first, float step = 1, const test::extents& shape = {60, 70}) {
  return test::array_of<Space, 2>(test::counting<float>(shape, first, step));
}
/// What a statement launches and allocates.
struct cost {
  std::int64_t kernels, allocations;
  friend bool operator==(const cost&, const cost&) = default;
  friend std::ostream& operator<<(std::ostream& out, const cost& c) {
    return out << c.kernels << " kernels, " << c.allocations << " allocations";
  }
};
template <class F>
cost cost_of(const F& f) {
  const lf::kernel_trace trace;
  f();
  return {static_cast<std::int64_t>(trace.kernels().size()), trace.allocations()};
}

TYPED_TEST(assigned_together, every_expression_means_the_values_before) {
  vector<TypeParam> x{1, 2, 3}, y{4, 5, 6}, z{7, 8, 9};
  const float* const before = std::as_const(x).data();
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x, y), y, x); }), (cost{1, 0}));
  EXPECT_TRUE(test::evaluates_to(x, values({4, 5, 6})));
  EXPECT_TRUE(test::evaluates_to(y, values({1, 2, 3})));
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x, y, z), y + x, z - x, x * y); }), (cost{1, 0}));
  EXPECT_TRUE(test::evaluates_to(x, values({5, 7, 9})));
  EXPECT_TRUE(test::evaluates_to(y, values({3, 3, 3})));
  EXPECT_TRUE(test::evaluates_to(z, values({4, 10, 18})));
  EXPECT_EQ(std::as_const(x).data(), before);
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x), x * 2); }), (cost{1, 0}));
  EXPECT_TRUE(test::evaluates_to(x, values({10, 14, 18})));
}
TYPED_TEST(assigned_together, arrays_of_every_size_change_places) {
  for (const std::int64_t n : {1, 15, 64, 1000, 300000, 3000000}) {
    const auto a = test::counting<float>({n}), b = test::counting<float>({n}, -5, 0.5f);
    auto x = test::array_of<TypeParam, 1>(a), y = test::array_of<TypeParam, 1>(b);
    EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x, y), y, x); }), (cost{1, 0}));
    EXPECT_TRUE(test::evaluates_to(x, b));
    EXPECT_TRUE(test::evaluates_to(y, a));
  }
}
TYPED_TEST(assigned_together, arrays_change_places_whatever_computes_them) {
  const auto w = counting<TypeParam>(-9, 0.25f);
  const auto change = [](const char* text, auto x, auto y, const auto& of_y, const auto& of_x) {
    SCOPED_TRACE(text);
    const auto kernels = cost_of([&] { (void)lf::materialize(of_y(y), of_x(x)); }).kernels;
    const auto first = test::tensor_of(of_y(y)), second = test::tensor_of(of_x(x));
    EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x, y), of_y(y), of_x(x)); }), (cost{kernels, kernels - 1}));
    EXPECT_TRUE(test::evaluates_to(x, first, test::within{4, 1e-4}));
    EXPECT_TRUE(test::evaluates_to(y, second, test::within{4, 1e-4}));
  };
  const auto matrices = [&](const char* text, const auto& of_y, const auto& of_x) {
    change(text, counting<TypeParam>(3), counting<TypeParam>(-7, 0.5f), of_y, of_x);
  };
  matrices(
      "transforms", [&](auto& y) { return y + w; }, [&](auto& x) { return x * w; });
  matrices(
      "operands in another order", [&](auto& y) { return y + w(all, range(none, none, -1)); },
      [&](auto& x) { return x - w(range(none, none, -1)); });
  matrices(
      "rows", [&](auto& y) { return y + (w - lf::mean(w, axis<1>, keepdims)); },
      [&](auto& x) { return x * (w / lf::max(w, axis<1>, keepdims)); });
  matrices(
      "rows side by side", [&](auto& y) { return y + (w - lf::mean(w, axis<0>)); },
      [&](auto& x) { return x * (w / lf::max(w, axis<0>)); });
  matrices(
      "scans", [&](auto& y) { return y + lf::cumsum(w, axis<1>); },
      [&](auto& x) { return x - lf::cummax(w, axis<1>); });
  const auto vectors = [&](const char* text, std::int64_t n, const auto& of_y, const auto& of_x) {
    change(text, test::array_of<TypeParam, 1>(test::counting<float>({n})),
           test::array_of<TypeParam, 1>(test::counting<float>({n}, -4, 0.5f)), of_y, of_x);
  };
  vectors(
      "reductions of rows", 60, [&](auto& y) { return y + lf::sum(w, axis<1>); },
      [&](auto& x) { return x - lf::max(w, axis<1>); });
  vectors(
      "reductions of columns", 70, [&](auto& y) { return y + lf::sum(w, axis<0>); },
      [&](auto& x) { return x - lf::max(w, axis<0>); });
}

/// What p, m and v are after one step of Adam.
struct adam {
  template <class P, class M, class V, class G>
  auto operator()(const P& p, const M& m, const V& v, const G& g) const {
    const auto m2 = 0.875f * m + 0.125f * g;
    const auto v2 = 0.9375f * v + 0.0625f * g * g;
    return std::tuple(p - 0.125f * m2 / (lf::sqrt(v2) + 0.0009765625f), m2, v2);
  }
};
/// Three steps in place, each one kernel that asks for `reads` bytes, of each array once where values are known.
template <class Space, class F>
void expect_adam(const F& function, std::int64_t reads) {
  const test::reference_data answers("optimizers");
  const auto array = [&](const char* name) { return test::array_of<Space, 2>(answers.get<float>(name)); };
  auto p = array("p"), m = array("m"), v = array("v");
  const auto g = array("g");
  for (int step = 1; step <= 3; ++step) {
    const lf::kernel_trace trace;
    auto [p2, m2, v2] = function(p, m, v, g);
    lf::assign(lf::tie(p, m, v), std::move(p2), std::move(m2), std::move(v2));
    EXPECT_EQ(trace.allocations(), 0);
    ASSERT_EQ(trace.launches(), 1);
    const auto kernel = trace.kernels()[0];
    EXPECT_EQ(kernel.bytes_read, (test::planned_by_values<Space> ? 16 : reads) * p.size());
    EXPECT_EQ(kernel.bytes_distinct + kernel.bytes_written, 28 * p.size());
    const auto is = [&](const char* name, const auto& x) {
      const auto want = test::transform<float>(answers.get<double>(name + ("/" + std::to_string(step))),
                                               [](double w) { return static_cast<float>(w); });
      EXPECT_TRUE(test::evaluates_to(x, want, test::within{8, 1e-6})) << name << " after step " << step;
    };
    is("p", p);
    is("m", m);
    is("v", v);
  }
}
TYPED_TEST(assigned_together, adam_is_one_kernel_in_place_and_as_numpy_says) {
  expect_adam<TypeParam>(adam{}, 24);  // g three times
  expect_adam<TypeParam>(lf::fuse(adam{}), 16);
}
TYPED_TEST(assigned_together, an_expression_that_is_kept_holds_the_values_it_read) {
  vector<TypeParam> x{1, 2, 3}, y{4, 5, 6};
  const auto kept = x + 1;
  const auto copy = y;
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x, y), kept * 2, y + x); }), (cost{1, 2}));
  EXPECT_TRUE(test::evaluates_to(x, values({4, 6, 8})));
  EXPECT_TRUE(test::evaluates_to(y, values({5, 7, 9})));
  EXPECT_TRUE(test::evaluates_to(kept, values({2, 3, 4})));
  EXPECT_TRUE(test::evaluates_to(copy, values({4, 5, 6})));
  const auto still = x;
  auto once = x + 10;
  lf::assign(lf::tie(x, y), std::move(once), std::move(once));
  EXPECT_TRUE(test::evaluates_to(still, values({4, 6, 8})));
  EXPECT_TRUE(test::evaluates_to(y, values({14, 16, 18})));
  x = still;
  vector<TypeParam> z = x;  // two names of one memory
  lf::assign(lf::tie(x, z), z + 1, x * 0);
  EXPECT_TRUE(test::evaluates_to(x, values({5, 7, 9})));
  EXPECT_TRUE(test::evaluates_to(z, values({0, 0, 0})));
}

TYPED_TEST(assigned_together, fields_that_are_read_at_other_places_get_new_memory) {
  const std::int64_t n = 50;
  const auto u0 = test::counting<float>({n, n}, 1, 0.01f), v0 = test::counting<float>({n, n}, 3, -0.001f);
  auto u = test::array_of<TypeParam, 2>(u0), v = test::array_of<TypeParam, 2>(v0);
  const auto laplacian = [](const auto& x) {
    return lf::roll(x, 1, axis<0>) + lf::roll(x, -1, axis<0>) + lf::roll(x, 1, axis<1>) + lf::roll(x, -1, axis<1>) -
           4 * x;
  };
  EXPECT_EQ(cost_of([&] {
              const auto reaction = u * v * v;
              lf::assign(lf::tie(u, v), u + 0.125f * laplacian(u) - reaction, v + 0.0625f * laplacian(v) + reaction);
            }),
            (cost{1, 2}));
  const auto at = [&](const auto& x, const test::extents& i) { return x[{(i[0] + n) % n, (i[1] + n) % n}]; };
  const auto step = [&](const auto& x, float rate, float sign) {
    return test::generate<float>({n, n}, [&](const test::extents& i) {
      const float around = at(x, {i[0] - 1, i[1]}) + at(x, {i[0] + 1, i[1]}) + at(x, {i[0], i[1] - 1}) +
                           at(x, {i[0], i[1] + 1}) - 4 * x[i];
      return x[i] + rate * around + sign * (u0[i] * v0[i] * v0[i]);
    });
  };
  EXPECT_TRUE(test::evaluates_to(u, step(u0, 0.125f, -1), test::within{4, 1e-4}));
  EXPECT_TRUE(test::evaluates_to(v, step(v0, 0.0625f, 1), test::within{4, 1e-4}));
}
TYPED_TEST(assigned_together, only_what_the_last_kernel_writes_is_in_place) {
  vector<TypeParam> x{1, 2, 3}, y{4, 5};
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x, y), x + 1, y + x(range(0, 2))); }), (cost{2, 1}));
  EXPECT_TRUE(test::evaluates_to(x, values({2, 3, 4})));
  EXPECT_TRUE(test::evaluates_to(y, values({5, 7})));
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(y, x), y + x(range(1, 3)), x * 10); }), (cost{2, 1}));
  EXPECT_TRUE(test::evaluates_to(x, values({20, 30, 40})));
  EXPECT_TRUE(test::evaluates_to(y, values({8, 11})));
  lf::array<float, 0, TypeParam> total;
  lf::assign(lf::tie(x, total), x - 20, lf::sum(x));
  EXPECT_TRUE(test::evaluates_to(x, values({0, 10, 20})));
  EXPECT_EQ(total.item(), 90.0f);
  lf::assign(lf::tie(total, x), total + lf::sum(x), x / total);
  EXPECT_EQ(total.item(), 120.0f);
  EXPECT_TRUE(test::evaluates_to(x, test::tensor_of(vector<TypeParam>{0, 10, 20} / 90)));
  const auto w = counting<TypeParam>(1);
  auto a = counting<TypeParam>(0), b = counting<TypeParam>(5);
  const auto of_b = test::tensor_of(lf::barrier(a * 2) + lf::sum(a, axis<0>) / lf::sum(w, axis<1>, keepdims));
  lf::assign(lf::tie(a, b), a + 1, lf::barrier(a * 2) + lf::sum(a, axis<0>) / lf::sum(w, axis<1>, keepdims));
  EXPECT_TRUE(test::evaluates_to(a, test::counting<float>({60, 70}, 1)));
  EXPECT_TRUE(test::evaluates_to(b, of_b, test::within{4, 1e-5}));
}
TYPED_TEST(assigned_together, they_are_the_kernels_that_materialize_is) {
  const auto x = counting<TypeParam>(1), w = counting<TypeParam>(3);
  const auto each = [&](const auto& first, const auto& second) {
    lf::array a = lf::materialize(first);
    lf::array b = lf::materialize(second);
    a = lf::zeros_like(a);
    b = lf::zeros_like(b);
    const cost wanted = cost_of([&] { (void)lf::materialize(first, second); });
    const cost c = cost_of([&] { lf::assign(lf::tie(a, b), first, second); });
    EXPECT_EQ(c.kernels, wanted.kernels);
    EXPECT_TRUE(test::evaluates_to(a, test::tensor_of(first), test::within{4, 1e-6}));
    EXPECT_TRUE(test::evaluates_to(b, test::tensor_of(second), test::within{4, 1e-6}));
  };
  const auto y = x + w;
  const auto s = lf::sum(y, axis<1>, keepdims);
  each(y, y * 2);
  each(y, lf::max(y, axis<1>));
  each(lf::min(x), lf::mean(x));
  each(s, y / s);
  each(x - lf::mean(x, axis<0>), lf::mean(x, axis<0>));
  each(y, lf::sum(w + w, axis<1>));
}

TYPED_TEST(assigned_together, types_and_numbers_convert_as_assigned) {
  const vector<TypeParam> x{1, 2, 3};
  lf::array<double, 1, TypeParam> d{0, 0, 0};
  lf::array<lf::half, 1, TypeParam> h{lf::half(1), lf::half(2), lf::half(3)};
  vector<TypeParam> y{1, 2, 3};
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(d, h, y), x / 2, h + h, x + h); }), (cost{1, 0}));
  EXPECT_TRUE(test::evaluates_to(d, test::tensor<double>({3}, {0.5, 1, 1.5})));
  EXPECT_TRUE(test::evaluates_to(lf::cast<float>(h), values({2, 4, 6})));
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
  lf::assign(lf::tie(d, y), 2, lf::c<3>);
  EXPECT_TRUE(test::evaluates_to(d, test::tensor<double>({3}, {2, 2, 2})));
  EXPECT_TRUE(test::evaluates_to(y, values({3, 3, 3})));
}
TYPED_TEST(assigned_together, an_array_takes_the_shape_of_its_expression) {
  vector<TypeParam> x{1, 2, 3}, y;
  lf::assign(lf::tie(x, y), x(range(1, 3)), x * 2);
  EXPECT_TRUE(test::evaluates_to(x, values({2, 3})));
  EXPECT_TRUE(test::evaluates_to(y, values({2, 4, 6})));
  lf::assign(lf::tie(x, y), lf::arange<float>(0), y + 1);
  EXPECT_EQ(x.size(), 0);
  EXPECT_TRUE(test::evaluates_to(y, values({3, 5, 7})));
  lf::assign(lf::tie(x, y), 1, x);
  EXPECT_EQ(x.size() + y.size(), 0);
}

TYPED_TEST(assigned_together, new_memory_is_that_of_the_scope) {
  test::counting_resource<TypeParam> resource;
  vector<TypeParam> x{1, 2, 3}, y{4, 5, 6};
  lf::assign(lf::memory_scope(TypeParam{}, resource), lf::tie(x, y), lf::flip(y), x);
  EXPECT_EQ(resource.live, 1);
  EXPECT_TRUE(test::evaluates_to(x, values({6, 5, 4})));
  EXPECT_TRUE(test::evaluates_to(y, values({1, 2, 3})));
  x = {};
  y = {};
}

TYPED_TEST(assigned_together, slices_are_written_in_place) {
  auto x = test::array_of<TypeParam, 2>(test::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x(0), x(2)), x(2), x(0)); }), (cost{1, 0}));
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({3, 2}, {5, 6, 3, 4, 1, 2})));
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(x(all, 0), x(all, 1)), x(all, 1), x(all, 0) * 10); }), (cost{1, 0}));
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({3, 2}, {6, 50, 4, 30, 2, 10})));
  vector<TypeParam> y{1, 2};
  lf::assign(lf::tie(x(1), y, x(range(0, 1), all)), 7, x(2) + y, y);
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({3, 2}, {1, 2, 7, 7, 2, 10})));
  EXPECT_TRUE(test::evaluates_to(y, values({3, 12})));
  lf::array<lf::complex<float>, 1, TypeParam> z{{1, 2}, {3, 4}};
  EXPECT_EQ(cost_of([&] { lf::assign(lf::tie(lf::real(z), lf::imag(z)), lf::imag(z), -lf::real(z)); }), (cost{1, 0}));
  EXPECT_TRUE(test::evaluates_to(lf::real(std::as_const(z)), values({2, 4})));
  EXPECT_TRUE(test::evaluates_to(lf::imag(std::as_const(z)), values({-1, -3})));
}
TYPED_TEST(assigned_together, slices_that_are_read_elsewhere_or_shared_leave_the_old_memory) {
  auto x = test::array_of<TypeParam, 2>(test::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  lf::assign(lf::tie(x(0), x(1)), x(1), x(0) + lf::sum(x, axis<0>));
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({3, 2}, {3, 4, 10, 14, 5, 6})));
  const auto copy = x;
  vector<TypeParam> y{1, 2};
  lf::assign(lf::tie(x(2), y, x(0)), x(0), x(2), 0);
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({3, 2}, {0, 0, 10, 14, 3, 4})));
  EXPECT_TRUE(test::evaluates_to(y, values({5, 6})));
  EXPECT_TRUE(test::evaluates_to(copy, test::tensor<float>({3, 2}, {3, 4, 10, 14, 5, 6})));
  lf::assign(lf::tie(x(range(0, 0), all), x(range(3, 3), all)), 1, 2);
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({3, 2}, {0, 0, 10, 14, 3, 4})));
  const auto sums = x + copy;  // read where they lie
  lf::assign(lf::tie(x(all, range(0, 1)), y), lf::sum(sums, axis<1>, keepdims), lf::max(sums, axis<0>));
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({3, 2}, {7, 0, 48, 14, 18, 4})));
  EXPECT_TRUE(test::evaluates_to(y, values({20, 28})));
}

TYPED_TEST(assigned_together, an_element_that_is_named_twice_is_refused) {
  auto x = test::array_of<TypeParam, 2>(test::counting<float>({4, 6}));
  vector<TypeParam> y{1, 2};
  const auto before = test::tensor_of(x);
  const auto refused = [&](const auto& f) {
    EXPECT_EQ(
        thrown_by<lf::index_error>(f).find("assign: tie names an element twice, and each can be assigned to once"), 0u);
    EXPECT_TRUE(test::evaluates_to(x, before));
  };
  const auto taken = [&](const auto& f) {
    EXPECT_NO_THROW(f());
    x = test::array_of<TypeParam, 2>(before);
  };
  refused([&] { lf::assign(lf::tie(x, x), x, x + 1); });
  refused([&] { lf::assign(lf::tie(x, y, x(0)), x, y, 1); });
  refused([&] { lf::assign(lf::tie(x(0), x(all, 1)), 1, 2); });
  refused([&] { lf::assign(lf::tie(x(range(0, 2)), x(range(1, 3))), 1, 2); });
  refused([&] { lf::assign(lf::tie(x(all, range(0, none, 2)), x(all, range(0, none, 3))), 1, 2); });
  refused([&] { lf::assign(lf::tie(x(range(none, none, -1)), x(3, 5)), 1, 2); });
  taken([&] { lf::assign(lf::tie(x(range(0, 2)), x(range(2, 4))), 1, 2); });
  taken([&] { lf::assign(lf::tie(x(all, range(0, none, 2)), x(all, range(1, none, 2))), 1, 2); });
  taken([&] { lf::assign(lf::tie(x(range(0, none, 2), range(0, none, 2)), x(range(1, none, 2), all)), 1, 2); });
  taken([&] { lf::assign(lf::tie(x(0, range(0, 3)), x(0, range(3, 6)), x(range(1, none), 2)), 1, 2, 3); });
}
// The test of common elements against one that enumerates them.
TYPED_TEST(assigned_together, slices_overlap_where_they_have_common_elements) {
  auto x = test::array_of<TypeParam, 2>(test::counting<float>({5, 7}));
  using span = std::array<std::int64_t, 3>;
  const auto spans = [](std::int64_t n) {
    return std::vector<span>{{0, n, 1}, {0, n, 2}, {1, n, 2}, {2, n, 3}, {n - 1, 0, -2}, {3, 4, 1}, {2, 2, 1}};
  };
  const auto common = [](const span& a, const span& b, std::int64_t n) {
    const auto holds = [](const span& s, std::int64_t i) {
      return s[2] > 0 ? i >= s[0] && i < s[1] && (i - s[0]) % s[2] == 0
                      : i <= s[0] && i > s[1] && (s[0] - i) % -s[2] == 0;
    };
    for (std::int64_t i = 0; i < n; ++i)
      if (holds(a, i) && holds(b, i)) return true;
    return false;
  };
  const auto of = [&](const span& r, const span& c) { return x(range(r[0], r[1], r[2]), range(c[0], c[1], c[2])); };
  for (const span& r : spans(5))
    for (const span& c : spans(7))
      for (const span& r2 : spans(5))
        for (const span& c2 : spans(7)) {
          const auto a = of(r, c), b = of(r2, c2);
          EXPECT_EQ(lf::tie_detail::elements_of(a.tree).overlaps(lf::tie_detail::elements_of(b.tree)),
                    common(r, r2, 5) && common(c, c2, 7));
        }
}
TYPED_TEST(assigned_together, what_throws_leaves_all_as_it_was) {
  vector<TypeParam> x{1, 2, 3}, y{4, 5, 6}, z{7, 8};
  const auto kept = [&](const auto& f) {
    EXPECT_THROW(f(), lf::error);
    EXPECT_TRUE(test::evaluates_to(x, values({1, 2, 3})));
    EXPECT_TRUE(test::evaluates_to(y, values({4, 5, 6})));
    EXPECT_TRUE(test::evaluates_to(z, values({7, 8})));
  };
  kept([&] { lf::assign(lf::tie(x, y, z(all)), y, x, x); });
  auto view = x(range(0, 2));
  y = x;
  x(0) = 1;  // other memory than y's
  y = vector<TypeParam>{4, 5, 6};
  kept([&] { lf::assign(lf::tie(y, std::move(view)), x, 0); });
}

}  // namespace
