// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong at run time throws, with a text that says what and where; nothing changes then.
#include "support/arrays.hpp"
#include "support/gather.hpp"
#include "support/messages.hpp"

#include <typeinfo>
#include <vector>

namespace {

template <class Space>
class errors : public test::on<Space> {
 protected:
  using matrix = lf::array<float, 2, Space>;
  using vector = lf::array<float, 1, Space>;
};
TYPED_TEST_SUITE(errors, test::every_space, test::space_name);

using test::message_of, test::mentions;

TEST(error_types, have_one_root) {
  static_assert(std::is_base_of_v<std::runtime_error, lf::error>);
  static_assert(std::is_base_of_v<lf::error, lf::shape_error>);
  static_assert(std::is_base_of_v<lf::error, lf::index_error>);
  static_assert(std::is_base_of_v<lf::error, lf::memory_error>);
  static_assert(std::is_base_of_v<lf::error, lf::file_error>);
  static_assert(std::is_base_of_v<lf::error, lf::dtype_error>);
  static_assert(std::is_base_of_v<lf::error, lf::borrow_error>);
  static_assert(std::is_base_of_v<lf::error, lf::cuda_error>);
}

/// A mistake, the type of what is thrown, and all of what it says. "(HERE)" stands for the caller's place.
struct mistake {
  const char* what;
  const std::type_info& type;
  const char* sentence;
  void (*make)();
};
template <class Space>
std::vector<mistake> mistakes() {
  using lf::all, lf::axis, lf::range;
  using matrix = lf::array<float, 2, Space>;
  using vector = lf::array<float, 1, Space>;
  using bytes = lf::array<lf::uint8, 1, Space>;
  static const auto x = [] { return matrix(lf::shape{3, 4}); };
  static const auto y = [] { return vector(lf::shape{5}); };
  static constexpr std::int64_t large = std::int64_t{1} << 40;
  const std::type_info &shape = typeid(lf::shape_error), &index = typeid(lf::index_error),
                       &dtype = typeid(lf::dtype_error), &memory = typeid(lf::memory_error),
                       &borrow = typeid(lf::borrow_error);
  return {
    // shapes: the operation and the shapes of its operands, however deep in an expression it is
    {"operator", shape, "multiply: shapes (3, 4) and (5,) do not broadcast", [] { (void)(x() * y()); }},
        {"function", shape, "atan2: shapes (3, 4) and (5,) do not broadcast", [] { (void)lf::atan2(x(), y()); }},
        {"three operands", shape, "where: shapes (3, 4) and (5,) do not broadcast",
         [] { (void)lf::where(x() > 0, x(), y()); }},
        {"inside of a long expression", shape, "subtract: shapes (3, 4) and (5,) do not broadcast",
         [] { (void)(lf::sin(x()) * 2 + lf::exp(x() - y()) / lf::sum(x())); }},
        {"matrices", shape, "add: shapes (3, 4) and (4, 3) do not broadcast", [] { (void)(x() + lf::transpose(x())); }},
        {"a callable", shape, "map: shapes (3, 4) and (5,) do not broadcast",
         [] { (void)lf::map(test::gather{}, x(), y()); }},
        {"what was moved from", shape, "add: shapes (0, 0) and (3, 4) do not broadcast",
         [] {
           matrix from = x();
           const matrix to = std::move(from);
           (void)(from + to);  // NOLINT(bugprone-use-after-move): that is the mistake
         }},
        {"+= of a larger operand", shape, "add: shapes (5,) and (4,) do not broadcast",
         [] {
           vector v = y();
           v += x()(0);
         }},
        {"assignment to a view", shape, "assignment: shapes (5,) and (4,) do not broadcast",
         [] {
           matrix m = x();
           m(0) = y();
         }},
        {"assignment never changes its destination", shape, "assignment: shapes (3, 4) and (3, 1) do not broadcast",
         [] {
           matrix m = x();
           m(all, range(0, 1)) = x();
         }},
        {"assignment to memory of others", shape, "assignment: shapes (5,) and (6,) do not broadcast",
         [] {
           vector v(lf::shape{6});
           lf::into(lf::borrow<Space>(v.data(), {6})) = y();
         }},
        {"broadcast_to", shape, "broadcast_to: shapes (3, 4) and (4, 4) do not broadcast",
         [] {
           (void)lf::broadcast_to(x(), {4, 4});
         }},
        {"broadcast_to less than nothing", shape, "broadcast_to: shape (-3,) has a negative extent",
         [] { (void)lf::broadcast_to(vector(lf::shape{1}), {-3}); }},
        {"reshape", shape, "reshape: shapes (3, 4) and (5, 2) have different sizes",
         [] {
           (void)lf::reshape(x(), {5, 2});
         }},
        {"reshape with an open extent", shape, "reshape: shapes (3, 4) and (5, 2) have different sizes",
         [] {
           (void)lf::reshape(x(), {5, -1});
         }},
        {"reshape of a view", shape, "reshape: shapes (4, 3) and (12,) need a copy: write reshape(materialize(x), ...)",
         [] { (void)lf::reshape(lf::transpose(x()), {12}); }},
        {"item", shape, "item: shape (3, 4) does not have one element (HERE)", [] { (void)x().item(); }},
        {"item of an expression", shape, "item: shape (5,) does not have one element (HERE)",
         [] { (void)(y() + 1).item(); }},
        {"max of nothing", shape, "max: shape (0,) has no elements to reduce", [] { (void)lf::max(vector{}); }},
        {"min of nothing", shape, "min: shape (0,) has no elements to reduce", [] { (void)lf::min(vector{}); }},
        {"argmax along an empty axis", shape, "argmax: shape (3, 0) has no elements to reduce",
         [] {
           (void)lf::argmax(matrix(lf::shape{3, 0}), axis<1>);
         }},
        {"a negative extent", shape, "array: shape (-1,) has a negative extent", [] { (void)vector(lf::shape{-1}); }},
        {"a negative extent of zeros", shape, "full: shape (2, -1) has a negative extent",
         [] {
           (void)lf::zeros<float>({2, -1});
         }},
        {"too many elements", shape,
         "array: shape (1099511627776, 1099511627776) has more elements than can be counted",
         [] {
           (void)matrix(lf::shape{large, large});
         }},
        {"too many zeros", shape, "full: shape (1099511627776, 1099511627776) has more elements than can be counted",
         [] {
           (void)lf::zeros<float>({large, large});
         }},
        {"too large a product", shape,
         "add: shapes (1099511627776,) and (1099511627776, 1) broadcast to more elements than can be counted",
         [] {
           (void)(lf::zeros<float>({large}) + lf::zeros<float>({large, 1}));
         }},
        // indices and axes
        {"an index", index, "index 4 is out of bounds for axis 1 of shape (3, 4)", [] { (void)x()(0, 4); }},
        {"an index from the end", index, "index -5 is out of bounds for axis 1 of shape (3, 4)",
         [] { (void)x()(all, -5); }},
        {"an index of an expression", index, "index 3 is out of bounds for axis 0 of shape (3, 4)",
         [] { (void)(x() + 1)(3); }},
        {"an axis", index, "extent: axis 2 is out of bounds for shape (3, 4)", [] { (void)x().extent(2); }},
        {"an axis from the end", index, "extent: axis -3 is out of bounds for shape (3, 4)",
         [] { (void)x().extent(-3); }},
        {"a step of zero", index, "range: the step is zero", [] { (void)x()(range(0, 2, 0)); }},
        {"arange by zero", index, "arange: the step is zero", [] { (void)lf::arange(0.0F, 1.0F, 0.0F); }},
        {"lists of unlike lengths", index, "array: the inner lists of a nested list differ in length",
         [] {
           (void)matrix{{1, 2}, {3}};
         }},
        {"a stored view", index, "assignment: the array was reallocated after this view was taken",
         [] {
           matrix m = x();
           auto view = m(0);
           m = matrix(lf::shape{3, 4});
           std::move(view) = 1;
         }},
        {"memory of an array", index, "into: this memory belongs to an array; write x(...) = e",
         [] {
           matrix m = x();
           lf::into(lf::view(m, all)) = 1;
         }},
        // element types
        {"a scalar that does not fit", dtype, "add: scalar 300 does not fit uint8",
         [] {
           (void)(bytes{1, 2} + 300);
         }},
        {"a negative scalar", dtype, "maximum: scalar -1 does not fit uint8",
         [] {
           (void)lf::maximum(bytes{1, 2}, -1);
         }},
        {"a scalar that is assigned", dtype, "assignment: scalar 256 does not fit uint8",
         [] {
           bytes b{1, 2};
           b(0) = 256;
         }},
    // memory
#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // which end the process where the system would refuse
        {"memory", memory,
         std::is_same_v<Space, lf::host>
             ? "array: could not allocate 4503599627370496 bytes of host memory for float32 "
               "of shape (1073741824, 1048576) (HERE)"
             : "array: could not allocate 4503599627370496 bytes of cuda memory for float32 "
               "of shape (1073741824, 1048576) (HERE)",
         [] {
           (void)matrix(lf::shape{1 << 30, 1 << 20});
         }},
#endif
        {"no memory to borrow", borrow, "borrow: the pointer is null (HERE)",
         [] { (void)lf::borrow<Space>(static_cast<float*>(nullptr), {3}); }},
        {"memory between elements", borrow,
         "borrow: the address is not a multiple of the alignment of the elements (HERE)", [] {
           const vector v(lf::shape{8});
           (void)lf::borrow<Space>(reinterpret_cast<const double*>(v.data() + 1), {1});
         }},
  };
}
TYPED_TEST(errors, say_what_and_where_in_one_sentence) {
  for (const mistake& m : mistakes<TypeParam>()) {
    SCOPED_TRACE(m.what);
    try {
      m.make();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const lf::error& e) {
      EXPECT_TRUE(typeid(e) == m.type) << typeid(e).name();
      std::string text = e.what(), sentence = m.sentence;
      if (const auto here = sentence.find(" (HERE)"); here != std::string::npos) {
        const auto place = text.find(std::string(" (") + __FILE__ + ":");
        ASSERT_NE(place, std::string::npos) << text;
        text.erase(place);
        sentence.erase(here);
      }
      EXPECT_EQ(text, sentence);
    }
  }
}
TYPED_TEST(errors, change_nothing) {
  typename TestFixture::matrix x{{1, 2}, {3, 4}};
  const typename TestFixture::vector y{1, 2, 3};
  EXPECT_THROW(x += y, lf::shape_error);
  EXPECT_THROW(x(0) = y, lf::shape_error);
  EXPECT_THROW(x(2) = 1, lf::index_error);
  EXPECT_THROW(x = lf::max(typename TestFixture::matrix(lf::shape{0, 2}), lf::axis<0>, lf::keepdims), lf::error);
  EXPECT_TRUE(test::same(test::tensor_of(x), test::tensor_of(typename TestFixture::matrix{{1, 2}, {3, 4}})));
}

// sanitizers end the process where the system would refuse
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TYPED_TEST(errors, of_memory_that_cannot_be_had_say_how_much) {
  const std::int64_t n = std::int64_t{1} << 50;
  const auto text = message_of<lf::memory_error>([&] { typename TestFixture::vector x(lf::shape{n}); });
  EXPECT_TRUE(mentions(text, {"4503599627370496", "(1125899906842624,)"})) << text;
  // and the space works on
  const typename TestFixture::vector y{1, 2};
  EXPECT_EQ(lf::sum(y).item(), 3.0f);
}
#endif

}  // namespace
