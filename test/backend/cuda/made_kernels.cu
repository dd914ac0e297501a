// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are made when a program runs: when they are, what they are, and that each is made once.
#include "support/standin_cudart.hpp"

#include <lazyfuse/cuda.cuh>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>

namespace {

namespace lf = lazyfuse;
using lf::axis, lf::newaxis;
template <int R>
using array = lf::array<float, R, lf::cuda>;

class made_kernels : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("LAZYFUSE_CACHE", "off", 1);
    lf::use_jit(lf::jit::always);
    standin::reset();
  }
  void TearDown() override { lf::use_jit(before); }
  const lf::jit before = lf::current_jit();
};

std::string launched_now() {
  std::string names;
  for (const std::string& name : standin::launches()) names += (names.empty() ? "" : " ") + name;
  standin::reset();
  return names;
}
/// Whether the kernel that an evaluation launches was made.
template <class F>
bool is_made(const F& evaluate) {
  const lf::kernel_trace t;
  evaluate();
  return t.kernels().size() == 1 && t.kernels()[0].made;
}
array<1> vector_of(lf::index_t n) { return lf::ones<float>({n}); }
array<2> matrix_of(lf::index_t rows, lf::index_t columns) { return lf::ones<float>({rows, columns}); }

TEST_F(made_kernels, take_the_paths_of_those_that_were_compiled_with_the_program) {
  const array<1> x = vector_of(1000), y = vector_of(1000), z = vector_of(1000);
  const array<2> a = matrix_of(100, 100), b = matrix_of(100, 100);
  array<1> r(lf::shape{1000}), row(lf::shape{100});
  array<2> m(lf::shape{100, 100}), pairs(lf::shape{1000, 1000});
  array<1> one(lf::shape{1});
  const array<0> one_number = lf::sum(x);
  array<0> all;
  const auto d = x(newaxis, lf::all) - x(lf::all, newaxis);
  const auto i = lf::rsqrt(d * d + 1);
  const auto distances = lf::abs(x(lf::all, newaxis) - x(newaxis, lf::all));
  const struct {
    const char* kernel;
    std::function<void()> evaluate;
  } table[] = {
      {"transform_flat", [&] { r = x * y + x * z; }},
      {"transform_strided", [&] { m = a * b + lf::flip(b, axis<1>) * a; }},
      {"transform_strided", [&] { m = lf::transpose(a) + a * b + lf::exp(a); }},
      {"transform_strided", [&] { pairs = distances * distances + x; }},
      {"reduce_rows", [&] { row = lf::sum(a * (lf::log(a) - lf::log(b)), axis<1>); }},
      {"reduce_columns", [&] { row = lf::sum(a * b - a, axis<0>); }},
      {"reduce_rows", [&] { one = lf::sum(x(newaxis, lf::all) * y, axis<1>) * lf::sum(x(newaxis, lf::all), axis<1>); }},
      {"reduce_tiles", [&] { r = lf::sum(y(newaxis, lf::all) * i * i * i * d, axis<1>); }},
      {"reduce_rows", [&] { all = lf::sum(a * b + lf::flip(a, axis<1>) * a); }},
      {"transform_flat", [&] { all = all * all + one_number; }},
      {"rows_in_registers", [&] { m = a * b / lf::sum(a * b + a, axis<1>, lf::keepdims); }},
      {"rows_in_registers",
       [&] { m = (a - lf::mean(a * b, axis<1>, lf::keepdims)) / lf::std(a, axis<1>, lf::keepdims); }},
      {"transform_flat",
       [&] { r = lf::pow(x, lf::c<2>) * lf::c<-3> + lf::where(x > lf::c<0>, x, y * lf::c<3000000000>); }},
      {"transform_flat", [&] { r = x * lf::c<0.1> - lf::c<2.5f> / x; }},
      {"rows_in_registers", [&] { row = lf::max(a * b - lf::mean(a, axis<1>, lf::keepdims), axis<1>); }},
  };
  for (const auto& [kernel, evaluate] : table) {
    const long before = lf::kernels_compiled();
    standin::reset();
    EXPECT_TRUE(is_made(evaluate)) << kernel;
    EXPECT_EQ(launched_now(), kernel);
    EXPECT_EQ(lf::kernels_compiled(), before + 1) << kernel;
    evaluate();
    EXPECT_EQ(launched_now(), kernel);
    EXPECT_EQ(lf::kernels_compiled(), before + 1) << kernel << " is there already";
  }
}

