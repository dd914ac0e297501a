// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays on the GPU in a file that a C++ compiler compiles: every kernel is made when the program runs. Kernels are
// compiled for the stand-in's device, and launched, but not run.
#include "support/failing_new.hpp"
#include "support/standin_programs.hpp"

#include <lazyfuse/batch.hpp>
#include <lazyfuse/cuda.hpp>
#include <lazyfuse/select.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace {

namespace lf = lazyfuse;
using lf::axis, lf::newaxis, lf::none, lf::range, lf::end, lf::all;
template <int R, class T = float>
using array = lf::array<T, R>;
static_assert(std::is_same_v<array<1>::space, lf::cuda>);

class without_nvcc : public test::by_standin {};
using test::launched_now;
template <int R, class T = float>
array<R, T> of(const lf::shape<R>& s) {
  return array<R, T>(s);
}

TEST_F(without_nvcc, all_patterns_are_made) {
  const auto x = of(lf::shape(1000)), y = of(lf::shape(1000));
  const auto a = of(lf::shape(100, 100)), b = of(lf::shape(100, 100));
  const auto u = of(lf::shape(20, 30, 40));
  const auto i = of<1, int>(lf::shape(1000));
  const auto c = of<1, lf::complex<float>>(lf::shape(1000));
  const auto v = of<1, lf::vec<float, 3>>(lf::shape(1000));
  const auto h = of<2, lf::half>(lf::shape(64, 256));
  auto r = of(lf::shape(1000));
  auto m = of(lf::shape(100, 100));
  auto row = of(lf::shape(100));
  array<0> one;
  std::vector<array<1>> few{of(lf::shape(3)), of(lf::shape(70001))}, many(3000, of(lf::shape(5)));
  std::vector<array<1, lf::half>> many_halves(3000, of<1, lf::half>(lf::shape(5)));
  const auto inner = range(1, -1);
  const struct {
    const char* kernels;
    std::function<void()> evaluate;
  } table[] = {
      {"transform_flat", [&] { r = x + 1; }},
      {"transform_flat", [&] { r = 2.5f; }},
      {"transform_flat", [&] { r = lf::where(x > y, lf::sqrt(x), lf::exp(-y)); }},
      {"transform_flat", [&] { r += lf::arange<float>(1000) * lf::linspace(0.0f, 1.0f, 1000); }},
      {"transform_flat", [&] { lf::array z = lf::conj(c) * c; }},
      {"transform_flat", [&] { lf::array z = lf::bitwise_and(i, 7) == 3; }},
      {"transform_flat", [&] { lf::array z = lf::vec_of(lf::component<2>(v), x) * 2; }},
      {"transform_flat", [&] { r = lf::random::normal<float>({1000}, lf::seed{42}); }},
      {"transform_flat", [&] { r = x * lf::random::uniform<float>({1000}, lf::seed{42}); }},
      {"transform_packed", [&] { lf::for_each_zip(few, few, [](auto p, auto q) { return p * 2 + q; }); }},
      {"transform_packed",
       [&] {
         lf::for_each_zip(many, many_halves,
                          [](auto p, auto q) { return std::tuple(p - 0.5f * lf::cast<float>(q), q); });
       }},
      {"transform_packed",
       [&] { lf::for_each_zip(many, std::vector<float>(3000), [](auto p, auto rate) { return p * rate; }); }},
      {"rows_packed", [&] { lf::for_each_zip(few, few, [](auto, auto q) { return lf::softmax(q); }); }},
      {"rows_packed",
       [&] {
         lf::for_each_zip(many, many_halves, [](auto p, auto q) {
           const auto part = p / lf::sum(p * p);
           return std::tuple(part - lf::max(part), lf::cast<lf::half>(p * lf::sum(lf::cast<float>(q))));
         });
       }},
      {"transform_strided", [&] { m = lf::transpose(a) + b; }},
      {"transform_strided", [&] { m = a + x(range(0, 100)); }},
      {"transform_flat", [&] { m = lf::roll(a, 3, axis<1>) - a; }},
      {"transform_strided",
       [&] { m(inner, inner) = a(range(0, -2), inner) + a(range(2, end), inner) - b(inner, inner); }},
      {"transform_stencil",
       [&] {
         m(inner, inner) = a(range(0, -2), inner) + a(range(2, end), inner) + a(inner, range(0, -2)) +
                           a(inner, range(2, end)) - 4 * a(inner, inner);
       }},
      {"rows_in_registers",
       [&] {
         m = lf::softmax(a * 2 + b + lf::random::normal<float>({100, 100}, lf::seed{6}), axis<1>) * x(0);
       }},
      {"reduce_rows", [&] { one = lf::sum(x); }},
      {"reduce_rows", [&] { one = lf::sum(a * b + 1); }},
      {"reduce_rows", [&] { (void)lf::max(a).item(); }},
      {"reduce_rows", [&] { row = lf::mean(a, axis<1>); }},
      {"reduce_columns", [&] { row = lf::sum(a, axis<0>); }},
      {"reduce_rows", [&] { lf::array z = lf::argmax(u, axis<2>); }},
      {"reduce_rows", [&] { auto [low, high] = lf::materialize(lf::min(x), lf::max(x)); }},
      {"transform_flat", [&] { auto [s, t] = lf::materialize(x + y, x - y); }},
      {"rows_in_registers", [&] { m = lf::softmax(a, axis<1>); }},
      {"rows_in_registers", [&] { lf::array z = lf::softmax(h, axis<1>); }},
      {"rows_in_registers", [&] { m = lf::softmax(a, axis<1>) + lf::softmax(b, axis<1>); }},
      {"rows_in_registers", [&] { m = (a - lf::mean(a, axis<1>, lf::keepdims)) / lf::std(a, axis<1>, lf::keepdims); }},
      {"rows_by_teams", [&] { m = a - lf::sum(a, axis<0>); }},
      {"scan_tiles", [&] { r = lf::cumsum(x * y) / 2; }},
      {"scan_rows", [&] { m = lf::cumsum(a, axis<1>); }},
      {"scan_columns", [&] { m = lf::cumsum(a, axis<0>, lf::exclusive); }},
      {"scan_rows", [&] { m = lf::cumsum(a, axis<1>) + lf::cumprod(a, axis<1>); }},
  };
  for (const auto& [kernels, evaluate] : table) {
    const long before = lf::kernels_compiled();
    standin::reset();
    evaluate();
    EXPECT_EQ(launched_now(), kernels);
    const long compiled = lf::kernels_compiled() - before;
    EXPECT_GT(compiled, 0) << kernels;
    evaluate();
    EXPECT_EQ(launched_now(), kernels);
    EXPECT_EQ(lf::kernels_compiled(), before + compiled) << kernels << " is there already";
  }
}

TEST_F(without_nvcc, all_reductions_are_made) {
  const auto x = of(lf::shape(100, 100));
  const auto i = of<2, int>(lf::shape(100, 100));
  const auto c = of<2, lf::complex<float>>(lf::shape(100, 100));
  const auto h = of<2, lf::bfloat16>(lf::shape(100, 100));
  const auto all_of_reals = [&](const auto& a) {
    EXPECT_NO_THROW((void)lf::materialize(lf::sum(a), lf::prod(a), lf::min(a), lf::max(a), lf::mean(a)));
    EXPECT_NO_THROW((void)lf::materialize(lf::var(a), lf::std(a, lf::ddof{1}), lf::norm(a)));
    EXPECT_NO_THROW((void)lf::materialize(lf::argmin(a), lf::argmax(a), lf::all(a), lf::any(a), lf::count_nonzero(a)));
    EXPECT_NO_THROW((void)lf::materialize(lf::nanmin(a), lf::nanmax(a)));
    EXPECT_NO_THROW((void)lf::materialize(lf::nansum(a), lf::nanprod(a), lf::nanmean(a)));
    EXPECT_NO_THROW((void)lf::materialize(lf::nanvar(a), lf::nanstd(a)));
  };
  all_of_reals(x);
  all_of_reals(h);
  all_of_reals(i);
  EXPECT_NO_THROW((void)lf::materialize(lf::sum(c), lf::prod(c), lf::mean(c), lf::var(c), lf::norm(c)));
}

