// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order, against NumPy's answers: sorted elements and their places, and the largest. The name of each case is the NumPy
// text.
#include "support/answered.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/sort.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using lf::all, lf::axis, lf::descending, lf::none, lf::range;
using std::int32_t, std::int64_t;

template <class Space>
class sorting : public test::answered<sorting<Space>, Space> {
  using base = test::answered<sorting<Space>, Space>;

 public:
  static constexpr const char* family = "sorting";

 protected:
  using base::answers, base::expect;

  static auto x() { return test::array_of<Space, 3>(answers().template get<int32_t>("x")); }
  static auto f() { return test::array_of<Space, 3>(answers().template get<float>("f")); }
  static auto v() { return test::array_of<Space, 1>(answers().template get<int32_t>("v")); }
  static auto r() { return test::array_of<Space, 2>(answers().template get<int32_t>("r")); }
  static auto w() { return test::array_of<Space, 1>(answers().template get<double>("w")); }

  template <class T>
  static void expect_sorted() {
    const std::string type = std::string(test::name_of<T>()) + "/";
    const auto x = test::array_of<Space, 1>(answers().template get<T>(type + "x"));
    expect(type + "sort(x)", lf::sort(x));
    expect(type + "argsort(x,descending=True)", lf::argsort(x, descending));
    if constexpr (lf::boolean<T> || lf::floating_point<T>) {
      expect(type + "sort(x)[::-1]", lf::sort(x, descending));
      expect(type + "argsort(x)", lf::argsort(x));
    }
  }
};
TYPED_TEST_SUITE(sorting, test::spaces, test::space_name);

