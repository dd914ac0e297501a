// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products that are products of matrices, which a library computes where the host space was built with one: in
// every order of their axes and layout of their operands, in batches, with what is computed from them, against NumPy's
// answers; large ones against loops over plain numbers. The name of each case is the NumPy text.
#include "support/host_threads.hpp"
#include "support/numbers.hpp"
#include "support/reference_data.hpp"

#include <lazyfuse/backend/host/blas.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>

namespace {

using lf::all, lf::axis, lf::newaxis, lf::none, lf::range;
using std::int64_t;

const test::reference_data& answers() {
  static const test::reference_data data("matrix_products");
  return data;
}
const bool has_library = lf::host_detail::blas_pays(1000, 1000, 1000);

template <class E>
void expect_path(const E& e, bool by_library) {
  const auto p = lf::plan(e);
  ASSERT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.kernels[0].path == "blas", by_library && has_library) << p.kernels[0].path;
}

template <class T>
struct operands_of {
  std::string type;
  template <int R>
  lf::array<T, R> get(const char* name) const {
    return test::of<T, R>(answers().template get<T>(type + "/" + name));
  }
  lf::array<T, 2> a = get<2>("a"), b = get<2>("b"), p = get<2>("p"), q = get<2>("q");
  lf::array<T, 3> A = get<3>("A"), B = get<3>("B");
  lf::array<T, 1> r = get<1>("r");

  template <class E>
  void expect(const char* numpy, bool by_library, const E& e) const {
    SCOPED_TRACE(type + " " + numpy);
    expect_path(e, by_library);
    EXPECT_TRUE(test::evaluates_to(e, answers().template get<T>(type + "/" + numpy)));
  }
};
constexpr bool library = true, loops = false;

template <class T>
void check_every_type(const char* type) {
  const operands_of<T> of{type};
  of.expect("a@b", library, lf::matmul(of.a, of.b));
  of.expect("p.T@b", library, lf::matmul(of.p.T(), of.b));
  of.expect("a@q.T", library, lf::matmul(of.a, of.q.T()));
  of.expect("p.T@q.T", library, lf::matmul(of.p.T(), of.q.T()));
  of.expect("A@B", library, lf::matmul(of.A, of.B));
  of.expect("a@b+r", library, lf::matmul(of.a, of.b) + of.r);
}

TEST(matrix_products, of_every_type_are_numpys) {
  check_every_type<float>("float32");
  check_every_type<double>("float64");
  check_every_type<lf::complex<float>>("complex64");
  check_every_type<lf::complex<double>>("complex128");
}

struct doubles : operands_of<double> {
  doubles() : operands_of<double>{"float64"} {}
  lf::array<double, 3> Q = get<3>("Q");
  lf::array<double, 2> w = get<2>("w"), c = get<2>("c"), s = get<2>("s");
};

