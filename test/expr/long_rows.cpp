// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of long rows and of columns, of lengths and widths that fill no vector, no block and no cluster: each is
// one kernel, whoever compiled it, and has the values of plain loops in double.
#include "support/line_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using lf::axis, lf::keepdims;
using line = std::vector<double>;

double total(const line& v) {
  long double sum = 0;
  for (const double e : v) sum += e;
  return static_cast<double>(sum);
}
double largest(const line& v) { return *std::max_element(v.begin(), v.end()); }
line softmax_of(line v) {
  const double most = largest(v);
  for (double& e : v) e = std::exp(e - most);
  const double sum = total(v);
  for (double& e : v) e /= sum;
  return v;
}
line normalized(line v) {
  double squares = 0;
  for (const double e : v) squares += e * e;
  for (double& e : v) e /= std::sqrt(squares);
  return v;
}
line standardized(line v) {
  const double mean = total(v) / double(v.size());
  double squares = 0;
  for (double& e : v) squares += (e - mean) * (e - mean);
  for (double& e : v) e = (e - mean) / std::sqrt(squares / double(v.size()));
  return v;
}
line logsumexp_of(line v) {
  const double most = largest(v);
  for (double& e : v) e = std::exp(e - most);
  return {std::log(total(v)) + most};
}
/// Of what is left of each element by the mean, the sum of those over the largest: three stages, and one result.
line nested(line v) {
  const double mean = total(v) / double(v.size());
  for (double& e : v) e = std::abs(e - mean);
  const double most = largest(v);
  for (double& e : v) e /= most;
  return {total(v)};
}
constexpr auto nested_of = [](const auto& x, auto a) {
  const auto apart = lf::abs(x - lf::mean(x, a, keepdims));
  return lf::sum(apart / lf::max(apart, a, keepdims), a);
};

/// Epsilons of the element type by which a value may differ from double's, relative to itself; and of numbers from
/// which something of their size was taken away, to 1.
constexpr double most = 32;
template <class T>
constexpr double epsilon = std::is_same_v<T, lf::half>       ? 0x1p-10
                           : std::is_same_v<T, lf::bfloat16> ? 0x1p-7
                                                             : double(std::numeric_limits<T>::epsilon());

/// Half rounds to multiples of it, however small a number is.
template <class T>
constexpr double smallest = std::is_same_v<T, lf::half> ? 0x1p-24 : 0;

/// Lines of a matrix, its rows or its columns, here and where they are computed with.
template <class T, class Space>
struct lines {
  std::int64_t count, length;
  bool columns;
  lf::array<T, 2, lf::host> here;
  lf::array<T, 2, Space> x;

  lines(std::int64_t how_many, std::int64_t how_long, bool side_by_side, std::uint32_t stream = 1)
      : count(how_many),
        length(how_long),
        columns(side_by_side),
        here(side_by_side ? lf::shape(how_long, how_many) : lf::shape(how_many, how_long)) {
    T* const to = here.data();
    for (std::int64_t r = 0; r < count; ++r)
      for (std::int64_t i = 0; i < length; ++i)
        to[at(r, i)] = static_cast<T>(test::between(stream, r * length + i) / 2 + double(r % 5));
    if constexpr (std::is_same_v<Space, lf::host>) x = here;
    else x = lf::to<Space>(here);
  }
  std::int64_t at(std::int64_t r, std::int64_t i) const { return columns ? i * count + r : r * length + i; }
  line of(std::int64_t r) const {
    const T* const from = std::as_const(here).data();
    line v(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < length; ++i) v[static_cast<std::size_t>(i)] = double(from[at(r, i)]);
    return v;
  }
  std::string text(const char* what) const {
    return what + (" of " + std::to_string(count)) + (columns ? " columns of " : " rows of ") + std::to_string(length);
  }
};

template <class Space>
class long_rows : public test::on<Space> {
 protected:
  static constexpr bool on_host = std::is_same_v<Space, lf::host>;
  void TearDown() override { lf::tune_detail::forget(); }

