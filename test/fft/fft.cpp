// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms: NumPy's answers, computed more exactly, and what holds of long ones. The name of each case of the
// former is the NumPy text.
#include "support/arrays.hpp"
#include "support/distances.hpp"
#include "support/reference_data.hpp"

#include <lazyfuse/fft.hpp>
#include <lazyfuse/observe/trace.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace fft = lf::fft;
using lf::all, lf::axis, lf::none, lf::range;
using test::as_number, test::epsilon, test::number;
using number64 = lf::complex<double>;
using number32 = lf::complex<float>;

/// The distance of two sequences, as a part of the length of the second.
template <class Got, class Want>
double apart(const Got& got, const Want& want) {
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += std::norm(as_number(got[i]) - as_number(want[i]));
    length += std::norm(as_number(want[i]));
  }
  return length > 0 ? std::sqrt(difference / length) : std::sqrt(difference);
}
/// Epsilons that a transform of n points may be apart: the host's are 2, or 5 where n has a large prime factor.
double bound(double n) { return 3 + std::log2(n); }

template <class T>
std::vector<T> drawn(lf::index_t n) {
  std::mt19937 engine(17);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) {
    if constexpr (lf::complex_number<T>) {
      x.re = static_cast<typename T::value_type>(draw(engine));
      x.im = static_cast<typename T::value_type>(draw(engine));
    } else x = static_cast<T>(draw(engine));
  }
  return v;
}

template <class Space>
class fourier : public test::on<Space> {
 protected:
  void SetUp() override {
    test::on<Space>::SetUp();
    if (this->IsSkipped()) return;
    const std::string why = test::thrown_by<lf::fft_error>([] { fft::fft(lf::array<double, 1, Space>{1.0, 2.0}); });
    if (why.find("is not there") != std::string::npos) GTEST_SKIP() << why;
  }
  static const test::reference_data& answers() {
    static const test::reference_data data("fft");
    return data;
  }
  template <class T, int R>
  static lf::array<T, R, Space> given(const std::string& name) {
    return test::array_of<Space, R>(answers().template get<T>(name));
  }
  /// The answers are of double, whatever the type is that is computed in.
  template <class E>
  static void expect(const std::string& numpy, const E& e) {
    using T = test::element_of<E>;
    using wide = std::conditional_t<lf::complex_number<T>, number64, double>;
    const auto want = answers().template get<wide>(numpy);
    const auto got = test::tensor_of(e);
    ASSERT_EQ(got.shape, want.shape) << numpy;
    EXPECT_LE(apart(got.values, want.values), bound(double(want.values.size())) * epsilon<T>()) << numpy;
  }
  template <class T, class E>
  static void expect_near(const E& got, const std::vector<T>& want, double epsilons) {
    EXPECT_LE(apart(test::tensor_of(got).values, want), epsilons * epsilon<T>());
  }
  template <class T>
  static lf::array<T, 2, Space> rows_of(const std::vector<T>& v, lf::index_t n) {
    test::tensor<T> t{{static_cast<lf::index_t>(v.size()) / n, n}};
    std::copy(v.begin(), v.end(), t.values.begin());
    return test::array_of<Space, 2>(t);
  }
  static const std::vector<lf::index_t>& lengths() {
    static const std::vector<lf::index_t> all{1, 2, 3, 5, 7, 8, 12, 17, 97, 128, 1009};
    return all;
  }
};
TYPED_TEST_SUITE(fourier, test::spaces, test::space_name);