TEST_F(made_kernels, are_made_where_that_pays) {
  lf::use_jit(lf::jit::when_it_pays);
  const lf::index_t n = 8192;
  const array<1> x = vector_of(n), y = vector_of(n);
  const array<2> a = matrix_of(n, n), b = matrix_of(n, n);
  array<1> r(lf::shape{n});
  array<2> m(lf::shape{n, n});
  EXPECT_TRUE(
      is_made([&] { r = lf::sum(a * a, axis<1>) / lf::sqrt(lf::sum(a * b, axis<1>) * lf::sum(b * b, axis<1>)); }));
  EXPECT_FALSE(is_made([&] { r = lf::sum(a * b, axis<1>); })) << "nothing is read twice";
  EXPECT_FALSE(is_made([&] { r = x * y + x; })) << "too little to save anything";
  EXPECT_FALSE(is_made([&] { m = a * b + a; })) << "neighbours are in the cache";
  lf::use_jit(lf::jit::off);
  EXPECT_FALSE(is_made([&] { r = lf::sum(a * b + a, axis<1>); }));
}

TEST_F(made_kernels, read_what_neighbours_share_once) {
  const lf::index_t n = 40;
  const array<3> u = lf::ones<float>({n, n, n}), c = lf::ones<float>({n, n, n});
  array<3> r(lf::shape{n - 2, n - 2, n - 2}), few(lf::shape{1, n - 2, n - 2});
  const array<2> a = matrix_of(n, n), narrow = matrix_of(1000, 6);
  array<2> m(lf::shape{n - 2, n - 2}), thin(lf::shape{998, 4});
  const auto along = [&](int by) { return lf::range(1 + by, n - 1 + by); };
  const auto of = [&](const array<3>& x, int i, int j, int k) { return x(along(i), along(j), along(k)); };
  const auto at = [&](int i, int j) { return a(along(i), along(j)); };
  const auto cross = [](const auto& f) { return f(1, 0) + f(-1, 0) + f(0, 1) + f(0, -1) - f(0, 0); };
  const struct {
    const char *what, *kernel;
    std::function<void()> evaluate;
  } table[] = {
      {"points of a cube", "transform_stencil",
       [&] { r = of(u, -1, 0, 0) + of(u, 1, 0, 0) + of(u, 0, -1, 0) + of(u, 0, 1, 1) * of(u, 0, 0, -1); }},
      {"several arrays, scalars", "transform_stencil",
       [&] {
         r = of(c, 0, 0, 0) * (of(u, 1, 0, 0) - 2 * of(u, 0, 0, 0) + of(u, -1, 0, 0)) + of(c, 0, 1, 0) * of(u, 0, 1, 0);
       }},
      {"points of one plane after the other", "transform_stencil",
       [&] { r = cross([&](int j, int k) { return of(u, 0, j, k); }); }},
      {"few columns", "transform_stencil",
       [&] {
         thin =
             cross([&](int j, int k) { return lf::exp(narrow(lf::range(1 + j, 999 + j), lf::range(1 + k, 5 + k))); });
       }},
      {"a plane", "transform_stencil", [&] { m = cross(at); }},
      {"the first two axes exchanged", "transform_stencil",
       [&] {
         const auto t = [&](int i, int j) { return lf::permute_dims<1, 0, 2>(of(u, i, j, 0)); };
         r = cross(t);
       }},
      {"neighbours along columns only", "transform_strided",
       [&] { r = of(u, 0, 0, 0) + of(u, 0, 0, 1) * of(u, 0, 0, -1) + of(c, 0, 0, 1) / of(c, 0, 0, -1); }},
      {"one plane", "transform_strided",
       [&] {
         const auto f = [&](int i, int j) { return u(lf::range(1 + i, 2 + i), along(j), along(0)); };
         few = f(1, 0) * f(0, 0) - f(-1, 0) + of(c, 0, 0, 0)(lf::range(0, 1)) * f(1, 0) -
               c(lf::range(0, 1), along(0), along(0));
       }},
      {"pairs of arrays", "transform_strided",
       [&] {
         r = of(u, 0, 0, 0) * of(u, 1, 0, 0) + of(c, 0, 0, 0) * of(c, 1, 0, 0) - 2 * lf::flip(of(c, 0, 0, 0), axis<2>);
       }},
      {"nobody's neighbours", "transform_strided",
       [&] {
         m = at(0, 0) + lf::transpose(at(0, 0)) * at(1, 1) + lf::transpose(at(1, 1)) - lf::flip(at(0, 0), axis<1>);
       }},
  };
  for (const auto& [what, kernel, evaluate] : table) {
    standin::reset();
    EXPECT_TRUE(is_made(evaluate)) << what;
    EXPECT_EQ(launched_now(), kernel) << what;
  }
  const long before = lf::kernels_compiled();
  for (const lf::index_t other : {50, 70, 90}) {
    const array<3> v = lf::ones<float>({n, other, n});
    array<3> s(lf::shape{n - 2, other - 2, n - 2});
    const auto p = [&](int i, int j, int k) { return v(along(i), lf::range(1 + j, other - 1 + j), along(k)); };
    s = p(-1, 0, 0) + p(1, 0, 0) + p(0, -1, 0) + p(0, 1, 1) * p(0, 0, -1);
  }
  EXPECT_EQ(lf::kernels_compiled(), before) << "one kernel for all extents";
}