  /// Rows; on the host fewer, since it has no teams.
  static std::vector<std::pair<std::int64_t, std::int64_t>> rows() {
    if (on_host) return {{5, 8193}, {2, 50257}};
    // Of 1088 elements vectors would leave half of the threads idle; 600 of them are enough for strips.
    return {{5, 8193}, {30, 12288}, {6, 50257}, {600, 1088}, {2, 262144 + 3}, {2, 400000}, {1, (1 << 22) + 1}};
  }
  static std::vector<std::pair<std::int64_t, std::int64_t>> columns() {
    if (on_host) return {{3, 5}, {33, 700}};
    // 132 of 5000 are more than a cluster keeps of whole vectors, 16384 of 44 enough for strips.
    std::vector<std::pair<std::int64_t, std::int64_t>> all{
        {5, 5000}, {33, 5000}, {130, 5000}, {132, 5000}, {1 << 14, 44}};
    for (const int length : {3, 5, 33, 700})
      for (const int width : {3, 33, 130, 1001}) all.emplace_back(width, length);
    return all;
  }
  template <class T, class F>
  static void for_lines(const F& f) {
    for (const auto& [count, length] : rows())
      if (std::is_same_v<T, float> || length < 1 << 20) f(lines<T, Space>(count, length, false), axis<1>);
    for (const auto& [count, length] : columns()) f(lines<T, Space>(count, length, true), axis<0>);
  }

  /// A result against f of some lines, the first and the last among them.
  template <class T, class A, class F>
  static void compare(const lines<T, Space>& l, const A& result, const F& f, const char* what, bool apart = false) {
    const auto got = lf::to<lf::host>(result);
    for (std::int64_t r = 0; r < l.count; r += r < 2 || r + 3 >= l.count ? 1 : l.count / 7 + 1) {
      const line want = f(l.of(r));
      const bool one = want.size() == 1;
      ASSERT_EQ(got.size(), one ? l.count : l.count * l.length);
      for (std::int64_t i = 0; i < (one ? 1 : l.length); ++i) {
        const double is = double(std::as_const(got).data()[one ? r : l.at(r, i)]),
                     wanted = want[static_cast<std::size_t>(i)];
        if (!(std::abs(is - wanted) <= most * epsilon<T> * (std::abs(wanted) + (apart ? 1 : 0)) + smallest<T>))
          FAIL() << l.text(what) << ": element " << i << " of line " << r << " is " << is << ", expected " << wanted;
      }
    }
  }
  /// Evaluates e twice, by one kernel each time: the same bits, and near f of the lines.
  template <class T, class E, class F>
  static void expect(const lines<T, Space>& l, const E& e, const F& f, const char* what, bool apart = false) {
    lf::tune_detail::remember(lf::tune_detail::rows_of(e), lf::plan_choice::rows);  // whatever the device's costs are
    lf::kernel_trace trace;
    const auto result = lf::materialize(e), again = lf::materialize(e);
    EXPECT_EQ(trace.launches(), 2) << l.text(what);
    compare(l, result, f, what, apart);
    EXPECT_TRUE(lf::array_equal(result, again)) << l.text(what);
  }
};
TYPED_TEST_SUITE(long_rows, test::spaces, test::space_name);

TYPED_TEST(long_rows, of_float) {
  this->template for_lines<float>([](const auto& l, auto a) {
    TestFixture::expect(l, lf::softmax(l.x, a), softmax_of, "softmax");
    TestFixture::expect(l, l.x / lf::sqrt(lf::sum(l.x * l.x, a, keepdims)), normalized, "normalized", true);
    TestFixture::expect(l, lf::standardize(l.x, a), standardized, "standardized", true);
  });
}
TYPED_TEST(long_rows, with_one_result) {
  this->template for_lines<float>([](const auto& l, auto a) {
    TestFixture::expect(l, lf::logsumexp(l.x, a), logsumexp_of, "logsumexp");
    TestFixture::expect(l, nested_of(l.x, a), nested, "what is apart from the mean");
  });
}
TYPED_TEST(long_rows, of_double) {
  this->template for_lines<double>(
      [](const auto& l, auto a) { TestFixture::expect(l, lf::softmax(l.x, a), softmax_of, "softmax"); });
}
TYPED_TEST(long_rows, of_16_bits) {
  this->template for_lines<lf::half>(
      [](const auto& l, auto a) { TestFixture::expect(l, lf::softmax(l.x, a), softmax_of, "softmax"); });
  this->template for_lines<lf::bfloat16>(
      [](const auto& l, auto a) { TestFixture::expect(l, lf::softmax(l.x, a), softmax_of, "softmax"); });
}