TEST_F(without_nvcc, selections_are_one_kernel) {
  const auto x = of(lf::shape(1000)), y = of(lf::shape(1000));
  const auto a = of(lf::shape(100, 100));
  const auto h = of<1, lf::half>(lf::shape(1000));
  const auto m = of<1, bool>(lf::shape(1000));
  const auto v = of<1, lf::vec<float, 3>>(lf::shape(1000));
  const auto i = of<1, int>(lf::shape(1000));
  const lf::lazy_array<float, 1> e = x * 2 + 1;
  const struct {
    const char* kernels;
    std::function<void()> evaluate;
  } table[] = {
      {"select_tiles", [&] { lf::array z = x(x > 1) * 2 + 1; }},
      {"select_tiles", [&] { lf::array z = lf::sqrt(x(m)); }},
      {"select_tiles", [&] { lf::array z = x(range(1, none))(y(range(0, -1)) > 0); }},
      {"select_tiles", [&] { lf::array z = a(all, range(none, none, 2))(a(all, range(none, none, 2)) > 0); }},
      {"transform_strided select_tiles", [&] { lf::array z = a.T()(a.T() > 0); }},
      {"select_tiles", [&] { lf::array z = (a + x(range(0, 100)))(a > 0); }},
      {"select_tiles", [&] { lf::array z = h(h > lf::half(1.0f)); }},
      {"select_tiles", [&] { lf::array z = v(m); }},
      {"select_tiles", [&] { lf::array z = lf::flatnonzero(a); }},
      {"select_tiles", [&] { lf::array z = x(i)(m) + 1; }},
      {"select_tiles", [&] { lf::array z = lf::random::uniform<float>({1000}, lf::seed{1})(m); }},
      {"reduce_rows select_tiles", [&] { lf::array z = x(x > lf::mean(x)); }},
      {"transform_flat select_tiles", [&] { lf::array z = e(e > 0); }},
  };
  for (const auto& [kernels, evaluate] : table) {
    standin::reset();
    evaluate();  // no kernel is run, and none of the elements selected
    EXPECT_EQ(launched_now(), kernels);
  }
}

TEST_F(without_nvcc, gathers_are_made) {
  const auto x = of(lf::shape(1000));
  const auto a = of(lf::shape(100, 100)), b = of(lf::shape(50, 100));
  const auto h = of<2, lf::half>(lf::shape(60, 30));
  const auto i = of<1, int>(lf::shape(40));
  const lf::lazy_array<float, 2> e = a * 2 + 1;
  const struct {
    const char* kernels;
    std::function<void()> evaluate;
  } table[] = {
      {"transform_flat", [&] { lf::array z = lf::take(x, i) * 2; }},
      {"transform_flat", [&] { lf::array z = lf::take(x, i * 2 + 1) + lf::take(x, i * 2 + 1); }},
      {"transform_strided", [&] { lf::array z = lf::take(a, i, axis<0>); }},
      {"transform_strided", [&] { lf::array z = lf::take(h.T(), i, axis<1>); }},
      {"transform_flat", [&] { lf::array z = lf::take(a.T(), i); }},
      {"transform_strided", [&] { lf::array z = lf::take(lf::roll(a, 1), i, axis<1>); }},
      {"transform_flat", [&] { lf::array z = lf::repeat(x, 3); }},
      {"transform_strided",
       [&] {
         lf::array z = lf::tile(a, {2, 2});
       }},
      {"transform_strided",
       [&] {
         lf::array z = lf::pad(a, {{1, 1}, {2, 2}}) + 1;
       }},
      {"transform_strided",
       [&] {
         lf::array z = lf::pad<lf::padding::reflect>(a, {{1, 1}, {2, 2}});
       }},
      {"transform_strided", [&] { lf::array z = lf::concat(a, b) * 2; }},
      {"reduce_rows", [&] { lf::array z = lf::sum(lf::take(a, i, axis<0>), axis<1>); }},
      {"rows_in_registers", [&] { lf::array z = lf::softmax(lf::take(a, i, axis<0>), axis<1>); }},
      {"scan_rows", [&] { lf::array z = lf::cumsum(lf::take(a, i, axis<0>), axis<1>); }},
      {"transform_strided", [&] { lf::array z = lf::lazy_array(lf::take(a, i, axis<0>) + 1) * 2; }},
      {"reduce_rows", [&] { lf::array z = lf::sum(lf::lazy_array(lf::take(a, i, axis<0>)) * 2, axis<1>); }},
      {"transform_flat transform_strided", [&] { lf::array z = lf::take(e, i, axis<0>) * 2; }},
  };
  for (int k = 0; const auto& [kernels, evaluate] : table) {
    standin::reset();
    EXPECT_NO_THROW(evaluate()) << k;
    EXPECT_EQ(launched_now(), kernels) << k;
    ++k;
  }
}

TEST_F(without_nvcc, batches_and_loops_are_made) {
  const std::vector<array<2>> xs(40, of(lf::shape(16, 32)));
  const std::vector<array<2, unsigned char>> images(40, of<2, unsigned char>(lf::shape(60, 120)));
  const std::vector<array<1, lf::half>> rows(40, of<1, lf::half>(lf::shape(300)));
  std::vector<array<2>> ys(40);
  const auto x = lf::batch(xs);
  const auto w = of(lf::shape(40));
  const auto step = [&](const auto& e) { return lf::exp(e) * 0.5f + lf::cast<float>(lf::cast<int>(e)) / lf::c<3>; };
  const struct {
    const char* kernels;
    std::function<void()> evaluate;
  } table[] = {
      {"transform_flat", [&] { lf::array z = x * 2 + 1; }},
      {"transform_flat", [&] { lf::array z = (lf::cast<float>(lf::batch(images)) * 0.5f - 3) / 8; }},
      {"transform_strided", [&] { lf::array z = x * w(all, newaxis, newaxis); }},
      {"transform_strided", [&] { lf::array z = x(range(1, none, 2), all, range(none, none, -1)) - 1; }},
      {"transform_flat", [&] { lf::into(ys) = x + 1; }},
      {"reduce_rows", [&] { lf::array z = lf::sum(lf::batch(rows) * 2, axis<1>); }},
      {"rows_in_registers", [&] { lf::array z = lf::softmax(lf::batch(rows), axis<1>); }},
      {"scan_rows", [&] { lf::array z = lf::cumsum(x, axis<2>); }},
      {"transform_strided",
       [&] {
         lf::array z = lf::take(x, lf::array<int, 1>{1, 0, 39}, axis<0>);
       }},
      {"transform_flat", [&] { lf::array z = lf::repeat<5000>(step, w); }},
      {"transform_flat", [&] { lf::array z = lf::repeat<90>([&](const auto& e) { return e * w + 1; }, w); }},
      {"reduce_rows", [&] { lf::array z = lf::sum(lf::iterate(7, step, x), axis<1, 2>); }},
  };
  for (const auto& [kernels, evaluate] : table) {
    standin::reset();
    EXPECT_NO_THROW(evaluate());
    EXPECT_EQ(launched_now(), kernels);
  }
}

TEST_F(without_nvcc, what_is_asked_for_twice_is_computed_once) {
  const auto x = of(lf::shape(1000));
  const lf::lazy_array<float, 1> e = lf::exp(x);
  const lf::kernel_trace t;
  auto results = lf::materialize(e, lf::lazy_array(e(all)), lf::lazy_array(x), lf::lazy_array(x), e * 2);
  EXPECT_EQ(std::tuple_size_v<decltype(results)>, 5u);
  EXPECT_EQ(launched_now(), "transform_flat");
  ASSERT_EQ(t.kernels().size(), 1u);
  EXPECT_EQ(t.kernels()[0].name, "v0 = exp(x0); v0, v0, x0, x0, (v0 * x1)");
}

