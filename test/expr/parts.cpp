// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagonals, windows, pieces and differences, of arrays and of expressions, against NumPy's answers. The name of each
// case is the NumPy text; windows is sliding_window_view.
#include "support/answered.hpp"

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis, lf::none, lf::range;
using std::int32_t;

template <class Space>
class parts : public test::answered<parts<Space>, Space> {
  using base = test::answered<parts<Space>, Space>;

 public:
  static constexpr const char* family = "parts";

 protected:
  using base::answers, base::expect;

  static lf::array<int32_t, 3, Space> x() { return test::array_of<Space, 3>(answers().template get<int32_t>("x")); }
  static lf::array<int32_t, 1, Space> v() { return test::array_of<Space, 1>(answers().template get<int32_t>("v")); }
  static lf::array<bool, 1, Space> p() { return test::array_of<Space, 1>(answers().template get<bool>("p")); }
  template <class Pieces>
  static void expect_all(const std::string& numpy, std::size_t count, const Pieces& pieces) {
    ASSERT_EQ(pieces.size(), count) << numpy;
    for (std::size_t k = 0; k < count; ++k) expect(numpy + "[" + std::to_string(k) + "]", pieces[k]);
  }
};
TYPED_TEST_SUITE(parts, test::spaces, test::space_name);