/// Lines that grow, shrink, are equal, lie far from 0, and that have infinite numbers or NaN in them.
template <class T, class Space>
lines<T, Space> special_lines(std::int64_t length, bool side_by_side) {
  lines<T, Space> l(8, length, side_by_side);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  T* const to = l.here.data();
  const double step = std::min(2e-4, 8 / double(length));  // differences of more round too much for exponentials
  for (std::int64_t i = 0; i < length; ++i) {
    to[l.at(0, i)] = static_cast<T>(double(i) * step);
    to[l.at(1, i)] = static_cast<T>(double(length - i) * step);
    to[l.at(2, i)] = T(7);
    to[l.at(3, i)] = static_cast<T>(10000 + double(i % 17));
    to[l.at(6, i)] = -infinity;
    if (i % 3 == 0) to[l.at(7, i)] = -infinity;
  }
  to[l.at(4, length / 2)] = infinity;
  to[l.at(5, length / 3)] = std::numeric_limits<T>::quiet_NaN();
  if constexpr (std::is_same_v<Space, lf::host>) l.x = l.here;
  else l.x = lf::to<Space>(l.here);
  return l;
}
template <class T, class Space>
void check_special_lines(std::int64_t length, bool side_by_side, auto a) {
  const auto l = special_lines<T, Space>(length, side_by_side);
  const auto all = lf::to<lf::host>(lf::materialize(lf::logsumexp(l.x, a)));
  const auto parts = lf::to<lf::host>(lf::materialize(lf::softmax(l.x, a)));
  const auto near = [&](double is, double wanted) {
    return is == wanted || std::abs(is - wanted) <= most * epsilon<T> * (std::abs(wanted) + 1);
  };
  for (std::int64_t r = 0; r < l.count; ++r) {
    const double is = double(std::as_const(all).data()[r]);
    if (r == 4) EXPECT_EQ(is, std::numeric_limits<double>::infinity()) << l.text("logsumexp");
    else if (r == 5) EXPECT_TRUE(std::isnan(is)) << l.text("logsumexp");
    else if (r == 6) EXPECT_EQ(is, -std::numeric_limits<double>::infinity()) << l.text("logsumexp");
    else EXPECT_TRUE(near(is, logsumexp_of(l.of(r))[0])) << l.text("logsumexp") << ", line " << r << ": " << is;
    const line wanted = softmax_of(l.of(r));
    for (std::int64_t i = 0; i < length; ++i) {
      const double part = double(std::as_const(parts).data()[l.at(r, i)]);
      if (r >= 4 && r <= 6) ASSERT_TRUE(std::isnan(part)) << l.text("softmax") << ", line " << r << ": " << part;
      else
        ASSERT_TRUE(std::abs(part - wanted[std::size_t(i)]) <= most * epsilon<T> * wanted[std::size_t(i)])
            << l.text("softmax") << ", line " << r << ": " << part << ", expected " << wanted[std::size_t(i)];
    }
  }
}
TYPED_TEST(long_rows, of_numbers_that_grow_and_of_infinite_ones) {
  for (const std::int64_t length : {900, 20001, 40000, 400000}) {
    check_special_lines<float, TypeParam>(length, false, axis<1>);
    check_special_lines<float, TypeParam>(length, true, axis<0>);
  }
  check_special_lines<double, TypeParam>(20001, false, axis<1>);
}