TEST(matrix_products, have_their_axes_in_any_order) {
  const doubles of;
  const auto &a = of.a, &b = of.b;
  const auto &A = of.A, &B = of.B;
  of.expect("b.T@a.T", library, lf::matmul(b.T(), a.T()));
  of.expect("q@p", library, lf::matmul(of.q, of.p));
  of.expect("einsum('ij,jk->ki',a,b)", library, lf::einsum<"ij,jk->ki">(a, b));
  of.expect("A@b", library, lf::matmul(A, b));
  of.expect("a@B", library, lf::matmul(a, B));
  of.expect("A@B[1]", library, lf::matmul(A, B(1)));
  of.expect("A[::-1]@B", library, lf::matmul(A(range(none, none, -1)), B));
  of.expect("A@np.swapaxes(Q,1,2)", library, lf::matmul(A, lf::permute_dims<0, 2, 1>(of.Q)));
  of.expect("A[1:2]@B[1:2]", library, lf::matmul(A(range(1, 2)), B(range(1, 2))));
  of.expect("einsum('bij,bjk->bki',A,B)", library, lf::einsum<"bij,bjk->bki">(A, B));
  of.expect("einsum('bij,bjk->ibk',A,B)", library, lf::einsum<"bij,bjk->ibk">(A, B));
  of.expect("einsum('bij,bjk->kbi',A,B)", library, lf::einsum<"bij,bjk->kbi">(A, B));
  of.expect("einsum('bij,jk->kbi',A,b)", library, lf::einsum<"bij,jk->kbi">(A, b));
}
TEST(matrix_products, whose_results_or_operands_no_library_takes_go_by_loops) {
  const doubles of;
  const auto &a = of.a, &b = of.b;
  of.expect("einsum('bij,bjk->ikb',A,B)", loops, lf::einsum<"bij,bjk->ikb">(of.A, of.B));
  of.expect("einsum('bij,bjk->ik',A,B)", loops, lf::einsum<"bij,bjk->ik">(of.A, of.B));
  const auto even = range(none, none, 2), back = range(none, none, -1);
  of.expect("a[:,::2]@b[::2]", loops, lf::matmul(a(all, even), b(even)));
  of.expect("a[::-1]@b", loops, lf::matmul(a(back), b));
  of.expect("a[:,::-1]@b[::-1]", loops, lf::matmul(a(all, back), b(back)));
  of.expect("w[1:23:2,::4][:,:9]@b", loops,
            lf::matmul(of.w(range(1, 23, 2), range(none, none, 4))(all, range(0, 9)), b));
  of.expect("a[:,:0]@b[:0]", loops, lf::matmul(a(all, range(0, 0)), b(range(0, 0))));
  of.expect("a[:1]@b", loops, lf::matmul(a(range(0, 1)), b));
  of.expect("a@b[:,:1]", loops, lf::matmul(a, b(all, range(0, 1))));
  of.expect("a[:,:1]@b[:1]", loops, lf::matmul(a(all, range(0, 1)), b(range(0, 1))));
  of.expect("a@r[:9]", loops, lf::matmul(a, of.r(range(0, 9))));
  of.expect("a[:2,:2]@b[:2,:2]", loops,
            lf::matmul(a(range(0, 2), range(0, 2)), b(range(0, 2), range(0, 2))));  // too few products
}
TEST(matrix_products, of_parts_of_larger_matrices_read_these) {
  const doubles of;
  of.expect("w[2:13,3:12]@w[5:14,30:43]", library,
            lf::matmul(of.w(range(2, 13), range(3, 12)), of.w(range(5, 14), range(30, 43))));
  of.expect("w[1:23:2,4:13]@b", library, lf::matmul(of.w(range(1, 23, 2), range(4, 13)), of.b));
  of.expect("a@w.T[3:12,::2]", library, lf::matmul(of.a, of.w.T()(range(3, 12), range(none, none, 2))));
}
TEST(matrix_products, fuse_with_what_is_computed_from_them) {
  const doubles of;
  const auto ab = lf::matmul(of.a, of.b);
  of.expect("np.clip(a@b*2-1,-9,9)", library, lf::clip(ab * 2 - 1, -9.0, 9.0));
  of.expect("np.maximum(a@b,c)*s", library, lf::maximum(ab, of.c) * of.s);
  of.expect("(a@b)*(a@b)", library, ab * ab);
  of.expect("abs(A@B)+r", library, lf::abs(lf::matmul(of.A, of.B)) + of.r);
  EXPECT_TRUE(test::evaluates_to((ab + 1)(range(none, none, -1), range(none, none, 2)),
                                 answers().get<double>("float64/(a@b+1)[::-1,::2]")));
}
TEST(matrix_products, are_stored_wherever_results_go) {
  const doubles of;
  const auto ab = test::tensor_of(lf::matmul(of.a, of.b));
  lf::array<double, 2> room = lf::full({40, 50}, -1.0);
  const auto expect = [&](const char* name, const auto& stored) {
    EXPECT_TRUE(test::evaluates_to(stored, ab)) << name;
  };
  room(range(3, 14), range(5, 18)) = lf::matmul(of.a, of.b);
  expect("a part of a matrix", room(range(3, 14), range(5, 18)));
  EXPECT_EQ(lf::sum(room).item(), lf::sum(lf::matmul(of.a, of.b)).item() - (40 * 50 - 11 * 13));
  room(range(38, 16, -2), range(0, 26, 2)) = lf::matmul(of.a, of.b);
  expect("every second element, backwards", room(range(38, 16, -2), range(0, 26, 2)));
  lf::array<double, 2> turned({13, 11});
  turned = lf::matmul(of.a, of.b).T();
  expect("turned", turned.T());

  lf::array<double, 2> c = of.c;
  c += lf::matmul(of.a, of.b);
  expect("added in place", c - of.c);
  lf::array<double, 2> square = lf::matmul(of.a, of.a.T());
  const auto cube = test::tensor_of(lf::matmul(square, lf::barrier(square * 1.0)));
  square = lf::matmul(square, square * 1.0);
  EXPECT_TRUE(test::evaluates_to(square, cube)) << "the first operand";
}

