// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: the ones that the definition gives, wherever and in whatever order they are read.
#include "support/arrays.hpp"
#include "support/host_threads.hpp"
#include "support/reference_data.hpp"

#include <cmath>

namespace {

using lf::all, lf::axis, lf::none, lf::range, lf::seed;
using std::int32_t;
using std::int64_t;
namespace random = lf::random;

template <class Space>
class random_numbers : public test::on<Space> {};
TYPED_TEST_SUITE(random_numbers, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("random");
  return data;
}

/// What the host and the device may differ by, and both from the definition: of numbers whose scale is 1.
template <class T>
test::within rounding(double scale = 1) {
  return {8, scale * 8 * double(std::numeric_limits<T>::epsilon()), false};
}

struct named_seed {
  const char* name;
  seed value;
};
const named_seed seeds[] = {{"42", seed(42)}, {"split", seed(7).split(3).split(int64_t{1} << 33)}};
constexpr int64_t firsts[] = {0, (int64_t{1} << 34) + 6};
/// Elements [first, first + 16) of a sequence of numbers that no memory holds.
template <class Space, class E>
auto sixteen(const E& e, int64_t first) {
  return lf::array<lf::value_t<E>, 1, Space>(e(range(first, first + 16)));
}
constexpr int64_t many[] = {int64_t{1} << 35};

template <class Space, class T>
void check_reals(const named_seed& from, int64_t first) {
  SCOPED_TRACE(std::string(from.name) + "/" + std::to_string(first));
  const std::string key = std::string("/") + from.name + "/" + std::to_string(first) + "/" + test::name_of<T>();
  const auto expected = [&](const char* law) { return answers().get<T>(law + key); };
  const lf::shape<1> s{many[0]};
  EXPECT_TRUE(test::evaluates_to(sixteen<Space>(random::uniform<T>(s, from.value), first), expected("uniform")));
  EXPECT_TRUE(
      test::evaluates_to(sixteen<Space>(random::uniform<T>(s, from.value, -3, 5), first), expected("uniform(-3,5)")));
  EXPECT_TRUE(
      test::evaluates_to(sixteen<Space>(random::normal<T>(s, from.value), first), expected("normal"), rounding<T>()));
  EXPECT_TRUE(test::evaluates_to(sixteen<Space>(random::normal<T>(s, from.value, 2, 3), first), expected("normal(2,3)"),
                                 rounding<T>(3)));
  EXPECT_TRUE(test::evaluates_to(sixteen<Space>(random::exponential<T>(s, from.value, T(1.5)), first),
                                 expected("exponential(1.5)"), rounding<T>()));
}
template <class Space, class T>
void check_integers(const named_seed& from, int64_t first, std::initializer_list<std::pair<int64_t, int64_t>> bounds) {
  for (const auto& [low, high] : bounds) {
    const std::string key = "integers(" + std::to_string(low) + "," + std::to_string(high) + ")/" + from.name + "/" +
                            std::to_string(first) + "/" + test::name_of<T>();
    SCOPED_TRACE(key);
    EXPECT_TRUE(
        test::evaluates_to(sixteen<Space>(random::integers<T>(lf::shape<1>{many[0]}, low, high, from.value), first),
                           answers().get<T>(key)));
  }
}
TYPED_TEST(random_numbers, are_those_of_the_definition_for_ever) {
  constexpr int64_t two_32 = int64_t{1} << 31, limit = std::numeric_limits<int64_t>::min();
  for (const named_seed& from : seeds)
    for (const int64_t first : firsts) {
      check_reals<TypeParam, float>(from, first);
      check_reals<TypeParam, double>(from, first);
      check_integers<TypeParam, int32_t>(from, first, {{0, 10}, {-3, 3 * (int64_t{1} << 29)}, {-two_32, two_32}});
      check_integers<TypeParam, int64_t>(
          from, first, {{0, 10}, {-(int64_t{1} << 62), 3 * (int64_t{1} << 61)}, {limit, -(limit + 1)}});
      EXPECT_TRUE(test::evaluates_to(
          sixteen<TypeParam>(random::bernoulli(lf::shape<1>{many[0]}, 0.3, from.value), first),
          answers().get<bool>(std::string("bernoulli(0.3)/") + from.name + "/" + std::to_string(first))));
    }
}

/// Calls f with expressions of shape s: of four outputs to a block, of two, of pairs of outputs, of words that are
/// drawn again.
template <int R, class F>
void for_some_distributions(const lf::shape<R>& s, const seed& from, const F& f) {
  f("uniform<float>", random::uniform<float>(s, from));
  f("normal<double>", random::normal<double>(s, from));
  f("integers<int32>", random::integers<int32_t>(s, 0, 3 * (int64_t{1} << 29), from));
}
/// The same with one of each law.
template <int R, class F>
void for_each_distribution(const lf::shape<R>& s, const seed& from, const F& f) {
  for_some_distributions(s, from, f);
  f("uniform<double>", random::uniform<double>(s, from));
  f("uniform<float> in [-1, 1)", random::uniform<float>(s, from, -1, 1));
  f("normal<float>", random::normal<float>(s, from, 1, 2));
  f("exponential<float>", random::exponential<float>(s, from));
  f("exponential<double>", random::exponential<double>(s, from, 3));
  f("integers<int64>", random::integers<int64_t>(s, 0, 100, from));
  f("bernoulli", random::bernoulli(s, 0.25, from));
}

TYPED_TEST(random_numbers, of_a_slice_are_the_slice_of_their_array) {
  for_some_distributions(lf::shape<3>{5, 37, 70}, seed(1), [](const char* law, const auto& e) {
    SCOPED_TRACE(law);
    using T = lf::value_t<decltype(e)>;
    const lf::array<T, 3, TypeParam> x = e;
    const auto same = [](const auto& view, const auto& of_array) {
      EXPECT_TRUE(test::evaluates_to(view, test::tensor_of(of_array)));
    };
    same(e(2), x(2));
    same(e(2, 3), x(2, 3));
    same(e(all, all, 4), x(all, all, 4));
    same(e(all, range(1, -1), range(3, 65)), x(all, range(1, -1), range(3, 65)));
    same(e(all, all, range(none, none, 2)), x(all, all, range(none, none, 2)));
    same(e(range(none, none, -1), all, range(none, none, -3)), x(range(none, none, -1), all, range(none, none, -3)));
    same(lf::transpose(e), lf::transpose(x));
    same(lf::permute_dims<1, 2, 0>(e), lf::permute_dims<1, 2, 0>(x));
    same(lf::flip(e, axis<2>), lf::flip(x, axis<2>));
    same(lf::reshape(e, {37, -1}), lf::reshape(x, {37, -1}));
    same(lf::broadcast_to(e(0, all, range(0, 1)), {3, 37, 9}), lf::broadcast_to(x(0, all, range(0, 1)), {3, 37, 9}));
    same(lf::broadcast_to(e(0), {2, 37, 70}), lf::broadcast_to(x(0), {2, 37, 70}));
  });
}

TYPED_TEST(random_numbers, are_the_same_beside_operands_of_any_layout) {
  const auto wide = test::array_of<TypeParam, 2>(test::counting<double>({64, 131}));
  const auto narrow = test::array_of<TypeParam, 2>(test::counting<float>({132, 64}));
  for (const int64_t offset : {0, 1, 2, 3}) {
    SCOPED_TRACE(offset);
    for_some_distributions(lf::shape<2>{60, 128}, seed(2), [&](const char* law, const auto& e) {
      SCOPED_TRACE(law);
      using T = lf::value_t<decltype(e)>;
      const lf::array<T, 2, TypeParam> x = e;
      const auto w = wide(range(offset, offset + 60), range(offset, offset + 128));
      const auto n = lf::transpose(narrow(range(offset, offset + 128), range(0, 60)));
      const auto expect = [](const auto& got, const auto& expected) {
        EXPECT_TRUE(test::evaluates_to(got, test::tensor_of(expected)));
      };
      expect(lf::where(w > 4000, e, T(0)), lf::where(w > 4000, x, T(0)));
      expect(lf::where(n > 4000, e, T(0)), lf::where(n > 4000, x, T(0)));
      const auto from_offset = range(offset, 128);
      expect(lf::where(w(all, from_offset) > 4000, e(all, from_offset), T(0)),
             lf::where(w(all, from_offset) > 4000, x(all, from_offset), T(0)));
    });
  }
}

TYPED_TEST(random_numbers, of_an_element_that_is_read_twice_are_equal) {
  const auto u = random::uniform<float>({100, 33}, seed(3));
  EXPECT_TRUE(lf::all(u == u).item());
  const lf::array<float, 2, TypeParam> chosen = lf::where(u < 0.5f, u, 1 - u);
  EXPECT_LE(lf::max(chosen).item(), 0.5f);
  const lf::array<float, 2, TypeParam> x = u;
  EXPECT_TRUE(lf::all(lf::where(x < 0.5f, x, 1 - x) == chosen).item());
  const auto square = lf::fuse([](auto v) { return v * v; });
  EXPECT_TRUE(lf::all(square(u) == x * x).item());
}

TYPED_TEST(random_numbers, do_not_depend_on_the_number_of_threads) {
  for_each_distribution(lf::shape<2>{301, 999}, seed(4), [](const char* law, const auto& e) {
    SCOPED_TRACE(law);
    omp_set_num_threads(1);
    const auto expected = test::tensor_of(e);
    for (const int threads : {2, 3}) {  // LLVM's runtime loses memory when more come and go
      omp_set_num_threads(threads);
      EXPECT_TRUE(test::evaluates_to(e, expected)) << threads << " threads";
    }
  });
}

TYPED_TEST(random_numbers, that_are_reduced_are_those_of_the_array) {
  const auto e = random::integers<int32_t>({70, 130}, -1000, 1000, seed(5));
  const lf::array<int32_t, 2, TypeParam> x = e;
  EXPECT_TRUE(test::evaluates_to(lf::sum(e), test::tensor_of(lf::sum(x))));
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<0>), test::tensor_of(lf::sum(x, axis<0>))));
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<1>), test::tensor_of(lf::sum(x, axis<1>))));
  EXPECT_TRUE(test::evaluates_to(lf::max(lf::transpose(e), axis<1>), test::tensor_of(lf::max(x, axis<0>))));
  EXPECT_TRUE(test::evaluates_to(lf::sum(e(all, range(1, 98))), test::tensor_of(lf::sum(x(all, range(1, 98))))));
  EXPECT_TRUE(test::evaluates_to(e - lf::max(e, axis<1>, lf::keepdims),
                                 test::tensor_of(x - lf::max(x, axis<1>, lf::keepdims))));
  EXPECT_TRUE(test::evaluates_to(e - lf::max(e, axis<0>), test::tensor_of(x - lf::max(x, axis<0>))));
  const auto z = random::normal<float>({40, 300}, seed(6));
  const lf::array<float, 2, TypeParam> y = z;
  EXPECT_TRUE(test::evaluates_to(lf::softmax(z), test::tensor_of(lf::softmax(y)), test::within{16}));
  EXPECT_TRUE(test::evaluates_to(lf::softmax(y * 2 + z), test::tensor_of(lf::softmax(y * 2 + y)), test::within{64}));
}