TEST_F(without_nvcc, evaluations_of_one_type_are_told_apart_by_their_operands) {
  const auto x = of(lf::shape(1000)), y = of(lf::shape(1000)), wide = of(lf::shape(2001));
  auto r = of(lf::shape(1000));
  const auto every_other = wide(range(0, 2000, 2)), from_one = wide(range(1, 1001)), from_none = wide(range(0, 1000));
  const auto product = [&](const auto& a, const auto& b) {
    const lf::kernel_trace t;
    r = a * b + 1;
    const auto kernels = t.kernels();
    return kernels.size() == 1 ? kernels[0].name + " " + std::to_string(kernels[0].bytes_distinct) : "";
  };
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(product(x, y), "((x0 * x1) + x2) 8000");
    EXPECT_EQ(product(x, x), "((x0 * x0) + x1) 4000");
    EXPECT_EQ(product(y, x), "((x0 * x1) + x2) 8000");
    EXPECT_EQ(product(from_one, from_none), "((x0 * x1) + x2) 4004");
    EXPECT_EQ(product(from_one, from_one), "((x0 * x0) + x1) 4000");
    EXPECT_EQ(product(every_other, from_none), "((x0 * x1) + x2) 7996") << "from the first to the last";
    EXPECT_EQ(product(lf::broadcast_to(x(0), {1000}), from_none), "((x0 * x1) + x2) 4004");
  }
}

TEST_F(without_nvcc, results_share_kernels_where_their_values_allow_it) {
  const auto a = of(lf::shape(1000, 300)), b = of(lf::shape(1000, 300));
  const auto x = of(lf::shape(1000));
  const auto m = a * b;
  const auto s = lf::sum(m, axis<1>, lf::keepdims);
  const auto programs = [](const auto&... e) {
    std::string text;
    for (const auto& k : lf::plan(e...).kernels) text += (text.empty() ? "" : " | ") + k.program;
    return text;
  };
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(programs(lf::sum(m), m), "(x0 * x1) | sum(x0)") << "it is read";
    EXPECT_EQ(programs(lf::sum(x), lf::sum(a)), "sum(x0) | sum(x0)");
    EXPECT_EQ(programs(lf::sum(x), lf::max(x), lf::sum(a)), "sum(x0), max(x0) | sum(x0)");
    EXPECT_EQ(programs(m, s, m / s), "v0 = (x0 * x1); v0, (v0 / sum(v0)) | sum(x0)");
    EXPECT_EQ(programs(m, lf::sum(lf::transpose(m), axis<1>)), "(x0 * x1) | sum(x0)") << "with its axes turned";
    EXPECT_EQ(programs(lf::exp(a), lf::cast<double>(lf::exp(a))), "v0 = exp(x0); v0, float64(v0)");
  }
  // Results that have axes of extent 1 where their reductions have none, and one without elements.
  const auto u = of(lf::shape(20, 30, 40));
  const auto steps_of_last = [](const auto&... e) {
    const lf::evaluation_plan p = lf::plan(e...);
    return p.kernels.back().operands[0].steps;
  };
  using steps = std::vector<lf::index_t>;
  const auto high = lf::max(u, axis<2>, lf::keepdims);
  const auto low = lf::min(u, axis<0>, lf::keepdims);
  EXPECT_EQ(steps_of_last(high, lf::sin(high) * u), steps({1, 0}));
  EXPECT_EQ(programs(high, lf::sin(high) * u), "max(x0) | (sin(x0) * x1)");
  EXPECT_EQ(steps_of_last(lf::count_nonzero(lf::tan(low), axis<2>), low), steps({40, 1}));
  EXPECT_EQ(programs(lf::count_nonzero(lf::tan(low), axis<2>), low), "min(x0) | sum(int64(bool(tan(x0))))");
  EXPECT_EQ(programs(lf::sum(u, axis<0, 1, 2>, lf::keepdims), high(range(0, 0)), high), "sum(x0) | max(x0)");
  EXPECT_EQ(lf::plan(x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9).kernels.size(), 2u);
}

/// How often an evaluation asks the host for memory, once it has run twice. The stand-in asks for some; what is planned
/// takes a dozen and more.
long requests_of(const std::function<void()>& evaluate) {
  constexpr int runs = 20;
  evaluate();
  evaluate();
  const long before = test::made;
  for (int n = 0; n < runs; ++n) evaluate();
  return (test::made - before) / runs;
}
TEST_F(without_nvcc, evaluations_of_every_source_are_kept) {
  const auto x = of(lf::shape(1000));
  const auto i = of<1, int>(lf::shape(1000));
  auto r = of(lf::shape(1000));
  auto j = of<1, int>(lf::shape(1000));
  // Sources are compared byte by byte, also where these do not fill them.
  EXPECT_EQ(lf::plan(lf::arange<float>(1000) * x + lf::arange<float>(1000)).kernels[0].operands.size(), 2u);
  EXPECT_EQ(lf::plan(lf::arange<int>(1000) * i + lf::arange<int>(1000)).kernels[0].operands.size(), 2u);
  const auto m = of(lf::shape(100, 100));
  auto n = of(lf::shape(100, 100));
  lf::lazy_array<float, 1> chain = x;
  for (int k = 0; k < 60; ++k) chain = chain * x + 1;
  const std::function<void()> evaluations[] = {
      [&] { r = x * 2 + x; },
      [&] { r = x + lf::linspace(0.0f, 1.0f, 1000); },
      [&] { j = i * lf::arange<int>(1000); },
      [&] { r = x + lf::random::normal<float>({1000}, lf::seed{1}); },
      [&] { n = lf::softmax(m, axis<1>); },
      [&] { r = lf::cumsum(x); },
      [&] { n = lf::transpose(m) + m; },
      [&] { lf::assign(lf::tie(r, n), x * 2, m + 1); },
      [&] { r = chain; },
  };
  for (const auto& evaluate : evaluations) EXPECT_LE(requests_of(evaluate), 8) << &evaluate - evaluations;
}

TEST_F(without_nvcc, what_tune_found_changes_what_evaluations_became) {
  const auto x = of(lf::shape(64, 100));
  const auto launches = [&] {
    standin::reset();
    const lf::array y = x / lf::sum(x, axis<1>, lf::keepdims);
    return standin::launches().size();
  };
  for (int k = 0; k < 3; ++k) EXPECT_EQ(launches(), 1u);
  lf::tune_detail::remember(lf::tune_detail::rows_of(x / lf::sum(x, axis<1>, lf::keepdims)), lf::plan_choice::cut);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(launches(), 2u);
  const long allocations = requests_of([&] { launches(); });
  lf::tune_detail::forget();
  for (int k = 0; k < 3; ++k) EXPECT_EQ(launches(), 1u);
  EXPECT_LE(allocations, 16) << "evaluations are kept where something has been tuned, too";
}

TEST_F(without_nvcc, what_others_have_tuned_is_read_where_something_is_chosen_whatever_was_kept_before) {
  std::string folder = ::testing::TempDir() + "without_nvcc_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ::setenv("LAZYFUSE_CACHE", folder.c_str(), 1);
  const auto x = of(lf::shape(64, 100));
  const auto shares = [&] { const lf::array y = x / lf::sum(x, axis<1>, lf::keepdims); };
  const auto no_choice = [&] { const lf::array y = x * 2 + x; };
  const auto launches_of = [](const std::function<void()>& evaluate) {
    standin::reset();
    evaluate();
    return standin::launches().size();
  };
  lf::tune_detail::keep(lf::tune_detail::rows_of(x / lf::sum(x, axis<1>, lf::keepdims)), lf::plan_choice::cut);
  lf::tune_detail::forget();
  const unsigned unread = lf::tune_detail::changes();
  for (int k = 0; k < 3; ++k) EXPECT_EQ(launches_of(no_choice), 1u);
  EXPECT_EQ(lf::tune_detail::changes(), unread);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(launches_of(shares), 2u);
  EXPECT_NE(lf::tune_detail::changes(), unread);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(launches_of(no_choice), 1u);
  EXPECT_LE(requests_of(shares), 16) << "what was planned while it was read is kept the second time";
  ::setenv("LAZYFUSE_CACHE", "off", 1);
  lf::tune_detail::forget();
  std::filesystem::remove_all(folder);
}