TEST_F(made_kernels, of_stencils_whose_points_move_in_a_loop_are_not_made_without_end) {
  const lf::index_t n = 60;
  const array<2> a = matrix_of(n, n);
  array<2> r(lf::shape{n - 8, n - 8});
  const auto at = [&](int i, int j) { return a(lf::range(i, n - 8 + i), lf::range(j, n - 8 + j)); };
  const long before = lf::kernels_compiled();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) r = lf::exp(at(0, 0) - at(i, j)) + at(1, 1) * at(8, 0) - at(0, 8) / at(8, 8);
  EXPECT_LE(lf::kernels_compiled() - before, 40);
  standin::reset();
  r = lf::exp(at(0, 0) - at(7, 5)) + at(1, 1) * at(8, 0) - at(0, 8) / at(8, 8);
  EXPECT_EQ(launched_now(), "transform_strided") << "the general one";
}

TEST_F(made_kernels, of_stencils_are_made_where_that_pays) {
  lf::use_jit(lf::jit::when_it_pays);
  const auto step = [](lf::index_t n) {
    const array<3> u = lf::ones<float>({n, n, n});
    array<3> r(lf::shape{n - 2, n - 2, n - 2});
    const auto along = [&](int by) { return lf::range(1 + by, n - 1 + by); };
    const auto at = [&](int i, int j, int k) { return u(along(i), along(j), along(k)); };
    return is_made([&] {
      r = at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0) + at(0, 0, 1) + at(0, 0, -1) - 6 * at(0, 0, 0);
    });
  };
  EXPECT_TRUE(step(400));
  EXPECT_FALSE(step(60));
  const auto neighbours = [](lf::index_t n) {  // which a window of shared memory has
    const array<2> u(lf::shape{n, n});
    const auto at = [&](int i, int j) { return u(lf::range(1 + i, n - 1 + i), lf::range(1 + j, n - 1 + j)); };
    const auto plan = lf::plan(at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1) - 4 * at(0, 0));
    EXPECT_EQ(plan.kernels[0].path, "window");
    return plan.kernels[0].made;
  };
  EXPECT_TRUE(neighbours(20000));
  EXPECT_FALSE(neighbours(8000)) << "half as long as the kernel takes that is compiled with the program";
}

TEST_F(made_kernels, have_rows_of_several_arrays_of_one_type) {
  const array<2> a = matrix_of(1500, 1000), b = matrix_of(1500, 1000);
  array<2> m(lf::shape{1500, 1000});
  for (const lf::jit policy : {lf::jit::when_it_pays, lf::jit::always}) {
    lf::use_jit(policy);
    standin::reset();
    EXPECT_TRUE(is_made([&] { m = lf::softmax(a) * lf::softmax(b); }));
    EXPECT_EQ(launched_now(), "rows_in_registers");
    EXPECT_EQ(lf::plan(lf::softmax(a) * lf::softmax(b)).kernels.size(), 1u);
    EXPECT_TRUE(is_made([&] { m = lf::softmax(a, axis<0>) * lf::softmax(b, axis<0>); })) << "columns";
    EXPECT_EQ(launched_now(), "rows_by_teams");
  }
  lf::use_jit(lf::jit::off);
  const lf::kernel_trace t;
  m = lf::softmax(a) * lf::softmax(b);
  EXPECT_GT(t.launches(), 1);
  const lf::kernel_trace of_terms;
  m = lf::softmax(a) + lf::softmax(b);  // which types tell apart
  EXPECT_EQ(of_terms.launches(), 1);
}