TYPED_TEST(random_numbers, are_made_in_the_kernel_that_reads_them) {
  const auto x = test::array_of<TypeParam, 2>(test::counting<float>({64, 96}));
  const auto u = random::uniform<float>({64, 96}, seed(7));
  const auto expect_one_kernel = [](const auto& e, int64_t read) {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    EXPECT_EQ(trace.launches(), 1);
    EXPECT_EQ(trace.allocations(), 1);
    EXPECT_EQ(trace.bytes_read(), read);
  };
  expect_one_kernel(u, 0);
  expect_one_kernel(lf::where(u < 0.9f, x / 0.9f, 0.0f), 64 * 96 * 4);
  expect_one_kernel(x + random::normal<float>({96}, seed(8)), 64 * 96 * 4);
  expect_one_kernel(lf::mean(u), 0);
  expect_one_kernel(lf::sum(x * u, axis<0>), 64 * 96 * 4);
  expect_one_kernel(lf::softmax(random::normal<float>({64, 96}, seed(9))), 0);
  lf::kernel_trace trace;
  const auto e = random::normal<double>({1000000, 1000000}, seed(1))(range(5, 10), all) + 1;
  (void)e;
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_EQ(trace.allocations(), 0);
}

TYPED_TEST(random_numbers, of_two_seeds_differ) {
  const auto numbers = [](const seed& s) {
    return test::tensor_of(lf::array<int64_t, 1, TypeParam>(
        random::integers<int64_t>({8}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), s)));
  };
  const seed all_seeds[] = {seed(0),
                            seed(1),
                            seed(-1),
                            seed(1ull << 32),
                            seed(0).split(0),
                            seed(0).split(1),
                            seed(1).split(0),
                            seed(0).split(0).split(0),
                            seed(0).split(int64_t{1} << 32)};
  for (const seed& a : all_seeds)
    for (const seed& b : all_seeds) EXPECT_EQ(&a == &b, bool(test::same(numbers(a), numbers(b))));
  static_assert(seed(3).split(2) == seed(3).split(2));
  static_assert(seed(3) != seed(3).split(0));
}
TEST(seed, splits_into_what_the_definition_says) {
  const seed s = seed(7).split(3).split(int64_t{1} << 33);
  const auto expected = answers().get<int64_t>("seed/split");
  EXPECT_EQ(static_cast<int64_t>(s.key), int64_t(expected.values[0]));
  EXPECT_EQ(static_cast<int64_t>(s.stream), int64_t(expected.values[1]));
  EXPECT_THROW((void)s.split(-1), lf::index_error);
}