TYPED_TEST(parts, diagonals_lie_along_any_two_axes) {
  const auto x = this->x();
  this->expect("diagonal(x)", lf::diagonal(x));
  this->expect("diagonal(x,2)", lf::diagonal(x, 2));
  this->expect("diagonal(x,-3)", lf::diagonal(x, -3));
  this->expect("diagonal(x,5)", lf::diagonal(x, 5));
  this->expect("diagonal(x,-4)", lf::diagonal(x, -4));
  this->expect("diagonal(x,99)", lf::diagonal(x, 99));
  this->expect("diagonal(x,-99)", lf::diagonal(x, -99));
  this->expect("diagonal(x,1,1,2)", lf::diagonal(x, 1, axis<1, 2>));
  this->expect("diagonal(x,1,2,1)", lf::diagonal(x, 1, axis<2, 1>));
  this->expect("diagonal(x,0,-1,0)", lf::diagonal(x, 0, axis<-1, 0>));
  this->expect("diagonal(x[0])", lf::diagonal(x(0)));
  this->expect("diagonal(x[0,::-1,::2],-1)", lf::diagonal(x(0, range(none, none, -1), range(none, none, 2)), -1));
}
TYPED_TEST(parts, a_trace_is_the_sum_of_a_diagonal) {
  const auto x = this->x();
  this->expect("trace(x)", lf::trace(x));
  this->expect("trace(x[0],1)", lf::trace(x(0), 1));
  this->expect("trace(x,-1,2,0)", lf::trace(x, -1, axis<2, 0>));
  this->expect("trace(x*v[:6])", lf::trace(x * this->v()(range(0, 6))));
  this->expect("trace(x[0],9)", lf::trace(x(0), 9));
}
TYPED_TEST(parts, diagonals_of_expressions_read_what_they_need) {
  const auto x = this->x();
  const auto v = this->v(), w = lf::materialize(v(range(0, 6)));
  this->expect("diagonal(x*v[:6]+x[:,:1])", lf::diagonal(x * w + x(all, range(0, 1))));
  this->expect("diagonal(x[:,:1]*v[:6],1,1,2)", lf::diagonal(x(all, range(0, 1)) * w, 1, axis<1, 2>));
  this->expect("diagonal(v[:,None]*v)", lf::diagonal(v(all, newaxis) * v));
  this->expect("diagonal(x.sum(0),1)", lf::diagonal(lf::sum(x, axis<0>), 1));
  this->expect("diagonal(x-x.max(2,keepdims=True),-1)", lf::diagonal(x - lf::max(x, axis<2>, keepdims), -1));
  this->expect("diagonal(np.cumsum(x,2),0,0,2)", lf::diagonal(lf::cumsum(x, axis<2>), 0, axis<0, 2>));
  this->expect("diagonal(np.roll(x,1,2))", lf::diagonal(lf::roll(x, 1, axis<2>)));
  this->expect("diagonal(diagonal(x))", lf::diagonal(lf::diagonal(x)));
  this->expect("diagonal(x).sum(1)", lf::sum(lf::diagonal(x), axis<1>));
  this->expect("diagonal(x).T", lf::diagonal(x).T());
  this->expect("diagonal(x)[1:,::-1]", lf::diagonal(x)(range(1, lf::end), range(none, none, -1)));
  this->expect("diagonal(x.sum(0)).sum()", lf::sum(lf::diagonal(lf::sum(x, axis<0>))));
  lf::kernel_trace trace;
  const auto d = lf::materialize(lf::diagonal(x * w) + 1);
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 1);
}
TYPED_TEST(parts, windows_slide_along_one_axis_or_all) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect("windows(v,3)", lf::sliding_window_view(v, 3, axis<0>));
  this->expect("windows(v,1)", lf::sliding_window_view(v, {1}));
  this->expect("windows(v,7)", lf::sliding_window_view(v, 7, axis<-1>));
  this->expect("windows(v,3).sum(1)", lf::sum(lf::sliding_window_view(v, 3, axis<0>), axis<1>));
  this->expect("windows(v,3).max(1)", lf::max(lf::sliding_window_view(v, 3, axis<0>), axis<1>));
  this->expect("windows(x,2,0)", lf::sliding_window_view(x, 2, axis<0>));
  this->expect("windows(x,4,1)", lf::sliding_window_view(x, 4, axis<1>));
  this->expect("windows(x,3,-1)[::2,1]", lf::sliding_window_view(x, 3, axis<-1>)(range(none, none, 2), 1));
  this->expect("windows(x[0],(2,3))", lf::sliding_window_view(x(0), {2, 3}));
  this->expect("windows(x[0],(2,3)).sum((2,3))", lf::sum(lf::sliding_window_view(x(0), {2, 3}), axis<2, 3>));
  this->expect("windows(x,(1,2,3)).max((3,4,5))", lf::max(lf::sliding_window_view(x, {1, 2, 3}), axis<3, 4, 5>));
  this->expect("windows(v*v,2)", lf::sliding_window_view(v * v, 2, axis<0>));
  this->expect("windows(x.sum(0),2,1)", lf::sliding_window_view(lf::sum(x, axis<0>), 2, axis<1>));
  this->expect("diagonal(windows(v,3))", lf::diagonal(lf::sliding_window_view(v, 3, axis<0>)));
}
TYPED_TEST(parts, pieces_are_views_of_one_length_or_between_indices) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect_all("split(v,7)", 7, lf::split(v, 7));
  this->expect_all("split(x,2)", 2, lf::split<0>(x, 2));
  this->expect_all("split(x,5,1)", 5, lf::split<1>(x, 5));
  this->expect_all("split(x,3,-1)", 3, lf::split<-1>(x, 3));
  this->expect_all("split(x,1)", 1, lf::split(x, 1));
  this->expect_all("split(v,[2,5])", 3, lf::split(v, {2, 5}));
  this->expect_all("split(v,[0,3,3,7,9])", 6, lf::split(v, {0, 3, 3, 7, 9}));
  this->expect_all("split(v,[-3])", 2, lf::split(v, {-3}));
  this->expect_all("split(x,[1,3],2)", 3, lf::split<2>(x, {1, 3}));
  this->expect_all("split(x*2+1,[4],1)", 2, lf::split<1>(x * 2 + 1, {4}));
}
TYPED_TEST(parts, differences_shorten_an_axis) {
  const auto x = this->x();
  const auto v = this->v();
  const auto p = this->p();
  this->expect("diff(v)", lf::diff(v));
  this->expect("diff(v,2)", lf::diff<2>(v));
  this->expect("diff(v,0)", lf::diff<0>(v));
  this->expect("diff(v,6)", lf::diff<6>(v));
  this->expect("diff(v,7)", lf::diff<7>(v));
  this->expect("diff(x)", lf::diff(x));
  this->expect("diff(x,1,0)", lf::diff(x, axis<0>));
  this->expect("diff(x,2,1)", lf::diff<2>(x, axis<1>));
  this->expect("diff(p)", lf::diff(p));
  this->expect("diff(p,2)", lf::diff<2>(p));
  this->expect("diff(x*x,1,-2)", lf::diff(x * x, axis<-2>));
  this->expect("diff(v[:0])", lf::diff(v(range(0, 0))));
  this->expect("diff(diff(x,1,0),1,1)", lf::diff(lf::diff(x, axis<0>), axis<1>));
  this->expect("diff(x.sum(0),1,0)", lf::diff(lf::sum(x, axis<0>), axis<0>));
}
TYPED_TEST(parts, gradients_are_of_neighbours_at_a_distance_or_at_coordinates) {
  const auto v = this->v();
  const auto d = test::array_of<TypeParam, 3>(this->answers().template get<double>("d"));
  const auto c = test::array_of<TypeParam, 1>(this->answers().template get<double>("c"));
  const auto z = test::array_of<TypeParam, 2>(this->answers().template get<lf::complex<float>>("z"));
  this->expect("gradient(v)", lf::gradient(v));
  this->expect("gradient(d,axis=0)", lf::gradient(d, axis<0>));
  this->expect("gradient(d,0.5,axis=1)", lf::gradient(d, 0.5, axis<1>));
  this->expect("gradient(d*d,3,axis=-1)", lf::gradient(d * d, 3, axis<-1>), test::four_ulps);
  this->expect("gradient(z,2,axis=0)", lf::gradient(z, 2, axis<0>));
  const test::within rounding{0, 1e-14};
  this->expect("gradient(v,c)", lf::gradient(v, c), rounding);
  this->expect("gradient(d,c[:4],axis=0)", lf::gradient(d, c(range(0, 4)), axis<0>), rounding);
  this->expect("gradient(d,c[5::-1],axis=2)", lf::gradient(d, c(range(5, none, -1)), axis<2>), rounding);
  this->expect("gradient(z,c[:6],axis=1)", lf::gradient(z, c(range(0, 6)), axis<1>), test::within{16});
  this->expect("gradient(v[:2])", lf::gradient(v(range(0, 2))));
  this->expect("gradient(d[:,::-2,1],c[:3],axis=1)",
               lf::gradient(d(all, range(none, none, -2), 1), c(range(0, 3)), axis<1>), rounding);
  this->expect("gradient(d.sum(0),axis=0)", lf::gradient(lf::sum(d, axis<0>), axis<0>));
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] {
              lf::gradient(v(range(0, 1)));
            }).find("gradient: the axis has fewer than two elements"),
            0u);
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] {
              lf::gradient(d, c, axis<1>);
            }).find("gradient: shapes (4, 5, 6) and (7,) differ"),
            0u);
}
TYPED_TEST(parts, that_are_not_there_throw) {
  const auto x = this->x();
  EXPECT_THROW(lf::sliding_window_view(x, 0, axis<0>), lf::index_error);
  EXPECT_THROW(lf::sliding_window_view(x, 5, axis<0>), lf::index_error);
  EXPECT_THROW(lf::sliding_window_view(x, {1, 6, 1}), lf::index_error);
  EXPECT_THROW(lf::split(x, 3), lf::index_error);
  EXPECT_THROW(lf::split(x, 0), lf::index_error);
}

}  // namespace
