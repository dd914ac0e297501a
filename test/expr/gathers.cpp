// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements by their indices, again, around and one after the other, against NumPy's answers. The name of each case is
// the NumPy text.
#include "support/answered.hpp"

#include <lazyfuse/error.hpp>

#include <string>
#include <vector>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis, lf::none, lf::padding, lf::range;
using std::int32_t, std::int64_t;

template <class Space>
class gathers : public test::answered<gathers<Space>, Space> {
  using base = test::answered<gathers<Space>, Space>;

 public:
  static constexpr const char* family = "gathers";

 protected:
  using base::answers, base::expect;

  static auto x() { return test::array_of<Space, 3>(answers().template get<int32_t>("x")); }
  static auto v() { return test::array_of<Space, 1>(answers().template get<int32_t>("v")); }
  static auto i() { return test::array_of<Space, 1>(answers().template get<int64_t>("i")); }
  static auto j() { return test::array_of<Space, 2>(answers().template get<int32_t>("j")); }
  static auto a() { return test::array_of<Space, 3>(answers().template get<int64_t>("a")); }
};
TYPED_TEST_SUITE(gathers, test::spaces, test::space_name);

TYPED_TEST(gathers, elements_are_taken_by_their_indices) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  const auto j = this->j();
  this->expect("take(v,i)", lf::take(v, i));
  this->expect("take(v,j)", lf::take(v, j));
  this->expect("take(x,i,0)", lf::take(x, i, axis<0>));
  this->expect("take(x,i,1)", lf::take(x, i, axis<1>));
  this->expect("take(x,j,2)", lf::take(x, j, axis<2>));
  this->expect("take(x,j,-2)", lf::take(x, j, axis<-2>));
  this->expect("take(x,i)", lf::take(x, i));
  this->expect("take(x,3,1)", lf::take(x, 3, axis<1>));
  this->expect("take(x,-1)", lf::take(x, -1));
  this->expect("take(x[0],i[:0],1)", lf::take(x(0), i(range(0, 0)), axis<1>));
  this->expect("take(x[:,:1],i*0,1)", lf::take(x(all, range(0, 1)), i * 0, axis<1>));
}
TYPED_TEST(gathers, are_of_views_in_any_layout) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  const auto j = this->j();
  this->expect("take(x[::-1,:,::-2],i,0)", lf::take(x(range(none, none, -1), all, range(none, none, -2)), i, axis<0>));
  this->expect("take(x.T,j,1)", lf::take(x.T(), j, axis<1>));
  this->expect("take(x.T,j)", lf::take(x.T(), j));
  this->expect("take(v[::-1],i)", lf::take(lf::flip(v), i));
  this->expect("take(v[::-3],j%3)", lf::take(v(range(none, none, -3)), lf::remainder(j, 3)));
  this->expect("take(np.broadcast_to(v,(4,7)),i,0)", lf::take(lf::broadcast_to(v, {4, 7}), i, axis<0>));
  this->expect("take(np.broadcast_to(v,(4,7)),j,1)", lf::take(lf::broadcast_to(v, {4, 7}), j, axis<1>));
  this->expect("take(v,i[::-2])", lf::take(v, i(range(none, none, -2))));
}
TYPED_TEST(gathers, are_viewed_themselves) {
  const auto x = this->x();
  const auto i = this->i();
  const auto j = this->j();
  this->expect("take(x,i,1)[::-1,2]", lf::take(x, i, axis<1>)(range(none, none, -1), 2));
  this->expect("take(x,j,0).T", lf::take(x, j, axis<0>).T());
  this->expect("take(x,j,1)[1:,:,::-1,2]", lf::take(x, j, axis<1>)(range(1, lf::end), all, range(none, none, -1), 2));
  this->expect("take(x,i,0)[:,None,:,-1]", lf::take(x, i, axis<0>)(all, newaxis, all, -1));
  this->expect("np.diagonal(take(x,i,0))", lf::diagonal(lf::take(x, i, axis<0>)));
}
TYPED_TEST(gathers, are_one_kernel_with_what_stands_around_them) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  const auto j = this->j();
  const auto e = x * 2 + v(range(0, 6));
  this->expect_kernels(1, "take(x*2+v[:6],i,0)", lf::take(e, i, axis<0>));
  this->expect_kernels(1, "take(x*2+v[:6],i,2)", lf::take(e, i, axis<2>));
  this->expect_kernels(1, "take(x-x[:1],i,0)", lf::take(x - x(range(0, 1)), i, axis<0>));
  this->expect_kernels(1, "take(x[0]*x[:,:1],j)", lf::take(x(0) * x(all, range(0, 1)), j));
  this->expect_kernels(1, "take(x,i*i%4,0)+1", lf::take(x, lf::remainder(i * i, 4), axis<0>) + 1);
  this->expect_kernels(1, "take(x,np.arange(8)//3,1)",
                       lf::take(x, lf::floor_divide(lf::arange<int64_t>(8), 3), axis<1>));
  this->expect_kernels(1, "take(v,np.where(i<0,i+7,i))", lf::take(v, lf::where(i < 0, i + 7, i)));
  this->expect_kernels(1, "take(take(x,i,0),j,1)", lf::take(lf::take(x, i, axis<0>), j, axis<1>));
  this->expect_kernels(1, "take(v,take(v,i)%5)", lf::take(v, lf::remainder(lf::take(v, i), 5)));
  this->expect_kernels(1, "take(np.roll(x,1,0),i,0)", lf::take(lf::roll(x, 1, axis<0>), i, axis<0>));
  this->expect_kernels(1, "take(np.arange(10)*3,j)", lf::take(lf::arange<int64_t>(10) * 3, j));
  this->expect_kernels(1, "take(v,i)*take(v,i)+v[:5]", lf::take(v, i) * lf::take(v, i) + v(range(0, 5)));
}
TYPED_TEST(gathers, what_is_still_to_be_computed_is_computed_first) {
  const auto x = this->x();
  const auto i = this->i();
  this->expect("take(x-x.max(2,keepdims=True),i,1)", lf::take(x - lf::max(x, axis<2>, keepdims), i, axis<1>));
  this->expect("take(x.sum(0),i,1)", lf::take(lf::sum(x, axis<0>), i, axis<1>));
  this->expect("take(x.cumsum(1),i,0)", lf::take(lf::cumsum(x, axis<1>), i, axis<0>));
  this->expect("take(x,x.argmax(1)%4,0)[0]", lf::take(x, lf::remainder(lf::argmax(x, axis<1>), 4), axis<0>)(0));
}
TYPED_TEST(gathers, are_reduced_in_one_kernel) {
  const auto x = this->x();
  const auto i = this->i();
  const auto t = lf::take(x, i, axis<1>);
  this->expect_kernels(1, "take(x,i,1).sum((0,2))", lf::sum(t, axis<0, 2>));
  this->expect_kernels(1, "take(x,i,2).max(1)", lf::max(lf::take(x, i, axis<2>), axis<1>));
  this->expect_kernels(1, "(take(x,i,0)*x[:1]).sum(2)", lf::sum(lf::take(x, i, axis<0>) * x(range(0, 1)), axis<2>));
  this->expect_kernels(1, "take(x,i,1).cumsum(1)", lf::cumsum(t, axis<1>));
  this->expect("take(x,i,1)-take(x,i,1).max(2,keepdims=True)", t - lf::max(t, axis<2>, keepdims));
}
TYPED_TEST(gathers, along_an_axis_indices_have_the_other_axes_as_well) {
  const auto x = this->x();
  const auto a = this->a();
  const auto v = this->v();
  const auto i = this->i();
  this->expect_kernels(1, "take_along_axis(x,a,1)", lf::take_along_axis(x, a, axis<1>));
  this->expect("take_along_axis(x,x.argmax(2,keepdims=True),2)",
               lf::take_along_axis(x, lf::argmax(x, axis<2>, keepdims), axis<2>));
  this->expect("take_along_axis(x,i[:,None,None]%4,0)",
               lf::take_along_axis(x, lf::remainder(i(all, newaxis, newaxis), 4), axis<0>));
  this->expect("take_along_axis(x[:1],a,1)", lf::take_along_axis(x(range(0, 1)), a, axis<1>));
  this->expect("take_along_axis(x*2,a[:,:2],1)+1", lf::take_along_axis(x * 2, a(all, range(0, 2)), axis<1>) + 1);
  this->expect("take_along_axis(v,i,0)", lf::take_along_axis<0>(v, i));
  const lf::array<float, 2, TypeParam> small({3, 2});
  EXPECT_THROW((void)lf::take_along_axis(small, x(range(0, 2), 0), axis<1>), lf::shape_error);
}
TYPED_TEST(gathers, elements_of_any_type_by_integers_of_any_type) {
  const auto values = test::counting<float>({9});
  const auto with = [&](auto element, auto index) {
    using T = decltype(element);
    using I = decltype(index);
    const lf::array<T, 1, TypeParam> x = lf::cast<T>(test::array_of<TypeParam, 1>(values));
    const lf::array<I, 1, TypeParam> i = lf::cast<I>(
        lf::arange<int>(9) * 5 - 9 * lf::cast<int>(lf::arange<int>(9) > 1) - 9 * lf::cast<int>(lf::arange<int>(9) > 3) -
        9 * lf::cast<int>(lf::arange<int>(9) > 5) - 9 * lf::cast<int>(lf::arange<int>(9) > 7));
    const lf::array<T, 1, TypeParam> wanted = lf::take(x, lf::cast<int64_t>(i));
    EXPECT_EQ(test::tensor_of(lf::take(x, i)).values, test::tensor_of(wanted).values);
  };
  with(double{}, lf::int8{});
  with(lf::half{}, int32_t{});
  with(lf::complex<float>{}, lf::uint8{});
  with(lf::complex<double>{}, lf::uint64{});
  with(int64_t{}, lf::uint32{});
  with(lf::uint8{}, lf::int16{});
}
TYPED_TEST(gathers, repeat_tile_and_kron) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  const auto j = this->j();
  const auto e = x * 2 + v(range(0, 6));
  this->expect("repeat(v,3)", lf::repeat(v, 3));
  this->expect("repeat(v,0)", lf::repeat(v, 0));
  this->expect("repeat(x,2)", lf::repeat(x, 2));
  this->expect("repeat(x,2,0)", lf::repeat(x, 2, axis<0>));
  this->expect("repeat(x,3,-1)", lf::repeat(x, 3, axis<-1>));
  this->expect_kernels(1, "repeat(x*2+v[:6],2,1)", lf::repeat(e, 2, axis<1>));
  this->expect("repeat(x.T,2,1)[::-1]", lf::repeat(x.T(), 2, axis<1>)(range(none, none, -1)));
  this->expect("tile(v,2)", lf::tile(v, 2));
  this->expect("tile(x,2)", lf::tile(x, 2));
  this->expect("tile(x,(2,1,3))", lf::tile(x, {2, 1, 3}));
  this->expect("tile(v,(2,3))", lf::tile(v, {2, 3}));
  this->expect("tile(x[0],(2,1,1))", lf::tile(x(0), {2, 1, 1}));
  this->expect("tile(v,0)", lf::tile(v, 0));
  this->expect_kernels(1, "tile(x*2+v[:6],(1,2,1))", lf::tile(e, {1, 2, 1}));
  this->expect("tile(v[:0],3)", lf::tile(v(range(0, 0)), 3));
  this->expect("kron(v,i)", lf::kron(v, i));
  this->expect("kron(x[0],j)", lf::kron(x(0), j));
  this->expect("kron(v,x[0])", lf::kron(v, x(0)));
  this->expect("kron(j,v)", lf::kron(j, v));
  this->expect_kernels(1, "kron(x,x[:2,:2,0])", lf::kron(x, x(range(0, 2), range(0, 2), 0)));
  this->expect_kernels(1, "kron(v*2,j+1)", lf::kron(v * 2, j + 1));
  EXPECT_THROW((void)lf::repeat(v, -1), lf::index_error);
  EXPECT_THROW((void)lf::tile(v, -1), lf::index_error);
}
TYPED_TEST(gathers, pad_puts_a_value_around) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect_kernels(1, "pad(v,((2,3),))", lf::pad(v, {{2, 3}}));
  this->expect_kernels(1, "pad(x,((1,0),(0,2),(3,1)))", lf::pad(x, {{1, 0}, {0, 2}, {3, 1}}));
  this->expect_kernels(1, "pad(x+1,((1,0),(0,2),(3,1)),constant_values=-7)",
                       lf::pad(x + 1, {{1, 0}, {0, 2}, {3, 1}}, -7));
  this->expect("pad(v[:0],((2,1),),constant_values=5)", lf::pad(v(range(0, 0)), {{2, 1}}, 5));
  this->expect("pad(x,((0,0),(0,0),(0,0)))", lf::pad(x, {{0, 0}, {0, 0}, {0, 0}}));
  EXPECT_THROW((void)lf::pad(v, {{0, -1}}), lf::index_error);
}
template <padding Mode, class Expect, class V, class X>
void pads(const std::string& mode, const Expect& expect, const V& v, const X& x) {
  const auto one = [&](const std::string& call, const auto& e) {
    expect(("pad(" + call + ",mode='" + mode + "')").c_str(), e);
  };
  one("v,((2,3),)", lf::pad<Mode>(v, {{2, 3}}));
  one("v,((17,9),)", lf::pad<Mode>(v, {{17, 9}}));
  one("x,((1,0),(0,2),(7,1))", lf::pad<Mode>(x, {{1, 0}, {0, 2}, {7, 1}}));
  one("v[:1],((3,2),)", lf::pad<Mode>(v(range(0, 1)), {{3, 2}}));
  one("x[:,::-1]*2,((1,1),(2,2),(3,3))", lf::pad<Mode>(x(all, range(none, none, -1)) * 2, {{1, 1}, {2, 2}, {3, 3}}));
  EXPECT_THROW((void)lf::pad<Mode>(v(range(0, 0)), {{1, 0}}), lf::shape_error);
}
TYPED_TEST(gathers, pad_puts_elements_around) {
  const auto x = this->x();
  const auto v = this->v();
  const auto expect = [this](const char* numpy, const auto& e) { this->expect_kernels(1, numpy, e); };
  pads<padding::edge>("edge", expect, v, x);
  pads<padding::wrap>("wrap", expect, v, x);
  pads<padding::reflect>("reflect", expect, v, x);
  pads<padding::symmetric>("symmetric", expect, v, x);
}
TYPED_TEST(gathers, one_after_the_other_in_one_kernel) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  const auto j = this->j();
  this->expect_kernels(1, "concat((v,i))", lf::concat(v, i));
  this->expect_kernels(1, "concat((x,x[:1],x*2))", lf::concat(x, x(range(0, 1)), x * 2));
  this->expect_kernels(1, "concat((x,x[:,:0],x[:,1:3]),1)", lf::concat<1>(x, x(all, range(0, 0)), x(all, range(1, 3))));
  this->expect("concat((x.T,x.T+1),-1)", lf::concat<-1>(x.T(), x.T() + 1));
  this->expect("concat((v,))", lf::concat(v));
  this->expect("concat((x.sum(0),x[0]))", lf::concat(lf::sum(x, axis<0>), x(0)));
  this->expect("concat((v,np.arange(3),np.ones(2,np.int32)))",
               lf::concat(v, lf::arange<int64_t>(3), lf::ones<int32_t>({2})));
  this->expect_kernels(1, "concat((x,x+v[:6]),2)*2", lf::concat<2>(x, x + v(range(0, 6))) * 2);
  this->expect_kernels(1, "concat((v,v*2)).sum()", lf::sum(lf::concat(v, v * 2)));
  this->expect("concat((x,-x),1)[::-1,3:7,2]", lf::concat<1>(x, -x)(range(none, none, -1), range(3, 7), 2));
  this->expect("concat((v,v[::-1]*0.5))", lf::concat(v, lf::cast<double>(lf::flip(v)) * 0.5));
  this->expect("stack((v,v+1))", lf::stack(v, v + 1));
  this->expect_kernels(1, "stack((v,v+1,v*2),1)", lf::stack<1>(v, v + 1, v * 2));
  this->expect("stack((x,x),-1)", lf::stack<-1>(x, x));
  this->expect("stack((x.T,x.T*2),2)", lf::stack<2>(x.T(), x.T() * 2));
  this->expect("hstack((v,i))", lf::hstack(v, i));
  this->expect("hstack((j,j*2))", lf::hstack(j, j * 2));
  this->expect("vstack((v,v*2))", lf::vstack(v, v * 2));
  this->expect("vstack((j,j[:1]))", lf::vstack(j, j(range(0, 1))));
  EXPECT_THROW((void)lf::concat<1>(x, x(range(0, 1))), lf::shape_error);
  EXPECT_THROW((void)lf::stack(j, j(range(0, 1))), lf::shape_error);
}
TYPED_TEST(gathers, go_to_what_they_read) {
  auto x = this->x(), y = x, z = x;
  auto v = this->v();
  const auto i = this->i();
  x = lf::take(x, i, axis<0>)(range(0, 4));
  this->expect("x=take(x,i,0)[:4]", x);
  y += lf::take(y, i * 0 + 1, axis<0>)(range(0, 4));
  this->expect("x+=take(x,i*0+1,0)[:4]", y);
  z = lf::concat(z(range(2, 4)), z(range(0, 2)));
  this->expect("x=concat((x[2:],x[:2]))", z);
  const auto w0 = lf::materialize(lf::remainder(v, 7));
  const lf::array<int32_t, 1, TypeParam> at =
      lf::pad(lf::full({1}, 6), {{0, 2}}) + lf::cast<int32_t>(lf::arange<int>(3) == 2);
  v(range(1, 4)) = lf::take(v, at);
  this->expect("v[1:4]=take(v,[6,0,1])", v);
  auto w = w0;
  w = lf::take(w, w);
  this->expect("w=take(w,w)", w);
}
TYPED_TEST(gathers, of_lazy_arrays) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  for (int round = 0; round < 2; ++round) {  // the second time the evaluation is kept
    const lf::lazy_array x2 = x * 2 + v(range(0, 6));
    this->expect("take(x*2+v[:6],i,0)", lf::take(x2, i, axis<0>));
    lf::lazy_array t = lf::take(x, lf::lazy_array(i * 1), axis<1>);
    this->expect("take(x,i,1)[::-1,2]", t(range(none, none, -1), 2));
    this->expect("take(x,i,1).sum((0,2))", lf::sum(t, axis<0, 2>));
    t = lf::take(x, i, axis<0>);
    this->expect("take(x,i,0)[:,None,:,-1]", t(all, newaxis, all, -1));
    lf::lazy_array c = lf::concat<2>(x, x + v(range(0, 6)));
    c = c * 2;
    this->expect("concat((x,x+v[:6]),2)*2", c);
    const lf::lazy_array p = lf::tile(x2, {1, 2, 1});
    this->expect("tile(x*2+v[:6],(1,2,1))", p);
    const lf::lazy_array f = lf::take(x.T(), lf::lazy_array(this->j() + 0));
    this->expect("take(x.T,j)", f);
  }
}
/// Others at other memory, by the same evaluation.
TYPED_TEST(gathers, of_lazy_arrays_read_the_arrays_they_were_made_of) {
  for (int k = 0; k < 3; ++k) {
    const lf::array<int32_t, 1, TypeParam> x = lf::arange<int32_t>(8) + 10 * k;
    const lf::array<int32_t, 1, TypeParam> i = lf::remainder(lf::arange<int32_t>(5) * 3 + k, 8);
    const lf::lazy_array e = lf::take(x, i) + 1;
    const auto got = test::tensor_of(e);
    for (std::size_t n = 0; n < 5; ++n) EXPECT_EQ(got.values[n], (static_cast<int>(n) * 3 + k) % 8 + 10 * k + 1);
  }
}