/// Rows enough for one or several blocks each: those of b times each of a, of a's type.
template <class T, class Space>
void check_many_rows(std::int64_t length) {
  const std::int64_t count = std::is_same_v<Space, lf::host> ? 3 : 513;
  lf::array<T, 2, lf::host> a(lf::shape(count, 1)), b(lf::shape(1, length));
  for (std::int64_t r = 0; r < count; ++r) a.data()[r] = static_cast<T>(1 + test::between(3, r) / 4);
  for (std::int64_t i = 0; i < length; ++i) b.data()[i] = static_cast<T>(test::between(4, i));
  a.data()[1] = static_cast<T>(std::numeric_limits<double>::quiet_NaN());
  const auto x = lf::materialize(lf::to<Space>(a) * lf::to<Space>(b));
  const auto check = [&](const auto& e, const auto& f, const char* what) {
    lf::tune_detail::remember(lf::tune_detail::rows_of(e), lf::plan_choice::rows);
    lf::kernel_trace trace;
    const auto result = lf::materialize(e), again = lf::materialize(e);
    EXPECT_EQ(trace.launches(), 2) << what << ' ' << length;
    for (const std::int64_t r : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, count / 2, count - 1}) {
      const auto row = [&](const auto& of) {
        if constexpr (std::decay_t<decltype(of)>::rank == 1) return lf::to<lf::host>(of(lf::range(r, r + 1)));
        else return lf::to<lf::host>(lf::reshape(of(lf::range(r, r + 1), lf::all), lf::shape(length)));
      };
      line v(static_cast<std::size_t>(length));
      for (std::int64_t i = 0; i < length; ++i)
        v[static_cast<std::size_t>(i)] = double(static_cast<T>(a.data()[r] * b.data()[i]));
      const line want = f(std::move(v));
      const auto got = row(result), once_more = row(again);
      ASSERT_EQ(got.size(), static_cast<std::int64_t>(want.size())) << what << ' ' << length;
      for (std::size_t i = 0; i < want.size(); ++i) {
        const double is = double(std::as_const(got).data()[i]);
        if (r == 1) ASSERT_TRUE(std::isnan(is)) << what << ' ' << length << ": " << is << " of NaN";
        else {
          ASSERT_TRUE(std::abs(is - want[i]) <= most * epsilon<T> * std::abs(want[i]) + smallest<T>)
              << what << ' ' << length << ": element " << i << " of row " << r << " is " << is << ", not " << want[i];
          ASSERT_EQ(is, double(std::as_const(once_more).data()[i])) << what << ' ' << length << " again";
        }
      }
    }
  };
  check(lf::softmax(x, axis<1>), softmax_of, "softmax");
  if constexpr (sizeof(T) > 2) {  // the mean of half is rounded before it is subtracted
    check(lf::logsumexp(x, axis<1>), logsumexp_of, "logsumexp");
    check(nested_of(x, axis<1>), nested, "what is apart from the mean");
  }
}
TYPED_TEST(long_rows, of_which_there_are_enough_for_a_cluster_each) {
  // Of four, two and eight blocks, and longer ones.
  for (const std::int64_t length : {33001, 50257, 150001, 204803}) check_many_rows<float, TypeParam>(length);
  check_many_rows<double, TypeParam>(25001);
  check_many_rows<lf::half, TypeParam>(50257);
}

TYPED_TEST(long_rows, in_place) {
  this->template for_lines<float>([](const auto& l, auto a) {
    auto y = l.x;
    y += 0;  // memory of its own
    lf::tune_detail::remember(lf::tune_detail::rows_of(lf::softmax(y, a)), lf::plan_choice::rows);
    const lf::kernel_trace trace;
    y = lf::softmax(y, a);
    EXPECT_EQ(trace.launches(), 1) << l.text("in place");
    TestFixture::compare(l, y, softmax_of, "in place");
  });
}
TYPED_TEST(long_rows, off_alignment) {
  this->template for_lines<float>([](const auto& l, auto a) {
    const auto shape = l.x.shape();
    lf::array<float, 2, TypeParam> wide = lf::zeros<float>({shape[0] + 1, shape[1] + 3});
    const auto rows = lf::range(1, lf::end), columns = lf::range(1, shape[1] + 1);
    wide(rows, columns) = l.x;
    TestFixture::expect(l, lf::softmax(wide(rows, columns), a), softmax_of, "softmax off alignment");
  });
}

TYPED_TEST(long_rows, of_two_arrays) {
  this->template for_lines<float>([](const auto& l, auto a) {
    const lines<float, TypeParam> other(l.count, l.length, l.columns, 2);
    const auto e = lf::softmax(l.x, a) + lf::softmax(other.x, a) * lf::max(l.x, a, keepdims);
    std::int64_t r = 0;  // of which line the other array's is wanted
    const auto want = [&](line v) {
      while (l.of(r) != v) ++r;
      const line other_line = softmax_of(other.of(r));
      const double largest_of_row = largest(v);
      v = softmax_of(std::move(v));
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += other_line[i] * largest_of_row;
      return v;
    };
    TestFixture::compare(l, lf::materialize(e), want, "two softmaxes", true);
    if (std::is_same_v<lf::kernel_space<TypeParam>, lf::made_in<lf::cuda>>) {
      EXPECT_EQ(lf::plan(e).kernels.size(), 1u) << l.text("two softmaxes");
    }
  });
}

