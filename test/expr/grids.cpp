// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of positions: NumPy's answers, without memory.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

using lf::all, lf::range;
using std::int32_t;
using std::int64_t;

template <class Space>
class grids : public test::on<Space> {};
TYPED_TEST_SUITE(grids, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("grids");
  return data;
}
/// The value of an expression without arrays, in a space.
template <class Space, class E>
auto in(const E& e) {
  return lf::array<lf::value_t<E>, lf::rank_of<E>, Space>(e);
}

template <class Space, class T>
void check_spaces() {
  const auto check = [](const std::string& call, const auto& e) {
    const std::string name = call + "/" + test::name_of<T>();
    EXPECT_TRUE(test::evaluates_to(in<Space>(e), answers().get<T>(name), test::four_ulps)) << name;
  };
  check("logspace(0,3,4)", lf::logspace<T>(0, 3, 4));
  check("logspace(-2,2.5,7)", lf::logspace<T>(-2, T(2.5), 7));
  check("logspace(1,-1,5)", lf::logspace<T>(1, -1, 5));
  check("logspace(2,5,1)", lf::logspace<T>(2, 5, 1));
  check("logspace(0,1,0)", lf::logspace<T>(0, 1, 0));
  check("logspace(0,10,11,2)", lf::logspace<T>(0, 10, 11, 2));
  check("geomspace(1,1000,4)", lf::geomspace<T>(1, 1000, 4));
  check("geomspace(-1000,-1,7)", lf::geomspace<T>(-1000, -1, 7));
  check("geomspace(0.1,0.7,10)", lf::geomspace<T>(T(0.1), T(0.7), 10));
  check("geomspace(5,3,1)", lf::geomspace<T>(5, 3, 1));
  check("geomspace(2,3,2)", lf::geomspace<T>(2, 3, 2));
  check("geomspace(1,2,0)", lf::geomspace<T>(1, 2, 0));
}
TYPED_TEST(grids, logspace_and_geomspace_are_numpys_within_rounding) {
  check_spaces<TypeParam, float>();
  check_spaces<TypeParam, double>();
}
TYPED_TEST(grids, the_ends_of_geomspace_are_exact) {
  const auto x = in<TypeParam>(lf::geomspace<float>(0.1f, 0.7f, 10));
  EXPECT_EQ(x(0).item(), 0.1f);
  EXPECT_EQ(x(-1).item(), 0.7f);
}

template <class Space, class T>
void check_triangles() {
  const std::string type = std::string("/") + test::name_of<T>();
  const auto x = test::array_of<Space, 3>(answers().get<T>("x" + type));
  for (const int64_t k : {-5, -1, 0, 2, 7}) {
    SCOPED_TRACE(std::to_string(k) + type);
    EXPECT_TRUE(test::evaluates_to(in<Space>(lf::eye<T>(3, 4, k)),
                                   answers().get<T>("eye(3,4," + std::to_string(k) + ")" + type)));
    EXPECT_TRUE(test::evaluates_to(in<Space>(lf::tri<T>(4, 3, k)),
                                   answers().get<T>("tri(4,3," + std::to_string(k) + ")" + type)));
    EXPECT_TRUE(test::evaluates_to(lf::tril(x, k), answers().get<T>("tril(" + std::to_string(k) + ")" + type)));
    EXPECT_TRUE(test::evaluates_to(lf::triu(x, k), answers().get<T>("triu(" + std::to_string(k) + ")" + type)));
  }
}
TYPED_TEST(grids, diagonals_and_triangles_are_numpys) {
  check_triangles<TypeParam, bool>();
  check_triangles<TypeParam, int32_t>();
  check_triangles<TypeParam, int64_t>();
  check_triangles<TypeParam, float>();
  check_triangles<TypeParam, double>();
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::eye<int32_t>(2)), test::tensor<int32_t>({2, 2}, {1, 0, 0, 1})));
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::tri<int32_t>(2)), test::tensor<int32_t>({2, 2}, {1, 0, 1, 1})));
}
TYPED_TEST(grids, views_of_a_diagonal_are_those_of_its_array) {
  const auto e = lf::eye<float>(7, 9, 1);
  const auto x = in<TypeParam>(e);
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(e(range(1, 5), range(8, 2, -2))),
                                 test::tensor_of(x(range(1, 5), range(8, 2, -2)))));
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::transpose(e)), test::tensor_of(lf::transpose(x))));
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::flip(e)), test::tensor_of(lf::flip(x))));
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(e(3)), test::tensor_of(x(3))));
}

