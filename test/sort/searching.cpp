// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found by order, against NumPy's answers: medians, places in what is sorted, unique elements. The name of each
// case is the NumPy text.
#include "support/answered.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/sort.hpp>

#include <limits>
#include <string>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::none, lf::range, lf::side;
using std::int32_t, std::int64_t;

template <class Space>
class searching : public test::answered<searching<Space>, Space> {
  using base = test::answered<searching<Space>, Space>;

 public:
  static constexpr const char* family = "sorting";

 protected:
  using base::answers, base::expect;

  static auto x() { return test::array_of<Space, 3>(answers().template get<int32_t>("x")); }
  static auto f() { return test::array_of<Space, 3>(answers().template get<float>("f")); }
  static auto g() { return test::array_of<Space, 2>(answers().template get<float>("g")); }
  static auto v() { return test::array_of<Space, 1>(answers().template get<int32_t>("v")); }
  static auto s() { return test::array_of<Space, 1>(answers().template get<int32_t>("s")); }
  static auto e() { return test::array_of<Space, 1>(answers().template get<float>("e")); }
  static auto r() { return test::array_of<Space, 2>(answers().template get<int32_t>("r")); }
  static auto w() { return test::array_of<Space, 1>(answers().template get<double>("w")); }
};
TYPED_TEST_SUITE(searching, test::spaces, test::space_name);

