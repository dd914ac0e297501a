// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices, transposes, flips, reshapes and broadcasts of arrays and of expressions, and writing through views,
// against NumPy's answers. The name of each case is the NumPy text.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

#include <limits>
#include <vector>

namespace {

using std::int32_t;

template <class Space>
class views : public test::on<Space> {
 protected:
  using matrix3 = lf::array<int32_t, 3, Space>;
  static const test::reference_data& answers() {
    static const test::reference_data data("views");
    return data;
  }
  /// 0, 1, 2, ... of shape (4, 5, 6).
  static matrix3 x() { return test::array_of<Space, 3>(answers().template get<int32_t>("x")); }

  template <class E>
  static void expect(const char* numpy, const E& e) {
    EXPECT_TRUE(test::evaluates_to(e, answers().template get<int32_t>(numpy))) << numpy;
  }
};
TYPED_TEST_SUITE(views, test::every_space, test::space_name);

using lf::all, lf::ellipsis, lf::newaxis, lf::none, lf::range;

TYPED_TEST(views, slices_are_numpys) {
  const auto x = this->x();
  this->expect("x[1:3]", x(range(1, 3)));
  this->expect("x[::-1]", x(range(none, none, -1)));
  this->expect("x[1:3,:,2]", x(range(1, 3), all, 2));
  this->expect("x[1:-1,::2,::-1]", x(range(1, -1), range(none, none, 2), range(none, none, -1)));
  this->expect("x[::-2,1:4:2,-1:0:-2]", x(range(none, none, -2), range(1, 4, 2), range(-1, 0, -2)));
  this->expect("x[::3,::3,::3]", x(range(none, none, 3), range(none, none, 3), range(none, none, 3)));
  this->expect("x[::-3,::-3,::-3]", x(range(none, none, -3), range(none, none, -3), range(none, none, -3)));
  this->expect("x[1:2,1:2,1:2]", x(range(1, 2), range(1, 2), range(1, 2)));
  this->expect("x[:,-2:]", x(all, range(-2, lf::end)));
  this->expect("x[:,:,:-4]", x(all, all, range(none, -4)));
}
TYPED_TEST(views, bounds_beyond_the_axis_are_clipped) {
  const auto x = this->x();
  this->expect("x[3:1]", x(range(3, 1)));
  this->expect("x[10:20]", x(range(10, 20)));
  this->expect("x[-100:100]", x(range(-100, 100)));
  this->expect("x[::7]", x(range(none, none, 7)));
  this->expect("x[2:2,:,::-1]", x(range(2, 2), all, range(none, none, -1)));
}
TYPED_TEST(views, end_is_one_past_the_last_element_and_may_be_a_start) {
  using lf::end;
  const auto v = lf::array<int32_t, 1, TypeParam>{0, 1, 2, 3, 4, 5};
  const struct {
    const char* numpy;  // of v = np.arange(6), n = 6
    range slice;
    std::vector<int32_t> want;
  } cases[] = {
      {"v[n:1]", range(end, 1), {}},
      {"v[n:n]", range(end, end), {}},
      {"v[n - 3:n]", range(end - 3, end), {3, 4, 5}},
      {"v[n - 1:n]", range(end - 1, end), {5}},
      {"v[1:n - 2]", range(1, end - 2), {1, 2, 3}},
      {"v[-2:n]", range(-2, end), {4, 5}},
      {"v[0:n:4]", range(0, end, 4), {0, 4}},
      {"v[n::-1]", range(end, none, -1), {5, 4, 3, 2, 1, 0}},
      {"v[n - 2::-2]", range(end - 2, none, -2), {4, 2, 0}},
      {"v[:n - 3:-1]", range(none, end - 3, -1), {5, 4}},
      // a distance beyond the first element is clipped, as that of a negative index is: v[-9:2]
      {"v[-9:2]", range(end - 9, 2), {0, 1}},
      // steps as long as integers are
      {"v[::2**62]", range(none, none, std::int64_t{1} << 62), {0}},
      {"v[4::-2**62]", range(4, none, -(std::int64_t{1} << 62)), {4}},
      {"v[1::2**63 - 1]", range(1, none, std::numeric_limits<std::int64_t>::max()), {1}},
      {"v[::-2**63]", range(none, none, std::numeric_limits<std::int64_t>::min()), {5}},
  };
  for (const auto& c : cases) {
    const test::tensor<int32_t> want({static_cast<std::int64_t>(c.want.size())}, c.want);
    EXPECT_TRUE(test::evaluates_to(v(c.slice), want)) << c.numpy;
  }
  EXPECT_THROW(v(range(none, end, -1)), lf::index_error);  // no step back arrives there
  auto w = v;
  w(range(end, 1)) = 9;
  EXPECT_TRUE(test::evaluates_to(w, test::counting<int32_t>({6})));
  w(range(end - 2, end)) = 9;
  EXPECT_TRUE(test::evaluates_to(w, test::tensor<int32_t>({6}, {0, 1, 2, 3, 9, 9})));
}
TYPED_TEST(views, integers_drop_their_axis) {
  const auto x = this->x();
  this->expect("x[-1]", x(-1));
  this->expect("x[...,0]", x(ellipsis, 0));
  this->expect("x[0,...]", x(0, ellipsis));
  this->expect("x[0,...,-1]", x(0, ellipsis, -1));
  this->expect("x[2,3,4]", x(2, 3, 4));
  this->expect("x[-1,-1,-1]", x(-1, -1, -1));
  this->expect("x[...]", x(ellipsis));
}
TYPED_TEST(views, newaxis_adds_an_axis_of_extent_one) {
  const auto x = this->x();
  this->expect("x[None,1]", x(newaxis, 1));
  this->expect("x[:,None,2:4]", x(all, newaxis, range(2, 4)));
  this->expect("x[...,None]", x(ellipsis, newaxis));
  this->expect("x[None,...,None]", x(newaxis, ellipsis, newaxis));
}
TYPED_TEST(views, axes_are_permuted) {
  const auto x = this->x();
  this->expect("permute_dims(x,0,1,2)", lf::permute_dims<0, 1, 2>(x));
  this->expect("permute_dims(x,0,2,1)", lf::permute_dims<0, 2, 1>(x));
  this->expect("permute_dims(x,1,0,2)", lf::permute_dims<1, 0, 2>(x));
  this->expect("permute_dims(x,1,2,0)", lf::permute_dims<1, 2, 0>(x));
  this->expect("permute_dims(x,2,0,1)", lf::permute_dims<2, 0, 1>(x));
  this->expect("permute_dims(x,2,1,0)", lf::permute_dims<2, 1, 0>(x));
  this->expect("permute_dims(x,2,0,1)", lf::permute_dims<-1, 0, -2>(x));
  this->expect("x.T", lf::transpose(x));
  this->expect("x.T", x.T());
}
TYPED_TEST(views, axes_are_flipped) {
  const auto x = this->x();
  this->expect("flip(x,0)", lf::flip(x, lf::axis<0>));
  this->expect("flip(x,1)", lf::flip(x, lf::axis<1>));
  this->expect("flip(x,2)", lf::flip(x, lf::axis<2>));
  this->expect("flip(x,-1)", lf::flip(x, lf::axis<-1>));
}
TYPED_TEST(views, expressions_of_rank_0_are_reshaped) {
  lf::array<float, 0, TypeParam> x(lf::shape<0>{});
  x = 4;
  const lf::array<float, 1, TypeParam> v{1, 2, 3};
  EXPECT_TRUE(test::evaluates_to(lf::reshape(lf::sqrt(x) + lf::c<1>, {1}), test::tensor<float>({1}, {3})));
  EXPECT_TRUE(test::evaluates_to(lf::reshape(x * 2 + lf::sum(v), {1, -1}), test::tensor<float>({1, 1}, {14})));
  EXPECT_TRUE(test::evaluates_to(lf::reshape(lf::sqrt(x) * x, {1, 1})(lf::all, 0), test::tensor<float>({1}, {8})));
}

TYPED_TEST(views, contiguous_arrays_are_reshaped) {
  const auto x = this->x();
  this->expect("reshape(x,120)", lf::reshape(x, {120}));
  this->expect("reshape(x,120)", lf::reshape(x, {-1}));
  this->expect("reshape(x,20,6)", lf::reshape(x, {20, 6}));
  this->expect("reshape(x,4,30)", lf::reshape(x, {4, -1}));
  this->expect("reshape(x,2,3,4,5)", lf::reshape(x, {2, 3, 4, 5}));
  this->expect("reshape(x,1,120,1)", lf::reshape(x, {1, 120, 1}));
  EXPECT_THROW(lf::reshape(x, {7, 7}), lf::shape_error);
}
TYPED_TEST(views, broadcasts_repeat) {
  const auto x = this->x();
  this->expect("broadcast_to(x[1:2],3,5,6)", lf::broadcast_to(x(range(1, 2)), {3, 5, 6}));
  this->expect("broadcast_to(x[0,0],2,3,6)", lf::broadcast_to(x(0, 0), {2, 3, 6}));
  EXPECT_THROW(lf::broadcast_to(x, {4, 5, 7}), lf::shape_error);
}
TYPED_TEST(views, views_of_views_compose) {
  const auto x = this->x();
  this->expect("x[1:,::-1][::2,1:].T",
               lf::transpose(x(range(1, lf::end), range(none, none, -1))(range(none, none, 2), range(1, lf::end))));
  this->expect("flip(x.T,0)[1:5,2]", lf::flip(lf::transpose(x), lf::axis<0>)(range(1, 5), 2));
  this->expect("permute_dims(x[:,None,2],2,0,1)[::-1]",
               lf::permute_dims<2, 0, 1>(x(all, newaxis, 2))(range(none, none, -1)));
}
TYPED_TEST(views, views_of_expressions_are_pushed_to_the_leaves) {
  const auto x = this->x();
  this->expect("(x*x[:,:1])[1:-1,::-2,3]", (x * x(all, range(0, 1)))(range(1, -1), range(none, none, -2), 3));
  this->expect("(x+x[0]).T[2]", lf::transpose(x + x(0))(2));
  this->expect("x[1]+x[2].T[:5,:5]", x(1)(all, range(0, 5)) + lf::transpose(x(2))(range(0, 5), range(0, 5)));
}
TYPED_TEST(views, an_expression_of_rank_zero_gains_axes) {
  const auto x = this->x();
  const test::tensor<int32_t> three({1}, {3}), threes({2, 2}, {3, 3, 3, 3});
  EXPECT_TRUE(test::evaluates_to((x(0, 0, 1) + 2)(newaxis), three));
  EXPECT_TRUE(test::evaluates_to(lf::broadcast_to(x(0, 0, 1) + 2, {2, 2}), threes));
  EXPECT_TRUE(test::evaluates_to(lf::broadcast_to(x(0, 0, 3), {2, 2}), threes));
}
TYPED_TEST(views, generated_leaves_are_sliced_too) {
  using vector = lf::array<int32_t, 1, TypeParam>;  // nothing else says in which space
  const auto counting = lf::arange<int32_t>(12);
  EXPECT_TRUE(test::evaluates_to(vector(counting(range(none, none, -4))), test::tensor<int32_t>({3}, {11, 7, 3})));
  EXPECT_TRUE(test::evaluates_to(vector(lf::transpose(lf::reshape(counting, {3, 4}))(1)),
                                 test::tensor<int32_t>({3}, {1, 5, 9})));
  EXPECT_TRUE(test::evaluates_to(vector(lf::full({4, 4}, 7)(range(1, 3), 0)), test::tensor<int32_t>({2}, {7, 7})));
}
TYPED_TEST(views, reductions_are_sliced_too) {
  const auto x = this->x();
  const auto column_sums = lf::sum(lf::reshape(x, {20, 6}), lf::axis<0>);
  EXPECT_TRUE(
      test::evaluates_to(column_sums(range(none, none, -2)), test::tensor<std::int64_t>({3}, {1240, 1200, 1160})));
  EXPECT_TRUE(test::evaluates_to(column_sums(range(1, 3)) + 1, test::tensor<std::int64_t>({2}, {1161, 1181})));
  EXPECT_TRUE(test::evaluates_to(lf::transpose(lf::max(x, lf::axis<2>))(range(0, 2), range(0, 3)),
                                 test::tensor<int32_t>({2, 3}, {5, 35, 65, 11, 41, 71})));
}

TYPED_TEST(views, writing_through_a_view_changes_only_what_it_shows) {
  auto y = this->x();
  y(range(1, 3), range(none, none, 2), range(none, none, -1)) = -1;
  this->expect("x[1:3,::2,::-1]=-1", y);
}
TYPED_TEST(views, an_expression_over_its_own_array_is_written_through_a_view) {
  auto y = this->x();
  const auto x = this->x();
  y(all, range(1, -1), 2) = x(all, range(2, lf::end), 3) - x(all, range(none, -2), 1);
  this->expect("x[:,1:-1,2]=x[:,2:,3]-x[:,:-2,1]", y);
  auto z = this->x();
  z(all, range(1, -1), 2) = z(all, range(2, lf::end), 3) - z(all, range(none, -2), 1);
  this->expect("x[:,1:-1,2]=x[:,2:,3]-x[:,:-2,1]", z);
}
TYPED_TEST(views, a_reversed_destination_reverses) {
  auto y = this->x();
  y(range(none, none, -1)) = y;
  this->expect("x[::-1]=x", y);
}
TYPED_TEST(views, overlapping_source_and_destination_act_as_if_the_source_were_copied) {
  auto y = this->x();
  y(ellipsis, range(1, lf::end)) = y(ellipsis, range(none, -1));
  this->expect("x[...,1:]=x[...,:-1]", y);
}
TYPED_TEST(views, in_place_operators_work_through_views) {
  auto y = test::array_of<TypeParam, 2>(test::counting<int32_t>({3, 4}));
  y(all, range(1, 3)) += 100;
  y(0) *= 2;
  y(range(1, 3), 0) -= y(range(1, 3), 3);
  EXPECT_TRUE(
      test::evaluates_to(y, test::tensor<int32_t>({3, 4}, {0, 202, 204, 6, -3, 105, 106, 7, -3, 109, 110, 11})));
}
TYPED_TEST(views, a_view_broadcasts_what_is_written_to_it) {
  auto y = test::array_of<TypeParam, 2>(test::tensor<int32_t>({3, 4}));
  y(range(0, 2), all) = lf::arange<int32_t>(4);
  y(2, range(1, 3)) = 9;
  EXPECT_TRUE(test::evaluates_to(y, test::tensor<int32_t>({3, 4}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 9, 9, 0})));
  EXPECT_THROW(y(0, all) = lf::arange<int32_t>(5), lf::shape_error);
}

