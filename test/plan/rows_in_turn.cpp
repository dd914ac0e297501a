// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many more rows than teams of threads run at a time: a team takes one row after the other, and nothing of a row may be
// left when the next begins. Every element of every row is compared.
#include "support/line_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

using lf::axis;
using line = std::vector<double>;

/// Rows of a matrix, or its columns.
struct lines {
  std::int64_t count, length;
  bool columns = false;
  std::int64_t size() const { return count * length; }
  std::int64_t at(std::int64_t r, std::int64_t i) const { return columns ? i * count + r : r * length + i; }
  lf::shape<2> shape() const { return columns ? lf::shape(length, count) : lf::shape(count, length); }
};
template <class T>
using host_matrix = lf::array<T, 2, lf::host>;

/// Numbers from -8 to 14, exact in float; neighbours have another mean and another spread.
template <class T>
host_matrix<T> matrix_of(const lines& l, std::uint32_t stream) {
  host_matrix<T> x(l.shape());
  T* const to = x.data();
  for (std::int64_t r = 0; r < l.count; ++r) {
    const double spread = double(1 + r % 4) / 4, middle = double(r % 7);
    for (std::int64_t i = 0; i < l.length; ++i)
      to[l.at(r, i)] = static_cast<T>(test::between(stream, r * l.length + i) * spread + middle);
  }
  return x;
}
template <class T>
line line_of(const host_matrix<T>& x, const lines& l, std::int64_t r) {
  const T* const from = x.data();
  line v(static_cast<std::size_t>(l.length));
  for (std::int64_t i = 0; i < l.length; ++i) v[static_cast<std::size_t>(i)] = double(from[l.at(r, i)]);
  return v;
}

// What is expected of a line, by plain loops; sums are wider than double, as results of double are compared, too.
double total(const line& v) {
  long double sum = 0;
  for (const double e : v) sum += e;
  return static_cast<double>(sum);
}
line softmax_of(line v) {
  const double most = *std::max_element(v.begin(), v.end());
  for (double& e : v) e = std::exp(e - most);
  const double sum = total(v);
  for (double& e : v) e /= sum;
  return v;
}
line softmax_of_both(line v, const line& w) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += w[i];
  return softmax_of(std::move(v));
}
line logsumexp_of(line v) {
  const double most = *std::max_element(v.begin(), v.end());
  for (double& e : v) e = std::exp(e - most);
  return {std::log(total(v)) + most};
}
line squares_of_softmax(line v) {
  v = softmax_of(std::move(v));
  for (double& e : v) e *= e;
  return {total(v)};
}
line variance_of(line v) {
  const double n = double(v.size()), mean = total(v) / n;
  for (double& e : v) e = (e - mean) * (e - mean);
  return {total(v) / n};
}
line standardized(line v, double epsilon) {
  const double n = double(v.size()), mean = total(v) / n;
  for (double& e : v) e -= mean;
  line squares = v;
  for (double& e : squares) e *= e;
  const double deviation = std::sqrt(total(squares) / n + epsilon);
  for (double& e : v) e /= deviation;
  return v;
}

// exp is good to 4 ulp, the sum adds some, the product with the reciprocal one.
constexpr test::precision softmax_precision{16};
constexpr test::precision log_precision{4, 16};
constexpr test::precision standard_precision{32, 32};

template <class Space>
class rows_in_turn : public test::on<Space> {
 protected:
  void TearDown() override { lf::tune_detail::forget(); }

  static constexpr bool on_host = std::is_same_v<Space, lf::host>;
  /// Tools that check every access take a thousand times as long: for them, hardly more rows than teams of an H200.
  static bool few() { return std::getenv("LAZYFUSE_TEST_FEW_ROWS") != nullptr; }
  /// Rows with and without something left beyond whole vectors, and rows that one block does not hold.
  static std::vector<lines> shapes() {
    if (on_host) return {{7, 12345}, {7, 16384}, {7, 262144}, {9, 40000}};
    if (few()) return {{270, 12345}, {270, 16384}, {20, 262144}};
    return {{600, 12345}, {600, 16384}, {200, 262144}};
  }
  template <class T>
  static lf::array<T, 2, Space> there(const host_matrix<T>& x) {
    if constexpr (on_host) return x;
    else return lf::to<Space>(x);
  }
  /// Makes e one kernel, whatever the cost model thinks of the device.
  template <class E>
  static void want_rows(const E& e) {
    const auto report = lf::tune_detail::rows_of(e);
    ASSERT_GT(report.passes, 0);
    lf::tune_detail::remember(report, lf::plan_choice::rows);
  }

