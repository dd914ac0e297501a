// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra: NumPy's answers where they are unique, else how far the factors are from the matrix that they are of.
// The name of each case of the former is the NumPy text.
#include "support/arrays.hpp"
#include "support/distances.hpp"
#include "support/reference_data.hpp"

#include <lazyfuse/linalg.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

namespace linalg = lf::linalg;
using lf::all, lf::ellipsis, lf::newaxis, lf::none, lf::range;
using test::as_number, test::epsilon, test::number;

/// Whether all elements are as wanted, but for so many epsilons of the largest.
template <class E, class T>
::testing::AssertionResult near(const E& e, const test::tensor<T>& want, double epsilons) {
  const auto got = test::tensor_of(e);
  if (!std::is_same_v<test::element_of<E>, T>) return ::testing::AssertionFailure() << "of another element type";
  if (got.shape != want.shape)
    return ::testing::AssertionFailure() << "shape is " << test::text(got.shape) << ", expected "
                                         << test::text(want.shape);
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    largest = std::max(largest, std::abs(as_number(static_cast<T>(want.values[i]))));
    const double apart = std::abs(as_number(static_cast<T>(got.values[i])) - as_number(static_cast<T>(want.values[i])));
    error = apart <= error ? error : apart;  // NaN stays
  }
  double unit = 0;
  if constexpr (!lf::integer<T>) unit = epsilon<T>();
  if (error <= epsilons * unit * largest) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "wrong by " << error << ", of elements up to " << largest;
}

