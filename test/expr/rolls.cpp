// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// roll, of arrays and of expressions, alone and beside others, against NumPy's answers. The name of each case is the
// NumPy text.
#include "support/answered.hpp"

#include <array>
#include <limits>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis, lf::none, lf::range;
using std::int32_t, std::int64_t;

template <class Space>
class rolls : public test::answered<rolls<Space>, Space> {
  using base = test::answered<rolls<Space>, Space>;

 public:
  static constexpr const char* family = "rolls";

 protected:
  using base::answers, base::expect;

  using vector = lf::array<int32_t, 1, Space>;
  using matrix3 = lf::array<int32_t, 3, Space>;
  /// 0, 1, 2, ... of shapes (4, 5, 7) and (11,).
  static matrix3 x() { return test::array_of<Space, 3>(answers().template get<int32_t>("x")); }
  static vector v() { return test::array_of<Space, 1>(answers().template get<int32_t>("v")); }
};
TYPED_TEST_SUITE(rolls, test::spaces, test::space_name);

TYPED_TEST(rolls, vectors_move_around_the_end) {
  const auto v = this->v();
  this->expect("roll(v,0)", lf::roll(v, 0));
  this->expect("roll(v,1)", lf::roll(v, 1));
  this->expect("roll(v,-1)", lf::roll(v, -1));
  this->expect("roll(v,3,0)", lf::roll(v, 3, axis<0>));
  this->expect("roll(v,10,-1)", lf::roll(v, 10u, axis<-1>));
}
TYPED_TEST(rolls, shifts_may_be_longer_than_the_axis) {
  const auto v = this->v();
  this->expect("roll(v,11)", lf::roll(v, 11));
  this->expect("roll(v,12)", lf::roll(v, 12));
  this->expect("roll(v,-25)", lf::roll(v, -25));
  this->expect("roll(v,2**62)", lf::roll(v, int64_t{1} << 62));
  this->expect("roll(v,-2**63)", lf::roll(v, std::numeric_limits<int64_t>::min()));
}
TYPED_TEST(rolls, without_an_axis_elements_move_in_row_major_order) {
  const auto x = this->x();
  this->expect("roll(x,1)", lf::roll(x, 1));
  this->expect("roll(x,-9)", lf::roll(x, -9));
  this->expect("roll(x,141)", lf::roll(x, 141));
}
TYPED_TEST(rolls, along_axes) {
  const auto x = this->x();
  this->expect("roll(x,1,0)", lf::roll(x, 1, axis<0>));
  this->expect("roll(x,-1,1)", lf::roll(x, -1, axis<1>));
  this->expect("roll(x,3,2)", lf::roll(x, 3, axis<2>));
  this->expect("roll(x,-2,-1)", lf::roll(x, -2, axis<-1>));
  this->expect("roll(x,1,-3)", lf::roll(x, 1, axis<-3>));
  this->expect("roll(x,17,1)", lf::roll(x, 17, axis<1>));
  this->expect("roll(x,2,(0,1))", lf::roll(x, 2, axis<0, 1>));
  this->expect("roll(x,(1,-2),(0,2))", lf::roll(x, {1, -2}, axis<0, 2>));
  this->expect("roll(x,(1,-2),(2,0))", lf::roll(x, std::array{1, -2}, axis<2, 0>));
  this->expect("roll(x,(3,4,-5),(-1,0,1))", lf::roll(x, lf::shape(3, 4, -5), axis<-1, 0, 1>));
  this->expect("roll(x,(1,2),(1,-2))", lf::roll(x, {1, 2}, axis<1, -2>));
}
TYPED_TEST(rolls, empty_arrays_and_scalars_stay_as_they_are) {
  const lf::array<float, 2, TypeParam> empty({0, 3}), none_each({3, 0});
  EXPECT_EQ(lf::materialize(lf::roll(empty, 1)).shape(), lf::shape(0, 3));
  EXPECT_EQ(lf::materialize(lf::roll(empty, 1, axis<0>)).shape(), lf::shape(0, 3));
  EXPECT_EQ(lf::materialize(lf::roll(none_each, {1, 2}, axis<0, 1>) + 1).shape(), lf::shape(3, 0));
  EXPECT_EQ(lf::sum(lf::roll(empty, 1, axis<1>)).item(), 0);
  const lf::array<int, 0, TypeParam> seven = lf::full(lf::shape<0>{}, 7);
  EXPECT_EQ(lf::roll(seven, 3).item(), 7);
}
TYPED_TEST(rolls, of_views_in_any_layout) {
  const auto x = this->x();
  const auto v = this->v();
  const auto part = x(range(none, none, -1), range(1, 4), range(none, none, -2));
  this->expect("roll(x[::-1,1:4,::-2],1)", lf::roll(part, 1));
  this->expect("roll(x[::-1,1:4,::-2],(1,-1),(1,2))", lf::roll(part, {1, -1}, axis<1, 2>));
  this->expect("roll(x.T,2)", lf::roll(x.T(), 2));
  this->expect("roll(x.T,1,0)", lf::roll(x.T(), 1, axis<0>));
  this->expect("roll(x[1,2],2)", lf::roll(x(1, 2), 2));
  this->expect("roll(x[:,2:3],1,1)", lf::roll(x(all, range(2, 3)), 1, axis<1>));
  this->expect("roll(v[::-3],1)", lf::roll(v(range(none, none, -3)), 1));
  this->expect("roll(np.broadcast_to(v,(3,11)),4)", lf::roll(lf::broadcast_to(v, {3, 11}), 4));
  this->expect("roll(np.broadcast_to(v,(3,11)),4,1)", lf::roll(lf::broadcast_to(v, {3, 11}), 4, axis<1>));
  this->expect("roll(x.reshape(20,7),-6,0)", lf::roll(lf::reshape(x, {20, 7}), -6, axis<0>));
}
TYPED_TEST(rolls, are_viewed_themselves) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect("roll(v,1)[2:5]", lf::roll(v, 1)(range(2, 5)));
  this->expect("roll(v,4)[::-1]", lf::flip(lf::roll(v, 4)));
  this->expect("roll(v,4)[9::-2]", lf::roll(v, 4)(range(9, none, -2)));
  this->expect("roll(x,1,0).T", lf::roll(x, 1, axis<0>).T());
  this->expect("roll(x,3,1)[1:3,::-2,4]", lf::roll(x, 3, axis<1>)(range(1, 3), range(none, none, -2), 4));
  this->expect("roll(x,5)[:,:,None,2]", lf::roll(x, 5)(all, all, newaxis, 2));
  this->expect("roll(x,-9).reshape(28,5)", lf::reshape(lf::roll(x, -9), {28, 5}));
  this->expect("roll(x,2,1)[3][-1]", lf::roll(x, 2, axis<1>)(3)(-1));
}
TYPED_TEST(rolls, are_one_kernel_with_what_stands_around_them) {
  const auto x = this->x();
  const auto v = this->v();
  const auto e = x * 2 + v(range(0, 7));
  this->expect_kernels(1, "roll(x*2+v[:7],3)", lf::roll(e, 3));
  this->expect_kernels(1, "roll(x*2+v[:7],3,2)", lf::roll(e, 3, axis<2>));
  this->expect_kernels(1, "roll(x*2+v[:7],3,0)", lf::roll(e, 3, axis<0>));
  this->expect_kernels(1, "roll(x-x[:1],(1,1),(0,1))", lf::roll(x - x(range(0, 1)), {1, 1}, axis<0, 1>));
  this->expect_kernels(1, "roll(x[0]*x[:,:1],12)", lf::roll(x(0) * x(all, range(0, 1)), 12));
  this->expect_kernels(1, "roll(x*x[:,2:3],2,1)+x", lf::roll(x * x(all, range(2, 3)), 2, axis<1>) + x);
  this->expect_kernels(1, "roll(x,1,0)-2*x+roll(x,-1,0)", lf::roll(x, 1, axis<0>) - 2 * x + lf::roll(x, -1, axis<0>));
}
TYPED_TEST(rolls, of_rolls) {
  const auto x = this->x();
  const auto v = this->v();
  this->expect_kernels(1, "roll(roll(x,1,0),2,1)", lf::roll(lf::roll(x, 1, axis<0>), 2, axis<1>));
  this->expect_kernels(1, "roll(roll(x,3),-4,2)", lf::roll(lf::roll(x, 3), -4, axis<2>));
  this->expect_kernels(1, "roll(roll(v,4),-3)", lf::roll(lf::roll(v, 4), -3));
  this->expect_kernels(1, "roll(roll(x.T,1,1)[1:],2)+1",
                       lf::roll(lf::roll(x.T(), 1, axis<1>)(range(1, lf::end)), 2) + 1);
}
TYPED_TEST(rolls, are_reduced_in_one_kernel) {
  const auto x = this->x();
  this->expect_kernels(1, "roll(x,1,0).sum(0)", lf::sum(lf::roll(x, 1, axis<0>), axis<0>));
  this->expect_kernels(1, "(roll(x,3)*x).sum(2)", lf::sum(lf::roll(x, 3) * x, axis<2>));
  this->expect_kernels(1, "roll(x,1,2).max((0,2))", lf::max(lf::roll(x, 1, axis<2>), axis<0, 2>));
  lf::kernel_trace trace;
  EXPECT_EQ(lf::sum(lf::roll(x, 3)).item(), 139 * 70);
  EXPECT_EQ(trace.launches(), 1);
}
TYPED_TEST(rolls, rows_of_rolled_operands_are_one_kernel) {
  const auto t = test::counting<float>({6, 40});
  const auto x = test::array_of<TypeParam, 2>(t);
  const auto rolled = lf::materialize(lf::roll(x, 7, axis<1>));
  const auto want = test::tensor_of(rolled - lf::mean(rolled, axis<1>, keepdims));
  lf::kernel_trace trace;
  const auto result = lf::materialize(lf::roll(x, 7, axis<1>) - lf::mean(lf::roll(x, 7, axis<1>), axis<1>, keepdims));
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_TRUE(test::evaluates_to(result, want));
}
TYPED_TEST(rolls, of_reductions_read_these_in_memory) {
  const auto x = this->x();
  this->expect_kernels(2, "roll(x.sum(1),1,1)", lf::roll(lf::sum(x, axis<1>), 1, axis<1>));
  this->expect_kernels(2, "roll(x.sum(2),3)", lf::roll(lf::sum(x, axis<2>), 3));
  this->expect("roll(x.sum(2).T,1)", lf::roll(lf::sum(x, axis<2>).T(), 1));
  this->expect("roll(x.sum(0,keepdims=True),2,2)", lf::roll(lf::sum(x, axis<0>, keepdims), 2, axis<2>));
  this->expect("roll(x-x.max(2,keepdims=True),1,0)", lf::roll(x - lf::max(x, axis<2>, keepdims), 1, axis<0>));
  this->expect("roll(roll(x.sum(0),1,0),1,1)", lf::roll(lf::roll(lf::sum(x, axis<0>), 1, axis<0>), 1, axis<1>));
  this->expect_kernels(2, "roll(v.cumsum(),2)", lf::roll(lf::cumsum(this->v()), 2));
  this->expect("roll(v,3).cumsum()", lf::cumsum(lf::roll(this->v(), 3)));
  this->expect("roll(v,3)[::-1].cumsum()[::-1]", lf::cumsum(lf::roll(this->v(), 3), lf::backwards));
  const auto s = lf::sum(x, axis<2>);
  lf::kernel_trace trace;
  EXPECT_EQ(lf::sum(lf::roll(s, 1) - lf::roll(s, -1)).item(), 0);
  EXPECT_EQ(trace.launches(), 2);  // the sums are computed once
}
TYPED_TEST(rolls, of_barriers_read_the_same_memory) {
  const auto x = this->x();
  this->expect_kernels(2, "roll(x,3,2)", lf::roll(lf::barrier(x * 1), 3, axis<2>));
  this->expect_kernels(2, "roll(x.T,1,0)", lf::roll(lf::barrier(x * 1).T(), 1, axis<0>));
  this->expect("roll(roll(x,1,0),2,1)", lf::roll(lf::barrier(lf::roll(x, 1, axis<0>)), 2, axis<1>));
}
TYPED_TEST(rolls, read_their_own_target_as_it_was) {
  auto x = this->x();
  x = lf::roll(x, 1);
  this->expect("x=roll(x,1)", x);
  x = this->x();
  x += lf::roll(x, 1);
  this->expect("x+=roll(x,1)", x);
  x = this->x();
  x = lf::roll(x, 1, axis<0>) + x;
  this->expect("x=roll(x,1,0)+x", x);
  x = this->x();
  x(range(1, 3)) = lf::roll(x, 1, axis<0>)(range(1, 3));
  this->expect("x[1:3]=roll(x,1,0)[1:3]", x);
  auto v = this->v();
  v(range(0, 5)) = lf::roll(v(range(6, 11)), 2);
  this->expect("v[:5]=roll(v[6:],2)", v);
}
TYPED_TEST(rolls, keep_the_memory_they_read) {
  auto v = this->v();
  const auto e = lf::roll(v, 3);
  v = lf::zeros<int32_t>({11});
  this->expect("roll(v,3,0)", e);
  this->expect("roll(v,1)", lf::roll(this->v(), 1));
}
TYPED_TEST(rolls, of_elements_without_memory) {
  const auto materialized = [](const auto& e) {
    using E = std::remove_cvref_t<decltype(e)>;
    return lf::array<typename E::value_type, E::rank, TypeParam>(e);
  };
  const auto same = [&](const auto& e) {
    const auto x = materialized(e);
    EXPECT_TRUE(test::evaluates_to(materialized(lf::roll(e, 5)), test::tensor_of(lf::roll(x, 5))));
  };
  same(lf::arange<float>(100));
  same(lf::linspace<double>(0, 1, 33));
  same(lf::random::uniform<float>({37, 11}, lf::seed{7}));
  same(lf::random::integers<int>({1001}, 0, 10, lf::seed{7}));
  same(lf::full({3, 4}, 2.5f));
  same(lf::eye<int>(7));
  const auto normal = lf::random::normal<float>({50, 20}, lf::seed{1});
  const lf::array<float, 2, TypeParam> x = normal;
  const lf::array<float, 2, TypeParam> y = lf::roll(normal, {-3, 11}, axis<0, 1>)(range(4, 50, 3));
  EXPECT_TRUE(test::evaluates_to(y, test::tensor_of(lf::roll(x, {-3, 11}, axis<0, 1>)(range(4, 50, 3)))));
}
TYPED_TEST(rolls, positions_may_take_more_than_31_bits) {
  const int64_t n = int64_t{1} << 33;
  const auto e =
      lf::roll(lf::reshape(lf::arange<int64_t>(n), {int64_t{1} << 20, int64_t{1} << 13}), {5, -3}, axis<0, 1>);
  const lf::array<int64_t, 2, TypeParam> x = e(range(4, 6), range(8188, 8190));
  const int64_t last = (int64_t{1} << 20) - 1, row = 1 << 13;
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<int64_t>({2, 2}, {last * row + 8191, last * row, 8191, 0})));
}
TYPED_TEST(rolls, of_many_elements_of_every_size) {
  const auto modulo = [](int64_t n, int64_t by) { return (n % by + by) % by; };
  const auto check = [&](auto zero, const lf::shape<2>& s) {
    using T = decltype(zero);
    const int64_t size = s.size(), columns = s[1];
    const auto elements = [&](const auto& from) {
      test::tensor<T> t{{s[0], s[1]}, {}};
      for (int64_t i = 0; i < size; ++i) t.values.push_back(static_cast<T>(from(i) % 113));
      return t;
    };
    const lf::array<T, 2, TypeParam> x = test::array_of<TypeParam, 2>(elements([](int64_t i) { return i; }));
    for (const int64_t shift : {int64_t{1}, columns / 2, columns + 3, -size / 3}) {
      const auto from_row = [&](int64_t i) { return i - i % columns + modulo(i % columns - shift, columns); };
      const auto flat = elements([&](int64_t i) { return modulo(i - shift, size); }), each_row = elements(from_row),
                 below = elements([&](int64_t i) { return modulo(i - shift * columns, size); }),
                 both = elements([&](int64_t i) { return modulo(from_row(i) - shift * columns, size); });
      const auto expect = [&](const auto& e, const test::tensor<T>& expected) {
        EXPECT_TRUE(test::evaluates_to(lf::array<T, 2, TypeParam>(e), expected)) << s << " by " << shift;
      };
      expect(lf::roll(x, shift), flat);
      expect(lf::roll(x, shift, axis<1>) + T(0), each_row);
      expect(lf::array<T, 2, TypeParam>(lf::roll(x, shift).T()).T(), flat);
      expect(lf::roll(x, shift, axis<0>), below);
      expect(lf::roll(x, {shift, shift}, axis<0, 1>) + x * T(0), both);
      expect(lf::array<T, 2, TypeParam>(lf::roll(x.T(), shift, axis<1>)).T(), below);
    }
  };
  for (const auto& s : {lf::shape(1, 70003), lf::shape(40003, 1), lf::shape(9, 4099), lf::shape(9001, 3),
                        lf::shape(100, 256), lf::shape(70, 1001), lf::shape(64, 1024)}) {
    check(std::int8_t{}, s);
    check(float{}, s);
    check(double{}, s);
  }
}
/// On devices kernels of a large result are cut where rolls turn.
TYPED_TEST(rolls, of_large_arrays_are_what_they_are_of_small_ones) {
  constexpr bool on_device = lf::space_traits<TypeParam>::on_device;
  const auto modulo = [](int64_t n, int64_t by) { return (n % by + by) % by; };
  const int64_t rows = on_device ? 3001 : 61, columns = 2999;
  const auto value = [&](int64_t i, int64_t j) {
    return static_cast<int32_t>(modulo(i, rows) * 31 + modulo(j, columns) * 7) % 1009;
  };
  const auto elements = [&](const auto& at) {
    test::tensor<int32_t> t{{rows, columns}, {}};
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) t.values.push_back(at(i, j));
    return t;
  };
  const auto x = test::array_of<TypeParam, 2>(elements(value));
  const lf::array<int32_t, 1, TypeParam> v(lf::roll(x, 3, axis<1>)(5, all));
  const auto expect = [&](bool is_cut, const auto& e, const auto& at) {
    lf::kernel_trace trace;
    const lf::array<int32_t, 2, TypeParam> y(e);
    EXPECT_EQ(trace.launches() > 1, on_device && is_cut) << trace.launches();
    EXPECT_TRUE(test::evaluates_to(y, elements(at)));
  };
  expect(true,
         lf::roll(x, 1, axis<0>) + lf::roll(x, -1, axis<0>) + 2 * lf::roll(x, 1, axis<1>) - lf::roll(x, -1, axis<1>) +
             x * v,
         [&](int64_t i, int64_t j) {
           return value(i - 1, j) + value(i + 1, j) + 2 * value(i, j - 1) - value(i, j + 1) +
                  value(i, j) * value(5, j - 3);
         });
  expect(true, lf::roll(x, {900, -1400}, axis<0, 1>) - lf::roll(x, 1700, axis<0>),
         [&](int64_t i, int64_t j) { return value(i - 900, j + 1400) - value(i - 1700, j); });
  const auto flat = [&](int64_t i, int64_t j) {
    const int64_t p = modulo(i * columns + j - 1400, rows * columns);
    return value(p / columns, p % columns);
  };
  expect(false, lf::roll(x, 1400) + 1, [&](int64_t i, int64_t j) { return flat(i, j) + 1; });
  const auto t = x.T();
  const lf::array<int32_t, 2, TypeParam> turned(lf::roll(t, 2, axis<0>) + lf::roll(t, -700, axis<1>));
  EXPECT_TRUE(test::evaluates_to(lf::array<int32_t, 2, TypeParam>(turned.T()),
                                 elements([&](int64_t i, int64_t j) { return value(i, j - 2) + value(i + 700, j); })));
}
TYPED_TEST(rolls, read_each_element_once) {
  const auto x = this->x();
  lf::kernel_trace trace;
  const auto y = lf::materialize(lf::roll(x, 1, axis<0>) - 2 * x + lf::roll(x, -1, axis<0>));
  EXPECT_EQ(trace.bytes_read(), 3 * 140 * 4);
  EXPECT_EQ(trace.bytes_written(), 140 * 4);
  const std::string text = lf::explain(lf::roll(x, 1));
  EXPECT_NE(text.find("x0: int32 through a map"), std::string::npos) << text;
}
TYPED_TEST(rolls, of_every_kind_of_element) {
  const lf::array<float, 1, TypeParam> f = lf::arange<float>(50);
  const lf::array<lf::half, 1, TypeParam> h = lf::cast<lf::half>(f);
  EXPECT_TRUE(lf::all(lf::cast<float>(lf::roll(h, 9)) == lf::roll(f, 9)).item());
  const lf::array<lf::complex<float>, 1, TypeParam> z = lf::cast<lf::complex<float>>(f);
  EXPECT_TRUE(lf::all(lf::real(lf::roll(z, -9)) == lf::roll(f, -9)).item());
  const lf::array<bool, 1, TypeParam> b = f > 20;
  EXPECT_TRUE(lf::all(lf::roll(b, 4) == (lf::roll(f, 4) > 20)).item());
}
TYPED_TEST(rolls, within_functions_of_several_operands) {
  const lf::array<float, 1, TypeParam> f = lf::arange<float>(50);
  const auto function = lf::fuse([](auto x) {
    auto before = lf::roll(x, 1);
    return before * before - x * x;
  });
  const auto e = function(f * 2);
  const lf::array<float, 1, TypeParam> g = f * 2, r = lf::roll(g, 1);
  EXPECT_TRUE(test::evaluates_to(e, test::tensor_of(r * r - g * g)));
  const auto product = lf::fuse([](const auto& a, const auto& b) { return a * b + a; });
  EXPECT_TRUE(test::evaluates_to(product(lf::roll(g, 1), f), test::tensor_of(r * f + r)));
}

}  // namespace