/// A kernel for each part of a large result, and of what is reduced.
TYPED_TEST(gathers, of_large_parts_are_what_they_are_of_small_ones) {
  const int64_t n = lf::space_traits<TypeParam>::on_device ? 3001 : 61, m = 2003;
  const auto value = [](int64_t i, int64_t j) { return static_cast<int32_t>((i * 31 + j * 7) % 1009); };
  const auto elements = [](int64_t rows, int64_t columns, const auto& at) {
    test::tensor<int32_t> t{{rows, columns}, {}};
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) t.values.push_back(at(i, j));
    return t;
  };
  const auto of = [&](int64_t rows, int64_t columns) {
    return test::array_of<TypeParam, 2>(elements(rows, columns, value));
  };
  using matrix = lf::array<int32_t, 2, TypeParam>;
  using vector = lf::array<int32_t, 1, TypeParam>;
  const auto expect = [&](const auto& got, int64_t rows, int64_t columns, const auto& at) {
    EXPECT_TRUE(test::evaluates_to(got, elements(rows, columns, at)));
  };
  const auto x = of(n, m), y = of(n / 2, m), z = of(n, m / 3);
  const vector v(x(1, lf::all));
  const auto down = [&](int64_t i, int64_t j) {
    return i < n ? value(i, j) : i < n + n / 2 ? 2 * value(i - n, j) : value(i - n - n / 2, m - 1 - j);
  };
  const auto all = lf::concat(x, 2 * y, x(lf::all, range(none, none, -1)));
  expect(matrix(all * v - 1), 2 * n + n / 2, m, [&](int64_t i, int64_t j) { return down(i, j) * value(1, j) - 1; });
  const auto sums = [&](int64_t rows, int64_t columns, const auto& at) {
    test::tensor<int32_t> t{{rows}, {}};
    for (int64_t i = 0; i < rows; ++i) {
      int32_t sum = 0;
      for (int64_t j = 0; j < columns; ++j) sum += at(i, j);
      t.values.push_back(sum);
    }
    return t;
  };
  EXPECT_TRUE(test::evaluates_to(vector(lf::cast<int32_t>(lf::sum(all, lf::axis<1>))), sums(2 * n + n / 2, m, down)));
  EXPECT_TRUE(
      test::evaluates_to(vector(lf::cast<int32_t>(lf::sum(all.T(), lf::axis<0>))), sums(2 * n + n / 2, m, down)));
  const auto beside = [&](int64_t i, int64_t j) {
    return j < m / 3 ? value(i, j) + 1 : j < m + m / 3 ? value(i, j - m / 3) : -value(n - 1 - i, j - m - m / 3);
  };
  const auto row = lf::concat<1>(z + 1, x, -z(range(none, none, -1)));
  expect(matrix(row + 5), n, m + 2 * (m / 3), [&](int64_t i, int64_t j) { return beside(i, j) + 5; });
  EXPECT_TRUE(
      test::evaluates_to(vector(lf::cast<int32_t>(lf::sum(row, lf::axis<1>))), sums(n, m + 2 * (m / 3), beside)));
  const matrix joined(all), widened(row);
  EXPECT_TRUE(lf::array_equal(lf::max(all, lf::axis<0>) + 2 * v, lf::max(joined, lf::axis<0>) + 2 * v));
  EXPECT_EQ(lf::min(row).item(), lf::min(widened).item());
  EXPECT_TRUE(lf::array_equal(lf::argmax(all, lf::axis<1>), lf::argmax(joined, lf::axis<1>)));
  EXPECT_TRUE(lf::array_equal(lf::max(row, lf::axis<1>) - lf::min(row, lf::axis<1>),
                              lf::max(widened, lf::axis<1>) - lf::min(widened, lf::axis<1>)));
  lf::kernel_trace trace;
  const lf::array<int64_t, 3, TypeParam> pixels(lf::stack<2>(x, 2 * x, x + v));
  const bool in_turn = lf::space_traits<TypeParam>::on_device && test::planned_by_values<TypeParam>;
  if (in_turn) {
    EXPECT_EQ(trace.launches(), 1);
  }
  EXPECT_TRUE(lf::array_equal(pixels(lf::all, lf::all, 0), x));
  EXPECT_TRUE(lf::array_equal(pixels(lf::all, lf::all, 1), 2 * x));
  EXPECT_TRUE(lf::array_equal(pixels(lf::all, lf::all, 2), x + v));
  const auto turned = lf::concat<1>(x.T(), y.T());
  expect(matrix(turned.T()), n + n / 2, m, [&](int64_t i, int64_t j) { return i < n ? value(i, j) : value(i - n, j); });
}