TYPED_TEST(random_numbers, have_the_bits_of_the_host_but_for_normal_and_exponential_ones) {
  for_each_distribution(lf::shape<2>{50, 1001}, seed(10), [](const char* law, const auto& e) {
    SCOPED_TRACE(law);
    using T = lf::value_t<decltype(e)>;
    const lf::array<T, 2, lf::host> on_host = e;
    const lf::array<T, 2, TypeParam> here = e;
    test::within tolerance;
    if (std::string(law).find("normal") == 0 || std::string(law).find("exponential") == 0)
      tolerance = rounding<std::conditional_t<std::is_same_v<T, double>, double, float>>(2);
    EXPECT_TRUE(test::evaluates_to(here, test::tensor_of(on_host), tolerance));
  });
}

TYPED_TEST(random_numbers, stay_within_their_bounds) {
  const auto check = [](const auto& e, auto low, auto high) {
    EXPECT_GE(lf::min(e).item(), low);
    EXPECT_LT(lf::max(e).item(), high);
  };
  const lf::shape<1> s{1 << 18};
  check(random::uniform<float>(s, seed(1)), 0.0f, 1.0f);
  check(random::uniform<double>(s, seed(1)), 0.0, 1.0);
  check(random::integers<int32_t>(s, -7, 9, seed(1)), -7, 9);
  EXPECT_EQ(lf::min(random::integers<int32_t>(s, -7, 9, seed(1))).item(), -7);
  EXPECT_EQ(lf::max(random::integers<int32_t>(s, -7, 9, seed(1))).item(), 8);
  EXPECT_TRUE(lf::all(random::integers<int32_t>(s, 5, 6, seed(1)) == 5).item());
  // Rounding would reach the end of such an interval for half of the numbers.
  check(random::uniform<float>(s, seed(1), 1, std::nextafter(1.0f, 2.0f)), 1.0f, std::nextafter(1.0f, 2.0f));
  check(random::uniform<double>(s, seed(1), -1, 0), -1.0, 0.0);
  check(random::uniform<float>(s, seed(1), -16777216, 16777216), -16777216.0f, 16777216.0f);
  EXPECT_FALSE(lf::any(random::bernoulli(s, 0, seed(1))).item());
  EXPECT_TRUE(lf::all(random::bernoulli(s, 1, seed(1))).item());
  EXPECT_TRUE(lf::all(random::normal<float>(s, seed(1), 3, 0) == 3.0f).item());
  check(random::exponential<float>(s, seed(1)), 0.0f, 23.0f);
}
TEST(uniform, of_the_largest_word_is_the_number_below_one) {
  EXPECT_EQ(lf::random_detail::below_one(~lf::uint32{0}), std::nextafter(1.0f, 0.0f));
  EXPECT_EQ(lf::random_detail::below_one(~lf::uint64{0}), std::nextafter(1.0, 0.0));
}
TYPED_TEST(random_numbers, grow_true_with_the_probability) {
  const lf::shape<1> s{100000};
  for (const double p : {0.0, 1e-5, 0.1, 0.5, 0.999})
    EXPECT_FALSE(lf::any(lf::logical_and(random::bernoulli(s, p, seed(1)),
                                         lf::logical_not(random::bernoulli(s, p + 1e-4, seed(1)))))
                     .item());
}

