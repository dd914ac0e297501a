// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that masks and indices name, against NumPy's answers. The name of each case is the NumPy text.
#include <lazyfuse/select.hpp>

#include "support/answered.hpp"

#include <lazyfuse/error.hpp>

#include <sstream>
#include <string>

namespace {

using lf::all, lf::axis, lf::none, lf::range;
using std::int32_t, std::int64_t;

template <class Space>
class selections : public test::answered<selections<Space>, Space> {
  using base = test::answered<selections<Space>, Space>;

 public:
  static constexpr const char* family = "selections";

 protected:
  using base::answers, base::expect;

  static auto x() { return test::array_of<Space, 3>(answers().template get<int32_t>("x")); }
  static auto v() { return test::array_of<Space, 1>(answers().template get<double>("v")); }
  static auto f() { return test::array_of<Space, 1>(answers().template get<float>("f")); }
  static auto i() { return test::array_of<Space, 1>(answers().template get<int64_t>("i")); }
  static auto j() { return test::array_of<Space, 2>(answers().template get<int32_t>("j")); }
  static auto z() { return test::array_of<Space, 1>(answers().template get<lf::complex<float>>("z")); }
};
TYPED_TEST_SUITE(selections, test::spaces, test::space_name);

TYPED_TEST(selections, have_the_elements_at_which_a_mask_is_true) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect("x[x>3]", x(x > 3));
  this->expect("x[x>3]", lf::compress(x > 3, x));
  this->expect("x[x>100]", x(x > 100));
  this->expect("x[x>-100]", x(x > -100));
  this->expect("v[:0][v[:0]>1]", v(range(0, 0))(v(range(0, 0)) > 1));
  this->expect("v[1:2][v[1:2]>1]", v(range(1, 2))(v(range(1, 2)) > 1));
  this->expect("v[::-2][v[::-2]<2]", v(range(none, none, -2))(v(range(none, none, -2)) < 2));
  this->expect("x.T[x.T>5]", x.T()(x.T() > 5));
  const auto back = x(range(1, lf::end), range(none, none, -1));
  this->expect("x[1:,::-1][x[1:,::-1]%2==0]", back(lf::remainder(back, 2) == 0));
  this->expect("v[np.isnan(v)]", v(lf::isnan(v)));
  const auto z = this->z();
  this->expect("z[z.real>1]", z(lf::real(z) > 1));
}
TYPED_TEST(selections, are_of_expressions_by_expressions) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect("(x*2+x[:1])[x>0]", (x * 2 + x(range(0, 1)))(x > 0));
  this->expect("x[x>x.mean()]", x(x > lf::mean(x)));
  this->expect("x[x.cumsum(0)>0]", x(lf::cumsum(x, axis<0>) > 0));
  this->expect("v[(v>0)&(v<3)]", v((v > 0) & (v < 3)));
}
TYPED_TEST(selections, meet_numbers_and_others_of_their_mask) {
  const auto x = this->x();
  const auto v = this->v();
  const auto f = this->f();
  this->expect("v[v>1]*2+1", v(v > 1) * 2 + 1);
  this->expect("x[x>3]*2", 2 * x(x > 3));
  this->expect("x[x>3]*2", x(x > 3) * lf::c<2>);
  this->expect("np.sqrt(v[v>=0])", lf::sqrt(v(v >= 0)));
  this->expect("f[f>0].astype(np.float64)", lf::cast<double>(f(f > 0)));
  const auto positive = x > 0;
  this->expect("x[x>0]*x[x>0]", x(positive) * x(positive));
  const auto s = v(v > 0) * 2;
  this->expect("(v*2)[(v>0)&(v*2<5)]", s(s < 5));
}
TYPED_TEST(selections, are_reduced_without_being_computed) {
  const auto x = this->x();
  const auto v = this->v();
  const auto f = this->f();
  const auto s = x(x > 3);
  this->expect_kernels(1, "x[x>3].sum()", lf::sum(s));
  this->expect("x[x>3].min()", lf::min(s));
  this->expect("x[x>3].max()", lf::max(s));
  this->expect("x[x>3].mean()", lf::mean(s));
  this->expect("f[f>0].prod()", lf::prod(f(f > 0)));
  this->expect("f[f>0].mean()", lf::mean(f(f > 0)));
  this->expect("(x[x>3]>5).all()", lf::all(s > 5));
  this->expect("(x[x>3]>5).any()", lf::any(s > 5));
  this->expect("np.count_nonzero(x[x>=0])", lf::count_nonzero(x(x >= 0)));
  this->expect("(x[x>3]*2+1).sum()", lf::sum(s * 2 + 1));
  this->expect("v[v>0].sum()", lf::sum(v(v > 0)));
  this->expect("v[~(v>0)].max()", lf::max(v(lf::logical_not(v > 0))));
  EXPECT_EQ(s.size(), lf::sum(x > 3).item());
  EXPECT_EQ(s.count().item(), s.size());
}
TYPED_TEST(selections, are_along_an_axis_expressions) {
  const auto x = this->x();
  using Space = TypeParam;
  const lf::array<bool, 1, Space> rows{true, false, true}, columns{false, true, true, false, true};
  this->expect("np.compress([True,False,True],x,0)", lf::compress(rows, x, axis<0>));
  this->expect("np.compress([False,True,True,False,True],x*2,2)", lf::compress(columns, x * 2, axis<2>));
  this->expect("x[np.array([True,False,True])]", x(rows));
}
TYPED_TEST(selections, say_where_elements_are) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect("np.flatnonzero(x>3)", lf::flatnonzero(x > 3));
  this->expect("np.flatnonzero(v)", lf::flatnonzero(v));
  const auto places = lf::nonzero(x > 3);
  this->expect("np.nonzero(x>3)[0]", places[0]);
  this->expect("np.nonzero(x>3)[1]", places[1]);
  this->expect("np.nonzero(x>3)[2]", places[2]);
  this->expect("np.nonzero(v>1)[0]", lf::nonzero(v > 1)[0]);
  this->expect("np.argwhere(x>3)", lf::argwhere(x > 3));
  this->expect("x[x>3]", x(places[0], places[1], places[2]));
}
TYPED_TEST(selections, indices_read_elements) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  const auto j = this->j();
  this->expect_kernels(1, "x[i]", x(i));
  this->expect("x[j-1]", x(j - 1));
  this->expect_kernels(1, "x[i,i+1]", x(i, i + 1));
  this->expect_kernels(1, "x[j-1,j-2,j]", x(j - 1, j - 2, j));
  this->expect_kernels(1, "x[i]*2+1", x(i) * 2 + 1);
  this->expect("v[j*2]", v(j * 2));
  this->expect("x[i].sum(0)", lf::sum(x(i), axis<0>));
}
TYPED_TEST(selections, become_arrays_and_text) {
  using Space = TypeParam;
  const lf::array<int32_t, 1, Space> x{3, -1, 4, 1, -5};
  lf::array a = x(x > 0);
  EXPECT_EQ(a.size(), 3);
  lf::array<int32_t, 1, Space> b = x;
  b = x(x < 0) * 2;
  EXPECT_EQ(b.size(), 2);
  EXPECT_EQ(lf::to<lf::host>(x(x < 0)).data()[1], -5);
  std::ostringstream text;
  text << x(x > 0) + 1;
  EXPECT_EQ(text.str(), "[4 5 2]");
}
TYPED_TEST(selections, see_the_values_that_arrays_had_when_they_were_written) {
  using Space = TypeParam;
  lf::array<int32_t, 1, Space> x{3, -1, 4, 1, -5};
  const auto s = x(x > 0);
  x = x * 0;
  std::ostringstream text;
  text << s;
  EXPECT_EQ(text.str(), "[3 4 1]");
}
TYPED_TEST(selections, of_many_elements_are_in_order) {
  const auto n = lf::arange<int64_t>(100003);
  const lf::array<int64_t, 1, TypeParam> x = lf::remainder(n * 401, int64_t{100003});
  const auto chosen = lf::remainder(x, 3) == 1;
  const lf::array<int64_t, 1, TypeParam> places = lf::flatnonzero(chosen), values = x(chosen);
  EXPECT_EQ(places.size(), 33334);
  EXPECT_TRUE(lf::all(lf::take(x, places) == values).item());
  EXPECT_TRUE(lf::all(places(range(1, lf::end)) > places(range(0, -1))).item());
  const lf::array<int64_t, 3, TypeParam> t = lf::reshape(x(range(0, 100000)), {2, 50, 1000});
  EXPECT_EQ(lf::sum(lf::array<int64_t, 1, TypeParam>(t(t > 50000))).item(), lf::sum(t(t > 50000)).item());
}
TYPED_TEST(selections, of_elements_of_any_size) {
  using point = lf::vec<float, 3>;
  const lf::array<float, 1, TypeParam> x{1, -2, 3, 4};
  const lf::array<point, 1, TypeParam> p{point{1, 1, 1}, point{-2, 2, 0}, point{3, 0, 3}, point{4, 4, 4}};
  const auto kept = lf::to<lf::host>(p(x > 0));
  ASSERT_EQ(kept.size(), 3);
  EXPECT_EQ(kept.data()[1][0], 3);
  const lf::array<bool, 1, TypeParam> even{true, false, true, false};
  EXPECT_EQ(lf::to<lf::host>(even(x > 1)).data()[0], true);
}
TYPED_TEST(selections, errors_name_both_shapes) {
  using Space = TypeParam;
  const lf::array<float, 1, Space> x{1, 2, 3}, y{1, 2};
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] { (void)x(y > 1); }),
            "compress: shapes (2,) and (3,) differ, and a mask has that of what it selects from");
  const auto m = x > 1, other = x > 2;
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] { (void)(x(m) + x(other)); }),
            "add: shapes (3,) and (3,) are those of two masks, and selections meet where one made them");
  if constexpr (std::is_same_v<Space, lf::host>) {
    const lf::array<int64_t, 1, Space> i{0, 3};
    EXPECT_NE(test::thrown_by<lf::index_error>([&] { (void)lf::materialize(x(i)); }).find("3 is out of bounds"),
              std::string::npos);
  }
}