TEST_F(without_nvcc, what_is_computed_first_is_told_apart_however_short_it_lives) {
  const auto a = of(lf::shape(1000, 300)), b = of(lf::shape(1000, 300));
  const auto folded = [](const auto& x) { return lf::reshape(lf::sum(x, axis<1>), lf::shape(10, 100)); };
  for (int n = 0; n < 20; ++n) {
    const lf::lazy_array<float, 2> u = lf::roll(folded(a), 3, axis<0>), v = lf::roll(folded(b), 3, axis<0>);
    standin::reset();
    const lf::array y = lf::materialize(u + v);
    ASSERT_EQ(standin::launches().size(), 7u);
  }
  const auto s = folded(a);
  EXPECT_EQ(lf::plan(s * s + s).kernels.size(), 2u);
  EXPECT_EQ(lf::plan(s, s * 2).kernels.size(), 2u);
  EXPECT_EQ(lf::plan(lf::sum(s * s) / lf::sum(s)).kernels.size(), 2u);
}

template <int... K>
auto sum_of_multiples(const auto& x, std::integer_sequence<int, K...>) {
  return ((lf::c<K + 2> * x) + ...);
}
TEST_F(without_nvcc, literals_are_no_steps) {
  const auto x = of(lf::shape(1000));
  EXPECT_EQ(lf::plan(sum_of_multiples(x, std::make_integer_sequence<int, 62>{})).kernels.size(), 1u);
}

TEST_F(without_nvcc, what_reads_places_of_extremes_through_a_map_is_made_too) {
  const auto x = of<1, lf::int16>(lf::shape(1000));
  const auto mask = x == lf::argmax(lf::roll(x, 3), axis<0>, lf::keepdims);
  EXPECT_NO_THROW((void)lf::materialize(lf::roll(mask, 7), mask));
}

TEST_F(without_nvcc, all_kernels_are_made_whatever_the_policy_is) {
  const auto x = of(lf::shape(1000));
  const lf::jit before = lf::current_jit();
  lf::use_jit(lf::jit::off);
  const lf::kernel_trace t;
  const lf::array y = lf::materialize(x + x * 2);
  lf::use_jit(before);
  ASSERT_EQ(t.kernels().size(), 1u);
  EXPECT_TRUE(t.kernels()[0].made);
}

TEST_F(without_nvcc, rows_that_do_not_stay_in_registers_are_shared_by_teams) {
  const auto one_kernel = [](const char* path, const auto& e) {
    const lf::evaluation_plan p = lf::plan(e);
    const std::string program = p.kernels.empty() ? "nothing" : p.kernels[0].program;
    ASSERT_EQ(p.kernels.size(), 1u) << program;
    EXPECT_EQ(p.kernels[0].path, path) << program;
    standin::reset();
    (void)lf::materialize(e);
    EXPECT_EQ(launched_now(), std::string_view(path) == "registers"              ? "rows_in_registers"
                              : std::string_view(path) == "rows in strips"       ? "rows_in_strips"
                              : std::string_view(path) == "columns in registers" ? "columns_in_registers"
                                                                                 : "rows_by_teams")
        << program;
    const long before = lf::kernels_compiled();
    (void)lf::materialize(e);
    EXPECT_EQ(lf::kernels_compiled(), before) << program << " is there already";
  };
  const auto normalized = [](const auto& x) { return x / lf::sqrt(lf::sum(lf::square(x))); };
  const auto standardized = [](const auto& x) {
    return (x - lf::mean(x, axis<0>, lf::keepdims)) / lf::std(x, axis<0>, lf::keepdims);
  };
  one_kernel("rows in strips", lf::softmax(of(lf::shape(3000, 9001)), axis<1>));
  one_kernel("cluster", lf::softmax(of(lf::shape(100, 9001)), axis<1>));  // too few rows for a block each
  one_kernel("block", lf::softmax(of(lf::shape(3000, 12288)), axis<1>));
  one_kernel("cluster", lf::softmax(of(lf::shape(16, 50257)), axis<1>));
  one_kernel("cluster", lf::softmax(of(lf::shape(64, 262144)), axis<1>));
  one_kernel("grid", normalized(of(lf::shape(1 << 22))));
  one_kernel("grid", normalized(of(lf::shape((1 << 19) - 1))));
  one_kernel("grid", lf::softmax(of<2, double>(lf::shape(4, 50257)), axis<1>));
  // Of 16 bits registers hold twice as many.
  one_kernel("registers", lf::softmax(of<2, lf::half>(lf::shape(3000, 10000)), axis<1>));
  one_kernel("block", lf::softmax(of<2, lf::half>(lf::shape(3000, 20000)), axis<1>));
  one_kernel("columns in a block", lf::softmax(of(lf::shape(64, 4096)), axis<0>));
  one_kernel("columns in a grid", lf::softmax(of(lf::shape(5000, 33)), axis<0>));
  one_kernel("columns in registers", standardized(of(lf::shape(600, 20000))));
  one_kernel("columns in a cluster", standardized(of(lf::shape(600, 2000))));
  const auto pixels = of<3>(lf::shape(1200, 300, 3));
  one_kernel("columns in registers", pixels - lf::mean(pixels, axis<1>, lf::keepdims));
  standin::reset();
  const array<3> centred = pixels - lf::mean(pixels, axis<1>, lf::keepdims);
  EXPECT_EQ(standin::launched().at(0).blocks, 600u) << "of two pictures each, not of 32 columns";
  // Threads of vectors would be idle but for a third.
  one_kernel("rows in strips", lf::softmax(of(lf::shape(3000, 4352)), axis<1>));
  one_kernel("columns in a grid", standardized(of(lf::shape(1 << 20, 16))));
  one_kernel("columns in a cluster", lf::softmax(of(lf::shape(8, 700, 96)), axis<1>));
  // Many columns that are no vectors are read by several kernels in less time than one by one by teams.
  EXPECT_EQ(lf::plan(lf::softmax(of(lf::shape(3000, 701)), axis<0>)).kernels.size(), 3u);
  // one result for each row, of two axes that are not next to each other in memory
  const auto rows = of(lf::shape(300, 100, 120))(all, range(0, 99));
  one_kernel("block", lf::max(rows - lf::mean(rows, axis<1, 2>, lf::keepdims), axis<1, 2>));
}

TEST_F(without_nvcc, tall_columns_are_read_once_for_their_results_and_once_for_their_elements) {
  const auto kernels_of = [](const auto& e) {
    standin::reset();
    (void)lf::materialize(e);
    return launched_now();
  };
  const auto x = of(lf::shape(4096, 8192));
  const auto b = of(lf::shape(8192));
  const std::string both = "reduce_columns transform_strided";
  // The maximum and the sum of exponentials are of one pass.
  EXPECT_EQ(kernels_of(lf::logsumexp(x, axis<0>)), "reduce_columns");
  EXPECT_EQ(kernels_of(lf::logsumexp(x + b, axis<0>)), "reduce_columns");
  EXPECT_EQ(kernels_of(lf::softmax(x, axis<0>)), both);
  EXPECT_EQ(kernels_of(lf::log_softmax(x, axis<0>)), both);
  EXPECT_EQ(kernels_of(lf::standardize(x, axis<0>)), both);
  // What elements read of the results is computed once for each column.
  const auto mean = lf::mean(x, axis<0>);
  const auto spread = lf::sqrt(lf::var(x, axis<0>) + 1e-5f);
  const lf::evaluation_plan p = lf::plan((x - mean) / spread);
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_NE(p.kernels[0].program.find("sqrt"), std::string::npos) << p.kernels[0].program;
  EXPECT_EQ(p.kernels[1].program.find("sqrt"), std::string::npos) << p.kernels[1].program;
  // Low columns stay where they are, and lower ones that are added up, if that is dear.
  EXPECT_EQ(kernels_of(lf::softmax(of(lf::shape(500, 65536)), axis<0>)), "columns_in_registers");
  const auto dear = [](const auto& y) { return lf::sum(lf::tanh(y) * lf::tanh(y + 1), axis<0>); };
  EXPECT_EQ(kernels_of(dear(of(lf::shape(60, 65536)))), "columns_in_registers");
  EXPECT_EQ(kernels_of(dear(of(lf::shape(200, 65536)))), "reduce_columns");
}