TYPED_TEST(searching, several_quantiles_may_lie_between_the_same_elements) {
  // NumPy: np.quantile(np.where(np.arange(5000) < 1500, 1.0, 2.0), [0.30002, 0.30001, 0.5, 0.5])
  const lf::array<double, 1, TypeParam> x = lf::where(lf::arange(5000.0) < 1500, 1.0, 2.0);
  const auto q = test::tensor_of(lf::quantile(x, {0.30002, 0.30001, 0.5, 0.5}));
  ASSERT_EQ(q.values.size(), 4u);
  const double want[] = {1.79998, 1.74999, 2, 2};
  for (const int k : {0, 1, 2, 3}) EXPECT_NEAR(q.values[std::size_t(k)], want[k], 1e-9);
  EXPECT_EQ(test::tensor_of(lf::quantile(x, {0.5})).shape.size(), 1u);
}
TYPED_TEST(searching, numbers_are_looked_for_by_their_value) {
  const auto u = test::array_of<TypeParam, 1>(test::tensor<lf::uint8>{{3}, {1, 44, 200}});
  const auto b = test::array_of<TypeParam, 1>(test::tensor<bool>{{2}, {false, true}});
  EXPECT_EQ(lf::searchsorted(b, 2).item(), 2);
  EXPECT_EQ(lf::searchsorted(u, 44.5).item(), 2);
  EXPECT_EQ(test::thrown_by<lf::dtype_error>([&] {
              (void)lf::searchsorted(u, -1);
            }).find("searchsorted: scalar -1 does not fit uint8"),
            0u);
}
TYPED_TEST(searching, medians_and_quantiles_are_between_elements) {
  const auto x = this->x();
  const auto f = this->f();
  const auto v = this->v();
  const auto w = this->w();
  this->expect("median(x)", lf::median(x));
  this->expect("median(x,0)", lf::median(x, axis<0>));
  this->expect("median(x,1)", lf::median(x, axis<1>));
  this->expect("median(x,2,keepdims=True)", lf::median(x, axis<2>, keepdims));
  this->expect("median(x,keepdims=True)", lf::median(x, keepdims));
  this->expect("median(f)", lf::median(f));
  this->expect("median(f,2)", lf::median(f, axis<2>));
  this->expect("median(f,0)", lf::median(f, axis<0>));
  this->expect("median(g,1)", lf::median(this->g(), axis<1>));
  this->expect("median(w)", lf::median(w));
  this->expect("median(v[:7])", lf::median(v(range(0, 7))));
  this->expect("median(r,1)", lf::median(this->r(), axis<1>));
  this->expect("median(v*1.5)", lf::median(lf::cast<double>(v) * 1.5));
  this->expect("quantile(x,0.3)", lf::quantile(x, 0.3));
  this->expect("quantile(x,0.7,1)", lf::quantile(x, 0.7, axis<1>));
  this->expect("quantile(x,0.25,0,keepdims=True)", lf::quantile(x, 0.25, axis<0>, keepdims));
  this->expect("quantile(v,0.0)", lf::quantile(v, 0));
  this->expect("quantile(v,1.0)", lf::quantile(v, 1));
  this->expect("quantile(w,0.123)", lf::quantile(w, 0.123));
  this->expect("quantile(w,[0.1,0.5,0.9])", lf::quantile(w, {0.1, 0.5, 0.9}));
  this->expect("quantile(x,[0.25,0.75],axis=1)", lf::quantile(x, {0.25, 0.75}, axis<1>));
  this->expect("quantile(v[:1],0.4)", lf::quantile(v(range(0, 1)), 0.4));
  // a multiply-add keeps what a product loses
  this->expect("quantile(f,0.4,1)", lf::quantile(f, 0.4, axis<1>), test::within{2, 4e-8});
}
TYPED_TEST(searching, searching_fuses_with_what_stands_around_it) {
  const auto x = this->x();
  const auto f = this->f();
  const auto v = this->v();
  const auto s = this->s();
  const auto e = this->e();
  this->expect_kernels(1, "searchsorted(s,v)", lf::searchsorted(s, v));
  this->expect_kernels(1, "searchsorted(s,v,'right')", lf::searchsorted(s, v, side::right));
  this->expect("searchsorted(s,x)", lf::searchsorted(s, x));
  this->expect("searchsorted(s,2)", lf::searchsorted(s, 2));
  this->expect("searchsorted(s,2,'right')", lf::searchsorted(s, 2, side::right));
  this->expect("searchsorted(s,1.5)", lf::searchsorted(s, 1.5));
  this->expect("searchsorted(s,f)", lf::searchsorted(s, f));
  this->expect("searchsorted(s,f,'right')", lf::searchsorted(s, f, side::right));
  this->expect_kernels(1, "searchsorted(e,f)", lf::searchsorted(e, f));
  this->expect("searchsorted(s[:0],v)", lf::searchsorted(s(range(0, 0)), v));
  this->expect("searchsorted(s[::2],v)", lf::searchsorted(s(range(none, none, 2)), v));
  this->expect("searchsorted(s*2+1,x.T*2)*2+x.T", lf::searchsorted(s * 2 + 1, x.T() * 2) * 2 + x.T());
  this->expect("searchsorted(-s[::-1],v)", lf::searchsorted(-lf::flip(s), v));
  this->expect("searchsorted(sort(v),v)", lf::searchsorted(lf::sort(v), v));
  this->expect("searchsorted(s,v[::-2])", lf::searchsorted(s, v(range(none, none, -2))));
  this->expect_kernels(1, "searchsorted(s,x)[1:,::-1,2]",
                       lf::searchsorted(s, x)(range(1, lf::end), range(none, none, -1), 2));
  this->expect_kernels(1, "searchsorted(s,x,'right').sum(1)", lf::sum(lf::searchsorted(s, x, side::right), axis<1>));
  this->expect("searchsorted(np.arange(5),v)", lf::searchsorted(lf::arange<int64_t>(5), v));
  this->expect("searchsorted(np.full(3,2),v)", lf::searchsorted(lf::full({3}, 2), v));
  this->expect("searchsorted(np.cumsum(s*s),v)", lf::searchsorted(lf::cumsum(s * s), v));
  const auto with_nan = lf::concat(e, lf::full({1}, std::numeric_limits<float>::quiet_NaN()));
  this->expect("searchsorted(np.append(e,np.float32(np.nan)),f)", lf::searchsorted(with_nan, f));
  this->expect("searchsorted(np.append(e,np.float32(np.nan)),f,'right')", lf::searchsorted(with_nan, f, side::right));
  this->expect_kernels(1, "digitize(v,s)", lf::digitize(v, s));
  this->expect("digitize(v,s,True)", lf::digitize(v, s, side::right));
  this->expect("digitize(f,e)", lf::digitize(f, e));
  this->expect("digitize(x*2,e)+1", lf::digitize(x * 2, e) + 1);
  this->expect("isin(x,v)", lf::isin(x, v));
  this->expect("isin(v,x[0])", lf::isin(v, x(0)));
  this->expect("isin(f,e)", lf::isin(f, e));
  this->expect("isin(x,f)", lf::isin(x, f));
  this->expect("isin(v,v[:0])", lf::isin(v, v(range(0, 0))));
  this->expect("np.where(isin(x,v),x,0)", lf::where(lf::isin(x, v), x, 0));
  this->expect("~isin(x+1,v*2)", ~lf::isin(x + 1, v * 2));
}
TYPED_TEST(searching, unique_elements_are_found_and_counted) {
  const auto x = this->x();
  const auto f = this->f();
  const auto v = this->v();
  this->expect("unique(x)", lf::unique(x));
  this->expect("unique(f)", lf::unique(f));
  this->expect("unique(v)", lf::unique(v));
  this->expect("unique(v[:0])", lf::unique(v(range(0, 0))));
  this->expect("unique(r)", lf::unique(this->r()));
  this->expect("unique(x>0)", lf::unique(x > 0));
  this->expect("unique(abs(g)*0)", lf::unique(lf::abs(this->g()) * 0));
  const auto expect_all = [&](const std::string& of, const auto& u) {
    this->expect("unique_all(" + of + ").values", u.values);
    this->expect("unique_all(" + of + ").indices", u.indices);
    this->expect("unique_all(" + of + ").inverse_indices", u.inverse_indices);
    this->expect("unique_all(" + of + ").counts", u.counts);
  };
  expect_all("x", lf::unique_all(x));
  expect_all("f", lf::unique_all(f));
  expect_all("r", lf::unique_all(this->r()));
  expect_all("v[:0]", lf::unique_all(v(range(0, 0))));
  this->expect("unique_all(x).counts", lf::unique_counts(x).counts);
  this->expect("unique_all(x).values", lf::unique_counts(x).values);
  this->expect("unique_all(x).values", lf::unique_inverse(x).values);
  this->expect("unique_all(x).inverse_indices", lf::unique_inverse(x).inverse_indices);
}
TYPED_TEST(searching, of_one_element_without_axes_is_of_a_sequence_of_one) {
  lf::array<double, 1, TypeParam> v{3, 1, 2};
  const lf::array<double, 0, TypeParam> one = v(0);
  EXPECT_EQ(lf::unique(one)(0).item(), 3);
  EXPECT_EQ(lf::unique(lf::max(v) * 2)(0).item(), 6);
  EXPECT_EQ(lf::unique_inverse(one).inverse_indices.item(), 0);
  EXPECT_TRUE(lf::isin(v, one)(0).item());
  const lf::array<int, 1, TypeParam> twice{0, 0};
  EXPECT_EQ(lf::take(one, twice)(1).item(), 3);
  EXPECT_EQ(lf::repeat(one, 2)(1).item(), 3);
}
TYPED_TEST(searching, unique_zeros_have_a_sign_that_was_there) {
  const auto negative = [](const auto& x) { return test::tensor_of(lf::cast<int32_t>(lf::signbit(x))).values; };
  const lf::array<float, 1, TypeParam> x = lf::to<TypeParam>(lf::from(std::vector<float>{0, -0.0F, 1, 0}));
  EXPECT_EQ(negative(lf::unique(x)), (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(negative(lf::unique(-x)), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(negative(lf::unique(lf::abs(x))), (std::vector<int32_t>{0, 0}));
  const auto all = lf::unique_all(x);
  EXPECT_EQ(negative(all.values), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(test::tensor_of(all.indices).values, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(test::tensor_of(all.counts).values, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(negative(lf::unique_inverse(-x(range(1, lf::none))).values), (std::vector<int32_t>{1, 0}));
}
TYPED_TEST(searching, mistakes_are_errors) {
  const auto v = this->v();
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { (void)lf::quantile(v, 1.5); }),
            "quantile: q is a number from 0 to 1");
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] { (void)lf::median(this->x()(all, range(0, 0))); }),
            "median: shape (4, 0, 6) has no elements along the axis");
}

}  // namespace
