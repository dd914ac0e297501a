// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of elements over many arrays of unlike shapes, against loops over vectors. Numbers are such that nothing is
// rounded.
#include <lazyfuse/batch.hpp>

#include "support/arrays.hpp"

#include <lazyfuse/error.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using lf::end, lf::range, lf::index_t;

/// Element k of array i of an argument.
template <class T>
T number(int argument, index_t i, index_t k) {
  return static_cast<T>((k * 7 + i * 3 + argument * 5) % 16);
}
/// Whole and broken vectors, tiles of blocks and tasks, and nothing.
constexpr index_t sizes[] = {1, 5, 0, 255, 256, 4095, 4096, 4097, 3, 16384, 16385, 70001, 2, 8};

template <class Space>
class packs : public test::on<Space> {
 protected:
  template <class T, int R = 1>
  using arrays = std::vector<lf::array<T, R, Space>>;

  template <class T>
  static lf::array<T, 1, Space> array_of(int argument, index_t i, index_t size) {
    lf::array<T, 1, lf::host> x(lf::shape{size});
    for (index_t k = 0; k < size; ++k) x.data()[k] = number<T>(argument, i, k);
    return lf::to<Space>(x);
  }
  /// Arrays of these sizes.
  template <class T>
  static arrays<T> argument(int which, std::span<const index_t> of = sizes) {
    arrays<T> all;
    for (index_t i = 0; i < static_cast<index_t>(of.size()); ++i)
      all.push_back(array_of<T>(which, i, of[static_cast<std::size_t>(i)]));
    return all;
  }
  template <class T>
  static const T* place(const lf::array<T, 1, Space>& x) {
    return x.data();
  }
  /// f(i, k) is element k of array i.
  template <class T, class F>
  static void expect_each(const arrays<T>& xs, const F& f) {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const lf::array<T, 1, lf::host> x = lf::to<lf::host>(xs[i]);
      for (index_t k = 0; k < x.size(); ++k)
        ASSERT_EQ(x.data()[k], static_cast<T>(f(static_cast<index_t>(i), k))) << "array " << i << ", element " << k;
    }
  }
};
TYPED_TEST_SUITE(packs, test::spaces, test::space_name);

/// A step of gradient descent with momentum.
constexpr auto step_of = [](float rate) {
  return [rate](auto p, auto m, auto g) {
    const auto next = 0.5f * m + g;
    return std::tuple(p - rate * next, next);
  };
};
float momentum(index_t i, index_t k) { return 0.5f * number<float>(1, i, k) + number<float>(2, i, k); }
float parameter(float rate, index_t i, index_t k) { return number<float>(0, i, k) - rate * momentum(i, k); }