TEST_F(without_nvcc, rows_that_no_block_keeps_are_read_once_for_one_result) {
  const auto kernels_of = [](const auto& e) {
    standin::reset();
    (void)lf::materialize(e);
    return launched_now();
  };
  EXPECT_EQ(kernels_of(lf::logsumexp(of(lf::shape(2000, 70000)), axis<1>)), "reduce_rows");
  EXPECT_EQ(kernels_of(lf::logsumexp(of(lf::shape(2000, 210001)), axis<1>)), "reduce_rows");
  EXPECT_EQ(kernels_of(lf::softmax(of(lf::shape(2000, 210001)), axis<1>)), "rows_by_teams");
  // Clusters of up to eight blocks do, where rows do not begin at vectors.
  const auto blocks_of = [&](const auto& e) {
    standin::reset();
    (void)lf::materialize(e);
    EXPECT_EQ(standin::launches(), std::vector<std::string>{"rows_in_strips"});
    return standin::launched().at(0).cluster;
  };
  EXPECT_EQ(blocks_of(lf::logsumexp(of(lf::shape(2000, 70001)), axis<1>)), 8u);
  for (const auto& [length, blocks] : {std::pair{9001, 1u}, {33001, 4u}, {50257, 2u}, {100003, 4u}, {200001, 8u}})
    EXPECT_EQ(blocks_of(lf::softmax(of(lf::shape(2000, length)), axis<1>)), blocks) << length;
  for (const auto& [length, blocks] : {std::pair{6001, 1u}, {25001, 4u}, {50257, 8u}})
    EXPECT_EQ(blocks_of(lf::softmax(of<2, double>(lf::shape(2000, length)), axis<1>)), blocks) << length;
  // Reductions need not keep theirs.
  EXPECT_EQ(kernels_of(lf::sum(lf::tanh(of(lf::shape(2000, 70001))), axis<1>)), "reduce_rows");
}

TEST_F(without_nvcc, bands_between_turns_of_rolls_share_a_launch) {
  const auto x = of(lf::shape(4000, 4100));
  const auto around = lf::roll(x, 1, axis<0>) + lf::roll(x, -1, axis<0>) + lf::roll(x, 1, axis<1>);
  standin::reset();
  (void)lf::materialize(around - 3 * x);
  EXPECT_EQ(launched_now(), "transform_strided transform_parts");
  int launches = 0;
  for (const auto& k : lf::plan(around - 3 * x).kernels) launches += k.joined ? 0 : 1;
  EXPECT_EQ(launches, 2) << "as it is planned";
}

TEST_F(without_nvcc, lines_are_stencils_that_read_vectors) {
  const lf::index_t n = (1 << 20) + 7;
  const auto x = of(lf::shape(n));
  const auto at = [&](lf::index_t k) { return x(range(k, n - 4 + k)); };
  standin::reset();
  array<1> y = at(0) - 4 * at(1) + 6 * at(2) - 4 * at(3) + at(4);
  EXPECT_EQ(launched_now(), "transform_stencil");
  y = at(1) - at(0);  // which the general kernel reads as fast
  EXPECT_EQ(launched_now(), "transform_flat");
  const auto near = [&](lf::index_t k) { return x(range(k, 1000 + k)); };
  y = near(0) - 2 * near(1) + near(2);  // too few to gain anything
  EXPECT_EQ(launched_now(), "transform_flat");
}

TEST_F(without_nvcc, teams_that_cannot_be_started_leave_nothing_behind) {
  const auto x = of(lf::shape(1 << 22)), row = of(lf::shape(100000));
  auto y = of(lf::shape(1 << 22)), z = of(lf::shape(100000));
  const std::function<void()> runs[] = {[&] { y = x / lf::sqrt(lf::sum(lf::square(x))); },
                                        [&] { z = lf::softmax(row, axis<0>); }};
  for (const auto& run : runs) {
    run();
    standin::reset();
    run();
    EXPECT_EQ(launched_now(), "rows_by_teams");
    run();
    const long calls = standin::calls();
    const standin::balance live = standin::live();
    int failures = 0;
    for (long n = 1; n <= calls; ++n) {
      standin::reset();
      standin::fail_at(n);
      try {
        run();
      } catch (const lf::error&) {
        ++failures;
      }
      EXPECT_FALSE(standin::failed().empty());
      EXPECT_TRUE(standin::live() == live) << standin::failed();
    }
    EXPECT_GT(failures, 0);
    standin::reset();
    run();
    EXPECT_EQ(launched_now(), "rows_by_teams");
  }
}

TEST_F(without_nvcc, copies_of_arrays_are_no_kernels) {
  auto x = of(lf::shape(1000));
  const auto y = x;
  standin::reset();
  EXPECT_NE(x.data(), y.data());
  EXPECT_EQ(launched_now(), "");
}

TEST_F(without_nvcc, the_host_space_is_as_ever) {
  const lf::array<float, 1, lf::host> x{1, 2, 3};
  EXPECT_EQ(lf::sum(x * x).item(), 14);
  EXPECT_EQ(launched_now(), "");
}

TEST_F(without_nvcc, prepared_assignments_run_often_and_over_other_arrays) {
  auto x = of(lf::shape(1000)), y = of(lf::shape(1000));
  auto step = lf::prepare(x, x * 2 + y);
  step();
  const long before = lf::kernels_compiled();
  step();
  step(y, y * 3 + x);
  EXPECT_EQ(launched_now(), "transform_flat transform_flat transform_flat");
  EXPECT_EQ(lf::kernels_compiled(), before);
}

TEST_F(without_nvcc, plans_say_that_kernels_are_made) {
  const auto x = of(lf::shape(1000));
  const lf::evaluation_plan p = lf::plan(lf::sqrt(x) + 1);
  ASSERT_EQ(p.kernels.size(), 1u);
  EXPECT_TRUE(p.kernels[0].made);
  EXPECT_EQ(launched_now(), "");
}

/// Of the runtime, which ask for the device and its architecture.
constexpr long calls_before_loading = 5;
TEST_F(without_nvcc, a_kernel_that_cannot_be_loaded_is_an_exception_that_names_it) {
  const auto x = of(lf::shape(1000));
  auto r = of(lf::shape(1000));
  r = x + 2;  // knows the device
  standin::reset();
  standin::fail_at(calls_before_loading);
  try {
    r = lf::sin(x) - lf::cos(x);
    FAIL() << "it could not be loaded";
  } catch (const lf::error& e) {
    EXPECT_STREQ(e.what(),
                 "(sin(x0) - cos(x0)): its kernel is made at run time, and could not be compiled or loaded; "
                 "LAZYFUSE_JIT_LOG=1 says why");
  }
  EXPECT_EQ(standin::failed(), "cudaLibraryLoadData");
}

TEST_F(without_nvcc, kernels_of_an_expression_are_few_whatever_its_shape) {
  const auto compiled_by = [](const std::function<void(lf::index_t)>& evaluate) {
    const long before = lf::kernels_compiled();
    for (lf::index_t n = 1; n <= 1000; n += n < 40 ? 1 : 37) evaluate(n);
    return lf::kernels_compiled() - before;
  };
  const auto x = of(lf::shape(5000)), row = of(lf::shape(1000));
  const auto a = of(lf::shape(70, 1000));
  EXPECT_LE(compiled_by([&](lf::index_t n) {
              array<1> r(lf::shape<1>{n});
              r = x(range(0, n)) * 3 + 7;
              r = x(range(1, n + 1)) * 3 + 7;
            }),
            2)
      << "aligned, and not";
  const long before = lf::kernels_compiled();
  array<1> r(lf::shape(1000));
  r = lf::tgamma(row) * lf::lgamma(row) + lf::digamma(row) * lf::tgamma(row + 1) -
      lf::lgamma(row + 2) * lf::digamma(row + 3);
  EXPECT_EQ(lf::kernels_compiled(), before + 1) << "so dear that vectors are narrower than they might be";
  const auto strided = compiled_by([&](lf::index_t n) {
    array<2> m(lf::shape(70, n));
    m = a(all, range(0, n)) * row(range(0, n));
  });
  EXPECT_LE(strided, 4);
  const auto rows = compiled_by([&](lf::index_t n) {
    array<1> r(lf::shape<1>{70});
    r = lf::sum(a(all, range(0, n)) * 2 + 1, axis<1>);
  });
  EXPECT_LE(rows, 4);
  const auto columns = compiled_by([&](lf::index_t n) {
    array<1> r(lf::shape<1>{n});
    r = lf::sum(a(all, range(0, n)) - 5, axis<0>);
  });
  EXPECT_LE(columns, 6) << "those that are fewer than a vector's among them";
  // Of 3 columns threads have one each, of 2 two.
  const auto of_columns = [&](lf::index_t n) {
    const long so_far = lf::kernels_compiled();
    array<1> sums(lf::shape<1>{n});
    sums = lf::max(of(lf::shape(5000, n)) * 0.5f, axis<0>);
    return lf::kernels_compiled() - so_far;
  };
  EXPECT_EQ(of_columns(5), 1);
  EXPECT_EQ(of_columns(7), 0);
  EXPECT_EQ(of_columns(3), 1);
  EXPECT_EQ(of_columns(2), 1);
  EXPECT_EQ(of_columns(3), 0);
}

