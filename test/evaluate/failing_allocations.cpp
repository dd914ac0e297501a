// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operator new of a statement fails in turn, those of threads too: the destination is as it was, and nothing
// leaks.
#include "support/failing_new.hpp"
#include "support/resources.hpp"
#include "support/statements.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

using test::fails, test::live, test::made;

using matrix = test::matrix<lf::host>;

/// When the n-th allocation of the statement fails, z is as it was; or the statement does without and z is right.
void fail_in_turn(const char* text, void (*run)(matrix&, const matrix&, const matrix&), const matrix& x,
                  const matrix& y, const matrix& before) {
  const auto unchanged = test::tensor_of(before);
  const auto right = [&] {
    matrix z = before + 0;
    run(z, x, y);
    return test::tensor_of(z);
  }();
  bool done = false;
  for (long n = 1; !done && n < 2000; ++n) {
    test::counting_resource<lf::host> resource;
    matrix z = before + 0;
    const long live_before = live;
    bool finished = false;
    {
      const lf::memory_scope scope(lf::host{}, resource);
      made = 0;
      fails = n;
      try {
        run(z, x, y);
        finished = true;
        done = made < n;
      } catch (const lf::memory_error&) {  // handles of arrays
      } catch (const std::bad_alloc&) {    // working memory of loops
      }
      fails = 0;
    }
    ASSERT_TRUE(test::same(test::tensor_of(z), finished ? right : unchanged)) << text << ", allocation " << n;
    if (!finished) {
      ASSERT_EQ(resource.live, 0) << text << ", allocation " << n;
      ASSERT_EQ(live, live_before) << text << ", allocation " << n;
    }
  }
  EXPECT_TRUE(done) << text;
}

TEST(failing_allocations, leave_small_destinations_as_they_were) {
  const matrix x = test::operand<lf::host>(1), y = test::operand<lf::host>(2), z = test::operand<lf::host>(100);
  for (const auto& [text, run] : test::statements<lf::host>) fail_in_turn(text, run, x, y, z);
}

TEST(failing_allocations, leave_destinations_that_threads_share_as_they_were) {
  for (const test::extents& shape : {test::extents{160, 900}, test::extents{3, 70000}, test::extents{3000, 40}}) {
    const auto x = test::array_of<lf::host, 2>(test::counting<float>(shape, 1, 1e-4f));
    const auto y = test::array_of<lf::host, 2>(test::counting<float>(shape, 2, 1e-4f));
    const auto z = test::array_of<lf::host, 2>(test::counting<float>(shape, 100, 1e-4f));
    const test::statement<lf::host> statements[] = {
        {"z = softmax(x)", [](auto& to, auto& a, auto&) { to = lf::softmax(a, lf::axis<1>); }},
        {"z = softmax along columns", [](auto& to, auto& a, auto&) { to = lf::softmax(a, lf::axis<0>); }},
        {"z = x - mean(x)", [](auto& to, auto& a, auto&) { to = a - lf::mean(a); }},
        {"z = x / sum / sum along unlike axes",
         [](auto& to, auto& a, auto&) { to = a / lf::sum(a, lf::axis<0>) / lf::sum(a, lf::axis<1>, lf::keepdims); }},
        {"z = z + x * a column, of short rows",
         [](auto& to, auto& a, auto&) { to = to + a * a(lf::all, lf::range(0, 1)); }},
        {"z = a lazy array",
         [](auto& to, auto& a, auto& b) {
           const lf::lazy_array<float, 2> sum = to + a * b(lf::all, lf::range(0, 1));
           to = lf::where(sum > a, sum, -sum);
         }},
        {"z(...) = standardize(...)",
         [](auto& to, auto& a, auto&) { to(lf::all, lf::all) = lf::standardize(a, lf::axis<0>); }},
    };
    for (const auto& [text, run] : statements) fail_in_turn(text, run, x, y, z);
  }
}

TEST(failing_allocations, only_put_off_reading_what_was_tuned) {
  std::string folder = ::testing::TempDir() + "failing_allocations_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ::setenv("LAZYFUSE_CACHE", folder.c_str(), 1);
  const matrix x = test::operand<lf::host>(1);
  lf::tune_detail::keep(lf::tune_detail::rows_of(x / lf::sum(x, lf::axis<1>, lf::keepdims)), lf::plan_choice::cut);
  bool done = false;
  for (long n = 1; !done && n < 100; ++n) {
    lf::tune_detail::forget();
    made = 0;
    fails = n;
    EXPECT_NO_THROW(lf::tuning::size()) << "which evaluations ask, allocation " << n;
    done = made < n;
    fails = 0;
    EXPECT_EQ(lf::tuning::size(), 1) << "allocation " << n;
  }
  EXPECT_TRUE(done);
  ::setenv("LAZYFUSE_CACHE", "off", 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