TYPED_TEST(views, real_and_imaginary_parts_are_written) {
  using number = lf::complex<double>;
  lf::array<number, 2, TypeParam> z = lf::zeros<number>({2, 3});
  const auto before = z;
  lf::real(z) = lf::arange<double>(3);
  lf::imag(z(1, lf::all)) = lf::real(z)(0, lf::all) * 2;
  lf::imag(z)(lf::all, 0) -= 1;
  const lf::array<number, 2, lf::host> expected{{{0, -1}, {1, 0}, {2, 0}}, {{0, -1}, {1, 2}, {2, 4}}};
  EXPECT_TRUE(lf::array_equal(lf::to<lf::host>(z), expected));
  EXPECT_FALSE(lf::any(before != number(0, 0)).item());
  lf::array<double, 1, TypeParam> x = lf::arange<double>(3);
  lf::real(x) = 7.0;
  EXPECT_TRUE(lf::array_equal(x, lf::full({3}, 7.0)));
}
TYPED_TEST(views, compound_assignment_of_rows_needs_no_other_memory) {
  lf::array<int, 2, TypeParam> x = lf::ones<int>({3, 4});
  const lf::kernel_trace trace;
  x(0) += x(1) + 1;
  x(2) *= x(0);
  EXPECT_EQ(trace.allocations(), 0);
}
TYPED_TEST(views, an_empty_view_is_assigned_to_only_what_fits) {
  lf::array<int, 1, TypeParam> x = lf::zeros<int>({5});
  x(range(2, 2)) = 3;
  EXPECT_THROW(x(range(2, 2)) = lf::arange<int>(3), lf::shape_error);
}
TYPED_TEST(views, a_view_of_a_view_is_written) {
  lf::array<int, 2, TypeParam> x = lf::zeros<int>({3, 4});
  x(1)(lf::range(1, 3)) = 7;
  x(lf::all, 0)(2) += 5;
  const lf::array<int, 2, lf::host> expected{{0, 0, 0, 0}, {0, 7, 7, 0}, {5, 0, 0, 0}};
  EXPECT_TRUE(lf::array_equal(lf::to<lf::host>(x), expected));
}

}  // namespace