TYPED_TEST(selections, masks_are_computed_once_whatever_is_computed_beside_them) {
  // What is selected and what is not are all, also where a product may be rounded otherwise beside its root.
  const lf::array<double, 1, TypeParam> x = lf::random::uniform<double>({30000}, lf::seed{1}),
                                        y = lf::random::uniform<double>({30000}, lf::seed{2}), z = x * y;
  const auto p = x * y;
  const lf::array<double, 1, TypeParam> not_more = lf::sqrt(p)(p - z <= 0), more = lf::sqrt(p)(p - z > 0);
  EXPECT_EQ(not_more.size() + more.size(), 30000);
}
TYPED_TEST(selections, masks_of_reductions_meet_selections_by_them) {
  lf::array<double, 1, TypeParam> w = test::array_of<TypeParam, 1>(test::tensor<double>{{4}, {1, 5, 3, 8}});
  w(w > lf::mean(w)) *= 2;
  EXPECT_TRUE(test::evaluates_to(w, test::tensor<double>{{4}, {1, 10, 3, 16}}));
  const lf::array<lf::half, 1, TypeParam> h = lf::ones<lf::half>({100000});
  EXPECT_EQ(static_cast<float>(lf::mean(h(h > lf::half(0.0f))).item()), 1.0f);
}
TYPED_TEST(selections, keep_their_order_across_tiles) {
  constexpr bool on_device = std::is_same_v<TypeParam, lf::cuda>;
  // The last one has more tiles than a group of groups.
  for (const int n : {1, 4095, 4096, 4097, 150001, on_device ? 5000003 : 7})
    for (const int most : {-1, 0, 500, 999}) {
      const lf::array<int32_t, 1, TypeParam> x = lf::remainder(lf::arange<int32_t>(n) * 401, 1000);
      std::vector<int32_t> want;
      for (int k = 0; k < n; ++k)
        if (k * 401 % 1000 <= most) want.push_back(k * 401 % 1000 * 2 + 1);
      const lf::kernel_trace trace;
      const lf::array<int32_t, 1, TypeParam> some = x(x <= most) * 2 + 1;
      EXPECT_TRUE(trace.launches() == 1 || !on_device) << n;
      const auto got = test::tensor_of(some);
      EXPECT_EQ(std::vector<int32_t>(got.values.begin(), got.values.end()), want) << n << " " << most;
    }
}
/// Elements of other sizes: what threads count and move lies otherwise.
template <class T, class Space>
void keeps_order_of() {
  constexpr int n = 150001;
  const lf::array<int32_t, 1, Space> place = lf::remainder(lf::arange<int32_t>(n) * 401, 1000);
  const lf::array<T, 1, Space> x = lf::cast<T>(lf::remainder(place, 100)), some = x(place < 700);
  std::vector<float> want;
  for (int k = 0; k < n; ++k)
    if (k * 401 % 1000 < 700) want.push_back(static_cast<float>(k * 401 % 100));
  EXPECT_EQ(test::tensor_of(lf::cast<float>(lf::real(some))).values, want);
}
TYPED_TEST(selections, keep_the_order_of_elements_of_every_size) {
  keeps_order_of<std::uint8_t, TypeParam>();
  keeps_order_of<lf::half, TypeParam>();
  keeps_order_of<double, TypeParam>();
  keeps_order_of<lf::complex<double>, TypeParam>();
}
TYPED_TEST(selections, blocks_of_views_follow_each_other) {
  const lf::array<int, 2, TypeParam> x = lf::reshape(lf::arange<int>(300 * 401), {300, 401});
  const auto view = x.T()(lf::range(lf::none, lf::none, -1));
  const lf::array<int, 1, TypeParam> odd = view((view & 1) == 1);
  const auto got = test::tensor_of(odd), from = test::tensor_of(lf::materialize(view));
  std::vector<int> want;
  for (const int v : from.values)
    if (v % 2 == 1) want.push_back(v);
  EXPECT_EQ(std::vector<int>(got.values.begin(), got.values.end()), want);
}

}  // namespace