TYPED_TEST(packs, are_a_loop_of_assignments_in_one_kernel) {
  auto p = this->template argument<float>(0), m = this->template argument<float>(1);
  const auto g = this->template argument<float>(2);
  std::vector<const float*> places;
  for (const auto& x : p) places.push_back(this->place(x));
  lf::kernel_trace trace;
  lf::for_each_zip(p, m, g, step_of(0.25f));
  ASSERT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.kernels()[0].pattern, "packed");
  index_t elements = 0;
  for (const index_t size : sizes) elements += size;
  EXPECT_EQ(trace.kernels()[0].elements, elements);
  EXPECT_EQ(trace.kernels()[0].bytes_written, 8 * elements);
  this->expect_each(p, [](index_t i, index_t k) { return parameter(0.25f, i, k); });
  this->expect_each(m, momentum);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(this->place(p[i]), places[i]) << i;
  lf::for_each_zip(std::span(p), std::span(p), [](auto, auto x) { return x * 2; });
  this->expect_each(p, [](index_t i, index_t k) { return 2 * parameter(0.25f, i, k); });
}
TYPED_TEST(packs, take_thousands_of_arrays) {
  for (const index_t count : {1, 2, 31, 32, 33, 1023, 1025, 5000}) {
    std::vector<index_t> small;
    for (index_t i = 0; i < count; ++i) small.push_back(1 + i * i % 37);
    auto p = this->template argument<float>(0, small), m = this->template argument<float>(1, small);
    const auto g = this->template argument<float>(2, small);
    lf::kernel_trace trace;
    lf::for_each_zip(p, m, g, step_of(0.5f));
    EXPECT_EQ(trace.launches(), 1);
    this->expect_each(p, [](index_t i, index_t k) { return parameter(0.5f, i, k); });
    this->expect_each(m, momentum);
  }
}
TYPED_TEST(packs, compute_any_types) {
  auto x = this->template argument<double>(0);
  const auto u = this->template argument<std::uint8_t>(1);
  const auto h = this->template argument<lf::half>(2);
  lf::for_each_zip(x, u, h, [](auto x, auto u, auto h) { return lf::where(u > 7, x + u, lf::cast<double>(h) * 0.5); });
  this->expect_each(x, [](index_t i, index_t k) {
    const double u = number<double>(1, i, k);
    return u > 7 ? number<double>(0, i, k) + u : number<double>(2, i, k) * 0.5;
  });
  auto y = this->template argument<lf::half>(0);
  lf::for_each_zip(y, u, [](auto, auto u) { return lf::cast<lf::half>(u); });
  this->expect_each(y, [](index_t i, index_t k) { return number<lf::half>(1, i, k); });
  lf::for_each_zip(y, [](auto) { return 3; });
  this->expect_each(y, [](index_t, index_t) { return 3; });
  auto c = this->template argument<std::int64_t>(0);
  lf::for_each_zip(c, [](auto c) { return c * c - c; });
  this->expect_each(c, [](index_t i, index_t k) {
    const auto c = number<std::int64_t>(0, i, k);
    return c * c - c;
  });
}
TYPED_TEST(packs, are_of_any_rank) {
  std::vector<lf::array<float, 2, TypeParam>> y, x;
  for (index_t n : {3, 0, 1, 200}) {
    lf::array<float, 2, lf::host> all(lf::shape{4, n});
    for (index_t k = 0; k < all.size(); ++k) all.data()[k] = static_cast<float>(k);
    x.push_back(lf::to<TypeParam>(all));
    y.push_back(lf::to<TypeParam>(all));
  }
  lf::for_each_zip(y, x, [](auto y, auto x) { return y + 2 * x; });
  for (const auto& each : y) {
    const lf::array<float, 2, lf::host> got = lf::to<lf::host>(each);
    for (index_t k = 0; k < got.size(); ++k) ASSERT_EQ(got.data()[k], 3.0f * static_cast<float>(k));
  }
  std::vector<lf::array<float, 0, TypeParam>> single(3);
  lf::for_each_zip(single, [](auto s) { return s + 1.5f; });
  for (const auto& s : single) EXPECT_EQ(s.item(), 1.5f);
}
TYPED_TEST(packs, read_views_that_begin_anywhere) {
  const auto x = this->template argument<float>(1);
  for (const index_t first : {1, 2, 3, 4}) {
    using view = std::remove_cvref_t<decltype(x[0](range(first, end)))>;
    std::vector<view> views;
    std::vector<index_t> left;
    for (const auto& one : x) {
      left.push_back(one.size() > first ? one.size() - first : 0);
      views.push_back(one(range(one.size() - left.back(), end)));
    }
    auto y = this->template argument<float>(0, left);
    lf::for_each_zip(y, views, [](auto y, auto v) { return y + v; });
    this->expect_each(y, [&](index_t i, index_t k) {
      return number<float>(0, i, k) + number<float>(1, i, k + sizes[i] - left[static_cast<std::size_t>(i)]);
    });
  }
}
TYPED_TEST(packs, read_arrays_of_one_element_and_numbers_for_all) {
  auto p = this->template argument<float>(0);
  const lf::array<float, 0, TypeParam> scale = lf::sum(this->template array_of<float>(0, 0, 2)(range(0, 2)));  // 0 + 7
  const lf::array<float, 1, TypeParam> one(scale(lf::newaxis));
  lf::for_each_zip(p, [&](auto p) { return p * scale + one + 0.25f; });
  this->expect_each(p, [](index_t i, index_t k) { return number<float>(0, i, k) * 7 + 7.25f; });
  const index_t lone[] = {1};
  auto single = this->template argument<float>(1, lone);
  lf::for_each_zip(single, [&](auto p) { return p - scale; });
  EXPECT_EQ(single[0](0).item(), -2);
}
TYPED_TEST(packs, of_rows_are_one_kernel) {
  const auto x = this->template argument<float>(1);
  auto y = this->template argument<float>(0);
  lf::kernel_trace trace;
  lf::for_each_zip(y, x, [](auto y, auto x) { return y - lf::max(x) + lf::sum(x * y) + (x - lf::min(x)); });
  ASSERT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.kernels()[0].pattern, "packed_rows");
  const auto all = [](index_t i, const auto& combine, float start) {
    for (index_t k = 0; k < sizes[i]; ++k) start = combine(start, number<float>(0, i, k), number<float>(1, i, k));
    return start;
  };
  std::vector<float> largest, least, products;
  for (index_t i = 0; i < static_cast<index_t>(std::size(sizes)); ++i) {
    largest.push_back(all(
        i, [](float a, float, float x) { return std::max(a, x); }, -1));
    least.push_back(all(
        i, [](float a, float, float x) { return std::min(a, x); }, 99));
    products.push_back(all(
        i, [](float a, float y, float x) { return a + y * x; }, 0));
  }
  this->expect_each(y, [&](index_t i, index_t k) {
    const auto g = static_cast<std::size_t>(i);
    return number<float>(0, i, k) - largest[g] + products[g] + (number<float>(1, i, k) - least[g]);
  });
  auto p = this->template argument<float>(0);
  lf::for_each_zip(p, [](auto p) { return lf::softmax(p); });
  for (index_t i = 0; i < static_cast<index_t>(p.size()); ++i) {
    const auto exponential = [&](index_t k) { return std::exp(number<double>(0, i, k)); };
    double sum = 0;
    for (index_t k = 0; k < sizes[i]; ++k) sum += exponential(k);
    const lf::array<float, 1, lf::host> got = lf::to<lf::host>(p[static_cast<std::size_t>(i)]);
    for (index_t k = 0; k < sizes[i]; ++k)
      ASSERT_NEAR(got.data()[k] * sum / exponential(k), 1, 1e-5) << "array " << i << ", element " << k;
  }
  auto h = this->template argument<lf::half>(1);
  lf::for_each_zip(h, [](auto h) { return h * 2 - lf::max(h); });
  this->expect_each(h, [&](index_t i, index_t k) {
    return lf::half(2 * number<float>(1, i, k) - largest[static_cast<std::size_t>(i)]);
  });
}
TYPED_TEST(packs, of_more_rows_than_run_at_a_time_and_begin_anywhere) {
  std::vector<index_t> lengths;
  for (index_t i = 0; i < 700; ++i) lengths.push_back(i % 50 == 0 ? 20000 + 1201 * (i % 29) : i * i % 1501);
  auto y = this->template argument<float>(0, lengths);
  std::vector<index_t> with_more = lengths;
  for (index_t& n : with_more) n += 4;
  const auto x = this->template argument<float>(1, with_more);
  using view = std::remove_cvref_t<decltype(x[0](range(1, end)))>;
  std::vector<view> views;  // every third begins where no vector does
  const auto first = [](index_t i) { return i % 3 == 0 ? index_t{1} : index_t{4}; };
  for (index_t i = 0; i < static_cast<index_t>(x.size()); ++i) {
    const auto g = static_cast<std::size_t>(i);
    views.push_back(x[g](range(first(i), first(i) + lengths[g])));
  }
  lf::for_each_zip(y, views, [](auto y, auto v) { return (v - lf::max(v)) * 2 + lf::sum(v * y) + y; });
  std::vector<float> largest, products;
  for (index_t i = 0; i < static_cast<index_t>(lengths.size()); ++i) {
    float most = -1, sum = 0;
    for (index_t k = 0; k < lengths[static_cast<std::size_t>(i)]; ++k) {
      const float v = number<float>(1, i, k + first(i));
      most = std::max(most, v);
      sum += v * number<float>(0, i, k);
    }
    largest.push_back(most);
    products.push_back(sum);
  }
  this->expect_each(y, [&](index_t i, index_t k) {
    const auto g = static_cast<std::size_t>(i);
    return (number<float>(1, i, k + first(i)) - largest[g]) * 2 + products[g] + number<float>(0, i, k);
  });
  lf::for_each_zip(y, views, [](auto, auto v) { return lf::softmax(v); });
  for (index_t i = 0; i < static_cast<index_t>(y.size()); ++i) {
    const auto g = static_cast<std::size_t>(i);
    const auto exponential = [&](index_t k) { return std::exp(number<double>(1, i, k + first(i))); };
    double sum = 0;
    for (index_t k = 0; k < lengths[g]; ++k) sum += exponential(k);
    const lf::array<float, 1, lf::host> got = lf::to<lf::host>(y[g]);
    for (index_t k = 0; k < lengths[g]; ++k)
      ASSERT_NEAR(got.data()[k] * sum / exponential(k), 1, 1e-5) << "array " << i << ", element " << k;
  }
}
TYPED_TEST(packs, take_a_number_for_each_array) {
  auto p = this->template argument<float>(0);
  const auto g = this->template argument<float>(1);
  std::vector<float> rates;
  std::vector<double> powers;
  for (std::size_t i = 0; i < p.size(); ++i) {
    rates.push_back(static_cast<float>(i) * 0.5f);
    powers.push_back(i % 2 == 0 ? 0.25 : 4);
  }
  lf::for_each_zip(p, rates, g, std::span(powers), [](auto p, auto rate, auto g, auto power) {
    return p - rate * g * lf::cast<float>(power) + lf::sum(g) * rate;
  });
  std::vector<float> sums;
  for (index_t i = 0; i < static_cast<index_t>(p.size()); ++i) {
    sums.push_back(0);
    for (index_t k = 0; k < sizes[i]; ++k) sums.back() += number<float>(1, i, k);
  }
  this->expect_each(p, [&](index_t i, index_t k) {
    const auto a = static_cast<std::size_t>(i);
    const auto power = static_cast<float>(powers[a]);
    return number<float>(0, i, k) - rates[a] * number<float>(1, i, k) * power + sums[a] * rates[a];
  });
  auto q = this->template argument<float>(0);
  lf::for_each_zip(q, rates, [](auto q, auto rate) { return q * rate; });
  this->expect_each(q,
                    [&](index_t i, index_t k) { return number<float>(0, i, k) * rates[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(test::thrown_by<lf::shape_error>(
                [&] { lf::for_each_zip(q, std::span(rates).subspan(1), [](auto q, auto rate) { return q * rate; }); }),
            "for_each_zip: argument 0 has 14 arrays, and argument 1 has 13");
}
TYPED_TEST(packs, leave_what_others_hold) {
  auto p = this->template argument<float>(0);
  const auto kept = p;
  const auto doubled = p[4] * 2;
  lf::for_each_zip(p, [](auto p) { return p + 1; });
  this->expect_each(kept, [](index_t i, index_t k) { return number<float>(0, i, k); });
  this->expect_each(p, [](index_t i, index_t k) { return number<float>(0, i, k) + 1; });
  const lf::array<float, 1, TypeParam> d = doubled;
  EXPECT_EQ(d(1).item(), 2 * number<float>(0, 4, 1));
  // An array twice is two values.
  auto twice = this->template argument<float>(0);
  twice[5] = twice[6];
  twice[12] = twice[0];
  twice[12] = twice[6];
  lf::for_each_zip(twice, [](auto p) { return p + 1; });
  EXPECT_EQ(twice[5](4095).item(), number<float>(0, 6, 4095) + 1);
  EXPECT_EQ(twice[12](4095).item(), number<float>(0, 6, 4095) + 1);
  // The scale is an element of what is written.
  std::vector<lf::array<float, 0, TypeParam>> s(3);
  lf::for_each_zip(s, [](auto) { return 2.0f; });
  lf::for_each_zip(s, [&](auto x) { return x * s[1] + s[2]; });
  for (const auto& x : s) EXPECT_EQ(x.item(), 6);
}
TYPED_TEST(packs, read_the_arrays_of_other_groups_as_they_were) {
  const std::vector<index_t> alike(6, 5000);
  auto all = this->template argument<float>(0, alike);
  lf::for_each_zip(std::span(all).subspan(0, 5), std::span(all).subspan(1, 5), [](auto y, auto x) { return y + x; });
  this->expect_each(
      all, [](index_t i, index_t k) { return number<float>(0, i, k) + (i < 5 ? number<float>(0, i + 1, k) : 0); });
}
TYPED_TEST(packs, read_borrowed_parts_of_what_they_write) {
  const std::vector<index_t> alike(3, 5000);
  auto p = this->template argument<float>(0, alike);
  const auto part = [&](std::size_t i, index_t first, index_t n) {
    return lf::borrow<TypeParam>(this->place(p[i]) + first, lf::shape(n));
  };
  std::vector views{part(1, 0, 5000), part(1, 0, 5000), part(0, 0, 5000)};
  const float* const second = this->place(p[1]);
  lf::for_each_zip(p, views, [](auto p, auto v) { return p + v; });
  const index_t from[] = {1, 1, 0};
  this->expect_each(p, [&](index_t i, index_t k) { return number<float>(0, i, k) + number<float>(0, from[i], k); });
  EXPECT_NE(this->place(p[1]), second);  // array 0 reads it
  auto q = this->template argument<float>(0, alike);
  const std::vector own{lf::borrow<TypeParam>(this->place(q[0]), lf::shape(5000)),
                        lf::borrow<TypeParam>(this->place(q[1]), lf::shape(5000)),
                        lf::borrow<TypeParam>(this->place(q[2]), lf::shape(5000))};
  const float* const first = this->place(q[0]);
  lf::for_each_zip(q, own, [](auto p, auto v) { return p + v; });
  this->expect_each(q, [](index_t i, index_t k) { return 2 * number<float>(0, i, k); });
  EXPECT_EQ(this->place(q[0]), first);
}
TYPED_TEST(packs, of_arrays_that_were_replaced_are_those_there_are) {
  std::vector<index_t> small;
  for (index_t i = 0; i < 500; ++i) small.push_back(1 + i * i % 37);
  auto y = this->template argument<float>(0, small), x = this->template argument<float>(1, small);
  const auto expect_results = [&] {
    for (int twice = 0; twice < 2; ++twice) {
      lf::for_each_zip(y, x, [](auto, auto x) { return 2 * x; });
      this->expect_each(y, [](index_t i, index_t k) { return 2 * number<float>(1, i, k); });
      lf::for_each_zip(y, x, [](auto y, auto x) { return x - lf::max(y); });
      for (std::size_t i = 0; i < y.size(); i += 7) {
        float most = 0;
        for (index_t k = 0; k < small[i]; ++k) most = std::max(most, 2 * number<float>(1, static_cast<index_t>(i), k));
        ASSERT_EQ(y[i](0).item(), number<float>(1, static_cast<index_t>(i), 0) - most) << i;
      }
    }
  };
  expect_results();
  const auto old = x[300];
  x[300] = this->template array_of<float>(1, 300, small[300]);
  expect_results();
  for (const std::size_t i : {0, 7, 499}) {
    small[i] = small[i] % 5 + 40;
    y[i] = this->template array_of<float>(0, 0, small[i]);
    x[i] = this->template array_of<float>(1, static_cast<index_t>(i), small[i]);
  }
  expect_results();
  {
    const auto shared = y;
    lf::for_each_zip(y, x, [](auto, auto x) { return x + 1; });
    EXPECT_EQ(shared[7](0).item(), number<float>(1, 7, 0) - lf::max(x[7] * 2).item());
    this->expect_each(y, [](index_t i, index_t k) { return number<float>(1, i, k) + 1; });
  }
  expect_results();
  auto z = this->template argument<float>(1, small);
  for (int turn = 0; turn < 3; ++turn) {
    lf::for_each_zip(y, z, [](auto, auto z) { return z + 1; });
    lf::for_each_zip(z, y, [](auto, auto y) { return y + 1; });
    lf::for_each_zip(y, x, [](auto, auto x) { return x * 3; });
    this->expect_each(y, [](index_t i, index_t k) { return 3 * number<float>(1, i, k); });
    this->expect_each(z,
                      [&](index_t i, index_t k) { return number<float>(1, i, k) + 2 * static_cast<float>(turn + 1); });
  }
}
TYPED_TEST(packs, of_two_threads_share_what_they_read) {
  std::vector<index_t> small;
  for (index_t i = 0; i < 500; ++i) small.push_back(1 + i * i % 37);
  const auto x = this->template argument<float>(1, small);
  std::vector ys{this->template argument<float>(0, small), this->template argument<float>(0, small)};
  std::vector<std::thread> threads;
  for (auto& y : ys)
    threads.emplace_back([&] {
      for (int n = 0; n < 10; ++n) lf::for_each_zip(y, x, [](auto y, auto x) { return y + x; });
    });
  for (std::thread& t : threads) t.join();
  for (const auto& y : ys)
    this->expect_each(y, [](index_t i, index_t k) { return number<float>(0, i, k) + 10 * number<float>(1, i, k); });
}
TYPED_TEST(packs, of_nothing_do_nothing) {
  std::vector<lf::array<float, 1, TypeParam>> none, empty(3);
  lf::kernel_trace trace;
  lf::for_each_zip(none, [](auto p) { return p + 1; });
  lf::for_each_zip(empty, empty, [](auto p, auto q) { return p + q; });
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_EQ(empty[0].size(), 0);
}
TYPED_TEST(packs, name_their_mistakes) {
  auto p = this->template argument<float>(0);
  const auto g = this->template argument<float>(1);
  const auto sum = [](auto p, auto g) { return p + g; };
  const auto unchanged = [&] { this->expect_each(p, [](index_t i, index_t k) { return number<float>(0, i, k); }); };
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] { lf::for_each_zip(p, std::span(g).subspan(1), sum); }),
            "for_each_zip: argument 0 has 14 arrays, and argument 1 has 13");
  EXPECT_EQ(test::thrown_by<lf::shape_error>(
                [&] { lf::for_each_zip(std::span(p).subspan(0, 13), std::span(g).subspan(1), sum); }),
            "for_each_zip: array 0 of argument 0 has shape (1,), and that of argument 1 shape (5,)");
  const std::vector gaps{g[9](range(0, 5)), g[9](range(0, 10, 2))};
  const index_t five[] = {5, 5};
  auto y = this->template argument<float>(0, five);
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] { lf::for_each_zip(y, gaps, sum); }),
            "for_each_zip: array 1 of argument 1 is a view whose elements do not follow each other; materialize(x) has "
            "those that do");
  EXPECT_EQ(test::thrown_by<lf::index_error>(
                [&] { lf::for_each_zip(p, p, [](auto a, auto b) { return std::tuple(a + 1, b + 1); }); }),
            "for_each_zip: arguments 0 and 1 have arrays in common, and both are written");
  constexpr const char* views = "for_each_zip: the function takes a view of an argument, and can only read it as it is";
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { lf::for_each_zip(p, [](auto a) { return a(range(1, end)); }); }),
            views);
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { lf::for_each_zip(p, [](auto a) { return a + a(0); }); }), views);
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { lf::for_each_zip(p, [](auto a) { return lf::flip(a); }); }), views);
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { lf::for_each_zip(p, [](auto a) { return a - lf::mean(a); }); }),
            "for_each_zip: the function computes something of how many elements there are, as mean and var do, and is "
            "called once for arrays of all lengths");
  index_t elements = 0;
  for (const index_t size : sizes) elements += size;
  const auto other = this->template array_of<float>(0, 0, elements);
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { lf::for_each_zip(p, [&](auto a) { return a + other; }); }),
            "for_each_zip: the function reads an array that is no argument; of those it may read such as have one "
            "element");
  unchanged();
}

}  // namespace