TYPED_TEST(gathers, of_large_parts_beside_other_reductions_that_keep_axes_of_one_element) {
  const int64_t n = lf::space_traits<TypeParam>::on_device ? 60000 : 300;
  const lf::array<float, 3, TypeParam> a = lf::reshape(lf::remainder(lf::arange<float>(n * 100), 97), {n, 100, 1}),
                                       y = lf::reshape(lf::arange<float>(1000), {1, 200, 5});
  const auto join = lf::concat<1>(a, 2 * a);
  const auto sums = lf::materialize(lf::sum(lf::materialize(join), lf::axis<0>, lf::keepdims)),
             others = lf::materialize(lf::sum(y, lf::axis<2>, lf::keepdims));
  const auto both = lf::materialize(lf::sum(y, lf::axis<2>, lf::keepdims) + lf::sum(join, lf::axis<0>, lf::keepdims));
  EXPECT_TRUE(lf::array_equal(both, others + sums));
  const auto turned = lf::materialize(lf::sum(join, lf::axis<0>, lf::keepdims) - lf::sum(y, lf::axis<2>, lf::keepdims));
  EXPECT_TRUE(lf::array_equal(turned, sums - others));
}
TYPED_TEST(gathers, among_parts_ask_for_nothing_beyond_them) {
  const lf::array<int32_t, 1, TypeParam> x = lf::arange<int32_t>(5), j = lf::arange<int32_t>(5) + 10,
                                         y = x(range(0, 2));
  const lf::array<int32_t, 1, TypeParam> empty = x(range(0, 0));
  const auto expect = [](const auto& e, const std::vector<int32_t>& want) {
    EXPECT_EQ(test::tensor_of(e).values, want);
  };
  expect(lf::pad(lf::take(x, j - 10), {{1, 1}}), {0, 0, 1, 2, 3, 4, 0});
  expect(lf::pad(lf::take(x, 14 - j) + 1, {{2, 0}}), {0, 0, 5, 4, 3, 2, 1});
  expect(lf::concat(lf::take(x, j - 10), y), {0, 1, 2, 3, 4, 0, 1});
  expect(lf::concat(lf::repeat(empty, 2), y), {0, 1});
  expect(lf::concat(y, lf::tile(empty, 2)), {0, 1});
  expect(lf::concat(lf::kron(empty, y), y), {0, 1});
  expect(lf::concat(lf::repeat(lf::lazy_array(empty), 2), y), {0, 1});
  expect(lf::concat(lf::take(lf::roll(empty, 1), empty), lf::repeat(y, 2)), {0, 0, 1, 1});
  expect(lf::concat(y, lf::flip(lf::repeat(y, 2)), lf::repeat(y, 0), lf::tile(y + 3, 2)),
         {0, 1, 1, 1, 0, 0, 3, 4, 3, 4});
  expect(lf::pad<padding::wrap>(lf::pad<padding::reflect>(x, {{1, 0}}), {{0, 2}}), {1, 0, 1, 2, 3, 4, 1, 0});
  expect(lf::pad(lf::pad<padding::reflect>(x, {{2, 1}}), {{2, 1}}, 9), {9, 9, 2, 1, 0, 1, 2, 3, 4, 3, 9});
  expect(lf::pad(lf::repeat(x(range(1, 3)), 2)(range(none, none, -1)), {{3, 1}}, 9), {9, 9, 9, 2, 2, 1, 1, 9});
  const lf::array<int32_t, 2, TypeParam> m = lf::reshape(x(range(0, 4)), {2, 2}), none_of_two = m(range(0, 0));
  expect(lf::concat(m, lf::repeat(m, 2, axis<1>)(lf::all, range(1, 3))), {0, 1, 2, 3, 0, 1, 2, 3});
  expect(lf::concat<1>(lf::repeat(m, 2, axis<0>)(range(1, 3)), m(range(none, none, -1))), {0, 1, 2, 3, 2, 3, 0, 1});
  expect(lf::pad(lf::tile(m(lf::all, range(none, none, -1)), {1, 2}), {{1, 0}, {0, 1}}, 9),
         {9, 9, 9, 9, 9, 1, 0, 1, 0, 9, 3, 2, 3, 2, 9});
  expect(lf::pad(lf::repeat(none_of_two, 2, axis<1>), {{1, 0}, {0, 1}}, 9), {9, 9, 9, 9, 9});
  lf::kernel_trace trace;
  expect(lf::concat(y, lf::repeat(x + 1, 2)), {0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  EXPECT_EQ(trace.launches(), 1);
}

/// Inside, devices read what is padded as it lies.
TYPED_TEST(gathers, of_what_is_padded_are_cut_where_they_are_large) {
  constexpr bool on_device = lf::space_traits<TypeParam>::on_device;
  const int64_t m = on_device ? 3001 : 61, n = on_device ? 2999 : 99;
  const lf::array<float, 1, TypeParam> line = lf::remainder(lf::arange<float>(m * n), 1009);
  const lf::array<float, 2, TypeParam> x = lf::reshape(line, {m, n}), turned = lf::reshape(line, {n, m});
  const auto expect = [&](const auto& e, const auto& of, const lf::index_t(&widths)[2][2], float value, bool is_cut) {
    const lf::index_t top = widths[0][0], bottom = widths[0][1], left = widths[1][0], right = widths[1][1];
    lf::kernel_trace trace;
    const lf::array<float, 2, TypeParam> z(e);
    if (on_device) {
      EXPECT_EQ(trace.launches() > 1, is_cut) << trace.launches();
    }
    ASSERT_EQ(z.shape(), lf::shape(of.extent(0) + top + bottom, of.extent(1) + left + right));
    const range rows(top, z.extent(0) - bottom), columns(left, z.extent(1) - right);
    EXPECT_TRUE(lf::all(z(rows, columns) == of).item());
    const lf::array<float, 2, TypeParam> borders[] = {z(range(0, top), all), z(range(z.extent(0) - bottom, none), all),
                                                      z(all, range(0, left)), z(all, range(z.extent(1) - right, none))};
    for (const auto& border : borders) EXPECT_TRUE(lf::all(border == value).item());
  };
  const lf::index_t widths[2][2] = {{3, 4}, {5, 6}}, above[2][2] = {{2, 0}, {0, 0}}, beside[2][2] = {{0, 0}, {0, 7}},
                    none_at_all[2][2] = {{0, 0}, {0, 0}}, wide[2][2] = {{4000, 4000}, {0, 0}};
  expect(lf::pad(x, widths), x, widths, 0, true);
  expect(lf::pad(x * 2 + 1, widths, 7), lf::array<float, 2, TypeParam>(x * 2 + 1), widths, 7, true);
  expect(lf::pad(turned.T(), above, -1), lf::array<float, 2, TypeParam>(turned.T()), above, -1, true);
  expect(lf::pad(lf::flip(x), beside, 2), lf::array<float, 2, TypeParam>(lf::flip(x)), beside, 2, true);
  expect(lf::pad(x, none_at_all), x, none_at_all, 0, false);
  expect(lf::pad(x, wide), x, wide, 0, false);
  expect(2 * lf::pad(x, widths, 3), lf::array<float, 2, TypeParam>(2 * x), widths, 6, true);
  const lf::index_t both[2][2] = {{5, 4}, {5, 6}};
  expect(lf::pad(lf::pad(x, widths), above), x, both, 0, true);
  // of which one operand is one row, and of a view of the whole
  const lf::array<float, 1, TypeParam> row = x(7, all);
  const lf::array<float, 2, TypeParam> sum(lf::pad(x + row, widths) + lf::pad(x, widths));
  EXPECT_TRUE(lf::all(sum(range(3, 3 + m), range(5, 5 + n)) == 2 * x + row).item());
  EXPECT_EQ(lf::sum(lf::cast<double>(sum)).item(), lf::sum(lf::cast<double>(2 * x + row)).item());
  const lf::array<float, 2, TypeParam> half_of_it(lf::pad(x, widths)(range(1, none, 2), range(none, none, -1)));
  const lf::array<float, 2, TypeParam> padded(lf::pad(x, widths));
  EXPECT_TRUE(lf::array_equal(half_of_it, padded(range(1, none, 2), range(none, none, -1))));
  lf::array<float, 2, TypeParam> own = padded;  // in place
  own = lf::pad(own(range(1, -1), range(1, -1)), {{1, 1}, {1, 1}}, -5);
  EXPECT_TRUE(lf::array_equal(own(range(1, -1), range(1, -1)), padded(range(1, -1), range(1, -1))));
  EXPECT_TRUE(lf::all(own(0, all) == -5).item() && lf::all(own(all, -1) == -5).item());
}
/// Kernels of parts that read one large array take their blocks side by side.
TYPED_TEST(gathers, of_parts_that_read_one_array_share_a_launch) {
  constexpr bool on_device = lf::space_traits<TypeParam>::on_device;
  const int64_t n = on_device ? 50'000'017 : 50'017;
  const lf::array<float, 1, TypeParam> x = lf::remainder(lf::arange<float>(n), 1009);
  lf::array<float, 1, TypeParam> z{lf::shape(3 * n)};
  lf::kernel_trace trace;
  z = lf::concat(2 * x, lf::repeat(x, 2));
  if (on_device && test::planned_by_values<TypeParam>) {
    EXPECT_EQ(trace.launches(), 1);
  }
  EXPECT_TRUE(lf::all(z(range(0, n)) == 2 * x).item());
  EXPECT_TRUE(lf::all(z(range(n, none, 2)) == x).item());
  EXPECT_TRUE(lf::all(z(range(n + 1, none, 2)) == x).item());
  const lf::array<float, 1, TypeParam> thrice(lf::concat(x, lf::concat(x(range(none, none, -1)), x + 1)));
  EXPECT_TRUE(lf::all(thrice(range(0, n)) == x).item());
  EXPECT_TRUE(lf::all(thrice(range(n, 2 * n)) == lf::flip(x)).item());
  EXPECT_TRUE(lf::all(thrice(range(2 * n, none)) == x + 1).item());
}
/// Where position p along an axis comes from.
using folded_by = int64_t (*)(int64_t p, int64_t extent);
int64_t reflected(int64_t p, int64_t n) { return p < 0 ? -p : p < n ? p : 2 * (n - 1) - p; }
int64_t mirrored(int64_t p, int64_t n) { return p < 0 ? -1 - p : p < n ? p : 2 * n - 1 - p; }
template <class Space, class E>
void expect_folded(const E& e, const test::extents& from, const test::extents& to, folded_by rows, folded_by columns,
                   int64_t before = 0) {
  const auto value = [&](const test::extents& i) {
    return static_cast<float>(rows(i[0] - before, from[0]) * from[1] + columns(i[1] - before, from[1]));
  };
  EXPECT_TRUE(test::evaluates_to(e, test::generate<float>(to, value))) << test::text(from) << " " << test::text(to);
}
TYPED_TEST(gathers, of_any_shape_are_repeated_and_padded) {
  for (const test::extents& s : {test::extents{37, 101}, {64, 256}, {5, 4099}, {1027, 3}, {130, 260}}) {
    const lf::array<float, 1, TypeParam> all_of_x = lf::arange<float>(s[0] * s[1]);
    const lf::array<float, 2, TypeParam> x = lf::reshape(all_of_x, {s[0], s[1]});
    const auto by = [&](int64_t rows, int64_t columns) { return test::extents{s[0] * rows, s[1] * columns}; };
    const folded_by same = [](int64_t p, int64_t) { return p; }, again = [](int64_t p, int64_t n) { return p % n; },
                    of_three = [](int64_t p, int64_t) { return p / 3; };
    const auto one = [&](const auto& e, const test::extents& to, folded_by rows, folded_by columns) {
      expect_folded<TypeParam>(e, s, to, rows, columns);
    };
    one(lf::tile(x, {2, 3}), by(2, 3), again, again);
    one(lf::tile(x, {3, 1}), by(3, 1), again, same);
    one(lf::repeat(x, 3, axis<1>), by(1, 3), same, of_three);
    one(lf::repeat(x, 3, axis<0>), by(3, 1), of_three, same);
    one(lf::repeat(lf::repeat(x, 3, axis<0>), 3, axis<1>), by(3, 3), of_three, of_three);
    one(lf::repeat(lf::tile(x, {1, 2}), 3, axis<0>), by(3, 2), of_three, again);
    const test::extents padded{s[0] + 4, s[1] + 4};
    const auto around = [&](const auto& e, folded_by f) { expect_folded<TypeParam>(e, s, padded, f, f, 2); };
    const lf::index_t widths[2][2] = {{2, 2}, {2, 2}};
    around(lf::pad<padding::edge>(x, widths), [](int64_t p, int64_t n) { return p < 0 ? 0 : p < n ? p : n - 1; });
    around(lf::pad<padding::wrap>(x, widths), [](int64_t p, int64_t n) { return (p + n) % n; });
    around(lf::pad<padding::reflect>(x, widths), reflected);
    around(lf::pad<padding::symmetric>(x, widths), mirrored);
  }
}
/// The kernels of positions that 31 bits hold are others.
TYPED_TEST(gathers, are_of_positions_that_31_bits_do_not_hold) {
  if (!lf::space_traits<TypeParam>::on_device) GTEST_SKIP() << "the host counts in 64 bits";
  for (const lf::index_t n : {lf::index_t{1000}, lf::index_t{750'000'011}}) {
    const lf::array<std::uint8_t, 1, TypeParam> x =
        lf::cast<std::uint8_t>(lf::remainder(lf::arange<lf::index_t>(n), 251));
    const lf::array<std::uint8_t, 1, TypeParam> z = lf::repeat(x, 3), t = lf::tile(x, 3);
    for (const lf::index_t from : {lf::index_t{0}, n - 50, 2 * n - 50, 3 * n - 100}) {
      const auto repeated = lf::to<lf::host>(z(range(from, from + 100))),
                 tiled = lf::to<lf::host>(t(range(from, from + 100)));
      for (lf::index_t k = 0; k < 100; ++k) {
        ASSERT_EQ(repeated(k).item(), (from + k) / 3 % 251) << from + k;
        ASSERT_EQ(tiled(k).item(), (from + k) % n % 251) << from + k;
      }
    }
  }
  constexpr lf::index_t n = 251, before = (lf::index_t{1} << 31) + 7, all_of_z = before + n + 100;
  const lf::array<std::uint8_t, 1, TypeParam> x = lf::cast<std::uint8_t>(lf::arange<lf::index_t>(n));
  const auto expect = [&](const lf::array<std::uint8_t, 1, TypeParam>& z, folded_by f) {
    for (const lf::index_t from : {lf::index_t{0}, before - 50, all_of_z - 100}) {
      const auto some = lf::to<lf::host>(z(range(from, from + 100)));
      for (lf::index_t k = 0; k < 100; ++k) ASSERT_EQ(some(k).item(), f(from + k - before, n)) << from + k;
    }
  };
  const lf::index_t widths[1][2] = {{before, 100}};
  expect(lf::pad<padding::edge>(x, widths), [](int64_t p, int64_t of) { return p < 0 ? 0 : p < of ? p : of - 1; });
  expect(lf::pad<padding::wrap>(x, widths), [](int64_t p, int64_t of) { return (p % of + of) % of; });
  expect(lf::pad<padding::reflect>(x, widths), [](int64_t p, int64_t of) {
    const int64_t period = 2 * (of - 1);
    return reflected((p % period + period) % period, of);
  });
  expect(lf::pad<padding::symmetric>(x, widths),
         [](int64_t p, int64_t of) { return mirrored((p % (2 * of) + 2 * of) % (2 * of), of); });
  expect(lf::flip(lf::pad<padding::edge>(lf::flip(x), {{100, before}})), [](int64_t p, int64_t of) {
    return p < 0 ? 0 : p < of ? p : of - 1;
  });
}

#if !defined(__CUDACC__)
template <class E>
std::string message_of(const E& e) {
  try {
    (void)lf::materialize(e);
  } catch (const lf::index_error& error) {
    return error.what();
  }
  return "";
}
TEST(gathers_on_the_host, indices_beyond_the_axis_are_errors) {
  const lf::array<float, 2, lf::host> x = lf::ones<float>({3, 5});
  const lf::array<int, 1, lf::host> i{0, 4, -5};
  EXPECT_EQ(message_of(lf::take(x, i, axis<1>)), "");
  EXPECT_NE(message_of(lf::take(x, i + 1, axis<1>)).find("take: index 5 is out of bounds for an axis of 5 elements"),
            std::string::npos);
  EXPECT_NE(message_of(lf::take(x, i - 1, axis<1>)).find("take: index -6 is out of bounds for an axis of 5 elements"),
            std::string::npos);
  EXPECT_NE(message_of(lf::take(x(all, range(0, 0)), i, axis<1>)).find("for an axis of 0 elements"), std::string::npos);
  EXPECT_NE(message_of(lf::sum(lf::take(x, lf::cast<lf::uint64>(i(range(0, 1))) - 1u))).find("out of bounds"),
            std::string::npos);
  const lf::lazy_array e = lf::take(x, i + 2, axis<1>) * 2;
  EXPECT_NE(message_of(e).find("take: index 6 is out of bounds"), std::string::npos);
  // from the threads of a large one
  const lf::array<int, 1, lf::host> many = lf::arange<int>(1 << 20);
  const auto beyond = many + lf::cast<int>(many == 1000000) * 100000;
  EXPECT_NE(message_of(lf::sqrt(lf::cast<double>(lf::take(many, beyond)))).find("take: index 1100000 is"),
            std::string::npos);
  EXPECT_NE(message_of(lf::sum(lf::take(many, beyond))).find("take: index 1100000 is"), std::string::npos);
}
TEST(gathers_on_the_host, what_is_copied_in_pieces_is_what_loops_compute) {
  // With a sum around it a kernel is a loop over elements, or over those of each part.
  const lf::array<int, 2, lf::host> x = lf::reshape(lf::arange<int>(3 * 700), {3, 700}),
                                    y = lf::reshape(lf::arange<int>(40 * 700), {40, 700}) - 9;
  const auto same = [](const auto& e) { return lf::array_equal(lf::materialize(e), lf::materialize((e + 1) - 1)); };
  const auto turned = lf::transpose(x);
  EXPECT_TRUE(same(lf::concat(x, y, x)));
  EXPECT_TRUE(same(lf::concat<1>(x, x(all, range(5, 300)), x(all, range(none, none, -1)))));
  EXPECT_TRUE(same(lf::concat(turned, turned(range(0, 100)))));
  EXPECT_TRUE(same(lf::stack<1>(x, x(range(none, none, -1)))));
  EXPECT_TRUE(same(lf::tile(x, {2, 3})(range(1, 5), range(7, 1500))));
  EXPECT_TRUE(same(lf::repeat(turned, 3, axis<1>)));
  EXPECT_TRUE(same(lf::repeat(y, 5, axis<0>)(range(3, 170), all)));
  EXPECT_TRUE(same(lf::repeat(y, 5)(range(3, 131000))));
  EXPECT_TRUE(same(lf::pad(y, {{70, 0}, {1, 900}}, 8)));
  EXPECT_TRUE(same(lf::pad<padding::reflect>(y, {{90, 50}, {1, 900}})));
  EXPECT_TRUE(same(lf::pad<padding::symmetric>(y, {{90, 50}, {1, 900}})));
  EXPECT_TRUE(same(lf::pad<padding::wrap>(y, {{90, 50}, {1, 900}})));
  EXPECT_TRUE(same(lf::pad<padding::edge>(turned, {{3, 50}, {1, 9}})));
  EXPECT_TRUE(same(lf::concat(y, lf::repeat(x, 4, axis<0>), lf::pad(x, {{2, 2}, {0, 0}}, -1))));
  EXPECT_TRUE(same(lf::pad(lf::repeat(x, 40, axis<0>), {{2, 2}, {3, 0}}, 0)));
}
TEST(gathers_on_the_host, what_is_computed_of_parts_is_computed_part_by_part) {
  const lf::array<int, 1, lf::host> x = lf::arange<int>(60'000), y = lf::arange<int>(90'000) - 7;
  const lf::array<int, 2, lf::host> m = lf::reshape(lf::arange<int>(300 * 70), {300, 70}),
                                    n = lf::reshape(lf::arange<int>(300 * 90), {300, 90}) - 9;
  const lf::array<int, 1, lf::host> xy = lf::concat(x, y), yx = lf::concat(y, x);
  const lf::array<int, 2, lf::host> mn = lf::concat<1>(m, n), stacked = lf::stack(y, y + 1);
  const auto expect = [](int kernels, const auto& e, const auto& want) {
    EXPECT_EQ(lf::plan(e).kernels.size(), static_cast<std::size_t>(kernels));
    EXPECT_TRUE(lf::array_equal(lf::materialize(e), lf::materialize(want)));
  };
  const auto back = range(none, none, -1);
  const auto both = lf::concat(x, y);
  expect(2, both * 3 + yx, xy * 3 + yx);
  expect(2, lf::concat(x * 3, y + 1), lf::concat(lf::materialize(x * 3), lf::materialize(y + 1)));
  expect(2, both(range(100, 140'000)) * 3, xy(range(100, 140'000)) * 3);
  expect(2, both(range(100, 149'000, 3)) * 3, xy(range(100, 149'000, 3)) * 3);
  expect(1, both(back) * 3, xy(back) * 3);
  expect(3, lf::concat(x, y, x) - 1, lf::concat(xy, x) - 1);
  expect(1, both * lf::concat(y, x), xy * yx);
  const auto few = x(range(0, 100));
  expect(1, lf::concat(few, few) * 3, lf::materialize(lf::concat(few, few)) * 3);
  expect(2, lf::concat<1>(m, n) * 2 + lf::arange<int>(160), mn * 2 + lf::arange<int>(160));
  expect(2, lf::concat<1>(m, n).T() * 2, mn.T() * 2);
  expect(2, lf::stack(y, y + 1) * 2, stacked * 2);
  expect(2, lf::sum(lf::concat<1>(m, n), axis<1>) + 1, lf::sum(mn, axis<1>) + 1);
  expect(2, lf::sum(lf::concat<1>(m, n), axis<0>, keepdims) * 2, lf::sum(mn, axis<0>, keepdims) * 2);
  expect(1, lf::sum(lf::concat(few, few)), lf::sum(few) * 2);
  expect(2, lf::concat(x(range(0, 70)), y(range(0, 90))) * mn,
         lf::materialize(lf::concat(x(range(0, 70)), y(range(0, 90)))) * mn);
  lf::array<int, 1, lf::host> z = yx;
  z = both + z;
  EXPECT_TRUE(lf::array_equal(z, xy + yx));
  z = lf::concat(z(range(20'000, none)), z(range(0, 20'000))) * 2;
  const lf::array<int, 1, lf::host> sums = xy + yx;
  EXPECT_TRUE(lf::array_equal(z, lf::concat(sums(range(20'000, none)), sums(range(0, 20'000))) * 2));
  z(range(none, none, 2)) = lf::concat(x(range(0, 15'000)), y(range(0, 60'000))) + 1;
  EXPECT_TRUE(lf::array_equal(z(range(30'000, none, 2)), y(range(0, 60'000)) + 1));
}
TEST(gathers_on_the_host, extents_that_cannot_be_counted_are_errors) {
  const lf::array<float, 1, lf::host> x = lf::ones<float>({4});
  const auto many = std::int64_t{1} << 62;
  EXPECT_THROW((void)lf::repeat(x, many), lf::shape_error);
  EXPECT_THROW((void)lf::tile(x, many), lf::shape_error);
  EXPECT_THROW((void)lf::pad(x, {{many, many}}), lf::shape_error);
}
TEST(gathers_on_the_host, empty_results_ask_for_nothing) {
  const lf::array<float, 2, lf::host> x({0, 5});
  const lf::array<int, 1, lf::host> none_at_all = lf::zeros<int>({0});
  EXPECT_EQ(lf::materialize(lf::take(x, none_at_all, axis<0>)).shape(), lf::shape(0, 5));
}
#endif

}  // namespace