TYPED_TEST(sorting, every_type_has_an_order_with_nan_last) {
  this->template expect_sorted<bool>();
  this->template expect_sorted<lf::int8>();
  this->template expect_sorted<lf::int16>();
  this->template expect_sorted<int32_t>();
  this->template expect_sorted<int64_t>();
  this->template expect_sorted<lf::uint8>();
  this->template expect_sorted<lf::uint16>();
  this->template expect_sorted<lf::uint32>();
  this->template expect_sorted<lf::uint64>();
  this->template expect_sorted<float>();
  this->template expect_sorted<double>();
  this->template expect_sorted<lf::half>();
  this->template expect_sorted<lf::bfloat16>();
}
TYPED_TEST(sorting, goes_along_an_axis) {
  const auto x = this->x();
  const auto f = this->f();
  const auto r = this->r();
  this->expect("sort(x)", lf::sort(x));
  this->expect("sort(x,0)", lf::sort(x, axis<0>));
  this->expect("sort(x,1)", lf::sort(x, axis<1>));
  this->expect("sort(x,-2)", lf::sort(x, axis<-2>));
  this->expect("flip(sort(x,1),1)", lf::sort(x, axis<1>, descending));
  this->expect("flip(sort(x,1),1)", lf::sort(x, descending, axis<1>));
  this->expect("sort(f)", lf::sort(f));
  this->expect("sort(f,0)", lf::sort(f, axis<0>));
  this->expect("sort(f,1)", lf::sort(f, axis<1>));
  this->expect("sort(r)", lf::sort(r));
  this->expect("sort(r,0)", lf::sort(r, axis<0>));
  this->expect("argsort(x)", lf::argsort(x));
  this->expect("argsort(x,0)", lf::argsort(x, axis<0>));
  this->expect("argsort(x,1)", lf::argsort(x, axis<1>));
  this->expect("argsort_down(x,1)", lf::argsort(x, axis<1>, descending));
  this->expect("argsort(f)", lf::argsort(f));
  this->expect("argsort(f,1)", lf::argsort(f, axis<1>));
  this->expect("argsort_down(f)", lf::argsort(f, descending));
  this->expect("argsort(r)", lf::argsort(r));
  this->expect("sort(x,1)", lf::take_along_axis(x, lf::argsort(x, axis<1>), axis<1>));
}
TYPED_TEST(sorting, takes_any_expression_and_returns_arrays) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect("sort(x[::-1,:,::-2])", lf::sort(x(range(none, none, -1), all, range(none, none, -2))));
  this->expect("sort(x.T,1)", lf::sort(x.T(), axis<1>));
  this->expect("sort(x*2+v[:6])", lf::sort(x * 2 + v(range(0, 6))));
  this->expect("sort(np.broadcast_to(v,(3,8)))", lf::sort(lf::broadcast_to(v, {3, 8})));
  this->expect("sort(v[:0])", lf::sort(v(range(0, 0))));
  this->expect("sort(x[:,:0],1)", lf::sort(x(all, range(0, 0)), axis<1>));
  this->expect("sort(x[:,:0],2)", lf::sort(x(all, range(0, 0)), axis<2>));
  this->expect("sort(v[:1])", lf::sort(v(range(0, 1))));
  this->expect("sort(x,1)[2]*2", lf::sort(x, axis<1>)(2) * 2);
  this->expect("sort(x.max(1))", lf::sort(lf::max(x, axis<1>)));
  this->expect("sort(x>0)", lf::sort(x > 0));
  this->expect("argsort(x>0)", lf::argsort(x > 0));
  this->expect("argsort(v*v%7)", lf::argsort(lf::remainder(v * v, 7)));
  this->expect("argsort(v[:0])", lf::argsort(v(range(0, 0))));
}
TYPED_TEST(sorting, many_elements_are_sorted_by_several_threads) {
  std::mt19937_64 engine(7);
  for (const lf::index_t n : {199, 200, 201, 70'000, 300'001}) {
    std::vector<int64_t> values(static_cast<std::size_t>(n));
    for (int64_t& value : values) value = static_cast<int64_t>(engine()) >> (n % 3 * 20);
    const lf::array<int64_t, 1, TypeParam> x = lf::to<TypeParam>(lf::from(values));
    const auto sorted = test::tensor_of(lf::sort(x)), found = test::tensor_of(lf::take(x, lf::argsort(x)));
    std::sort(values.begin(), values.end());
    EXPECT_TRUE(std::equal(values.begin(), values.end(), sorted.values.begin())) << n;
    EXPECT_TRUE(std::equal(values.begin(), values.end(), found.values.begin())) << n;
    // equal ones in their order: all of them
    const auto places = test::tensor_of(lf::argsort(lf::remainder(x, 3) * 0));
    for (lf::index_t i = 0; i < n; ++i) ASSERT_EQ(places.values[static_cast<std::size_t>(i)], i);
  }
}
TYPED_TEST(sorting, rows_are_of_any_length) {
  const auto check = [](auto zero, lf::index_t length) {
    using T = decltype(zero);
    constexpr lf::index_t rows = 5;
    test::tensor<T> t{{rows, length}, {}}, sorted = t;
    test::tensor<int64_t> places{{rows, length}, {}};
    for (lf::index_t r = 0; r < rows; ++r) {
      std::vector<T> row(static_cast<std::size_t>(length));
      std::vector<int64_t> at(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto drawn = static_cast<int>((i + 17 * static_cast<std::size_t>(r)) * 7919 % row.size() % 127);
        row[i] = i % 11 == 3 ? std::numeric_limits<T>::max() : static_cast<T>(drawn - 60);
        at[i] = static_cast<int64_t>(i);
      }
      t.values.insert(t.values.end(), row.begin(), row.end());
      std::stable_sort(at.begin(), at.end(),
                       [&](int64_t a, int64_t b) { return row[std::size_t(a)] < row[std::size_t(b)]; });
      places.values.insert(places.values.end(), at.begin(), at.end());
      std::sort(row.begin(), row.end());
      sorted.values.insert(sorted.values.end(), row.begin(), row.end());
    }
    const lf::array<T, 2, TypeParam> x = test::array_of<TypeParam, 2>(t);
    EXPECT_EQ(test::tensor_of(lf::sort(x)).values, sorted.values) << length;
    EXPECT_EQ(test::tensor_of(lf::argsort(x)).values, places.values) << length;
  };
  for (const lf::index_t length : {1, 2, 3, 31, 32, 33, 64, 65, 255, 1000, 1025, 2047, 2048, 2049}) {
    check(std::int8_t{}, length);
    check(float{}, length);
    check(int64_t{}, length);
  }
}
TYPED_TEST(sorting, the_largest_are_selected) {
  const auto x = this->x();
  const auto f = this->f();
  const auto v = this->v();
  const auto w = this->w();
  this->expect("topk_values(x,2)", lf::topk(x, 2).values);
  this->expect("topk_indices(x,2)", lf::topk(x, 2).indices);
  this->expect("topk_values(x,3,0)", lf::topk(x, 3, axis<0>).values);
  this->expect("topk_indices(x,3,1)", lf::topk(x, 3, axis<1>).indices);
  this->expect("topk_values(f,4)", lf::topk(f, 4).values);
  this->expect("topk_indices(f,4)", lf::topk(f, 4).indices);
  this->expect("topk_values(r,5)", lf::topk(this->r(), 5).values);
  this->expect("topk_indices(r,5)", lf::topk(this->r(), 5).indices);
  this->expect("topk_values(w,3)", lf::topk(w, 3).values);
  this->expect("topk_indices(w,3)", lf::topk(w, 3).indices);
  this->expect("topk_indices(w*w,100)", lf::topk(w * w, 100).indices);
  this->expect("topk_values(v,8)", lf::topk(v, 8).values);
  this->expect("topk_indices(v,0)", lf::topk(v, 0).indices);
  for (const lf::index_t k : {-3, 0, 2, 5}) {
    const auto p = lf::partition(x, k);
    this->expect("sort(x)", lf::sort(p));
    const auto wanted = test::tensor_of(lf::sort(x)(all, all, k));
    EXPECT_EQ(test::tensor_of(p(all, all, k)).values, wanted.values) << k;
  }
}
TYPED_TEST(sorting, zeros_of_either_sign_are_equal_and_come_back_as_they_were) {
  const auto negative = [](const auto& x) { return test::tensor_of(lf::cast<int32_t>(lf::signbit(x))).values; };
  const lf::array<float, 1, TypeParam> x = lf::to<TypeParam>(lf::from(std::vector<float>{0, -1, -0.0F, 0, -0.0F}));
  const auto best = lf::topk(x, 4);
  EXPECT_EQ(test::tensor_of(best.indices).values, (std::vector<int64_t>{0, 2, 3, 4}));
  EXPECT_EQ(negative(best.values), (std::vector<int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(negative(lf::topk(x, 2).values), (std::vector<int32_t>{0, 1}));
  // of rows that no block of a GPU sorts: some, and most
  const lf::array<float, 1, TypeParam> many = lf::where(lf::remainder(lf::arange<int32_t>(5000), 3) == 0, 0.0F, -0.0F);
  for (const lf::index_t k : {7, 4000}) {
    const auto some = lf::topk(many, k);
    EXPECT_TRUE(test::tensor_of(some.indices).values == test::tensor_of(lf::arange<int64_t>(k)).values);
    EXPECT_EQ(negative(some.values), negative(many(range(0, k)))) << k;
  }
}
TYPED_TEST(sorting, few_of_long_rows_come_first_wherever_they_are) {
  // So long that a GPU keeps what a sample says may come first; if its elements are equal that is of no use.
  constexpr int64_t length = 4'194'319;  // a prime: multiples of other numbers are in all orders of one row
  constexpr lf::index_t k = 1000;
  const auto expect_first = [](const auto& numbers) {
    const lf::array<lf::value_t<decltype(numbers)>, 2, TypeParam> x = numbers;
    const auto all_values = test::tensor_of(x).values;
    const auto found = lf::topk(x, k);
    const auto values = test::tensor_of(found.values).values;
    const auto places = test::tensor_of(found.indices).values;
    for (lf::index_t r = 0; r < x.shape()[0]; ++r) {
      const auto* const row = all_values.data() + r * length;
      const auto comes_before = [row](int64_t a, int64_t b) { return row[a] > row[b] || (row[a] == row[b] && a < b); };
      for (lf::index_t i = 0; i < k; ++i) {
        ASSERT_EQ(values[r * k + i], row[places[r * k + i]]) << r << ", " << i;
        const bool is_after = i == 0 || comes_before(places[r * k + i - 1], places[r * k + i]);
        ASSERT_TRUE(is_after) << r << ", " << i;
      }
      int64_t before_last = 0;
      for (int64_t i = 0; i < length; ++i) before_last += comes_before(i, places[r * k + k - 1]);
      EXPECT_EQ(before_last, k - 1) << r;
    }
  };
  const auto one = lf::reshape(lf::arange<int64_t>(length), {1, length});
  const auto two = lf::reshape(lf::arange<int64_t>(2 * length), {2, length});
  expect_first(lf::cast<float>(lf::remainder(two * 104729, length)) - 2e6F);
  expect_first(-lf::cast<float>(one));
  expect_first(lf::cast<double>(lf::remainder(one * 104729, length / 700)) / 7);  // of each some 700
  expect_first(lf::cast<float>(one * 0));
}
TYPED_TEST(sorting, selections_are_the_beginnings_of_what_is_sorted) {
  // Numbers that are near each other, that are few, and that are all equal; one row of them, and several.
  const auto n = lf::arange<int64_t>(30'000);
  const auto noise = lf::remainder(n * n * 7919 + n * 104729, 1'000'003);
  const auto expect_selected = [](const auto& x) {
    using array = lf::array<lf::value_t<decltype(x)>, lf::rank_of<decltype(x)>, TypeParam>;
    const array values(x);
    const auto sorted = test::tensor_of(lf::sort(values));
    const auto down = test::tensor_of(lf::argsort(values, descending));
    const auto length = values.shape()[lf::rank_of<decltype(x)> - 1], rows = values.size() / length;
    EXPECT_TRUE(lf::array_equal(lf::median(values, axis<-1>), lf::quantile(lf::sort(values), 0.5, axis<-1>)));
    for (const lf::index_t k :
         {lf::index_t{1}, lf::index_t{19}, lf::index_t{256}, lf::index_t{1000}, length / 4, length - 1}) {
      const auto found = test::tensor_of(lf::topk(values, k).indices);
      auto parts = test::tensor_of(lf::partition(values, k));
      for (lf::index_t r = 0; r < rows; ++r) {
        const auto of = [&](auto& t, lf::index_t row) { return t.values.begin() + row; };
        EXPECT_TRUE(std::equal(of(found, r * k), of(found, r * k + k), of(down, r * length))) << k;
        const auto first = of(parts, r * length);
        EXPECT_EQ(first[k], *of(sorted, r * length + k)) << k;
        std::sort(first, first + k);
        std::sort(first + k, first + length);
      }
      EXPECT_EQ(parts.values, sorted.values) << k;
    }
  };
  expect_selected(lf::cast<float>(noise) / 1000.0F - 500.0F);
  expect_selected(lf::reshape(lf::cast<double>(noise) * 1e-9 + 1.0, {3, 10'000}));
  expect_selected(lf::reshape(lf::cast<std::int8_t>(lf::remainder(noise, 100)), {6, 5000}));
  expect_selected(lf::reshape(lf::cast<float>(lf::remainder(noise, 3)) - 1.0F, {10, 3000}));
  expect_selected(lf::reshape(noise - 500'000, {6, 5'000}));
  expect_selected(lf::cast<float>(lf::remainder(noise, 3)));
  expect_selected(lf::cast<float>(noise * 0));
}
TYPED_TEST(sorting, mistakes_are_errors) {
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] { (void)lf::topk(this->x(), 7); }),
            "topk: shape (4, 5, 6) has fewer elements along the axis than are asked for");
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { (void)lf::partition(this->v(), 8); }),
            "partition: there is no element k along the axis");
}

}  // namespace