/// Products of numbers that sums of them round.
template <class T>
lf::array<T, 2> drawn(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> fraction(-1, 1);
  return test::of<T, 2>(test::generate<T>({rows, columns}, [&](const test::extents&) { return fraction(random); }));
}
struct sizes {
  int64_t rows, columns, depth;
};
const sizes of_several_blocks[] = {{131, 1030, 70}, {300, 300, 33}, {150, 600, 130},  {17, 9, 5000},
                                   {5, 700, 2049},  {40, 60, 4100}, {1100, 1030, 20}, {2100, 2060, 6}};

/// Stacks of matrices against loops over plain numbers.
void expect_right(int64_t count, const sizes& s) {
  const auto x = test::numbers<double>({count, s.rows, s.depth}, 1),
             y = test::numbers<double>({count, s.depth, s.columns}, 2);
  const auto a = test::of<double, 3>(x), b = test::of<double, 3>(y);
  const auto want = test::generate<double>({count, s.rows, s.columns}, [&](const test::extents& i) {
    const double* row = x.values.data() + (i[0] * s.rows + i[1]) * s.depth;
    const double* column = y.values.data() + i[0] * s.depth * s.columns + i[2];
    double sum = 0;
    for (int64_t k = 0; k < s.depth; ++k) sum += row[k] * column[k * s.columns];
    return sum;
  });
  expect_path(lf::matmul(a, b), library);
  EXPECT_TRUE(test::evaluates_to(lf::matmul(a, b), want));
  EXPECT_TRUE(test::evaluates_to(2.0 * lf::matmul(a, b) - lf::matmul(a, b), want));
  const lf::array<double, 3> at = lf::permute_dims<0, 2, 1>(a), bt = lf::permute_dims<0, 2, 1>(b);
  EXPECT_TRUE(test::evaluates_to(lf::matmul(lf::permute_dims<0, 2, 1>(at), lf::permute_dims<0, 2, 1>(bt)), want));
}
TEST(matrix_products, of_any_size_are_right) {
  for (const sizes& s : of_several_blocks) {
    SCOPED_TRACE(std::to_string(s.rows) + " x " + std::to_string(s.columns) + " x " + std::to_string(s.depth));
    expect_right(1, s);
  }
  expect_right(9, {4, 5, 300});
  expect_right(2, {3, 5, 4100});
}
TEST(matrix_products, have_the_same_bits_with_any_number_of_threads_and_wherever_operands_lie) {
  const test::same_threads_after restore;
  for (const sizes& s : of_several_blocks) {
    const auto a = drawn<float>(s.rows, s.depth, 1), b = drawn<float>(s.depth, s.columns, 2);
    const auto product = lf::matmul(a, b);
    const auto beside = product * 1.0f;
    omp_set_num_threads(1);
    const auto first = test::tensor_of(product);
    for (const int threads : {1, 2, 3, 7}) {
      omp_set_num_threads(threads);
      EXPECT_TRUE(test::same(test::tensor_of(product), first)) << threads;
      EXPECT_TRUE(test::same(test::tensor_of(beside), first)) << threads;
    }
    lf::array<float, 2> moved = lf::zeros<float>({s.rows, s.depth + 4});
    for (int offset = 1; offset < 4; ++offset) {
      moved(all, range(offset, offset + s.depth)) = a;
      EXPECT_TRUE(test::same(test::tensor_of(lf::matmul(moved(all, range(offset, offset + s.depth)), b)), first));
    }
  }
}
TEST(matrix_products, may_be_computed_by_several_threads_at_once) {
  const auto a = drawn<double>(150, 3000, 1), b = drawn<double>(3000, 40, 2);
  const auto first = test::tensor_of(lf::matmul(a, b));
  bool same[4] = {};
  std::vector<std::thread> running;
  for (bool& result : same)
    running.emplace_back([&] {
      result = true;
      for (int n = 0; n < 5; ++n) result = result && bool(test::same(test::tensor_of(lf::matmul(a, b)), first));
    });
  for (std::thread& t : running) t.join();
  for (const bool each : same) EXPECT_TRUE(each);
}