/// A matrix of the test's own, in double, so that products are none of the library's.
struct matrix {
  lf::index_t rows, columns;
  std::vector<number> values;
  matrix(lf::index_t m, lf::index_t n) : rows(m), columns(n), values(static_cast<std::size_t>(m * n)) {}
  template <class E>
  explicit matrix(const E& e) : matrix(0, 0) {
    const auto t = test::tensor_of(e);
    rows = t.shape[0];
    columns = t.shape.size() > 1 ? t.shape[1] : 1;
    for (const auto& v : t.values) values.push_back(as_number(static_cast<test::element_of<E>>(v)));
  }
  number& operator()(lf::index_t i, lf::index_t j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  number operator()(lf::index_t i, lf::index_t j) const { return values[static_cast<std::size_t>(i * columns + j)]; }
};
template <class F>
matrix made(lf::index_t m, lf::index_t n, const F& f) {
  matrix a(m, n);
  for (lf::index_t i = 0; i < m; ++i)
    for (lf::index_t j = 0; j < n; ++j) a(i, j) = f(i, j);
  return a;
}
matrix operator*(const matrix& a, const matrix& b) {
  return made(a.rows, b.columns, [&](lf::index_t i, lf::index_t j) {
    number sum = 0;
    for (lf::index_t k = 0; k < a.columns; ++k) sum += a(i, k) * b(k, j);
    return sum;
  });
}
matrix operator-(const matrix& a, const matrix& b) {
  return made(a.rows, a.columns, [&](lf::index_t i, lf::index_t j) { return a(i, j) - b(i, j); });
}
matrix adjoint(const matrix& a) {
  return made(a.columns, a.rows, [&](lf::index_t i, lf::index_t j) { return std::conj(a(j, i)); });
}
matrix identity(lf::index_t n) {
  return made(n, n, [](lf::index_t i, lf::index_t j) { return i == j ? 1.0 : 0.0; });
}
/// The columns of a, each times a number; as many as there are numbers.
matrix scaled(const matrix& a, const matrix& by) {
  return made(a.rows, by.rows, [&](lf::index_t i, lf::index_t j) { return a(i, j) * by(j, 0); });
}
matrix rows_of(const matrix& a, lf::index_t n) {
  return made(n, a.columns, [&](lf::index_t i, lf::index_t j) { return a(i, j); });
}
double norm(const matrix& a) {
  double sum = 0;
  for (const number& v : a.values) sum += std::norm(v);
  return std::sqrt(sum);
}

/// Random matrices, whose rows get smaller, and Hilbert's.
enum kind { random_one, graded, hilbert };
constexpr kind kinds[] = {random_one, graded, hilbert};
template <class T, class Space>
lf::array<T, 2, Space> matrix_of(kind which, lf::index_t m, lf::index_t n) {
  std::mt19937 engine(17);
  std::uniform_real_distribution<double> draw(-1, 1);
  lf::array<T, 2, lf::host> a(lf::shape(m, n));
  T* to = a.data();
  for (lf::index_t i = 0; i < m; ++i)
    for (lf::index_t j = 0; j < n; ++j) {
      const double scale = which == graded ? std::pow(2.0, -double(i)) : 1;
      const double re = which == hilbert ? 1 / double(i + j + 1) : scale * draw(engine),
                   im = which == hilbert ? 0 : scale * draw(engine);
      if constexpr (lf::complex_number<T>) *to++ = T(typename T::value_type(re), typename T::value_type(im));
      else *to++ = static_cast<T>(re);
    }
  return lf::to<Space>(a);
}
template <class T, class Space>
lf::array<T, 2, Space> from_matrix(const matrix& m) {
  lf::array<T, 2, lf::host> a(lf::shape(m.rows, m.columns));
  T* to = a.data();
  for (const number& v : m.values) {
    if constexpr (lf::complex_number<T>) *to++ = T(typename T::value_type(v.real()), typename T::value_type(v.imag()));
    else *to++ = static_cast<T>(v.real());
  }
  return lf::to<Space>(a);
}

template <class Space>
class linear_algebra : public test::on<Space> {
 protected:
  void SetUp() override {
    test::on<Space>::SetUp();
    if (this->IsSkipped()) return;
    const std::string why = test::thrown_by<lf::linalg_error>([] { linalg::det(lf::array<double, 2, Space>{{1.0}}); });
    if (why.find("is not there") != std::string::npos) GTEST_SKIP() << why;
  }
  static const test::reference_data& answers() {
    static const test::reference_data data("linalg");
    return data;
  }
  template <class T, int R>
  static lf::array<T, R, Space> given(const std::string& name) {
    return test::array_of<Space, R>(answers().template get<T>(std::string(test::name_of<T>()) + "/" + name));
  }
  /// T: of the table, where results may be real or integers.
  template <class T, class E>
  static void expect_one(const std::string& numpy, const E& e) {
    const auto want = answers().template get<test::element_of<E>>(std::string(test::name_of<T>()) + "/" + numpy);
    EXPECT_TRUE(near(e, want, 300)) << test::name_of<T>() << "/" << numpy;
  }
  /// f(T{}) for each type of elements.
  template <class F>
  static void for_types(const F& f) {
    f(float{});
    f(double{});
    f(lf::complex<float>{});
    f(lf::complex<double>{});
  }
  /// Norms of what should be zero are so many epsilons times that of the matrix, and its extent.
  template <class T>
  static void expect_small(const matrix& difference, const matrix& of) {
    const double n = static_cast<double>(std::max<lf::index_t>(std::max(of.rows, of.columns), 1));
    EXPECT_LE(norm(difference), 8 * n * epsilon<T>() * norm(of));
  }
  template <class T>
  static void expect_orthonormal_columns(const matrix& q) {
    expect_small<T>(adjoint(q) * q - identity(q.columns), identity(q.columns));
  }
  template <class T>
  static void expect_answers() {
    const auto a = given<T, 2>("a"), P = given<T, 2>("P"), B = given<T, 2>("B"), t = given<T, 2>("t"),
               w = given<T, 2>("w"), D = given<T, 2>("D"), c = given<T, 2>("c"), V = given<T, 2>("V");
    const auto A = given<T, 4>("A"), Q = given<T, 4>("Q"), H = given<T, 4>("H");
    const auto C = given<T, 3>("C"), deep = given<T, 3>("T");
    const auto b = given<T, 1>("b"), v = given<T, 1>("v");
    const auto expect = [](const std::string& numpy, const auto& e) { expect_one<T>(numpy, e); };

    expect("solve(a,b)", linalg::solve(a, b));
    expect("solve(a,B)", linalg::solve(a, B));
    expect("solve(A,C)", linalg::solve(A, C));
    expect("solve(A[0],C[1])", linalg::solve(A(0), C(1)));
    expect("solve(a.T,B[::-1])", linalg::solve(a.T(), B(range(none, none, -1))));
    expect("solve(2*a+1,b*b)", linalg::solve(2 * a + 1, b * b));
    expect("solve(A,C[0,:,0])", linalg::solve(A, C(0, all, 0)));
    expect("inv(a)", linalg::inv(a));
    expect("inv(A)", linalg::inv(A));
    expect("inv(A[:,::2,:3,:3])", linalg::inv(A(all, range(none, none, 2), range(0, 3), range(0, 3))));
    expect("det(a)", linalg::det(a));
    expect("det(A)", linalg::det(A));
    expect("det(a[:1,:1])", linalg::det(a(range(0, 1), range(0, 1))));
    expect("det(c[::2,1::2])", linalg::det(c(range(none, none, 2), range(1, none, 2))));
    const auto of_one = linalg::slogdet(a);
    expect("slogdet(a).sign", of_one.sign);
    expect("slogdet(a).logabsdet", of_one.log);
    const auto of_many = linalg::slogdet(A);
    expect("slogdet(A).sign", of_many.sign);
    expect("slogdet(A).logabsdet", of_many.log);
    expect("cholesky(P)", linalg::cholesky(P));
    expect("cholesky(Q)", linalg::cholesky(Q));
    expect("svdvals(t)", linalg::svdvals(t));
    expect("svdvals(w)", linalg::svdvals(w));
    expect("svdvals(T)", linalg::svdvals(deep));
    expect("eigvalsh(P)", linalg::eigvalsh(P));
    expect("eigvalsh(H)", linalg::eigvalsh(H));
    expect("pinv(t)", linalg::pinv(t));
    expect("pinv(w)", linalg::pinv(w));
    expect("pinv(D)", linalg::pinv(D));
    expect("matrix_rank(D)", linalg::matrix_rank(D));
    expect("matrix_rank(A)", linalg::matrix_rank(A));
    expect("matrix_power(a,5)", linalg::matrix_power(a, 5));
    expect("matrix_power(a,-3)", linalg::matrix_power(a, -3));
    expect("matrix_power(A,0)", linalg::matrix_power(A, 0));
    expect("matrix_norm(t)", linalg::matrix_norm(t));
    expect("matrix_norm(T,ord=1)", linalg::matrix_norm(deep, lf::ord<1>));
    expect("matrix_norm(T,ord=-1)", linalg::matrix_norm(deep, lf::ord<-1>));
    expect("matrix_norm(w,ord=inf)", linalg::matrix_norm(w, lf::ord<lf::inf>));
    expect("matrix_norm(w,ord=-inf)", linalg::matrix_norm(w, lf::ord<-lf::inf>));
    expect("matrix_norm(T,ord=2)", linalg::matrix_norm(deep, lf::ord<2>));
    expect("matrix_norm(w,ord=-2)", linalg::matrix_norm(w, lf::ord<-2>));
    expect("matrix_norm(A,ord='nuc')", linalg::matrix_norm(A, lf::ord<linalg::nuclear>));
    expect("vector_norm(c,ord=-inf)", lf::norm(c, lf::ord<-lf::inf>));
    expect("vector_norm(a+9,ord=-1,axis=0)", lf::norm(a + 9, lf::ord<-1>, lf::axis<0>));
    expect("vector_norm(a+9,ord=-3)", lf::norm(a + 9, lf::ord<-3>));
    const auto expect_all = [&](const std::string& numpy, const auto& least) {
      expect(numpy + ".0", least.solution);
      if (numpy != "lstsq(D,v)") expect(numpy + ".1", least.residuals);
      expect(numpy + ".2", least.rank);
      expect(numpy + ".3", least.singular_values);
    };
    expect_all("lstsq(t,v)", linalg::lstsq(t, v));
    expect_all("lstsq(t,V)", linalg::lstsq(t, V));
    expect_all("lstsq(w,b[:3])", linalg::lstsq(w, b(range(0, 3))));
    expect_all("lstsq(D,v)", linalg::lstsq(D, v));
    EXPECT_EQ(linalg::lstsq(D, v).residuals.size(), 0);
  }
};
TYPED_TEST_SUITE(linear_algebra, test::spaces, test::space_name);

TYPED_TEST(linear_algebra, unique_answers_are_numpys_of_reals) { this->template expect_answers<double>(); }
TYPED_TEST(linear_algebra, unique_answers_are_numpys_of_complex_numbers) {
  this->template expect_answers<lf::complex<float>>();
}

TYPED_TEST(linear_algebra, solutions_leave_residuals_of_rounding) {
  this->for_types([&]<class T>(T) {
    for (const kind which : kinds)
      for (const lf::index_t n : {1, 2, 9, 60}) {
        const auto a = matrix_of<T, TypeParam>(which, n, n), b = matrix_of<T, TypeParam>(random_one, n, 3);
        const matrix A(a), B(b);
        const matrix x(linalg::solve(a, b));
        EXPECT_LE(norm(A * x - B), 32 * double(n) * epsilon<T>() * norm(A) * norm(x)) << which << n;
      }
  });
}
TYPED_TEST(linear_algebra, q_times_r_is_the_matrix) {
  this->for_types([&]<class T>(T) {
    for (const kind which : kinds)
      for (const auto& [m, n] : {std::pair{1, 1}, {8, 8}, {40, 7}, {5, 33}, {64, 64}}) {
        SCOPED_TRACE(std::to_string(which) + ": " + std::to_string(m) + " x " + std::to_string(n));
        const auto a = matrix_of<T, TypeParam>(which, m, n);
        const matrix A(a);
        for (const auto size : {linalg::reduced, linalg::complete}) {
          const auto f = linalg::qr(a, size);
          const matrix q(f.q), r(f.r);
          EXPECT_EQ(q.rows, m);
          EXPECT_EQ(q.columns, size == linalg::complete ? m : std::min(m, n));
          EXPECT_EQ(r.rows, q.columns);
          EXPECT_EQ(r.columns, n);
          this->template expect_small<T>(q * r - A, A);
          this->template expect_orthonormal_columns<T>(q);
          for (lf::index_t i = 0; i < r.rows; ++i)
            for (lf::index_t j = 0; j < std::min(i, r.columns); ++j) EXPECT_EQ(r(i, j), 0.0);
        }
      }
  });
}
TYPED_TEST(linear_algebra, singular_vectors_and_values_multiply_to_the_matrix) {
  this->for_types([&]<class T>(T) {
    for (const kind which : kinds)
      for (const auto& [m, n] : {std::pair{1, 1}, {8, 8}, {40, 7}, {5, 33}, {64, 64}}) {
        SCOPED_TRACE(std::to_string(which) + ": " + std::to_string(m) + " x " + std::to_string(n));
        const auto a = matrix_of<T, TypeParam>(which, m, n);
        const matrix A(a);
        const lf::index_t k = std::min(m, n);
        for (const auto size : {linalg::reduced, linalg::complete}) {
          const auto f = linalg::svd(a, size);
          const matrix u(f.u), s(f.s), vt(f.vt);
          EXPECT_EQ(u.rows, m);
          EXPECT_EQ(u.columns, size == linalg::complete ? m : k);
          EXPECT_EQ(s.rows, k);
          EXPECT_EQ(vt.rows, size == linalg::complete ? n : k);
          EXPECT_EQ(vt.columns, n);
          this->template expect_small<T>(scaled(u, s) * rows_of(vt, k) - A, A);
          this->template expect_orthonormal_columns<T>(u);
          this->template expect_orthonormal_columns<T>(adjoint(vt));
          for (lf::index_t i = 1; i < k; ++i) EXPECT_LE(s(i, 0).real(), s(i - 1, 0).real());
        }
      }
  });
}
TYPED_TEST(linear_algebra, factors_of_hermitian_matrices_read_the_lower_triangle) {
  this->for_types([&]<class T>(T) {
    for (const kind which : kinds)
      for (const lf::index_t n : {1, 2, 9, 60}) {
        SCOPED_TRACE(std::to_string(which) + ": " + std::to_string(n));
        const matrix half(matrix_of<T, TypeParam>(which, n, n));
        const matrix wanted = made(n, n, [&](lf::index_t i, lf::index_t j) {
          return i == j ? half(i, i).real() : i > j ? half(i, j) : std::conj(half(j, i));
        });
        const matrix lower =
            made(n, n, [&](lf::index_t i, lf::index_t j) { return i < j ? number(99) : wanted(i, j); });
        const auto f = linalg::eigh(from_matrix<T, TypeParam>(lower));
        const matrix values(f.values), vectors(f.vectors);
        this->template expect_small<T>(scaled(vectors, values) * adjoint(vectors) - wanted, wanted);
        this->template expect_orthonormal_columns<T>(vectors);
        for (lf::index_t i = 1; i < n; ++i) EXPECT_GE(values(i, 0).real(), values(i - 1, 0).real());

        const matrix positive =
            made(n, n, [&](lf::index_t i, lf::index_t j) { return wanted(i, j) + (i == j ? 2.0 * double(n) : 0.0); });
        const matrix given =
            made(n, n, [&](lf::index_t i, lf::index_t j) { return i < j ? number(99) : positive(i, j); });
        const matrix l(linalg::cholesky(from_matrix<T, TypeParam>(given)));
        this->template expect_small<T>(l * adjoint(l) - positive, positive);
        for (lf::index_t i = 0; i < n; ++i)
          for (lf::index_t j = i + 1; j < n; ++j) EXPECT_EQ(l(i, j), 0.0);
      }
  });
}
TYPED_TEST(linear_algebra, a_matrix_times_its_eigenvectors_is_these_times_their_values) {
  this->for_types([&]<class T>(T) {
    for (const kind which : kinds)
      for (const lf::index_t n : {1, 2, 9, 60}) {
        SCOPED_TRACE(std::to_string(which) + ": " + std::to_string(n));
        const auto a = matrix_of<T, TypeParam>(which, n, n);
        const auto f = linalg::eig(a);
        const matrix A(a), values(f.values), vectors(f.vectors), alone(linalg::eigvals(a));
        this->template expect_small<T>(A * vectors - scaled(vectors, values), A);
        std::vector<lf::index_t> left(static_cast<std::size_t>(n));
        std::iota(left.begin(), left.end(), lf::index_t{0});
        number trace = 0, sum = 0;
        for (lf::index_t j = 0; j < n; ++j) {
          double length = 0;
          for (lf::index_t i = 0; i < n; ++i) length += std::norm(vectors(i, j));
          EXPECT_NEAR(length, 1, 32 * double(n) * epsilon<T>());
          trace += A(j, j);
          sum += values(j, 0);
          // Each of those without vectors is one of those with them.
          const auto apart = [&](lf::index_t i) { return std::abs(alone(j, 0) - values(i, 0)); };
          const auto nearest =
              std::min_element(left.begin(), left.end(), [&](auto i, auto k) { return apart(i) < apart(k); });
          EXPECT_LE(apart(*nearest), 1e4 * double(n) * epsilon<T>() * norm(A));
          left.erase(nearest);
        }
        EXPECT_LE(std::abs(sum - trace), 32 * double(n) * epsilon<T>() * norm(A));
      }
  });
}
TYPED_TEST(linear_algebra, eigenvalues_of_real_matrices_are_complex_in_conjugate_pairs) {
  // A quarter turn, which has i and -i; and one of a batch that has real ones.
  const auto m = test::array_of<TypeParam, 3>(test::tensor<double>{{2, 2, 2}, {0, -1, 1, 0, 2, 1, 0, 3}});
  const auto f = linalg::eig(m);
  const matrix turn(f.values(0)), real(f.values(1));
  EXPECT_NEAR(std::abs(turn(0, 0) - number(0, 1)) * std::abs(turn(0, 0) + number(0, 1)), 0, 1e-15);
  EXPECT_EQ(turn(0, 0), std::conj(turn(1, 0)));
  EXPECT_EQ(real(0, 0).imag(), 0);
  EXPECT_NEAR(real(0, 0).real() + real(1, 0).real(), 5, 1e-14);
  for (const lf::index_t i : {0, 1}) {
    const matrix A(m(i)), vectors(f.vectors(i));
    this->template expect_small<double>(A * vectors - scaled(vectors, matrix(f.values(i))), A);
  }
  EXPECT_EQ(linalg::eig(m(range(0, 0))).vectors.shape(), lf::shape(0, 2, 2));
  EXPECT_EQ(linalg::eigvals(lf::array<double, 2, TypeParam>(lf::zeros<double>({0, 0}))).size(), 0);
  if constexpr (std::is_same_v<TypeParam, lf::host>) {
    const auto nan = m * std::numeric_limits<double>::quiet_NaN();
    const std::string said = test::thrown_by<lf::linalg_error>([&] { linalg::eig(nan); });
    EXPECT_EQ(said.find("eig: matrix (0,) of (2,) has no decomposition"), 0u) << said;
  }
}
TYPED_TEST(linear_algebra, each_matrix_of_a_batch_has_factors_of_its_own) {
  using T = lf::complex<double>;
  const auto all_of_them = lf::reshape(matrix_of<T, TypeParam>(random_one, 6 * 5, 4), {3, 2, 5, 4});
  for (const bool tall : {false, true}) {
    const lf::array<T, 4, TypeParam> a = tall ? lf::array<T, 4, TypeParam>(all_of_them)
                                              : lf::array<T, 4, TypeParam>(lf::permute_dims<0, 1, 3, 2>(all_of_them));
    const auto q = linalg::qr(a);
    const auto s = linalg::svd(a);
    const lf::array<T, 4, TypeParam> square = a(ellipsis, range(0, 4), range(0, 4));
    const auto e = linalg::eigh(square);
    for (const lf::index_t i : {0, 1, 2})
      for (const lf::index_t j : {0, 1}) {
        const matrix A(a(i, j)), values(s.s(i, j));
        this->template expect_small<T>(matrix(q.q(i, j)) * matrix(q.r(i, j)) - A, A);
        this->template expect_small<T>(scaled(matrix(s.u(i, j)), values) * rows_of(matrix(s.vt(i, j)), 4) - A, A);
        const matrix half(square(i, j)), vectors(e.vectors(i, j));
        const matrix whole = made(4, 4, [&](lf::index_t k, lf::index_t l) {
          return k == l ? half(k, k).real() : k > l ? half(k, l) : std::conj(half(l, k));
        });
        this->template expect_small<T>(scaled(vectors, matrix(e.values(i, j))) * adjoint(vectors) - whole, whole);
      }
  }
}
TYPED_TEST(linear_algebra, large_batches_have_the_answers_of_each_matrix_alone) {
  const lf::array<double, 3, TypeParam> a =
      lf::reshape(matrix_of<double, TypeParam>(random_one, 64 * 50, 50), {64, 50, 50});
  const double apart = std::is_same_v<TypeParam, lf::host> ? 0 : 1e5;  // of one thread for each: the same bits
  const auto inverses = linalg::inv(a);
  const auto values = linalg::svdvals(a);
  for (const lf::index_t i : {0, 1, 31, 32, 63}) {
    const lf::array<double, 2, TypeParam> one = a(i);
    EXPECT_TRUE(near(inverses(i), test::tensor_of(linalg::inv(one)), apart)) << i;
    EXPECT_TRUE(near(values(i), test::tensor_of(linalg::svdvals(one)), apart)) << i;
  }
}
TYPED_TEST(linear_algebra, matrices_without_elements_are_as_numpys) {
  using matrices = lf::array<double, 3, TypeParam>;
  const auto none_of_3 = lf::array<double, 2, TypeParam>(lf::zeros<double>({0, 3}));
  const auto three_of_0 = lf::array<double, 2, TypeParam>(lf::zeros<double>({3, 0}));
  const auto of_0 = lf::array<double, 2, TypeParam>(lf::zeros<double>({0, 0}));
  const test::tensor<double> eye{{3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  EXPECT_EQ(linalg::det(of_0).item(), 1);
  EXPECT_EQ(linalg::slogdet(of_0).sign.item(), 1);
  EXPECT_EQ(linalg::slogdet(of_0).log.item(), 0);
  EXPECT_EQ(linalg::inv(of_0).size(), 0);
  EXPECT_EQ(linalg::cholesky(of_0).size(), 0);
  EXPECT_EQ(linalg::eigh(of_0).values.size(), 0);
  EXPECT_TRUE(test::evaluates_to(linalg::svd(none_of_3).vt, eye));
  EXPECT_TRUE(test::evaluates_to(linalg::svd(three_of_0).u, eye));
  EXPECT_EQ(linalg::svd(three_of_0, linalg::reduced).u.shape(), lf::shape(3, 0));
  EXPECT_EQ(linalg::svd(none_of_3).s.size(), 0);
  EXPECT_TRUE(test::evaluates_to(linalg::qr(three_of_0, linalg::complete).q, eye));
  EXPECT_EQ(linalg::qr(none_of_3).r.shape(), lf::shape(0, 3));
  EXPECT_EQ(linalg::matrix_rank(none_of_3).item(), 0);
  EXPECT_EQ(linalg::pinv(none_of_3).shape(), lf::shape(3, 0));
  EXPECT_TRUE(
      test::evaluates_to(linalg::lstsq(none_of_3, none_of_3(all, 0)).solution, test::tensor<double>{{3}, {0, 0, 0}}));
  const matrices no_matrices = lf::zeros<double>({0, 3, 3});
  EXPECT_EQ(linalg::solve(no_matrices, no_matrices).shape(), lf::shape(0, 3, 3));
  EXPECT_EQ(linalg::det(no_matrices).size(), 0);
  EXPECT_EQ(linalg::cholesky(no_matrices).size(), 0);
  EXPECT_EQ(linalg::eigvalsh(no_matrices).shape(), lf::shape(0, 3));
  EXPECT_EQ(linalg::svdvals(no_matrices).shape(), lf::shape(0, 3));
  EXPECT_EQ(linalg::qr(no_matrices).q.shape(), lf::shape(0, 3, 3));
}
TYPED_TEST(linear_algebra, integers_are_factored_as_doubles_and_keep_their_type_in_powers) {
  const auto m = test::array_of<TypeParam, 2>(test::tensor<int>{{2, 2}, {1, 2, 3, 4}});
  EXPECT_TRUE(near(linalg::det(m), test::tensor<double>{{}, {-2}}, 4));
  EXPECT_TRUE(near(linalg::inv(m), test::tensor<double>{{2, 2}, {-2, 1, 1.5, -0.5}}, 8));
  EXPECT_TRUE(test::evaluates_to(linalg::matrix_power(m, 3), test::tensor<int>{{2, 2}, {37, 54, 81, 118}}));
  EXPECT_NE(test::thrown_by<lf::index_error>([&] { linalg::matrix_power(m, -1); }), "");
}
TYPED_TEST(linear_algebra, results_are_part_of_expressions_and_operands_stay) {
  const auto a = matrix_of<double, TypeParam>(random_one, 20, 20);
  const auto before = test::tensor_of(a);
  const matrix A(a);
  const matrix x(linalg::inv(linalg::inv(a) / 2) - a * 2);
  EXPECT_LE(norm(x), 1e-10);
  const matrix l(linalg::cholesky(lf::matmul(a, a.T()) + lf::eye<double>(20)) * 2 / 2);
  this->template expect_small<double>(
      l * adjoint(l) - (A * adjoint(A) - made(20, 20, [](auto i, auto j) { return i == j ? -1.0 : 0.0; })),
      A * adjoint(A));
  (void)linalg::svd(a);
  (void)linalg::eigh(a);
  (void)linalg::qr(a);
  (void)linalg::det(a);
  EXPECT_TRUE(test::evaluates_to(a, before));
  // Of no array: in the default space.
  EXPECT_EQ(linalg::det(lf::eye<double>(3) * 2).item(), 8);
}
TYPED_TEST(linear_algebra, one_matrix_solves_for_all_of_a_batch) {
  const auto a = matrix_of<double, TypeParam>(random_one, 5, 5);
  const lf::array<double, 3, TypeParam> b = lf::reshape(matrix_of<double, TypeParam>(random_one, 20, 2), {4, 5, 2});
  const auto x = linalg::solve(a, b);
  EXPECT_EQ(x.shape(), lf::shape(4, 5, 2));
  const matrix A(a);
  for (const lf::index_t i : {0, 1, 2, 3}) {
    const matrix X(x(i)), B(b(i));
    EXPECT_LE(norm(A * X - B), 1e-13 * norm(A) * norm(X));
  }
}
TYPED_TEST(linear_algebra, determinants_of_singular_matrices_are_zero) {
  const auto m = test::array_of<TypeParam, 3>(test::tensor<double>{{3, 2, 2}, {1, 2, 2, 4, 0, 0, 0, 0, 1, 2, 3, 4}});
  EXPECT_TRUE(near(linalg::det(m), test::tensor<double>{{3}, {0, 0, -2}}, 4));
  const double least = -std::numeric_limits<double>::infinity();
  const auto d = linalg::slogdet(m);
  EXPECT_TRUE(test::evaluates_to(d.sign, test::tensor<double>{{3}, {0, 0, -1}}));
  EXPECT_TRUE(test::evaluates_to(d.log(range(0, 2)), test::tensor<double>{{2}, {least, least}}));
}
TYPED_TEST(linear_algebra, errors_name_the_matrix_and_the_pivot) {
  const auto ones = test::array_of<TypeParam, 2>(test::tensor<double>{{2, 2}, {1, 2, 2, 4}});
  const auto batch = test::array_of<TypeParam, 4>(test::tensor<double>{{2, 1, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 4}});
  const auto says = [](const auto& f, const std::string& text) {
    const std::string said = test::thrown_by<lf::linalg_error>(f);
    EXPECT_NE(said.find(text), std::string::npos) << said;
    EXPECT_NE(said.find("linalg.cpp:"), std::string::npos) << said;
  };
  says([&] { linalg::solve(ones, ones(0)); }, "solve: the matrix is singular: pivot 1 is zero");
  says([&] { linalg::inv(batch); }, "inv: matrix (1, 0) of (2, 1) is singular: pivot 1 is zero");
  says([&] { linalg::cholesky(batch); }, "cholesky: matrix (0, 0) of (2, 1) is not positive definite: pivot 1 is not");
  says([&] { linalg::cholesky(-ones); }, "cholesky: the matrix is not positive definite: pivot 0 is not positive");
  says([&] { linalg::matrix_power(ones, -2); }, "inv: the matrix is singular");
  if constexpr (std::is_same_v<TypeParam, lf::host>)
    says([&] { linalg::svd(ones * std::numeric_limits<double>::quiet_NaN()); }, "svd: the matrix has no decomposition");
}
TYPED_TEST(linear_algebra, errors_of_shapes_name_them) {
  const auto x = matrix_of<double, TypeParam>(random_one, 3, 4);
  const auto y = matrix_of<double, TypeParam>(random_one, 3, 3);
  const lf::array<double, 3, TypeParam> z = lf::reshape(matrix_of<double, TypeParam>(random_one, 6, 3), {2, 3, 3});
  const lf::array<double, 3, TypeParam> u = lf::reshape(matrix_of<double, TypeParam>(random_one, 9, 3), {3, 3, 3});
  const auto says = [](const auto& f, const std::string& text) {
    const std::string said = test::thrown_by<lf::shape_error>(f);
    EXPECT_EQ(said.find(text), 0u) << said;
  };
  says([&] { linalg::inv(x); }, "inv: shape (3, 4) has matrices that are not square");
  says([&] { linalg::det(x); }, "det: shape (3, 4) has");
  says([&] { linalg::eigh(x); }, "eigh: shape (3, 4) has");
  says([&] { linalg::cholesky(x); }, "cholesky: shape (3, 4) has");
  says([&] { linalg::matrix_power(x, 2); }, "matrix_power: shape (3, 4) has");
  says([&] { linalg::solve(y, x.T()); }, "solve: shapes (3, 3) and (4, 3) do not fit");
  says([&] { linalg::solve(y, x(0)); }, "solve: shapes (3, 3) and (4,) do not fit");
  says([&] { linalg::solve(z, u); }, "solve: shapes (2, 3, 3) and (3, 3, 3) do not fit");
  says([&] { linalg::lstsq(y, x(0)); }, "lstsq: shapes (3, 3) and (4,) do not fit");
}

}  // namespace