TEST_F(without_nvcc, lazy_arrays_are_kernels_that_are_made) {
  const auto x = of(lf::shape(1000)), y = of(lf::shape(1000));
  lf::lazy_array<float, 1> e = x;
  for (int k = 0; k < 20; ++k) e = lf::where(e > y, e * 0.5f + lf::sin(y), e);
  EXPECT_EQ(launched_now(), "");
  array<1> r = e;
  EXPECT_EQ(launched_now(), "transform_flat");
  r = e(range(none, none, -1)) + lf::sum(e);
  EXPECT_EQ(launched_now(), "reduce_rows transform_flat");  // both are more steps than a kernel takes
  lf::lazy_array<float, 2> m = x(all, newaxis) * y;
  array<2> z = m.T();
  EXPECT_EQ(launched_now(), "transform_strided");
  // Larger ones are several kernels, each of which is compiled once.
  const long before = lf::kernels_compiled();
  e = x;
  for (int k = 0; k < 300; ++k) e = e * y;
  r = e;
  const long made = lf::kernels_compiled() - before;
  EXPECT_EQ(launched_now(), "transform_flat transform_flat transform_flat");
  EXPECT_LE(made, 3);
  r = e;
  EXPECT_EQ(lf::kernels_compiled(), before + made);
}

TEST_F(without_nvcc, lazy_arrays_are_read_by_the_kernel_that_combines_them) {
  const auto x = of(lf::shape(1000)), y = of(lf::shape(1000));
  const auto a = of(lf::shape(60, 100)), b = of(lf::shape(100, 60));
  const lf::lazy_array<float, 1> e = x * y + 1;
  const lf::lazy_array<float, 2> m = a * 2 - b.T(), u = m + a, w = a * 2;
  auto r = of(lf::shape(1000));
  auto n = of(lf::shape(60, 100));
  auto row = of(lf::shape(60)), column = of(lf::shape(100));
  array<0> one;
  const struct {
    const char* kernels;
    std::function<void()> evaluate;
  } table[] = {
      {"reduce_rows", [&] { one = lf::sum(e); }},
      {"reduce_rows", [&] { one = lf::mean(lf::square(e - x)) * y(3); }},
      {"reduce_rows", [&] { one = lf::sum(m * u); }},
      {"reduce_rows", [&] { row = lf::max(m, axis<1>); }},
      {"reduce_columns", [&] { column = lf::sum(w * 3, axis<0>); }},
      {"reduce_rows", [&] { row = lf::sum(m.T()(range(none, none, -1)), axis<0>); }},
      {"reduce_rows", [&] { lf::array z = lf::argmin(m, axis<1>); }},
      {"reduce_rows", [&] { auto [low, high] = lf::materialize(lf::min(e), lf::max(e)); }},
      {"rows_in_registers", [&] { n = lf::softmax(m, axis<1>) * u; }},
      {"rows_in_registers", [&] { n = (u - lf::mean(u, axis<1>, lf::keepdims)) / lf::std(u, axis<1>, lf::keepdims); }},
      {"rows_in_registers", [&] { r = e / lf::norm(e); }},
      {"scan_tiles", [&] { r = lf::cumsum(e) * x; }},
      {"scan_rows", [&] { n = lf::cumsum(m, axis<1>, lf::backwards); }},
      {"scan_columns", [&] { n = lf::cumsum(w, axis<0>, lf::exclusive, lf::backwards) - w; }},
      {"rows_in_registers", [&] { one = lf::sum(lf::lazy_array<float, 1>(e - lf::sum(e)) * 2); }},
      {"reduce_rows reduce_rows", [&] { one = lf::sum(lf::lazy_array<float, 1>(lf::max(m, axis<1>)) * row); }},
      // graphs that are in memory first: reshaped
      {"transform_strided reduce_rows",
       [&] {
         row = lf::sum(lf::reshape(m, {60, 10, 10}), axis<1, 2>);
       }},
      {"reduce_rows", [&] { one = lf::sum(lf::lazy_array<float, 1>(lf::pow(e, x)) + y); }},
  };
  for (const auto& [kernels, evaluate] : table) {
    standin::reset();
    evaluate();
    EXPECT_EQ(launched_now(), kernels);
    const long compiled = lf::kernels_compiled();
    evaluate();
    EXPECT_EQ(launched_now(), kernels);
    EXPECT_EQ(lf::kernels_compiled(), compiled) << kernels << " is there already";
  }
  // A dear column is computed once and not for each of a row, where that is less than a kernel takes.
  const lf::lazy_array<float, 1> dear = lf::exp(lf::sin(lf::exp(lf::sin(of(lf::shape(1000))))));
  const auto large = of(lf::shape(10000, 1000));
  EXPECT_EQ(lf::plan(lf::sum(large(range(0, 100)) * dear, axis<1>)).kernels.size(), 1u);
  EXPECT_EQ(lf::plan(lf::sum(large * dear, axis<1>)).kernels.size(), 2u);
  EXPECT_EQ(lf::plan(lf::sum(large * (x * y), axis<1>)).kernels.size(), 1u);
  const lf::lazy_array<float, 0> low = lf::min(e), high = lf::max(e), all_of = lf::sum(e);
  EXPECT_EQ(lf::plan(low + high + all_of).kernels.size(), 1u);
  // Which does not fit beside itself: 40 arrays along rows, and along columns.
  lf::lazy_array<float, 2> many = of(lf::shape(64, 64));
  for (int k = 0; k < 39; ++k) many = many + of(lf::shape(64, 64));
  EXPECT_GE(lf::plan(many - lf::sum(many * many, axis<1>)).kernels.size(), 2u);
  // Results that others read, in whatever order they are asked for.
  lf::lazy_array<float, 1> grown = x;
  for (int k = 0; k < 20; ++k) grown = lf::where(grown > y, grown * 0.5f + y, grown);
  standin::reset();
  (void)lf::materialize(grown * 2, grown);
  EXPECT_EQ(launched_now(), "transform_flat");
  // What is read is counted, and each array once.
  const auto p = lf::plan(lf::sum(m * u, axis<1>));
  ASSERT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.kernels[0].pattern, "reduce");
  EXPECT_EQ(p.kernels[0].read, 2 * 24000);
  EXPECT_EQ(p.kernels[0].program, "v0 = ((x0 * x1) - x2); sum((v0 * (v0 + x0)))");
}