TYPED_TEST(fourier, transforms_of_any_length_are_numpys) {
  const auto v = this->template given<double, 1>("v");
  const auto w = this->template given<number64, 1>("w");
  const lf::array<float, 1, TypeParam> narrow_v = lf::cast<float>(v);
  const lf::array<number32, 1, TypeParam> narrow_w = lf::cast<number32>(w);
  for (const lf::index_t n : this->lengths()) {
    const std::string length = "," + std::to_string(n) + ")";
    this->expect("fft(w" + length, fft::fft(w, n));
    this->expect("fft(w" + length, fft::fft(narrow_w, n));
    this->expect("rfft(v" + length, fft::rfft(v, n));
    this->expect("rfft(v" + length, fft::rfft(narrow_v, n));
    if (!lf::space_traits<TypeParam>::on_device) {  // where what is given is no transform of real numbers
      this->expect("irfft(w" + length, fft::irfft(w, n));
      this->expect("irfft(w" + length, fft::irfft(narrow_w, n));
    }
  }
}
TYPED_TEST(fourier, lengths_with_large_prime_factors_have_the_sums_that_define_transforms) {
  for (const lf::index_t n : {1027, 1031, 1994, 2018, 2025, 2026, 2039, 2062, 4099}) {
    const auto x = drawn<number64>(n);
    const auto forward = test::tensor_of(fft::fft(test::array_of<TypeParam, 1>(test::tensor<number64>{{n}, x})));
    const auto back = test::tensor_of(fft::ifft(test::array_of<TypeParam, 1>(test::tensor<number64>{{n}, x})));
    std::vector<number64> got, want;
    for (const lf::index_t k : {lf::index_t{0}, lf::index_t{1}, lf::index_t{57}, n / 2, n - 1}) {
      std::complex<long double> sum = 0, other = 0;
      for (lf::index_t i = 0; i < n; ++i) {
        const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(i * k % n) / n;
        const std::complex<long double> v(x[std::size_t(i)].re, x[std::size_t(i)].im);
        sum += v * std::polar(1.0L, -angle);
        other += v * std::polar(1.0L, angle) / static_cast<long double>(n);
      }
      for (const auto& [value, of] : {std::pair{sum, &forward}, {other * static_cast<long double>(n), &back}}) {
        number64 g = of->values[std::size_t(k)];
        if (of == &back) g = {g.re * double(n), g.im * double(n)};
        got.push_back(g);
        want.push_back({double(value.real()), double(value.imag())});
      }
    }
    EXPECT_LE(apart(got, want), bound(double(n)) * epsilon<double>()) << n;
  }
}
TYPED_TEST(fourier, along_one_axis_as_numpys) {
  const auto x = this->template given<double, 3>("x");
  const auto z = this->template given<number64, 3>("z");
  this->expect("fft(z)", fft::fft(z));
  this->expect("fft(z,axis=0)", fft::fft(z, axis<0>));
  this->expect("fft(z,7,axis=1)", fft::fft(z, 7, axis<1>));
  this->expect("fft(z,3,axis=1)", fft::fft(z, 3, axis<1>));
  this->expect("ifft(z,axis=-2)", fft::ifft(z, axis<-2>));
  this->expect("fft(z,norm='ortho')", fft::fft(z, fft::ortho));
  this->expect("fft(z,norm='forward')", fft::fft(z, fft::forward));
  this->expect("ifft(z,norm='ortho')", fft::ifft(z, fft::ortho));
  this->expect("ifft(z,norm='forward')", fft::ifft(z, fft::forward));
  this->expect("fft(z.T)", fft::fft(z.T()));
  this->expect("fft(z[::-1,:,::-2])", fft::fft(z(range(none, none, -1), all, range(none, none, -2))));
  this->expect("fft(z*2+x)", fft::fft(z * 2 + x));
  this->expect("fft(x)", fft::fft(x));
  this->expect("rfft(x,axis=0)", fft::rfft(x, axis<0>));
  this->expect("rfft(x[:,::-1],7,axis=1)", fft::rfft(x(all, range(none, none, -1)), 7, axis<1>));
  this->expect("ihfft(x)", fft::ihfft(x));
  this->expect("ihfft(x,5,axis=0)", fft::ihfft(x, 5, axis<0>));
  this->expect("irfft(x)", fft::irfft(x));
  if (lf::space_traits<TypeParam>::on_device) return;
  this->expect("irfft(z)", fft::irfft(z));
  this->expect("irfft(z,7,axis=0)", fft::irfft(z, 7, axis<0>));
  this->expect("hfft(x)", fft::hfft(x));
  this->expect("hfft(z)", fft::hfft(z));
  this->expect("hfft(z,7,norm='ortho')", fft::hfft(z, fft::ortho, 7));
}
TYPED_TEST(fourier, along_several_axes_as_numpys) {
  const auto x = this->template given<double, 3>("x");
  const auto z = this->template given<number64, 3>("z");
  const auto q = this->template given<number64, 4>("q");
  this->expect("fft2(z)", fft::fft2(z));
  this->expect("fft2(z,(3,8))", fft::fft2(z, {3, 8}));
  this->expect("ifft2(z,axes=(0,2))", fft::ifft2(z, axis<0, 2>));
  this->expect("fft2(z,(3,8),axes=(2,0))", fft::fft2(z, {3, 8}, axis<2, 0>));
  this->expect("rfft2(x)", fft::rfft2(x));
  this->expect("rfft2(x,(7,3),axes=(1,0))", fft::rfft2(x, {7, 3}, axis<1, 0>));
  this->expect("fftn(z)", fft::fftn(z));
  this->expect("ifftn(z,(3,3),axes=(0,2))", fft::ifftn(z, {3, 3}, axis<0, 2>));
  this->expect("rfftn(x)", fft::rfftn(x));
  this->expect("fftn(q)", fft::fftn(q));
  this->expect("ifftn(q,norm='ortho')", fft::ifftn(q, fft::ortho));
  this->expect("rfftn(q.real)", fft::rfftn(lf::real(q)));
  if (lf::space_traits<TypeParam>::on_device) return;
  this->expect("irfft2(z)", fft::irfft2(z));
  this->expect("irfft2(z,(4,5))", fft::irfft2(z, {4, 5}));
  this->expect("irfftn(z)", fft::irfftn(z));
  this->expect("irfftn(z,(4,5,7),axes=(0,1,2))", fft::irfftn(z, lf::shape(4, 5, 7), axis<0, 1, 2>));
  this->expect("irfftn(q)", fft::irfftn(q));
}
TYPED_TEST(fourier, frequencies_and_shifts_are_lazy_and_numpys) {
  const auto x = this->template given<double, 3>("x");
  const auto z = this->template given<number64, 3>("z");
  const auto v = this->template given<double, 1>("v");
  const auto exactly = [&](const std::string& numpy, const auto& e) {
    EXPECT_TRUE(test::evaluates_to(e, this->answers().template get<test::element_of<decltype(e)>>(numpy))) << numpy;
  };
  exactly("fftfreq(1)", fft::fftfreq(1));
  exactly("fftfreq(5)", fft::fftfreq(5));
  exactly("fftfreq(8,0.25)", fft::fftfreq(8, 0.25));
  exactly("rfftfreq(1)", fft::rfftfreq(1));
  exactly("rfftfreq(7)", fft::rfftfreq(7));
  exactly("rfftfreq(8,0.1)", fft::rfftfreq(8, 0.1));
  exactly("fftshift(x)", fft::fftshift(x));
  exactly("fftshift(x,1)", fft::fftshift(x, axis<1>));
  exactly("ifftshift(x,(0,1))", fft::ifftshift(x, axis<0, 1>));
  exactly("fftshift(fftfreq(9))", fft::fftshift(fft::fftfreq(9)));
  exactly("ifftshift(v)", fft::ifftshift(v));
  exactly("fftshift(z*x,2)", fft::fftshift(z * x, axis<2>));
  static_assert(std::is_same_v<lf::value_t<decltype(fft::fftfreq<float>(4))>, float>);
}