/// Rows of several axes: pieces of memory, of whole vectors or not.
template <int... A, int R, class Space>
void check_pieces(const lf::shape<R>& shape, const Space&) {
  lf::array<float, R, lf::host> here(shape);
  const std::int64_t n = shape.size();
  for (std::int64_t i = 0; i < n; ++i) here.data()[i] = static_cast<float>(test::between(3, i) + double(i % 7));
  lf::array<float, R, Space> x;
  if constexpr (std::is_same_v<Space, lf::host>) x = here;
  else x = lf::to<Space>(here);
  constexpr auto a = axis<A...>;
  const auto e = (x - lf::mean(x, a, keepdims)) / lf::sqrt(lf::var(x, a, keepdims) + 1e-5f);
  lf::tune_detail::remember(lf::tune_detail::rows_of(e), lf::plan_choice::rows);
  const auto standard = lf::to<lf::host>(lf::materialize(e));
  const auto spread = lf::to<lf::host>(lf::materialize(lf::max(lf::abs(x - lf::mean(x, a, keepdims)), a)));
  // Which row an element is of.
  const auto is_reduced = [](int k) { return ((k == A) || ...); };
  std::vector<std::int64_t> row_of(static_cast<std::size_t>(n));
  std::int64_t rows = 1;
  for (int k = 0; k < R; ++k) rows *= is_reduced(k) ? 1 : shape[k];
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t left = i, row = 0, step = 1;
    for (int k = R - 1; k >= 0; --k) {
      const std::int64_t at = left % shape[k];
      left /= shape[k];
      if (is_reduced(k)) continue;
      row += at * step;
      step *= shape[k];
    }
    row_of[std::size_t(i)] = row;
  }
  std::vector<line> all(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < n; ++i)
    all[std::size_t(row_of[std::size_t(i)])].push_back(double(std::as_const(here).data()[i]));
  std::vector<std::size_t> next(all.size(), 0);
  for (line& v : all) {
    const double mean = total(v) / double(v.size());
    double most_apart = 0;
    for (const double element : v) most_apart = std::max(most_apart, std::abs(element - mean));
    const auto row = std::size_t(&v - all.data());
    ASSERT_NEAR(double(std::as_const(spread).data()[row]), most_apart, 1e-5) << "row " << row;
    v = standardized(std::move(v));
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const auto row = std::size_t(row_of[std::size_t(i)]);
    ASSERT_NEAR(double(std::as_const(standard).data()[i]), all[row][next[row]++], 2e-5) << "element " << i;
  }
}
TYPED_TEST(long_rows, of_several_axes) {
  check_pieces<0, 2, 3>(lf::shape(6, 3, 40, 52), TypeParam{});      // pieces of 2080
  check_pieces<0, 2, 3>(lf::shape(74, 5, 32, 57), TypeParam{});     // of 1824, 74 of them
  check_pieces<0, 2, 3>(lf::shape(31, 4, 33, 57), TypeParam{});     // of 1881: not of vectors
  check_pieces<0, 2, 4>(lf::shape(9, 3, 17, 2, 512), TypeParam{});  // two axes before the last
  check_pieces<0, 2, 4>(lf::shape(9, 3, 17, 2, 509), TypeParam{});
}

/// An array that is read along rows twice, and once along columns, as the result: which of it is one array, and so
/// which way most memory lies, run time knows.
TYPED_TEST(long_rows, that_turn_out_to_be_columns) {
  for (const std::int64_t n : {100, 701}) {
    const lines<float, TypeParam> l(n, n, false);
    const auto sums_of_squares = [&](std::int64_t r) {
      double sum = 0;
      for (const double e : l.of(r)) sum += e * e;
      return sum;
    };
    line sums;
    for (std::int64_t r = 0; r < n; ++r) sums.push_back(sums_of_squares(r));
    const auto want = [&](line v) {
      for (std::size_t i = 0; i < v.size(); ++i) v[i] /= sums[i];
      return v;
    };
    TestFixture::compare(l, lf::materialize(l.x / lf::sum(l.x * l.x, axis<1>)), want, "over the sums of other rows");
    const auto turned = lf::transpose(l.x);
    TestFixture::compare(l, lf::materialize(lf::transpose(lf::softmax(turned, axis<0>))), softmax_of, "turned");
    TestFixture::compare(l, lf::materialize(lf::softmax(turned, axis<0>)).T(), softmax_of, "turned and dense");
  }
}

}  // namespace