TEST_F(without_nvcc, lazy_arrays_are_told_apart_by_all_that_their_kernels_differ_in) {
  using lazy = lf::lazy_array<float, 1>;
  const auto x = of(lf::shape(1000)), y = of(lf::shape(1000));
  const lazy e = x * y, f = x - y;
  const struct {
    const char* program;
    std::function<lf::evaluation_plan()> plan;
  } table[] = {
      {"(x0 * x1)", [&] { return lf::plan(e); }},
      {"(x0 - x1)", [&] { return lf::plan(f); }},
      {"(x0 * x0)", [&] { return lf::plan(lazy(x * x)); }},
      {"((x0 * x1) - x0)", [&] { return lf::plan(e - x); }},
      {"((x0 * x1) - x1)", [&] { return lf::plan(e - y); }},
      {"(x1 - (x0 * x1))", [&] { return lf::plan(y - e); }},
      {"((x0 * x1) - x2)", [&] { return lf::plan(e - 2.0f); }},
      {"(x0 * x1), (x0 - x1)", [&] { return lf::plan(e, f); }},
      {"(x0 - x1), (x0 * x1)", [&] { return lf::plan(f, e); }},
      {"sum((x0 * x1))", [&] { return lf::plan(lf::sum(e)); }},
      {"max((x0 * x1))", [&] { return lf::plan(lf::max(e)); }},
      {"sum((x0 * x0))", [&] { return lf::plan(lf::sum(lazy(x * x))); }},
      {"sum(((x0 * x1) - x0))", [&] { return lf::plan(lf::sum(e - x)); }},
      {"sum((x0 - (x0 * x1)))", [&] { return lf::plan(lf::sum(x - e)); }},
  };
  for (int round = 0; round < 2; ++round)
    for (const auto& [program, plan] : table) {
      const lf::evaluation_plan p = plan();
      ASSERT_EQ(p.kernels.size(), 1u) << program;
      EXPECT_EQ(p.kernels[0].program, program);
    }
  // The same text, of other element types and ranks.
  const auto made_by = [](const auto& evaluate) {
    const long before = lf::kernels_compiled();
    evaluate();
    return lf::kernels_compiled() - before;
  };
  const auto i = of<1, int>(lf::shape(1000)), j = of<1, int>(lf::shape(1000));
  const auto d = of<1, double>(lf::shape(1000));
  const auto a = of(lf::shape(60, 100)), b = of(lf::shape(60, 100));
  const lf::lazy_array<int, 1> whole = lf::gcd(i, j);
  const lazy g = lf::hypot(x, y);  // nobody else's here
  const lf::lazy_array<float, 2> h = lf::hypot(a, b);
  array<1> r(lf::shape(1000)), row(lf::shape(60)), column(lf::shape(100));
  array<1, int> k(lf::shape(1000));
  array<1, double> s(lf::shape(1000));
  array<2> m(lf::shape(60, 100));
  array<0> one;
  const struct {
    int compiled;
    std::function<void()> evaluate;
  } kernels[] = {
      {1, [&] { r = g; }},
      {0, [&] { r = lazy(lf::hypot(y, x)); }},
      {1, [&] { s = g; }},
      {1, [&] { s = lf::lazy_array<double, 1>(lf::hypot(d, x)); }},
      {0, [&] { m = h; }},  // dense: one axis
      {1, [&] { m = h(all, range(none, none, -1)); }},
      {1, [&] { k = whole; }},
      {1, [&] { one = lf::sum(g); }},
      {1, [&] { one = lf::max(g); }},
      {1, [&] { (void)lf::sum(whole).item(); }},
      {1, [&] { row = lf::sum(h, axis<1>); }},
      {1, [&] { column = lf::sum(h, axis<0>); }},
      {1, [&] { (void)lf::materialize(lf::sum(g), lf::max(g)); }},
      {1, [&] { (void)lf::materialize(lf::max(g), lf::sum(g)); }},
      {1, [&] { m = lf::softmax(h, axis<1>); }},
      {1, [&] { m = lf::cumsum(h, axis<1>); }},
  };
  for (const auto& [compiled, evaluate] : kernels) {
    EXPECT_EQ(made_by(evaluate), compiled);
    EXPECT_EQ(made_by(evaluate), 0);
  }
}

TEST_F(without_nvcc, reductions_of_what_is_broadcast_are_tiles) {
  const auto x = of(lf::shape(1000)), y = of(lf::shape(700));
  const auto d = x(all, newaxis) - y(newaxis);
  array<1> r = lf::sum(d * d, axis<1>) + lf::max(d, axis<1>);
  EXPECT_EQ(launched_now(), "reduce_tiles");
  const auto p = of(lf::shape(1000, 9)), c = of(lf::shape(60, 9));
  array<2> product = lf::sum(p(all, newaxis) * c(newaxis), axis<2>);
  EXPECT_EQ(launched_now(), "reduce_tiles");
  lf::array<lf::int64, 1> nearest = lf::argmin(lf::sum(lf::square(p(all, newaxis) - c(newaxis)), axis<2>), axis<1>);
  EXPECT_EQ(launched_now(), "reduce_tiles");
  // A reduction of one that reads all of an array is two kernels: its elements are read once.
  const auto a = of(lf::shape(50, 60, 70));
  r = lf::max(lf::sum(a, axis<2>), axis<1>);
  EXPECT_EQ(launched_now(), "reduce_rows reduce_rows");
  const auto b = of(lf::shape(70, 50, 60));
  product = lf::sum(a + lf::permute_dims<1, 2, 0>(b), axis<2>);  // one of the two is turned
  EXPECT_EQ(launched_now(), "reduce_rows");
  // A sum that needs more shared memory than there is goes as others do, and so does one of numbers that are drawn.
  const auto left = of<3, double>(lf::shape(7, 64, 100)), right = of<3, double>(lf::shape(7, 64, 100));
  const auto pair = [&](int k) { return left(k)(all, newaxis) * right(k)(newaxis); };
  lf::array<double, 2> all_pairs =
      lf::sum(pair(0) + pair(1) + pair(2) + pair(3) + pair(4) + pair(5) + pair(6), axis<2>);
  EXPECT_EQ(launched_now(), "rows_in_strips");
  r = lf::sum(lf::random::uniform<float>({1000, 700}, lf::seed{1}) * y(newaxis), axis<1>);
  EXPECT_EQ(launched_now(), "reduce_rows");
  const auto m = of(lf::shape(700, 600)), t = of(lf::shape(600, 700));
  r = lf::sum(m * t.T(), axis<1>);
  EXPECT_EQ(launched_now(), "reduce_turned");
  r = lf::sum(m * t.T(), axis<0>);
  EXPECT_EQ(launched_now(), "reduce_turned");
  array<2> turned = m * t.T();  // tiles of one size fit it well
  EXPECT_EQ(launched_now(), "transform_strided");
  const auto odd = of(lf::shape(90, 50, 70)), other = of(lf::shape(70, 50, 90));
  array<3> fitted = odd * lf::permute_dims<2, 1, 0>(other);
  EXPECT_EQ(launched_now(), "transform_turned");
  const auto across = odd * lf::permute_dims<2, 1, 0>(other);  // neighbours lie along the first axis and the last
  product = lf::sum(across, axis<1>);
  EXPECT_EQ(launched_now(), "reduce_turned");
  r = lf::sum(across, axis<0, 2>);
  EXPECT_EQ(launched_now(), "reduce_turned");
  r = lf::max(across, axis<0, 1>);
  EXPECT_EQ(launched_now(), "reduce_turned");
  r = lf::var(across, axis<1, 2>);
  EXPECT_EQ(launched_now(), "reduce_turned");
}
TEST_F(without_nvcc, rows_that_begin_anywhere_are_flat_and_columns_of_them_stay_in_registers) {
  const auto x = of(lf::shape(500, 77)), row = of(lf::shape(77, 1));
  array<2> r = x * x(all, range(0, 1)) + row.T();
  EXPECT_EQ(launched_now(), "transform_unravelled");
  r = x(all, range(0, 76)) * x(all, range(0, 1));  // these lie apart
  EXPECT_EQ(launched_now(), "transform_strided");
  const auto a = of(lf::shape(30, 60, 77));
  array<3> b = a - lf::max(a, axis<1>, lf::keepdims);
  EXPECT_EQ(launched_now(), "columns_in_registers");
  const auto long_rows = of(lf::shape(900, 1061)), whole = of(lf::shape(900, 1024)), few = of(lf::shape(3, 60001));
  r = long_rows / lf::sum(long_rows * long_rows, axis<1>, lf::keepdims);
  EXPECT_EQ(launched_now(), "rows_in_strips");
  array<1> sums = lf::sum(long_rows * long_rows, axis<1>) / lf::sum(long_rows, axis<1>);
  EXPECT_EQ(launched_now(), "rows_in_strips");
  r = whole / lf::sum(whole * whole, axis<1>, lf::keepdims);
  EXPECT_EQ(launched_now(), "rows_in_registers");
  sums = lf::sum(whole * whole, axis<1>);
  EXPECT_EQ(launched_now(), "rows_in_strips");
  const auto short_rows = of(lf::shape(9000, 32)), of_64 = of(lf::shape(5000, 64));
  const auto pieces = of(lf::shape(600, 20, 64));
  sums = lf::sum(short_rows, axis<1>);  // each a line of the caches
  EXPECT_EQ(launched_now(), "reduce_rows");
  sums = lf::sum(lf::log(short_rows) * lf::tanh(short_rows), axis<1>);  // a dear program
  EXPECT_EQ(launched_now(), "rows_in_strips");
  sums = lf::sum(pieces(all, all, range(0, 32)), axis<1, 2>);
  EXPECT_EQ(launched_now(), "rows_in_strips");
  r = of_64 / lf::sum(of_64 * of_64, axis<1>, lf::keepdims);
  EXPECT_EQ(launched_now(), "rows_in_strips");
  r = few / lf::sum(few * few, axis<1>, lf::keepdims);
  EXPECT_EQ(launched_now(), "rows_by_teams");
  array<1, bool> some = lf::any(long_rows > 3, axis<1>);  // which need not read to the end
  EXPECT_EQ(launched_now(), "reduce_rows");
  const auto high = of(lf::shape(2, 3000, 77));
  b = high - lf::max(high, axis<1>, lf::keepdims);
  EXPECT_EQ(launched_now(), "rows_by_teams");
}