  /// Compares an evaluated matrix, or vector of one result per line, with f of the operands' lines.
  template <class A, class F, class... T>
  static void compare(const lines& l, const A& result, const test::precision& p, F f, const host_matrix<T>&... x) {
    using element = typename A::value_type;
    const auto here = lf::to<lf::host>(result);
    const element* const got = here.data();
    for (std::int64_t r = 0; r < l.count; ++r) {
      const line want = f(line_of(x, l, r)...);
      const bool one = want.size() == 1;
      ASSERT_EQ(here.size(), one ? l.count : l.size());
      for (std::int64_t i = 0; i < (one ? 1 : l.length); ++i) {
        const double is = double(got[one ? r : l.at(r, i)]), should = want[static_cast<std::size_t>(i)];
        if (!test::near<element>(is, should, p))
          FAIL() << "element " << i << " of row " << r << " of " << l.count << " is " << is << ", expected " << should;
      }
    }
  }
  template <class E, class F, class... T>
  static void expect(const lines& l, const E& e, const test::precision& p, F f, const host_matrix<T>&... x) {
    want_rows(e);
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    ASSERT_EQ(trace.launches(), 1);
    EXPECT_EQ(trace.kernels()[0].pattern, "rows");
    compare(l, result, p, f, x...);
  }

  /// All elements of softmax over some axes.
  template <int... A>
  static void expect_softmax(const auto& x, lf::axes<A...> axes, const test::real_tensor& values) {
    want_rows(lf::softmax(x, axes));
    lf::kernel_trace trace;
    const auto result = lf::to<lf::host>(lf::materialize(lf::softmax(x, axes)));
    EXPECT_EQ(trace.launches(), 1);
    const test::real_tensor want = test::softmax_of(values, {A...});
    for (std::size_t i = 0; i < want.values.size(); ++i)
      if (!test::near<float>(double(result.data()[i]), want.values[i], softmax_precision))
        FAIL() << "element " << i << " is " << result.data()[i] << ", expected " << want.values[i];
  }
};
TYPED_TEST_SUITE(rows_in_turn, test::spaces, test::space_name);

TYPED_TEST(rows_in_turn, softmax_of_many_rows) {
  for (const lines& l : this->shapes()) {
    const auto x = matrix_of<float>(l, 1);
    this->expect(l, lf::softmax(this->there(x)), softmax_precision, softmax_of, x);
  }
}
TYPED_TEST(rows_in_turn, layer_norm_of_many_rows) {
  for (const lines& l : this->shapes()) {
    const auto x = matrix_of<float>(l, 2);
    this->expect(
        l, lf::layer_norm(this->there(x)), standard_precision, [](line v) { return standardized(v, 1e-5); }, x);
  }
}
TYPED_TEST(rows_in_turn, one_result_of_each_of_many_rows) {
  for (const lines& l : this->shapes()) {
    const auto x = matrix_of<float>(l, 3);
    const auto y = this->there(x);
    this->expect(l, lf::logsumexp(y, axis<-1>), log_precision, logsumexp_of, x);
    this->expect(l, lf::sum(lf::square(lf::softmax(y)), axis<-1>), {2 * softmax_precision.relative}, squares_of_softmax,
                 x);
  }
}
TYPED_TEST(rows_in_turn, many_rows_of_two_operands) {
  for (const lines& l : this->shapes()) {
    const auto x = matrix_of<float>(l, 4), y = matrix_of<float>(l, 5);
    this->expect(l, lf::softmax(this->there(x) + this->there(y)), softmax_precision, softmax_of_both, x, y);
  }
}
TYPED_TEST(rows_in_turn, many_rows_assigned_to_what_they_are_read_from) {
  for (const lines& l : this->shapes()) {
    const auto x = matrix_of<float>(l, 6);
    auto y = this->there(x);
    y += 0;  // memory of its own
    this->want_rows(lf::softmax(y));
    lf::kernel_trace trace;
    y = lf::softmax(y);
    EXPECT_EQ(trace.launches(), 1);
    this->compare(l, y, softmax_precision, softmax_of, x);
  }
}
TYPED_TEST(rows_in_turn, many_rows_of_doubles) {
  for (const lines& l : this->shapes()) {
    const auto x = matrix_of<double>(l, 7);
    this->expect(l, lf::softmax(this->there(x)), softmax_precision, softmax_of, x);
  }
}
TYPED_TEST(rows_in_turn, many_columns) {
  for (const lines& l : this->on_host ? std::vector<lines>{{40, 64, true}, {2500, 700, true}, {70, 20000, true}}
                                      : std::vector<lines>{{3000, this->few() ? 512 : 4096, true}}) {
    const auto x = matrix_of<float>(l, 8);
    const auto y = this->there(x);
    this->expect(
        l, lf::standardize(y, axis<0>), standard_precision, [](line v) { return standardized(v, 0); }, x);
    this->expect(l, lf::logsumexp(y, axis<0>), log_precision, logsumexp_of, x);
  }
}