TYPED_TEST(grids, indices_are_the_index_along_each_axis) {
  const auto e = lf::indices({3, 1, 4});
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_TRUE(test::evaluates_to(in<TypeParam>(e[std::size_t(axis)]),
                                   answers().get<int64_t>("indices(3,1,4)/" + std::to_string(axis))));
  const auto [i, j] = lf::indices<float>({2, 3});
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(i * 10 + j), test::tensor<float>({2, 3}, {0, 1, 2, 10, 11, 12})));
}
struct ten_times_the_row_less_the_column {
  LAZYFUSE_HD int64_t operator()(int64_t i, int64_t j) const { return 10 * i - j; }
};
TYPED_TEST(grids, fromfunction_calls_a_function_of_the_indices) {
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::fromfunction(ten_times_the_row_less_the_column{}, {3, 5})),
                                 answers().get<int64_t>("fromfunction")));
}

template <lf::indexing Indexing, class Space>
void check_meshgrid(const std::string& name) {
  const lf::array<float, 1, Space> x = lf::arange<float>(3);
  const auto y = lf::arange<int32_t>(4) * 10;  // expressions are as good as arrays
  const lf::array<double, 1, Space> z{0, 0.5};
  const auto check = [&](int count, int k, const auto& e) {
    SCOPED_TRACE(name + std::to_string(count) + "/" + std::to_string(k));
    using T = lf::value_t<decltype(e)>;
    EXPECT_TRUE(test::evaluates_to(
        in<Space>(e), answers().get<T>("meshgrid/" + name + "/" + std::to_string(count) + "/" + std::to_string(k))));
  };
  const auto [a] = lf::meshgrid<Indexing>(x);
  check(1, 0, a);
  const auto [b, c] = lf::meshgrid<Indexing>(x, y);
  check(2, 0, b), check(2, 1, c);
  const auto [d, e, f] = lf::meshgrid<Indexing>(x, y, z);
  check(3, 0, d), check(3, 1, e), check(3, 2, f);
}
TYPED_TEST(grids, meshgrid_is_numpys) {
  check_meshgrid<lf::indexing::xy, TypeParam>("xy");
  check_meshgrid<lf::indexing::ij, TypeParam>("ij");
}
TYPED_TEST(grids, of_a_temporary_sequence_keep_its_memory) {
  const auto make = [] { return lf::array<float, 1, TypeParam>{1, 2, 3}; };
  const auto [x, y] = lf::meshgrid(make(), make() * 2);
  EXPECT_TRUE(test::evaluates_to(x + y, test::tensor<float>({3, 3}, {3, 4, 5, 5, 6, 7, 7, 8, 9})));
}

TYPED_TEST(grids, like_another_take_its_shape_and_element_type) {
  const lf::array<float, 2, TypeParam> x{{1, 2, 3}, {4, 5, 6}};
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::zeros_like(x)), test::counting<float>({2, 3}, 0, 0)));
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::ones_like<int32_t>(x + 1)), test::counting<int32_t>({2, 3}, 1, 0)));
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::full_like(x, 7)), test::counting<float>({2, 3}, 7, 0)));
  EXPECT_TRUE(test::evaluates_to(in<TypeParam>(lf::full_like<double>(lf::transpose(x), 0.5)),
                                 test::counting<double>({3, 2}, 0.5, 0)));
  const auto e = lf::empty_like(x * 2);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(e)>, lf::array<float, 2, TypeParam>>);
  EXPECT_EQ(e.shape(), x.shape());
  static_assert(std::is_same_v<decltype(lf::empty_like<bool>(x)), lf::array<bool, 2, TypeParam>>);
}

TYPED_TEST(grids, need_no_memory_and_no_kernel_of_their_own) {
  const auto x = test::array_of<TypeParam, 2>(test::counting<float>({40, 50}));
  const auto expect_one_kernel = [](const auto& e, int64_t read) {
    lf::kernel_trace trace;
    (void)lf::materialize(e);
    EXPECT_EQ(trace.launches(), 1);
    EXPECT_EQ(trace.allocations(), 1);
    EXPECT_EQ(trace.bytes_read(), read);
  };
  expect_one_kernel(lf::tril(x), 40 * 50 * 4);
  expect_one_kernel(x + lf::eye<float>(40, 50), 40 * 50 * 4);
  expect_one_kernel(lf::sum(lf::eye<float>(40, 50)), 0);
  const auto [i, j] = lf::indices<float>({40, 50});
  expect_one_kernel(lf::sin(i) * lf::cos(j), 0);
  const auto [a, b] = lf::meshgrid(x(0), x(1));
  expect_one_kernel(a * b, 2 * 50 * 4);
}

TEST(grids, of_impossible_arguments_are_refused) {
  EXPECT_THROW(lf::eye<float>(-1), lf::shape_error);
  EXPECT_THROW(lf::tri<float>(2, -1), lf::shape_error);
  EXPECT_THROW(lf::indices({3, -1}), lf::shape_error);
  EXPECT_THROW(lf::logspace<float>(0, 1, -1), lf::shape_error);
  EXPECT_THROW(lf::geomspace<float>(1, 2, -1), lf::shape_error);
  EXPECT_THROW(lf::geomspace<float>(0, 2, 3), lf::index_error);
  EXPECT_THROW(lf::geomspace<float>(-1, 2, 3), lf::index_error);
}

}  // namespace