TEST(matrix_products, hand_on_infinities_and_nan_to_the_results_that_read_them) {
  constexpr float infinite = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t depth : {20, 5000}) {
    lf::array<float, 2> a = lf::ones<float>({20, depth}), b = lf::ones<float>({depth, 30});
    a(3, depth - 1) = infinite;
    a(4, 2) = nan;
    b(depth - 2, 7) = -infinite;
    const lf::array<float, 2> c = lf::matmul(a, b);
    expect_path(lf::matmul(a, b), library);
    for (int64_t i = 0; i < 20; ++i)
      for (int64_t j = 0; j < 30; ++j) {
        const float want = i == 4 || (i == 3 && j == 7) ? nan
                           : i == 3                     ? infinite
                           : j == 7                     ? -infinite
                                                        : static_cast<float>(depth);
        const float have = c(i, j).item();
        EXPECT_TRUE(have == want || (std::isnan(have) && std::isnan(want))) << i << " " << j << " " << have;
      }
  }
}
/// All products equal, so that all roundings go one way: what the library loses in 128 of them is all.
TEST(matrix_products, do_not_drift) {
  for (const int64_t depth : {100, 2048, 65536, 1000000}) {
    const auto a = lf::full({8, depth}, 0.1f), b = lf::full({depth, 8}, 0.7f);
    const lf::array<float, 2> x = a, y = b;
    const double want = double(0.1f) * double(0.7f) * double(depth);
    const lf::array<float, 2> c = lf::matmul(x, y);
    const double error = std::abs(c(5, 6).item() - want) / want / std::numeric_limits<float>::epsilon();
    EXPECT_LT(error, 8) << depth;
  }
}