TEST_F(made_kernels, of_rows_are_prepared_and_shared_by_teams_where_they_no_longer_fit) {
  const array<2> a = matrix_of(300, 5000), b = matrix_of(300, 5000), c = matrix_of(300, 5000);
  array<2> m(lf::shape{300, 5000});
  auto step = lf::prepare(m, lf::softmax(a) * lf::softmax(b) * lf::softmax(a));
  standin::reset();
  step();
  EXPECT_EQ(launched_now(), "rows_in_registers");
  lf::use_jit(lf::jit::off);
  step();
  EXPECT_EQ(launched_now(), "rows_in_registers") << "it is there";
  lf::use_jit(lf::jit::always);
  step(m, lf::softmax(a) * lf::softmax(b) * lf::softmax(c));  // three arrays fill the registers
  EXPECT_EQ(launched_now(), "rows_by_teams");
}

TEST_F(made_kernels, of_rows_go_by_the_same_teams_as_those_that_were_compiled_with_the_program) {
  const auto same = [](const char* kernel, const auto& e) {
    lf::tune_detail::remember(lf::tune_detail::rows_of(e), lf::plan_choice::rows);  // of tall columns, too
    struct {
      std::string names;
      unsigned blocks;
    } seen[2];
    for (const bool made : {false, true}) {
      lf::use_jit(made ? lf::jit::always : lf::jit::off);
      standin::reset();
      EXPECT_EQ(is_made([&] { (void)lf::materialize(e); }), made);
      seen[made].blocks = standin::launched().empty() ? 0 : standin::launched()[0].blocks;
      seen[made].names = launched_now();
      EXPECT_EQ(seen[made].names, kernel);
    }
    EXPECT_EQ(seen[true].blocks, seen[false].blocks) << kernel;
  };
  for (const lf::index_t length : {1000, 8193, 12288, 50257, (1 << 18) + 3, 1 << 22})
    same(length < 8192 ? "rows_in_registers" : "rows_by_teams", lf::softmax(matrix_of(3, length)) * vector_of(length));
  for (const lf::index_t width : {33, 4096})
    for (const lf::index_t length : {3, 500, 5000})
      if (width % 4 == 0 || length > 256)  // columns that no vector fits stay in registers where they are lower
        same("rows_by_teams", lf::softmax(matrix_of(length, width), axis<0>) * vector_of(width));
  lf::tune_detail::forget();
}

TEST_F(made_kernels, of_rows_are_laid_out_by_what_they_read) {
  const array<2> a = matrix_of(400, 400), b = matrix_of(3, 400);
  const array<3> deep = lf::ones<float>({20, 30, 64}), wide = lf::ones<float>({20, 30, 64});
  array<2> m(lf::shape{400, 400}), k(lf::shape{200, 400});
  array<3> t(lf::shape{20, 15, 64});
  array<1> line(lf::shape{64});
  const struct {
    const char *what, *kernel;
    std::function<void()> evaluate;
  } table[] = {
      {"columns of what is written, though most operands lie across", "columns_in_registers",
       [&] { m = a - lf::sum(a * a, axis<1>); }},
      {"two axes before the row", "rows_in_registers",
       [&] {
         const auto every = lf::range(lf::none, lf::none, 2);
         t = lf::softmax(deep(lf::all, every)) + lf::softmax(wide(lf::all, every));
       }},
      {"one row", "rows_in_registers", [&] { line = lf::softmax(deep(0, 0)) + lf::softmax(wide(0, 1)); }},
      {"two results", "rows_in_registers",
       [&] {
         auto [p, q] = lf::materialize(lf::softmax(a(lf::range(0, 3))) + lf::softmax(b),
                                       b - lf::mean(a(lf::range(0, 3)), axis<1>, lf::keepdims));
       }},
  };
  for (const auto& [what, kernel, evaluate] : table) {
    standin::reset();
    evaluate();
    EXPECT_EQ(launched_now(), kernel) << what;
  }
}

