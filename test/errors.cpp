// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong at run time throws, with a text that says what and where; nothing changes then.
#include "support/arrays.hpp"

namespace {

template <class Space>
class errors : public test::on<Space> {
 protected:
  using matrix = lf::array<float, 2, Space>;
  using vector = lf::array<float, 1, Space>;
};
TYPED_TEST_SUITE(errors, test::every_space, test::space_name);

/// The text of the exception of that type that f throws.
template <class Error, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "another exception: " << other.what();
    return {};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}
bool mentions(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

TEST(error_types, have_one_root) {
  static_assert(std::is_base_of_v<std::runtime_error, lf::error>);
  static_assert(std::is_base_of_v<lf::error, lf::shape_error>);
  static_assert(std::is_base_of_v<lf::error, lf::index_error>);
  static_assert(std::is_base_of_v<lf::error, lf::memory_error>);
  static_assert(std::is_base_of_v<lf::error, lf::file_error>);
  static_assert(std::is_base_of_v<lf::error, lf::cuda_error>);
}

TYPED_TEST(errors, name_the_operation_and_the_shapes) {
  const typename TestFixture::matrix x(lf::shape{3, 4});
  const typename TestFixture::vector y(lf::shape{5});
  const auto text = message_of<lf::shape_error>([&] { (void)lf::atan2(x, y); });
  EXPECT_TRUE(mentions(text, {"atan2", "(3, 4)", "(5,)"})) << text;
  const auto product = message_of<lf::shape_error>([&] { (void)(x * y); });
  EXPECT_TRUE(mentions(product, {"multiply", "(3, 4)", "(5,)"})) << product;
}
TYPED_TEST(errors, of_reshape_name_both_shapes) {
  const typename TestFixture::matrix x(lf::shape{3, 4});
  const auto text = message_of<lf::shape_error>([&] { (void)lf::reshape(x, {5, 2}); });
  EXPECT_TRUE(mentions(text, {"reshape", "(3, 4)", "(5, 2)"})) << text;
  const auto open = message_of<lf::shape_error>([&] { (void)lf::reshape(x, {5, -1}); });
  EXPECT_TRUE(mentions(open, {"reshape", "(3, 4)"})) << open;
  EXPECT_THROW(lf::reshape(lf::transpose(x), {12}), lf::shape_error);
}
TYPED_TEST(errors, of_assignment_to_a_view_name_both_shapes) {
  typename TestFixture::matrix x(lf::shape{3, 4});
  const auto text = message_of<lf::shape_error>([&] { x(0) = lf::arange<float>(5); });
  EXPECT_TRUE(mentions(text, {"assignment", "(4,)", "(5,)"})) << text;
  // broadcasting never changes the destination
  EXPECT_THROW(x(lf::all, lf::range(0, 1)) = x, lf::shape_error);
}
TYPED_TEST(errors, of_an_index_name_axis_and_extent) {
  const typename TestFixture::matrix x(lf::shape{3, 4});
  const auto text = message_of<lf::index_error>([&] { (void)x(0, 4); });
  EXPECT_TRUE(mentions(text, {"4", "axis 1"})) << text;
  EXPECT_THROW(x(3), lf::index_error);
  EXPECT_THROW(x(-4), lf::index_error);
  EXPECT_THROW((x + 1)(3), lf::index_error);
}
TYPED_TEST(errors, of_a_step_of_zero_say_so) {
  const typename TestFixture::matrix x(lf::shape{3, 4});
  const auto text = message_of<lf::index_error>([&] { (void)x(lf::range(0, 2, 0)); });
  EXPECT_TRUE(mentions(text, {"range", "step is zero"})) << text;
  const auto other = message_of<lf::index_error>([&] { (void)lf::arange(0.0f, 1.0f, 0.0f); });
  EXPECT_TRUE(mentions(other, {"arange", "step is zero"})) << other;
}
TYPED_TEST(errors, of_an_axis_that_is_not_there_are_thrown) {
  const typename TestFixture::matrix x(lf::shape{3, 4});
  EXPECT_EQ(x.extent(-2), 3);
  EXPECT_THROW(x.extent(2), lf::index_error);
  EXPECT_THROW(x.extent(-3), lf::index_error);
}
TYPED_TEST(errors, of_ragged_lists_say_so) {
  const auto text = message_of<lf::index_error>([&] { (void)typename TestFixture::matrix{{1, 2}, {3}}; });
  EXPECT_TRUE(mentions(text, {"array", "differ in length"})) << text;
}
TYPED_TEST(errors, of_item_name_the_shape_and_the_caller) {
  const typename TestFixture::matrix x(lf::shape{3, 4});
  const auto text = message_of<lf::shape_error>([&] { (void)x.item(); });
  EXPECT_TRUE(mentions(text, {"item", "(3, 4)", "errors"})) << text;
  EXPECT_THROW((x + 1).item(), lf::shape_error);
}
TYPED_TEST(errors, of_reductions_without_elements_name_the_reduction) {
  const typename TestFixture::vector x;
  const auto text = message_of<lf::error>([&] { (void)lf::max(x).item(); });
  EXPECT_TRUE(mentions(text, {"max"})) << text;
}
TYPED_TEST(errors, negative_extents_are_refused) {
  EXPECT_THROW(lf::zeros<float>({-1}), lf::error);
  EXPECT_THROW((typename TestFixture::vector(lf::shape{-1})), lf::error);
}

// sanitizers end the process where the system would refuse
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TYPED_TEST(errors, of_memory_that_cannot_be_had_say_how_much) {
  const std::int64_t n = std::int64_t{1} << 50;
  const auto text = message_of<lf::memory_error>([&] { typename TestFixture::vector x(lf::shape{n}); });
  EXPECT_TRUE(mentions(text, {"4503599627370496"})) << text;
  // and the space works on
  const typename TestFixture::vector y{1, 2};
  EXPECT_EQ(lf::sum(y).item(), 3.0f);
}
#endif

}  // namespace
