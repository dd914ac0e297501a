// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types: the same line of arithmetic on arrays of 1 GiB of each type, rows of 16-bit reals, and reductions that
// keep more than a sum.
#include "measure.cuh"

namespace bench {
namespace {

/// Small whole numbers, which every type holds: k of 0 to 31, m of 0 to 7.
LAZYFUSE_HD int k_of(index_t i) { return static_cast<int>(i & 31); }
LAZYFUSE_HD int m_of(index_t i) { return static_cast<int>(i >> 5 & 7); }

template <class T>
struct name_of_type;

/// Elements T of the number that e is, or vectors of it.
template <class T, class E>
auto elements_of(const E& e) {
  if constexpr (lf::short_vector<T>) return lf::cast<lf::component_t<T>>(e) * T(1);
  else return lf::cast<T>(e);
}

/// z = 3 * x + y, or of complex numbers (2 + i) * x + y.
template <class T>
struct axpy_of {
  static constexpr bool complex = lf::complex_number<T>;
  static constexpr int parts = sizeof(T) / sizeof(lf::part_t<lf::component_t<T>>);
  static constexpr index_t n = (index_t{1} << 30) / sizeof(T);
  static constexpr double bytes = 3.0 * sizeof(T) * n, tolerance = 0;
  static constexpr const char* name = name_of_type<T>::axpy;
  static constexpr bool few = false;
  using value_type = lf::part_t<lf::component_t<T>>;
  lf::array<T, 1, lf::cuda> x = elements_of<T>(lf::arange<lf::int64>(n) & 31),
                            y = elements_of<T>(lf::arange<lf::int64>(n) >> 5 & 7),
                            z = lf::empty<T, lf::cuda>(x.shape());