TEST_F(made_kernels, are_said_to_be_made) {
  const array<1> x = vector_of(1000), y = vector_of(1000);
  const auto text = [&] {
    std::ostringstream out;
    out << lf::plan(x * y + x);
    return out.str();
  };
  EXPECT_NE(text().find("compiled at run time: what is equal is read and computed once"), std::string::npos) << text();
  EXPECT_TRUE(lf::plan(x * y + x).kernels[0].made);
  lf::use_jit(lf::jit::off);
  EXPECT_EQ(text().find("compiled at run time"), std::string::npos);
}

TEST(made_kernels_by_default, are_made_where_that_pays) { EXPECT_EQ(lf::current_jit(), lf::jit::when_it_pays); }

/// A user's operation of the name of one of the library's.
struct add : lf::exact_operation {
  using rule = lf::rules::numeric;
  static constexpr const char* name = "add";
  static constexpr const char* symbol = "+";
  template <class T>
  __host__ __device__ constexpr T operator()(T a, T b) const {
    return a - b;
  }
};
TEST_F(made_kernels, are_not_made_of_operations_of_the_users) {
  const array<1> x = vector_of(1000), y = vector_of(1000);
  array<1> r(lf::shape{1000});
  const long before = lf::kernels_compiled();
  standin::reset();
  r = lf::map<add>(x, y) * x;
  EXPECT_EQ(launched_now(), "transform_flat");
  EXPECT_EQ(lf::kernels_compiled(), before);
}

/// Of the runtime, which ask for the device and its architecture.
constexpr long calls_before_loading = 5;
TEST_F(made_kernels, that_cannot_be_loaded_give_way_to_those_that_were_compiled_with_the_program) {
  const array<1> x = vector_of(1000), y = vector_of(1000);
  array<1> r(lf::shape{1000});
  const auto evaluate = [&] { r = x / y - x * y; };
  r = x + y;  // knows the device
  standin::reset();
  standin::fail_at(calls_before_loading);
  EXPECT_FALSE(is_made(evaluate));
  EXPECT_EQ(standin::failed(), "cudaLibraryLoadData");
  EXPECT_EQ(launched_now(), "transform_flat");
  EXPECT_FALSE(is_made(evaluate)) << "it is not tried again";
}

TEST_F(made_kernels, see_operands_that_are_one_only_later) {
  const array<1> x = vector_of(1000), y = vector_of(1000);
  array<1> r(lf::shape{1000});
  auto step = lf::prepare(r, x * y + x);
  const long before = lf::kernels_compiled();
  step();
  EXPECT_EQ(lf::kernels_compiled(), before + 1);
  step(r, x * x + x);
  EXPECT_EQ(lf::kernels_compiled(), before + 2) << "of one array";
  step(r, y * x + y);
  EXPECT_EQ(lf::kernels_compiled(), before + 2);
}

/// What the two processes of the next test evaluate.
void evaluate_packed() {
  const array<1> x = vector_of(1000), y = vector_of(1000);
  array<1> r(lf::shape{1000});
  EXPECT_TRUE(is_made([&] { r = x * y + lf::sqrt(x) * y - x; }));
}
TEST_F(made_kernels, of_a_bundle_are_not_compiled) {
  if (const char* const part = std::getenv("LAZYFUSE_TEST_PART")) {
    evaluate_packed();
    EXPECT_EQ(lf::kernels_compiled(), part == std::string("pack") ? 1 : 0);
    return;
  }
  std::string bundle = ::testing::TempDir() + "bundle_XXXXXX";
  ASSERT_GE(::mkstemp(bundle.data()), 0);
  const auto part = [&](const char* which, const char* variable) {
    const std::string command = std::string("LAZYFUSE_TEST_PART=") + which + " " + variable + "='" + bundle +
                                "' /proc/" + std::to_string(::getpid()) +
                                "/exe --gtest_filter=*of_a_bundle_are_not_compiled >/dev/null";
    return std::system(command.c_str());
  };
  EXPECT_EQ(part("pack", "LAZYFUSE_PACK"), 0);
  EXPECT_EQ(part("load", "LAZYFUSE_BUNDLE"), 0);
  ::unlink(bundle.c_str());
}

}  // namespace