TYPED_TEST(fourier, what_is_transformed_back_is_what_it_was) {
  for (const auto& [rows, n] : {std::pair<lf::index_t, lf::index_t>{9, 1000},
                                {3, 2047},
                                {5, 4096},
                                {4, 4095},
                                {1, 65536},
                                {2, 10007},
                                {1, 46368}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(n));
    const auto numbers = drawn<number64>(rows * n);
    const auto reals = drawn<float>(rows * n);
    const auto z = this->rows_of(numbers, n);
    const auto x = this->rows_of(reals, n);
    const auto transformed = fft::fft(z);
    this->expect_near(fft::ifft(transformed), numbers, 2 * bound(double(n)));
    this->expect_near(fft::irfft(fft::rfft(x), n), reals, 2 * bound(double(n)));
    // Parseval's theorem
    const double before = lf::sum(lf::real(z * lf::conj(z))).item(),
                 after = lf::sum(lf::real(transformed * lf::conj(transformed))).item() / double(n);
    EXPECT_NEAR(after / before, 1, 2 * bound(double(n)) * epsilon<double>());
  }
}
TYPED_TEST(fourier, each_line_of_a_batch_has_the_transform_of_it_alone) {
  const bool same_bits = !lf::space_traits<TypeParam>::on_device;
  for (const lf::index_t n : {15, 1024, 4096, 106}) {
    const auto z = this->rows_of(drawn<number64>(21 * n), n);
    const auto x = this->rows_of(drawn<double>(21 * n), n);
    const auto of_z = fft::fft(z);
    const auto of_x = fft::rfft(x);
    for (const lf::index_t i : {0, 3, 20}) {
      const auto alone = test::tensor_of(fft::fft(z(i)));
      const auto real_alone = test::tensor_of(fft::rfft(x(i)));
      EXPECT_LE(apart(test::tensor_of(of_z(i)).values, alone.values), same_bits ? 0 : 1e-14) << n;
      EXPECT_LE(apart(test::tensor_of(of_x(i)).values, real_alone.values), same_bits ? 0 : 1e-14) << n;
    }
  }
}
TYPED_TEST(fourier, lines_beside_each_other_have_the_transforms_of_those_that_follow_each_other) {
  // Of few points and of many, near and as far apart as a cache repeats; of large prime factors, and in parts.
  const lf::shape<3> shapes[] = {{2, 30, 7},   {1, 2048, 64},  {1, 2049, 64}, {2, 2050, 63},
                                 {3, 1009, 5}, {1, 70'000, 3}, {2, 9, 1},     {1, 4099, 64}};
  for (const lf::shape<3>& s : shapes) {
    const auto values = drawn<number64>(s[0] * s[1] * s[2]);
    const lf::array<number64, 3, TypeParam> x = lf::reshape(lf::to<TypeParam>(lf::from(values)), s);
    const lf::array<number64, 3, TypeParam> turned = lf::permute_dims<0, 2, 1>(x);
    const lf::array<number64, 3, TypeParam> want = lf::permute_dims<0, 2, 1>(fft::fft(turned)),
                                            back = lf::permute_dims<0, 2, 1>(fft::ifft(turned));
    const auto n = static_cast<double>(s[1]);
    this->expect_near(fft::fft(x, axis<1>), test::tensor_of(want).values, 2 * bound(n));
    this->expect_near(fft::ifft(x + 0, axis<1>), test::tensor_of(back).values, 2 * bound(n));
  }
}
TYPED_TEST(fourier, a_long_transform_of_a_wave_is_one_peak) {
  const lf::index_t n = 1 << 17, k = 12345;
  const auto j = lf::arange<lf::int64>(n);
  const auto turn = lf::cast<double>(lf::remainder(j * k, n)) * (2 * 3.14159265358979323846 / double(n));
  const auto peak = fft::rfft(lf::cos(turn));
  const auto size = test::tensor_of(lf::abs(peak));
  for (lf::index_t i = 0; i <= n / 2; ++i)
    ASSERT_NEAR(size.values[std::size_t(i)], i == k ? double(n) / 2 : 0, 1e-9) << i;
}
TYPED_TEST(fourier, numbers_of_other_types_are_transformed_in_the_next_floating_point_type) {
  const auto i = test::array_of<TypeParam, 1>(test::tensor<int>{{3}, {1, 2, 3}});
  const auto sum_of = [](const auto& e) { return as_number(test::tensor_of(e).values[0]); };
  static_assert(std::is_same_v<test::element_of<decltype(fft::fft(i))>, number64>);
  EXPECT_EQ(sum_of(fft::fft(i)), number(6));
  EXPECT_EQ(sum_of(fft::rfft(i > 1)), number(2));
  const auto half = fft::rfft(lf::cast<lf::half>(i));
  static_assert(std::is_same_v<test::element_of<decltype(half)>, number32>);
  EXPECT_EQ(sum_of(half), number(6));
}
TYPED_TEST(fourier, operands_stay_and_results_are_part_of_expressions) {
  const auto z = this->template given<number64, 3>("z");
  const auto x = this->template given<double, 3>("x");
  const auto before = test::tensor_of(z);
  const auto spectrum = fft::rfftn(x);
  const auto spectrum_before = test::tensor_of(spectrum);
  this->expect_near(fft::irfftn(spectrum * 2) / 2, test::tensor_of(x).values, 10);
  (void)fft::irfftn(spectrum);
  (void)fft::irfft(spectrum);
  (void)fft::fft(z);
  (void)fft::fftn(z);
  (void)fft::ifft(z);
  EXPECT_TRUE(test::evaluates_to(z, before));
  EXPECT_TRUE(test::evaluates_to(spectrum, spectrum_before));
  // Of no array: in the default space.
  EXPECT_EQ(as_number(fft::fft(lf::ones<double>({4}))(0).item()), number(4));
}
TYPED_TEST(fourier, what_is_given_is_computed_by_one_kernel_and_arrays_are_read_where_they_are) {
  const auto z = this->template given<number64, 3>("z");
  const auto x = this->template given<double, 3>("x");
  const auto kernels_of = [](const auto& f) {
    lf::kernel_trace trace;
    f();
    return trace.launches();
  };
  EXPECT_EQ(kernels_of([&] { fft::fft(z); }), 0);
  EXPECT_EQ(kernels_of([&] { fft::rfftn(x); }), 0);
  EXPECT_EQ(kernels_of([&] { fft::fft(z * 2 + x); }), 1);
  EXPECT_EQ(kernels_of([&] { fft::fft(z * 2 + x, 9); }), 1);
  EXPECT_EQ(kernels_of([&] { fft::ifft2(z.T() * 2, {3, 9}, fft::ortho); }), 1);
  EXPECT_EQ(kernels_of([&] { fft::fftfreq(9); }), 0);
}
TYPED_TEST(fourier, without_elements_there_is_nothing_to_do_but_transforms_have_points) {
  const lf::array<number64, 2, TypeParam> no_rows(lf::shape(0, 4)), no_columns(lf::shape(3, 0));
  EXPECT_EQ(fft::fft(no_rows).shape(), lf::shape(0, 4));
  EXPECT_EQ(fft::irfft(no_rows).shape(), lf::shape(0, 6));
  EXPECT_EQ(fft::rfftn(lf::real(no_rows), {2, 4}).shape(), lf::shape(2, 3));
  EXPECT_TRUE(test::evaluates_to(lf::abs(fft::fft(no_columns, 2)), test::tensor<double>{{3, 2}, {0, 0, 0, 0, 0, 0}}));
  const auto said = [](const auto& f) { return test::thrown_by<lf::index_error>(f); };
  EXPECT_EQ(said([&] { fft::fft(no_columns); }), "fft: a transform of 0 points: it has at least one");
  EXPECT_EQ(said([&] { fft::fft(no_rows, -3); }), "fft: a transform of -3 points: it has at least one");
  EXPECT_EQ(said([&] { fft::irfft(no_rows(all, range(0, 1))); }),
            "irfft: a transform of 0 points: it has at least one");
  EXPECT_EQ(said([&] { fft::fftn(no_rows); }), "fftn: a transform of 0 points: it has at least one");
  EXPECT_EQ(said([&] { fft::fftfreq(0); }), "fftfreq: a transform of 0 points: it has at least one");
}
TYPED_TEST(fourier, nan_and_infinity_stay_in_their_line) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto rows = drawn<double>(8 * 12);
  rows[3 * 12 + 5] = nan;
  const auto x = test::tensor_of(lf::sum(lf::abs(fft::rfft(this->rows_of(rows, 12))), axis<1>));
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(std::isnan(x.values[i]), i == 3) << i;
}
TYPED_TEST(fourier, threads_share_plans) {
  std::vector<std::thread> threads;
  std::vector<double> errors(4);
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&errors, t] {
      for (const lf::index_t n : {30, 31, 32, 33, 34, 106, 4096})
        for (int again = 0; again < 20; ++again) {
          const lf::array<double, 1, TypeParam> x = lf::linspace<double>(-1.0, 2.0, n + again);
          errors[t] = std::max(errors[t], lf::max(lf::abs(fft::irfft(fft::rfft(x), n + again) - x)).item());
        }
    });
  for (auto& t : threads) t.join();
  for (const double e : errors) EXPECT_LE(e, 1e-13);
}

}  // namespace