TYPED_TEST(rows_in_turn, lines_whose_first_elements_are_unlike_the_others) {
  for (const lines& l : {lines{3, 12345}, lines{3, 262144}, lines{64, 3000, true}, lines{1024, 300, true}})
    for (const std::int64_t unlike : {std::int64_t{8}, l.length / 64}) {
      auto x = matrix_of<float>(l, 11);
      for (std::int64_t r = 0; r < l.count; ++r)
        for (std::int64_t i = 0; i < unlike; ++i) x.data()[l.at(r, i)] += 10000;
      const auto y = this->there(x);
      const auto check = [&](auto a) {
        this->expect(
            l, lf::standardize(y, a), {64, 64}, [](line v) { return standardized(v, 0); }, x);
        this->compare(l, lf::materialize(lf::var(y, a)), {64}, variance_of, x);
      };
      if (l.columns) check(axis<0>);
      else check(axis<1>);
    }
}
TYPED_TEST(rows_in_turn, tall_columns_at_several_places) {
  const test::real_tensor values = test::any_numbers(9, {3, 700, 1500});
  const auto x = test::array_from<TypeParam, 3>(values);
  this->expect_softmax(x, axis<1>, values);
}
TYPED_TEST(rows_in_turn, many_columns_of_which_the_last_of_each_place_do_not_fill_a_block) {
  const test::real_tensor values = test::any_numbers(12, {60, 16, 544});
  this->expect_softmax(test::array_from<TypeParam, 3>(values), axis<1>, values);
}
TYPED_TEST(rows_in_turn, rows_of_several_lines) {
  for (const int rows : {2, 9})
    for (const int lines : {3, 40, 300}) {
      const test::real_tensor values = test::any_numbers(10, {lines, rows, 1000});
      const auto x = test::array_from<TypeParam, 3>(values);
      this->expect_softmax(x, axis<0, 2>, values);
    }
}

/// Passes read a row that outgrows shared memory forwards and backwards in turn.
TYPED_TEST(rows_in_turn, find_the_first_of_equal_elements_in_whichever_pass) {
  const lf::index_t length = std::is_same_v<TypeParam, lf::host> ? 1 << 16 : 1 << 24;
  const lf::array<float, 2, TypeParam> x = lf::ones<float>({2, length});
  const auto apart = x - lf::mean(x, axis<-1>, lf::keepdims);
  const lf::array<float, 2, TypeParam> z = x + lf::cast<float>(lf::argmax(apart, axis<-1>, lf::keepdims));
  EXPECT_EQ(lf::max(z).item(), 1);
  const auto y = lf::reshape(x, {length / 32, 64});
  const auto apart_in_columns = y - lf::mean(y, axis<0>, lf::keepdims);
  const lf::array<float, 2, TypeParam> w = y + lf::cast<float>(lf::argmin(apart_in_columns, axis<0>, lf::keepdims));
  EXPECT_EQ(lf::max(w).item(), 1);
}

}  // namespace