TYPED_TEST(random_numbers, may_have_any_shape) {
  const lf::array<float, 0, TypeParam> one = random::uniform<float>(lf::shape<0>{}, seed(42));
  EXPECT_EQ(one.item(), random::uniform<float>({4}, seed(42))(0).item());
  EXPECT_EQ((lf::array<float, 2, TypeParam>(random::normal<float>({0, 3}, seed(42))).size()), 0);
  const auto line = random::uniform<double>({24}, seed(42));
  EXPECT_TRUE(test::evaluates_to(lf::array<double, 3, TypeParam>(random::uniform<double>({2, 3, 4}, seed(42))),
                                 test::tensor_of(lf::reshape(line, {2, 3, 4}))));
}

template <class F>
std::string what(const F& f) {
  try {
    f();
  } catch (const lf::error& e) {
    return e.what();
  }
  return "no error";
}
TEST(random_numbers, of_impossible_arguments_are_refused_with_a_sentence) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const lf::shape<1> s{3};
  EXPECT_THROW(random::uniform<float>({3, -1}, seed(1)), lf::shape_error);
  EXPECT_THROW(random::normal<float>({-3}, seed(1)), lf::shape_error);
  EXPECT_THROW(random::integers<int32_t>({-3}, 0, 1, seed(1)), lf::shape_error);
  EXPECT_THROW(random::bernoulli({-3}, 0.5, seed(1)), lf::shape_error);
  EXPECT_EQ(what([&] { (void)random::uniform<float>(s, seed(1), 1, 1); }), "uniform: low is not below high");
  EXPECT_EQ(what([&] { (void)random::uniform<float>(s, seed(1), nan, 1); }), "uniform: low is not below high");
  EXPECT_EQ(what([&] { (void)random::uniform<float>(s, seed(1), -3e38f, 3e38f); }),
            "uniform: high - low is not finite");
  EXPECT_EQ(what([&] { (void)random::normal<float>(s, seed(1), 0, -1); }), "normal: the deviation is negative");
  EXPECT_EQ(what([&] { (void)random::normal<float>(s, seed(1), 0, nan); }), "normal: the deviation is negative");
  EXPECT_EQ(what([&] { (void)random::normal<float>(s, seed(1), infinity); }),
            "normal: the mean or the deviation is not finite");
  EXPECT_EQ(what([&] { (void)random::exponential<float>(s, seed(1), -1); }), "exponential: the scale is negative");
  EXPECT_EQ(what([&] { (void)random::integers<int32_t>(s, 3, 3, seed(1)); }), "integers: low is not below high");
  EXPECT_EQ(what([&] { (void)random::integers<int32_t>(s, 0, (int64_t{1} << 31) + 1, seed(1)); }),
            "integers: low or high - 1 does not fit the element type");
  EXPECT_EQ(what([&] { (void)random::bernoulli(s, 1.1, seed(1)); }), "bernoulli: the probability is not in [0, 1]");
  EXPECT_EQ(what([&] { (void)random::bernoulli(s, nan, seed(1)); }), "bernoulli: the probability is not in [0, 1]");
}

TYPED_TEST(random_numbers, are_called_computed_in_a_plan) {
  const lf::array<float, 1, TypeParam> x{1, 2, 3};
  const std::string text = lf::explain(x + random::uniform<float>({3}, seed(1)));
  EXPECT_NE(text.find("float32 computed"), std::string::npos) << text;
}

}  // namespace