TEST_F(without_nvcc, functions_of_ones_own_stand_in_headers) {
  const auto x = of(lf::shape(1000));
  const std::string header = R"(
#pragma once
#include <lazyfuse/core/complex.hpp>
namespace mine {
struct clipped {
  float most;
  __device__ float operator()(float x) const { return x < most ? x : most; }
};
template <int N>
float power(float x) {
  float y = 1;
  for (int i = 0; i < N; ++i) y *= x;
  return y;
}
}  // namespace mine
)";
  const auto clipped = lf::source("mine::clipped{2.0f}(x)", "x").with(header);
  const auto cubed = lf::source("mine::power<3>(x)", "x").with(header);
  lf::array<float, 1> y = lf::map(cubed, lf::map(clipped, x)) + lf::map(lf::source("x - 1", "x"), x);
  EXPECT_EQ(launched_now(), "transform_flat");
  y = lf::map(lf::source("mine::power<3>(x)", "x").with("template <int> struct other;\n" + header), x);
  EXPECT_EQ(launched_now(), "transform_flat");
}

TEST_F(without_nvcc, functions_of_ones_own_are_text) {
  const auto x = of(lf::shape(1000));
  const auto a = of(lf::shape(100, 100));
  const lf::source leaky("x > 0 ? x : s * x", "x", "s");
  lf::lazy_array<float, 1> e = lf::map(leaky, x, 0.1f);
  EXPECT_EQ(launched_now(), "");
  array<1> r = e;  // nothing beside the source
  EXPECT_EQ(launched_now(), "transform_flat");
  r = e + 1;
  EXPECT_EQ(launched_now(), "transform_flat");
  array<2> m = lf::map(leaky, a - lf::map(lf::source("sqrtf(fabsf(v))", "v"), a), x(range(0, 100))) * 2;
  EXPECT_EQ(launched_now(), "transform_strided");
  EXPECT_EQ(lf::map(leaky, a, x(range(0, 100))).shape(), lf::shape(100, 100));
  const auto said = [&](const lf::source& f) -> std::string {
    try {
      (void)lf::map(f, x);
    } catch (const lf::error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(said(lf::source("x + 1", "x")), "nothing");
  const std::string unknown = said(lf::source("x +\nfactor", "x"));
  EXPECT_NE(unknown.find("map: the source does not compile"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("source(2): error: identifier \"factor\" is undefined"), std::string::npos) << unknown;
  EXPECT_NE(said(lf::source("twice(x)", "x").with("\n\nfloat twice(float x) { return x * two; }"))
                .find("definitions(3): error: identifier \"two\" is undefined"),
            std::string::npos);
  EXPECT_NE(said(lf::source("x", "x", "y")).find("map: the source names 2 operands, and is given 1"),
            std::string::npos);
}

/// All along axis 1 of three.
std::string kernel_of_scan(std::int64_t outer, std::int64_t length, std::int64_t inner) {
  const auto x = of<3>(lf::shape(outer, length, inner));
  standin::reset();
  const array<3> scanned = lf::cumsum(x, axis<1>);
  return launched_now();
}
TEST_F(without_nvcc, scans_of_few_elements_have_kernels_of_their_own) {
  for (const std::int64_t length : {2, 17, 33, 300})
    EXPECT_EQ(kernel_of_scan(200003, length, 1), "scan_rows_in_strips") << length;
  EXPECT_EQ(kernel_of_scan(200003, 32, 1), "scan_rows");
  for (const std::int64_t columns : {2, 3, 4, 7}) {
    EXPECT_EQ(kernel_of_scan(30011, 5, columns), "scan_columns_in_strips") << columns;
    EXPECT_EQ(kernel_of_scan(1, 300007, columns), "scan_columns") << columns;
  }
  // What two counts take is more than their elements do.
  const auto a = of<2, bool>(lf::shape(300007, 3)), b = of<2, bool>(lf::shape(300007, 3));
  const lf::array later = lf::cumsum(a, axis<0>) > lf::cumsum(b, axis<0>);
  EXPECT_EQ(launched_now(), "scan_columns");
}
TEST_F(without_nvcc, scans_add_in_the_same_order_whatever_ran_before) {
  const auto all_of = [](const array<2>& x) {
    const array<2> r = lf::cumsum(x, axis<1>) + lf::cumprod(x, axis<1>) + lf::cummax(x, axis<1>) +
                       lf::cummin(x, axis<1>) + lf::cumsum(x * x, axis<1>);
    return launched_now();
  };
  const auto few = of(lf::shape(20000, 44)), many = of(lf::shape(20000, 1000));
  standin::reset();
  const std::string first = all_of(few);
  EXPECT_EQ(all_of(many), "scan_rows");
  EXPECT_EQ(all_of(few), first);
}

/// What the processes of the next test evaluate.
void evaluate_packed() {
  for (const std::int64_t columns : {1, 3, 7}) {
    const auto x = of<3>(lf::shape(30011, 17, columns));
    const array<3> shares = lf::softmax(x, axis<1>);
    (void)kernel_of_scan(30011, 17, columns);
    (void)kernel_of_scan(1, 300007, columns);
  }
}
/// A library of that name without its functions is found first, and counts as none.
TEST_F(without_nvcc, kernels_of_a_bundle_need_no_compiler) {
  if (const char* const part = std::getenv("LAZYFUSE_TEST_PART")) {
    evaluate_packed();
    EXPECT_EQ(lf::kernels_compiled() > 0, part == std::string("pack"));
    return;
  }
  std::string folder = ::testing::TempDir() + "no_compiler_XXXXXX";
  ASSERT_TRUE(::mkdtemp(folder.data()));
  const std::string bundle = folder + "/bundle",
                    library = folder + "/libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
  std::filesystem::create_symlink(NVTX_RECORDER, library);
  const auto part = [&](const char* which, const std::string& variables) {
    const std::string command = std::string("LAZYFUSE_TEST_PART=") + which + " " + variables + " /proc/" +
                                std::to_string(::getpid()) +
                                "/exe --gtest_filter=*kernels_of_a_bundle_need_no_compiler >/dev/null";
    return std::system(command.c_str());
  };
  EXPECT_EQ(part("pack", "LAZYFUSE_PACK='" + bundle + "'"), 0);
  EXPECT_EQ(part("load", "LAZYFUSE_BUNDLE='" + bundle + "' LD_LIBRARY_PATH='" + folder + "'"), 0);
  EXPECT_NE(part("load", "LD_LIBRARY_PATH='" + folder + "'"), 0) << "there is a compiler";
  std::filesystem::remove_all(folder);
}

}  // namespace
