// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements written where masks and indices say, and histograms, against what NumPy's statements leave.
#include <lazyfuse/select.hpp>

#include "support/answered.hpp"
#include "support/host_threads.hpp"

#include <lazyfuse/error.hpp>

#include <cmath>
#include <string>

namespace {

using lf::range;
using std::int32_t, std::int64_t;

template <class Space>
class scatters : public test::answered<scatters<Space>, Space> {
  using base = test::answered<scatters<Space>, Space>;

 public:
  static constexpr const char* family = "selections";

 protected:
  using base::answers, base::expect;

  template <class T, int R>
  static auto array_of(const char* name) {
    return test::array_of<Space, R>(answers().template get<T>(name));
  }
  static auto x() { return array_of<int32_t, 3>("x"); }
  static auto v() { return array_of<double, 1>("v"); }
  static auto f() { return array_of<float, 1>("f"); }
  static auto i() { return array_of<int64_t, 1>("i"); }
  static auto j() { return array_of<int32_t, 2>("j"); }
  static auto w() { return array_of<double, 1>("w"); }
  /// What `statement` leaves of an array.
  template <class Array, class Statement>
  static void leaves(const char* numpy, Array a, const Statement& statement) {
    statement(a);
    expect(numpy, a);
  }
  template <class H>
  static void expect_histogram(const std::string& numpy, const H& h) {
    expect(numpy + "[0]", h.counts);
    expect(numpy + "[1]", h.edges);
  }
};
TYPED_TEST_SUITE(scatters, test::spaces, test::space_name);

TYPED_TEST(scatters, a_mask_says_where) {
  const auto x = this->x();
  const auto v = this->v();
  this->leaves("x[x>3]=0", x, [](auto& a) { a(a > 3) = 0; });
  this->leaves("x[x>3]*=2", x, [](auto& a) { a(a > 3) *= 2; });
  this->leaves("x[x>3]+=x[x>3]", x, [](auto& a) {
    const auto m = a > 3;
    a(m) += a(m);
  });
  this->leaves("x[x<-5]=np.arange((x<-5).sum())", x, [](auto& a) { a(a < -5) = lf::arange<int32_t>(14); });
  this->leaves("x[x>3]=x.max()", x, [](auto& a) { a(a > 3) = lf::max(a); });
  this->leaves("v[v>1]=0.5", v, [](auto& a) { a(a > 1) = 0.5; });
  this->leaves("v[np.isnan(v)]=v[0]", v, [](auto& a) { a(lf::isnan(a)) = a(0); });
  this->leaves("x[np.array([True,False,True])]=5", x, [](auto& a) {
    const lf::array<bool, 1, TypeParam> rows{true, false, true};
    a(rows) = 5;
  });
}
TYPED_TEST(scatters, a_mask_of_an_array_that_nobody_shares_writes_in_place) {
  auto x = this->x();
  lf::kernel_trace trace;
  x(x > 3) = 0;
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 0);
  this->expect("x[x>3]=0", x);
}
TYPED_TEST(scatters, indices_say_where_and_the_last_one_wins) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  const auto j = this->j();
  this->leaves("x[i]=-1", x, [&](auto& a) { a(i) = -1; });
  this->leaves("x[i]=np.arange(5)", x, [&](auto& a) { a(i) = lf::arange<int32_t>(5); });
  this->leaves("x[i]=x[::-1][i]*2", x, [&](auto& a) { a(i) = lf::flip(a, lf::axis<0>)(i) * 2; });
  this->leaves("x[i[:3],i[:3]+1]=7", x, [&](auto& a) { a(i(range(0, 3)), i(range(0, 3)) + 1) = 7; });
  this->leaves("x[j-1]=x[0]", x, [&](auto& a) { a(j - 1) = a(0); });
  this->leaves("x[i]+=1", x, [&](auto& a) { a(i) += 1; });
  this->leaves("x[i[:0]]=3", x, [&](auto& a) { a(i(range(0, 0))) = 3; });
  this->leaves("v[i]=w", v, [&](auto& a) { a(i) = this->w(); });
  this->leaves("v[i]=i", v, [&](auto& a) { a(i) = lf::cast<double>(i); });
  this->leaves("f[i]=f*2", this->f(), [&](auto& a) { a(i) = a * 2; });
}
TYPED_TEST(scatters, put_counts_in_row_major_order) {
  const auto x = this->x();
  const auto i = this->i();
  this->leaves("np.put(x,i*11,-5)", x, [&](auto& a) { lf::put(a, i * 11, -5); });
  this->leaves("np.put(x,i*11,[1,2,3])", x, [&](auto& a) {
    lf::put(a, i * 11, lf::array<int32_t, 1, TypeParam>{1, 2, 3});
  });
  this->leaves("np.put(x,j,x[0])", x, [&](auto& a) { lf::put(a, this->j(), a(0)); });
}
TYPED_TEST(scatters, add_at_adds_for_each_of_equal_indices) {
  const auto x = this->x();
  const auto v = this->v();
  const auto i = this->i();
  this->leaves("np.add.at(x,i,1)", x, [&](auto& a) { lf::add_at(a, i, 1); });
  this->leaves("np.add.at(x,i,np.arange(5))", x, [&](auto& a) { lf::add_at(a, i, lf::arange<int32_t>(5)); });
  this->leaves("np.add.at(x,i[:2],x[1:])", x, [&](auto& a) { lf::add_at(a, i(range(0, 2)), a(range(1, lf::end))); });
  this->leaves("np.add.at(x,j-1,2)", x, [&](auto& a) { lf::add_at(a, this->j() - 1, 2); });
  this->leaves("np.add.at(v,i,w)", v, [&](auto& a) { lf::add_at(a, i, this->w()); });
  this->leaves("np.add.at(v,i*0,w)", v, [&](auto& a) { lf::add_at(a, i * 0, this->w()); });
  this->leaves("np.add.at(f,i,f)", this->f(), [&](auto& a) { lf::add_at(a, i, a); });
  this->leaves("np.add.at(z,i,1)", this->template array_of<lf::complex<float>, 1>("z"),
               [&](auto& a) { lf::add_at(a, i, 1); });
}
TYPED_TEST(scatters, constants_of_the_compiler_are_written_as_numbers_are) {
  const auto x = this->x();
  const auto i = this->i();
  this->leaves("x[x>3]=0", x, [](auto& a) { a(a > 3) = lf::c<0>; });
  this->leaves("x[x>3]*=2", x, [](auto& a) { a(a > 3) *= lf::c<2>; });
  this->leaves("x[i]=-1", x, [&](auto& a) { a(i) = lf::c<-1>; });
  this->leaves("np.put(x,i*11,-5)", x, [&](auto& a) { lf::put(a, i * 11, lf::c<-5>); });
  this->leaves("np.add.at(x,i,1)", x, [&](auto& a) { lf::add_at(a, i, lf::c<1>); });
}
TYPED_TEST(scatters, whoever_shares_the_array_keeps_its_values) {
  auto x = this->x();
  const auto before = x;
  const auto lazily = x + 0;
  x(this->i()) = 5;
  x(x > 3) = 1;
  lf::add_at(x, this->i(), 1);
  this->expect("x", before);
  this->expect("x", lazily);
}
TYPED_TEST(scatters, numbers_are_counted) {
  const auto n = this->template array_of<int32_t, 1>("n");
  const auto w = this->w();
  this->expect("np.bincount(n)", lf::bincount(n));
  this->expect("np.bincount(n,minlength=12)", lf::bincount(n, 12));
  this->expect("np.bincount(n+2)", lf::bincount(n + 2));
  this->expect("np.bincount(n,w)", lf::bincount(n, w));
  this->expect("np.bincount(n,w,12)", lf::bincount(n, w, 12));
  this->expect("np.bincount(n[:0],minlength=3)", lf::bincount(n(range(0, 0)), 3));
}
TYPED_TEST(scatters, histograms_are_numpys_to_the_edge) {
  const auto u = this->template array_of<double, 1>("u");
  const auto g = this->template array_of<float, 1>("g");
  const auto h = this->template array_of<double, 1>("h");
  const auto w = this->w();
  this->expect_histogram("np.histogram(u)", lf::histogram(u));
  this->expect_histogram("np.histogram(u,7)", lf::histogram(u, 7));
  this->expect_histogram("np.histogram(u,100,(0,100))", lf::histogram(u, 100, {0, 100}));
  this->expect_histogram("np.histogram(u,33,(-3.3,77.7))", lf::histogram(u, 33, {-3.3, 77.7}));
  this->expect_histogram("np.histogram(u,3000)", lf::histogram(u, 3000));
  this->expect_histogram("np.histogram(g,13)", lf::histogram(g, 13));
  this->expect_histogram("np.histogram(g,100,(0,10))", lf::histogram(g, 100, {0, 10}));
  this->expect_histogram("np.histogram(x,6)", lf::histogram(this->x(), 6));
  this->expect_histogram("np.histogram(x,5,(0,9))", lf::histogram(this->x(), 5, {0, 9}));
  this->expect_histogram("np.histogram(v,4,(-1,3))", lf::histogram(this->v(), 4, {-1, 3}));
  this->expect_histogram("np.histogram(u*2+1,11)", lf::histogram(u * 2 + 1, 11));
  this->expect_histogram("np.histogram(u,h)", lf::histogram(u, h));
  this->expect_histogram("np.histogram(g,h)", lf::histogram(g, h));
  this->expect_histogram("np.histogram(w[:1],3)", lf::histogram(w(range(0, 1)), 3));
  this->expect_histogram("np.histogram(w[:0],3)", lf::histogram(w(range(0, 0)), 3));
  this->expect_histogram("np.histogram(n,4)", lf::histogram(this->template array_of<int32_t, 1>("n"), 4));
}
TYPED_TEST(scatters, of_many_elements_have_the_bits_of_one_thread) {
  const test::same_threads_after after;
  const int threads = omp_get_max_threads();
  for (const int64_t places : {1009, 200'003}) {  // that a cache holds, and more
    const auto n = lf::arange<int64_t>(300007);
    const lf::array<int64_t, 1, TypeParam> i = lf::remainder(n * 7919, places);
    const lf::array<double, 1, TypeParam> values = 1.0 / lf::cast<double>(1 + n);
    const auto all_of_them = [&] {
      auto a = lf::array<double, 1, TypeParam>(lf::zeros<double>({places + 70}));
      auto rows = lf::array<double, 2, TypeParam>(lf::zeros<double>({places, 2}));
      lf::add_at(a, i + 50, values);
      a(i + 50) += lf::take(values, i);
      a(lf::array<int64_t, 1, TypeParam>(i - places)) = values * 3;
      lf::add_at(rows, i, lf::reshape(values, {-1, 1}) * lf::arange<double>(1, 3));
      const auto h = lf::histogram(values, 50, {0, 0.001});
      return lf::array<double, 1, TypeParam>(lf::concat(a, lf::reshape(rows, {-1}), lf::cast<double>(h.counts)));
    };
    omp_set_num_threads(1);
    const auto alone = all_of_them();
    for (const int several : {2, 3, threads}) {
      omp_set_num_threads(several);
      EXPECT_TRUE(lf::array_equal(alone, all_of_them())) << several;
    }
    EXPECT_EQ(lf::sum(lf::bincount(i)).item(), 300007);
  }
}
TYPED_TEST(scatters, many_are_added_at_few_places) {
  // Numbers whose sums are exact in any order.
  const auto n = lf::arange<int64_t>(200'003);
  const lf::array<int64_t, 1, TypeParam> i = lf::where(lf::remainder(n * 7919, 1009) < 3, 4, lf::remainder(n, 2));
  const lf::array<double, 1, TypeParam> values = lf::cast<double>(lf::remainder(n * 31, 257));
  const auto rows = lf::reshape(values, {-1, 1}) * lf::arange<double>(1, 4);
  auto a = lf::array<double, 1, TypeParam>(lf::ones<double>({6}));
  auto b = lf::array<double, 2, TypeParam>(lf::ones<double>({6, 3}));
  lf::add_at(a, i, values);
  lf::add_at(b, i, rows);
  for (const int64_t place : {0, 1, 2, 4}) {
    const double sum = lf::sum(lf::where(i == place, values, 0.0)).item();
    EXPECT_EQ(a(place).item(), sum + 1) << place;
    for (const int64_t c : {0, 1, 2}) EXPECT_EQ(b(place, c).item(), sum * static_cast<double>(c + 1) + 1) << place;
  }
}
TYPED_TEST(scatters, histograms_have_any_number_of_bins) {
  const auto n = lf::arange<int64_t>(100'003);
  const lf::array<int64_t, 1, TypeParam> numbers = lf::remainder(n * 7919, int64_t{80'021});
  const lf::array<float, 1, TypeParam> values = lf::cast<float>(numbers) + 0.25F;
  for (const lf::index_t bins : {1, 10, 4096, 16'384, 30'000, 70'000}) {
    const lf::value_range all{0, static_cast<double>(bins)};
    const auto counts = lf::bincount(numbers, bins)(range(0, bins));
    EXPECT_TRUE(lf::array_equal(lf::histogram(values, bins, all).counts, counts)) << bins;
    EXPECT_TRUE(lf::array_equal(lf::histogram(values(range(3, lf::none)), bins, all).counts,
                                lf::bincount(numbers(range(3, lf::none)), bins)(range(0, bins))))
        << bins;
    EXPECT_EQ(lf::histogram(values * 0, bins, all).counts(0).item(), values.size()) << bins;
  }
}
TYPED_TEST(scatters, histograms_have_bins_as_narrow_as_numbers_are_apart) {
  test::tensor<float> v{{1000}, {}};
  for (int k = 0; k < 1000; ++k) v.values.push_back((static_cast<float>(k) + 0.5F) * 1e-39F);
  const lf::array<float, 1, TypeParam> values = test::array_of<TypeParam, 1>(v);
  EXPECT_TRUE(lf::all(lf::histogram(values, 1000, {0, 1e-36}).counts == 1).item());
}
TYPED_TEST(scatters, histograms_find_the_bins_of_what_is_next_to_their_edges) {
  for (const lf::index_t bins : {1, 3, 10, 4096, 600'000})
    for (const lf::value_range bounds : {lf::value_range{0.5, 1.5}, {-1, 0}, {100, 228}}) {
      const auto edges = test::tensor_of(lf::histogram(lf::array<float, 1, TypeParam>{1}, bins, bounds).edges);
      test::tensor<float> near{{0}, {}};
      for (const float e : edges.values)
        for (const float v : {std::nextafter(e, -1e9F), e, std::nextafter(e, 1e9F)}) near.values.push_back(v);
      near.shape[0] = static_cast<std::int64_t>(near.values.size());
      const lf::array<float, 1, TypeParam> x = test::array_of<TypeParam, 1>(near);
      const auto found = lf::histogram(x, bins, bounds);
      EXPECT_TRUE(lf::array_equal(found.counts, lf::histogram(x, found.edges).counts)) << bins << bounds.low;
    }
}
TYPED_TEST(scatters, errors_say_what_is_wrong_and_nothing_is_written) {
  auto v = this->v();
  const auto i = this->i();
  const auto n = this->template array_of<int32_t, 1>("n");
  if constexpr (std::is_same_v<TypeParam, lf::host>) {
    EXPECT_EQ(test::thrown_by<lf::index_error>([&] { v(i + 8) = 1; }),
              "assignment 10 is out of bounds for axis 0 of shape (9,)");
    EXPECT_EQ(test::thrown_by<lf::index_error>([&] { lf::add_at(v, i - 7, 1); }),
              "add_at -10 is out of bounds for axis 0 of shape (9,)");
    EXPECT_EQ(test::thrown_by<lf::index_error>([&] { lf::put(v, i * 9, 1); }),
              "put 18 is out of bounds for axis 0 of shape (9,)");
  } else v(i + 20) = v(8);  // beyond the end: all are skipped
  this->expect("v", v);
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] {
              v(v > 1) = lf::array<double, 1, TypeParam>{1, 2};
            }),
            "assignment: shapes (2,) and (3,) do not fit: the second is that of the selected elements");
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { (void)lf::bincount(n - 1); }).substr(0, 30),
            "bincount: a number is negative");
  EXPECT_EQ(test::thrown_by<lf::index_error>([&] { (void)lf::histogram(v, 0); }).substr(0, 10), "histogram:");
  EXPECT_NE(test::thrown_by<lf::index_error>([&] { (void)lf::histogram(v, 3); }).find("infinite or NaN"),
            std::string::npos);
  EXPECT_NE(test::thrown_by<lf::index_error>([&] { (void)lf::histogram(v, lf::flip(this->w())); }).find("ascend"),
            std::string::npos);
}

TYPED_TEST(scatters, histograms_of_one_element_and_of_bounds_that_are_rounded) {
  const auto three = test::array_of<TypeParam, 1>(test::tensor<double>{{3}, {1, 2, 3}});
  EXPECT_TRUE(
      test::evaluates_to(lf::histogram(lf::sum(three), 3, {0, 10}).counts, test::tensor<std::int64_t>{{3}, {0, 1, 0}}));
  const float u = 1.0f / (1 << 23);
  const auto near_one = test::array_of<TypeParam, 1>(test::tensor<float>{{2}, {1 + 2 * u, 1}});
  EXPECT_EQ(lf::sum(lf::histogram(near_one, 2, {1 + 0.499 * u, 1 + 1.501 * u}).counts).item(), 2);
  const auto large = test::array_of<TypeParam, 1>(test::tensor<std::int64_t>{{1}, {(std::int64_t{1} << 61) - 2}});
  EXPECT_NE(test::thrown_by<lf::index_error>([&] { (void)lf::bincount(large); }).find("too large to count"),
            std::string::npos);
}

}  // namespace