  index_t results() const { return parts * n; }
  value_type* result(index_t i) { return reinterpret_cast<value_type*>(z.data()) + i; }
  void evaluate() {
    if constexpr (complex) z = lf::complex<double>(2, 1) * x + y;
    else z = 3 * x + y;
  }
  LAZYFUSE_HD static double expected(index_t i) {
    if (!complex) return 3 * k_of(i / parts) + m_of(i / parts);
    return i % 2 ? k_of(i / 2) : 2 * k_of(i / 2) + m_of(i / 2);
  }
};

/// Rows of 0, 1/4, ... 7/4, repeated.
template <class T, int Columns>
struct rows_of_type {
  static constexpr index_t rows = (index_t{1} << 27) / Columns;
  static constexpr double bytes = 2.0 * sizeof(T) * rows * Columns;
  static constexpr bool few = false;
  using value_type = T;
  lf::array<T, 2, lf::cuda> z = lf::empty<T, lf::cuda>(lf::shape{rows, index_t{Columns}});
  lf::array<T, 2, lf::cuda> x =
      lf::cast<T>(lf::broadcast_to(lf::cast<float>(lf::arange<lf::int64>(Columns) & 7) * 0.25f, z.shape()));
  index_t results() const { return z.size(); }
  T* result(index_t i) { return z.data() + i; }
};
template <class T, int Columns>
struct softmax_of_type : rows_of_type<T, Columns> {
  static constexpr const char* name = Columns == 1024 ? name_of_type<T>::softmax_1024 : name_of_type<T>::softmax_8192;
  static constexpr double tolerance = 1e-5;
  void evaluate() { this->z = lf::softmax(this->x); }
  LAZYFUSE_HD static double expected(index_t i) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += lf::math::exp(0.25 * k);
    return lf::math::exp(0.25 * static_cast<double>(i & 7)) / (sum * (Columns / 8));
  }
};
template <class T>
struct layernorm_of_type : rows_of_type<T, 1024> {
  static constexpr const char* name = name_of_type<T>::layernorm;
  static constexpr double tolerance = 4e-3;
  lf::array<T, 1, lf::cuda> weight = lf::ones<T>({1024}), bias = lf::zeros<T>({1024});
  void evaluate() { this->z = lf::layer_norm(this->x, weight, bias); }
  LAZYFUSE_HD static double expected(index_t i) {
    return (0.25 * static_cast<double>(i & 7) - 0.875) / lf::math::sqrt(0.328125 + 1e-5);
  }
};

template <>
struct name_of_type<float> {
  static constexpr const char* axpy = "axpy_float32";
};
template <>
struct name_of_type<double> {
  static constexpr const char* axpy = "axpy_float64";
};
template <>
struct name_of_type<lf::half> {
  static constexpr const char *axpy = "axpy_float16", *softmax_1024 = "softmax_1024_float16",
                              *softmax_8192 = "softmax_8192_float16", *layernorm = "layernorm_1024_float16";
};
template <>
struct name_of_type<lf::bfloat16> {
  static constexpr const char *axpy = "axpy_bfloat16", *softmax_1024 = "softmax_1024_bfloat16",
                              *softmax_8192 = "softmax_8192_bfloat16", *layernorm = "layernorm_1024_bfloat16";
};
template <>
struct name_of_type<lf::int8> {
  static constexpr const char* axpy = "axpy_int8";
};
template <>
struct name_of_type<lf::complex<float>> {
  static constexpr const char* axpy = "axpy_complex64";
};
template <>
struct name_of_type<lf::complex<double>> {
  static constexpr const char* axpy = "axpy_complex128";
};
template <>
struct name_of_type<lf::vec<float, 3>> {
  static constexpr const char* axpy = "axpy_float32x3";
};
template <>
struct name_of_type<lf::vec<float, 4>> {
  static constexpr const char* axpy = "axpy_float32x4";
};
template <>
struct name_of_type<lf::vec<lf::uint8, 4>> {
  static constexpr const char* axpy = "axpy_uint8x4";
};

/// One value of 2^28 floats.
template <class R>
struct one_of_many : workload<R, 0, lf::cuda> {
  static constexpr index_t n = index_t{1} << 28;
  static constexpr double bytes = 4.0 * n;
  lf::array<float, 1, lf::cuda> x = numbers<float, lf::cuda>(1, lf::shape{n});
  one_of_many() : workload<R, 0, lf::cuda>(lf::shape<0>{}) {}
};
struct argmax : one_of_many<lf::int64> {
  static constexpr const char* name = "argmax";
  static constexpr double tolerance = 0;
  void evaluate() { z = lf::argmax(x); }
  static double expected(index_t) {
    index_t at = 0;
    for (index_t i = 1; i < n; ++i)
      if (number<float>(1, i) > number<float>(1, at)) at = i;
    return static_cast<double>(at);
  }
};
struct variance : one_of_many<float> {
  static constexpr const char* name = "var";
  static constexpr double tolerance = 1e-6;
  void evaluate() { z = lf::var(x); }
  static double expected(index_t) {
    double sum = 0, squares = 0;
    for (index_t i = 0; i < n; ++i) {
      const double d = number<float>(1, i) - 1.0;
      sum += d;
      squares += d * d;
    }
    return squares / n - (sum / n) * (sum / n);
  }
};
struct norm : one_of_many<float> {
  static constexpr const char* name = "norm";
  static constexpr double tolerance = 1e-5;
  void evaluate() { z = lf::norm(x); }
  static double expected(index_t) {
    double squares = 0;
    for (index_t i = 0; i < n; ++i) squares += double(number<float>(1, i)) * number<float>(1, i);
    return std::sqrt(squares);
  }
};

const bool registered =
    rows<axpy_of<float>, axpy_of<double>, axpy_of<lf::half>, axpy_of<lf::bfloat16>, axpy_of<lf::int8>,
         axpy_of<lf::complex<float>>, axpy_of<lf::complex<double>>, axpy_of<lf::vec<float, 3>>,
         axpy_of<lf::vec<float, 4>>, axpy_of<lf::vec<lf::uint8, 4>>, softmax_of_type<lf::half, 1024>,
         softmax_of_type<lf::bfloat16, 1024>, softmax_of_type<lf::half, 8192>, softmax_of_type<lf::bfloat16, 8192>,
         layernorm_of_type<lf::half>, layernorm_of_type<lf::bfloat16>, argmax, variance, norm>();
}  // namespace
}  // namespace bench