/// A matrix by a vector, and one by a matrix, against loops over plain numbers; with any number of threads.
template <class T>
void expect_right_by_vector(int64_t rows, int64_t depth, int64_t step) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(depth));
  const auto x = test::numbers<T>({rows, depth}, 1), y = test::numbers<T>({depth * step}, 2);
  const lf::array<T, 2> a = test::of<T, 2>(x), turned = a.T();
  const lf::array<T, 1> b = test::of<T, 1>(y);
  const auto want = test::generate<T>({rows}, [&](const test::extents& i) {
    T sum = T(0);
    for (int64_t k = 0; k < depth; ++k)
      sum = sum + x.values[std::size_t(i[0] * depth + k)] * y.values[std::size_t(k * step)];
    return sum;
  });
  const auto v = b(range(none, none, step));
  expect_path(lf::matmul(a, v), library);
  EXPECT_TRUE(test::evaluates_to(lf::matmul(a, v), want));
  EXPECT_TRUE(test::evaluates_to(lf::matmul(v, turned), want));
  EXPECT_TRUE(test::evaluates_to(lf::matmul(turned.T(), v) * T(2) - lf::matmul(a, v), want));
  const auto first = test::tensor_of(lf::matmul(a, v)), other = test::tensor_of(lf::matmul(v, turned));
  const test::same_threads_after restore;
  for (const int threads : {1, 2, 7}) {
    omp_set_num_threads(threads);
    EXPECT_TRUE(test::same(test::tensor_of(lf::matmul(a, v)), first)) << threads;
    EXPECT_TRUE(test::same(test::tensor_of(lf::matmul(v, turned)), other)) << threads;
  }
}
TEST(matrix_products, with_vectors_are_right) {
  expect_right_by_vector<double>(40, 1300, 1);
  expect_right_by_vector<double>(1100, 131, 3);
  expect_right_by_vector<float>(1541, 700, 2);
  expect_right_by_vector<lf::complex<float>>(1030, 129, 1);
  expect_path(lf::matmul(lf::array<double, 2>(lf::ones<double>({8, 8})), lf::array<double, 1>(lf::ones<double>({8}))),
              loops);
  for (const int64_t depth : {400, 100'000}) {
    const lf::array<float, 2> x = lf::full({40, depth}, 0.1f);
    const lf::array<float, 1> y = lf::full({depth}, 0.7f);
    const double want = double(0.1f) * double(0.7f) * double(depth);
    const lf::array<float, 1> c = lf::matmul(x, y);
    EXPECT_LT(std::abs(c(5).item() - want) / want / std::numeric_limits<float>::epsilon(), 8) << depth;
    lf::array<float, 1> z = y;
    z(depth - 1) = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(lf::all(lf::matmul(x, z) == std::numeric_limits<float>::infinity()).item());
  }
}

TEST(matrix_products, of_16_bits_are_rounded_once) {
  const auto a = drawn<float>(70, 150, 1), b = drawn<float>(150, 90, 2);
  const auto check = [&]<class T>(T) {
    const lf::array<T, 2> x = lf::cast<T>(a), y = lf::cast<T>(b);
    const lf::array<float, 2> wide = lf::matmul(lf::cast<float>(x), lf::cast<float>(y));
    EXPECT_TRUE(lf::array_equal(lf::materialize(lf::matmul(x, y)), lf::materialize(lf::cast<T>(wide))));
    EXPECT_TRUE(lf::array_equal(lf::materialize(lf::matmul(x, y.T().T()) + x(0, 0)),
                                lf::materialize(lf::cast<T>(wide) + x(0, 0))));
    EXPECT_EQ(lf::plan(lf::matmul(x, y)).kernels.back().path, has_library ? "blas" : "tiles");
  };
  check(lf::half());
  check(lf::bfloat16());
}
TEST(matrix_products, read_in_memory_what_is_computed_of_their_factors) {
  const lf::array<float, 2, lf::host> x = test::of<float, 2>(test::numbers<float>({96, 80}, 1)),
                                      y = test::of<float, 2>(test::numbers<float>({80, 64}, 2));
  const auto plan = lf::plan(lf::matmul(x * 0.5f + 1.0f, y) + 1.0f);
  ASSERT_EQ(plan.kernels.size(), has_library ? 2u : 1u);
  EXPECT_EQ(plan.kernels.back().path, has_library ? "blas" : "tiles");
  const lf::array<float, 2, lf::host> half = x * 0.5f + 1.0f;
  EXPECT_TRUE(lf::array_equal(lf::materialize(lf::matmul(x * 0.5f + 1.0f, y) + 1.0f),
                              lf::materialize(lf::matmul(half, y) + 1.0f)));
}

}  // namespace
