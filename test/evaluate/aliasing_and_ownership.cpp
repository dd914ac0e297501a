// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an expression sees, who owns memory, when writing happens in place. Each of these names is a bug that
// users of other lazy array libraries have reported.
#include "support/arrays.hpp"

#include <memory>
#include <optional>

namespace {

using lf::all, lf::none, lf::range;

template <class Space>
class ownership : public test::on<Space> {};
TYPED_TEST_SUITE(ownership, test::spaces, test::space_name);

template <class Space>
using vector = lf::array<float, 1, Space>;
template <class Space>
using matrix = lf::array<float, 2, Space>;

using test::values;

template <class Space>
auto polynomial_of_locals() {
  const vector<Space> x{1, 2, 3};
  const vector<Space> y{10, 20, 30};
  const float offset = 0.5f;
  return x * x + lf::sqrt(y * y) - offset;
}
TYPED_TEST(ownership, returned_expression_keeps_its_operands_alive) {
  const auto e = polynomial_of_locals<TypeParam>();
  EXPECT_TRUE(test::evaluates_to(e, values({10.5f, 23.5f, 38.5f})));
  std::optional<vector<TypeParam>> x(std::in_place, std::initializer_list<float>{1, 2, 3});
  const auto view = (*x)(range(none, none, -1)) + 1;
  const auto total = lf::sum(*x);
  x.reset();
  EXPECT_TRUE(test::evaluates_to(view, values({4, 3, 2})));
  EXPECT_EQ(total.item(), 6.0f);
}

template <class Space>
auto logsumexp_in_steps(const matrix<Space>& x) {
  auto highest = lf::max(x, lf::axis<1>, lf::keepdims);
  auto shifted = x - highest;
  auto powers = lf::exp(shifted);
  auto total = lf::sum(powers, lf::axis<1>);
  auto logarithm = lf::log(total);
  return logarithm + lf::reshape(lf::materialize(highest), {x.extent(0)});
}
template <class Space>
auto logsumexp_inline(const matrix<Space>& x) {
  return lf::log(lf::sum(lf::exp(x - lf::max(x, lf::axis<1>, lf::keepdims)), lf::axis<1>)) +
         lf::reshape(lf::materialize(lf::max(x, lf::axis<1>, lf::keepdims)), {x.extent(0)});
}
TYPED_TEST(ownership, intermediate_auto_is_as_good_as_inline) {
  const auto x = test::array_of<TypeParam, 2>(test::counting<float>({5, 7}, -3, 0.37f));
  EXPECT_TRUE(test::evaluates_to(logsumexp_in_steps(x), test::tensor_of(logsumexp_inline(x))));
  auto a = x * 2;
  auto b = a + x;
  auto c = lf::sin(b) / (a + 100);
  EXPECT_TRUE(test::evaluates_to(c, test::tensor_of(lf::sin(x * 2 + x) / (x * 2 + 100))));
}

struct scaled {
  float factor = 3;
  template <class X>
  auto operator()(const X& x) const {
    return x * factor;
  }
};
TYPED_TEST(ownership, scalar_members_are_captured_by_value) {
  const vector<TypeParam> x{1, 2, 3};
  auto object = std::make_unique<scaled>();
  const auto e = (*object)(x);
  object->factor = 100;
  EXPECT_TRUE(test::evaluates_to(e, values({3, 6, 9})));
  object.reset();
  EXPECT_TRUE(test::evaluates_to(e, values({3, 6, 9})));
  float factor = 2;
  const auto f = factor * x + factor;
  factor = -1;
  EXPECT_TRUE(test::evaluates_to(f, values({4, 6, 8})));
}

TYPED_TEST(ownership, mutation_after_capture_is_not_seen) {
  vector<TypeParam> x{1, 2, 3};
  const auto e = x + 1;
  x = lf::zeros<float>({3});
  EXPECT_TRUE(test::evaluates_to(e, values({2, 3, 4}))) << "assigned";
  x = vector<TypeParam>{1, 2, 3};
  const auto f = x + 1;
  x += 100;
  EXPECT_TRUE(test::evaluates_to(f, values({2, 3, 4}))) << "incremented";
  x = vector<TypeParam>{1, 2, 3};
  const auto g = x(range(1, 3)) + 1;
  x(1) = 100;
  EXPECT_TRUE(test::evaluates_to(g, values({3, 4}))) << "written through a view";
  EXPECT_TRUE(test::evaluates_to(x, values({1, 100, 3})));
  const auto h = lf::sum(x);
  x(all) = 0;
  EXPECT_EQ(h.item(), 104.0f) << "below a reduction";
}
TYPED_TEST(ownership, an_expression_assigned_to_its_own_operand_still_means_the_old_values) {
  vector<TypeParam> x{1, 2, 3};
  const auto e = x + 1;
  x = e;
  EXPECT_TRUE(test::evaluates_to(x, values({2, 3, 4})));
  EXPECT_TRUE(test::evaluates_to(e, values({2, 3, 4})));
  x(range(0, 2)) = e(range(1, 3));
  EXPECT_TRUE(test::evaluates_to(x, values({3, 4, 4})));
  EXPECT_TRUE(test::evaluates_to(e, values({2, 3, 4})));
}
TYPED_TEST(ownership, a_stored_view_sees_the_old_values) {
  vector<TypeParam> x{1, 2, 3};
  const auto view = x(range(0, 2));
  x = x * 10;
  EXPECT_TRUE(test::evaluates_to(view, values({1, 2})));
  x(0) = -1;
  EXPECT_TRUE(test::evaluates_to(view, values({1, 2})));
}

TYPED_TEST(ownership, unique_owner_writes_in_place) {
  vector<TypeParam> x{1, 2, 3};
  const vector<TypeParam> y{4, 5, 6};
  const float* before = std::as_const(x).data();
  lf::kernel_trace trace;
  x = x + y;
  x += 1;
  x *= y;
  x(range(0, 2)) = 0;
  EXPECT_EQ(trace.allocations(), 0);
  EXPECT_EQ(std::as_const(x).data(), before);
  EXPECT_TRUE(test::evaluates_to(x, values({0, 0, 60})));
}
TYPED_TEST(ownership, an_array_read_twice_at_the_same_position_is_written_in_place) {
  vector<TypeParam> x{1, 2, 3};
  lf::kernel_trace trace;
  x = x * x + x;
  EXPECT_EQ(trace.allocations(), 0);
  EXPECT_TRUE(test::evaluates_to(x, values({2, 6, 12})));
}
TYPED_TEST(ownership, sharer_forces_a_copy) {
  vector<TypeParam> x{1, 2, 3};
  const vector<TypeParam> y = x;
  {
    lf::kernel_trace trace;
    x = x + 1;
    EXPECT_EQ(trace.allocations(), 1);
  }
  EXPECT_TRUE(test::evaluates_to(x, values({2, 3, 4})));
  EXPECT_TRUE(test::evaluates_to(y, values({1, 2, 3})));
  vector<TypeParam> z = x;
  {
    lf::kernel_trace trace;
    z(1) = 0;
    EXPECT_EQ(trace.allocations(), 1);
  }
  EXPECT_TRUE(test::evaluates_to(x, values({2, 3, 4})));
  EXPECT_TRUE(test::evaluates_to(z, values({2, 0, 4})));
}
TYPED_TEST(ownership, copying_an_array_allocates_nothing) {
  const vector<TypeParam> x{1, 2, 3};
  lf::kernel_trace trace;
  const vector<TypeParam> y = x;
  const auto e = y + x;
  const auto same = lf::materialize(y);
  EXPECT_EQ(trace.allocations(), 0);
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_EQ(y.data(), x.data());
}
TYPED_TEST(ownership, reading_at_other_positions_goes_through_new_memory) {
  auto x = test::array_of<TypeParam, 2>(test::tensor<float>({2, 2}, {1, 2, 3, 4}));
  x = lf::transpose(x) + x;
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({2, 2}, {2, 5, 5, 8})));
  x = lf::flip(x, lf::axis<0>);
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({2, 2}, {5, 8, 2, 5})));
  x = x(range(0, 1), all) + x;
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({2, 2}, {10, 16, 7, 13})));
  x = x - lf::sum(x, lf::axis<0>);
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({2, 2}, {-7, -13, -10, -16})));
}
TYPED_TEST(ownership, large_aliased_updates_are_right) {
  // large enough for several threads and blocks
  const std::int64_t n = 700;
  const auto t = test::counting<float>({n, n}, 0, 0.25f);
  auto x = test::array_of<TypeParam, 2>(t);
  x = lf::transpose(x) - x;
  EXPECT_TRUE(test::evaluates_to(x, test::generate<float>({n, n}, [&](const test::extents& i) {
                                   return t[{i[1], i[0]}] - t[i];
                                 })));
  auto y = test::array_of<TypeParam, 2>(t);
  y(range(1, none), all) = y(range(none, -1), all) + y(range(1, none), all);
  EXPECT_TRUE(test::evaluates_to(y, test::generate<float>({n, n}, [&](const test::extents& i) {
                                   return i[0] == 0 ? t[i] : t[{i[0] - 1, i[1]}] + t[i];
                                 })));
}
TYPED_TEST(ownership, assignment_may_change_the_shape) {
  vector<TypeParam> x{1, 2, 3};
  const vector<TypeParam> y{1, 2, 3, 4, 5};
  x = y + 1;
  EXPECT_TRUE(test::evaluates_to(x, values({2, 3, 4, 5, 6})));
  x = x(range(1, 3));
  EXPECT_TRUE(test::evaluates_to(x, values({3, 4})));
  x = lf::arange<float>(0);
  EXPECT_EQ(x.size(), 0);
}

TYPED_TEST(ownership, constants_are_assigned_as_scalars_are) {
  vector<TypeParam> x{1, 2, 3};
  x(lf::range(1, lf::end)) = lf::c<4>;
  EXPECT_TRUE(test::evaluates_to(x, values({1, 4, 4})));
  x(0) += lf::c<2>;
  EXPECT_TRUE(test::evaluates_to(x, values({3, 4, 4})));
  x = lf::c<7>;
  EXPECT_TRUE(test::evaluates_to(x, values({7, 7, 7})));
  lf::into(lf::borrow<TypeParam>(x.data(), {3})) = lf::c<5>;
  EXPECT_TRUE(test::evaluates_to(x, values({5, 5, 5})));
}

TYPED_TEST(ownership, mutable_data_pointer_detaches) {
  vector<TypeParam> x{1, 2, 3};
  const vector<TypeParam> sharer = x;
  const auto e = x + 0;
  float* p = x.data();
  EXPECT_NE(p, sharer.data());
  lf::into(lf::borrow<TypeParam>(p, {3})) = 7;
  EXPECT_TRUE(test::evaluates_to(x, values({7, 7, 7})));
  EXPECT_TRUE(test::evaluates_to(sharer, values({1, 2, 3})));
  EXPECT_TRUE(test::evaluates_to(e, values({1, 2, 3})));
}
TYPED_TEST(ownership, const_data_pointer_does_not_detach) {
  const vector<TypeParam> x{1, 2, 3};
  const vector<TypeParam> sharer = x;
  EXPECT_EQ(x.data(), sharer.data());
}

TYPED_TEST(ownership, loop_of_updates_has_constant_memory) {
  const auto peak_after = [](int iterations) {
    auto x = test::array_of<TypeParam, 2>(test::counting<float>({64, 64}));
    const auto y = test::array_of<TypeParam, 2>(test::counting<float>({64, 64}));
    lf::kernel_trace trace;
    for (int n = 0; n < iterations; ++n) {
      auto next = x + y * 0.5f;
      x = next * 0.5f + lf::transpose(x);
      x += y;
    }
    return trace.peak_bytes();
  };
  EXPECT_EQ(peak_after(20), peak_after(2));
}

TYPED_TEST(ownership, failed_assignment_leaves_the_destination_as_it_was) {
  vector<TypeParam> x{1, 2, 3};
  const vector<TypeParam> empty;
  EXPECT_THROW(x = lf::broadcast_to(lf::max(empty), {3}), lf::error);
  EXPECT_THROW(x(range(0, 2)) = lf::arange<float>(3), lf::error);
  EXPECT_THROW(x += lf::arange<float>(4), lf::error);
  EXPECT_TRUE(test::evaluates_to(x, values({1, 2, 3})));
}
TYPED_TEST(ownership, self_assignment_and_moves_are_harmless) {
  vector<TypeParam> x{1, 2, 3};
  auto& alias = x;
  x = alias;
  EXPECT_TRUE(test::evaluates_to(x, values({1, 2, 3})));
  vector<TypeParam> y = std::move(x);
  EXPECT_TRUE(test::evaluates_to(y, values({1, 2, 3})));
  x = y;
  EXPECT_TRUE(test::evaluates_to(x, values({1, 2, 3})));
  y = std::move(y) + 1;
  EXPECT_TRUE(test::evaluates_to(y, values({2, 3, 4})));
}

TYPED_TEST(ownership, moved_from_arrays_and_operands_do_not_count_as_owners) {
  vector<TypeParam> x{1, 2, 3};
  const vector<TypeParam> y = x;
  auto e = x + 1;
  x = std::move(e) * e;  // both operands are e, whose handles are given away once
  EXPECT_TRUE(test::evaluates_to(x, values({4, 9, 16})));
  EXPECT_TRUE(test::evaluates_to(y, values({1, 2, 3})));
  vector<TypeParam> z{1, 2, 3};
  const vector<TypeParam> w = z;
  z(range(none, none, -1)) = std::move(z);
  EXPECT_TRUE(test::evaluates_to(z, values({3, 2, 1})));
  EXPECT_TRUE(test::evaluates_to(w, values({1, 2, 3})));
  lf::array<float, 0, TypeParam> one = lf::full(lf::shape<0>{}, 5.0f);
  const lf::array<float, 0, TypeParam> other = std::move(one);
  EXPECT_EQ(one.item() + other.item(), 10.0f);  // rank 0 always has an element
}
TYPED_TEST(ownership, a_view_taken_before_its_array_got_other_memory_cannot_be_written) {
  vector<TypeParam> x{1, 2, 3};
  auto view = x(range(0, 2));
  x = vector<TypeParam>{4, 5, 6};
  EXPECT_THROW(std::move(view) = 0.0f, lf::index_error);
  EXPECT_TRUE(test::evaluates_to(x, values({4, 5, 6})));
  EXPECT_TRUE(test::evaluates_to(view, values({1, 2})));
}
TYPED_TEST(ownership, into_does_not_write_through_an_array) {
  const vector<TypeParam> x{1, 2, 3};
  EXPECT_THROW(lf::into(x(range(0, 2))) = 0.0f, lf::index_error);
  EXPECT_TRUE(test::evaluates_to(x, values({1, 2, 3})));
}
TYPED_TEST(ownership, shapes_that_do_not_fit_leave_a_moved_operand_alone) {
  const vector<TypeParam> x{1, 2, 3}, y{1, 2};
  auto e = x + 1;
  EXPECT_THROW(std::move(e) + y, lf::shape_error);
  EXPECT_TRUE(test::evaluates_to(e, values({2, 3, 4})));
}

/// A callable with a state and without a default constructor, as a lambda with captures is.
class scaled_by {
 public:
  LAZYFUSE_HD explicit scaled_by(double factor) : factor_(factor) {}
  LAZYFUSE_HD float operator()(float x) const { return static_cast<float>(factor_) * x; }

 private:
  double factor_;
};
TYPED_TEST(ownership, callables_are_kept_with_their_state) {
  const vector<TypeParam> x{1, 2, 3};
  const auto e = lf::map(scaled_by(3), x) + lf::map(scaled_by(-1), x);
  EXPECT_TRUE(test::evaluates_to(e, values({2, 4, 6})));
  EXPECT_EQ(lf::sum(lf::map(scaled_by(2), x)).item(), 12.0f);
}
/// x op= y throws a shape_error that names both shapes, and leaves x as it was.
template <class X, class F>
void expect_kept(X& x, const std::string& shapes, const F& compound) {
  const X before = x;
  try {
    compound();
    ADD_FAILURE() << "no error for shapes " << shapes;
  } catch (const lf::shape_error& error) {
    EXPECT_NE(std::string(error.what()).find(shapes), std::string::npos) << error.what();
  }
  EXPECT_EQ(x.shape(), before.shape());
  EXPECT_TRUE(lf::array_equal(x, before));
}
TYPED_TEST(ownership, compound_assignment_keeps_the_shape) {
  matrix<TypeParam> x{{1, 2, 3}};
  const matrix<TypeParam> y{{1, 2, 3}, {4, 5, 6}}, column{{1}, {2}}, nothing(lf::shape(0, 3));
  vector<TypeParam> one{7};
  const vector<TypeParam> row{1, 2, 3};
  const std::string x_and_y = "shapes (1, 3) and (2, 3)";
  expect_kept(x, x_and_y, [&] { x += y; });
  expect_kept(x, x_and_y, [&] { x -= y; });
  expect_kept(x, x_and_y, [&] { x *= y; });
  expect_kept(x, x_and_y, [&] { x /= y; });
  expect_kept(x, x_and_y, [&] { x += y * 2; });
  expect_kept(x, "shapes (1, 3) and (2, 1)", [&] { x += column; });
  expect_kept(x, "shapes (1, 3) and (0, 3)", [&] { x += nothing; });
  expect_kept(one, "shapes (1,) and (3,)", [&] { one += row; });
  expect_kept(one, "shapes (1,) and (3,)", [&] { one *= row + row; });
  // views say so, too
  expect_kept(x, "shapes (2, 3) and (1, 3)", [&] { x(range(0, 1)) += y; });
  expect_kept(x, "shapes (2, 3) and (1, 3)", [&] { x() -= y; });
  expect_kept(x, "shapes (3,) and (1,)", [&] { x(0, range(1, 2)) *= row; });
  expect_kept(x, "shapes (2, 3) and (1, 3)", [&] { x(range(0, 1)) = y; });
  // what fits is broadcast, and numbers always fit
  x += row;
  x -= 1;
  x *= lf::c<2>;
  x += row(range(0, 1));
  x /= lf::sum(one);
  EXPECT_TRUE(test::evaluates_to(x * 7, test::tensor<float>({1, 3}, {3, 7, 11}), test::four_ulps));
  lf::array<float, 0, TypeParam> total;
  total += lf::sum(row);
  EXPECT_EQ(total.item(), 6.0f);
  // a plain assignment takes the shape of what it is given
  x = y;
  EXPECT_EQ(x.shape(), y.shape());
}
TYPED_TEST(ownership, a_view_of_nothing_is_reduced_to_nothing) {
  const matrix<TypeParam> x(lf::shape{0, 5});
  const vector<TypeParam> sums = lf::sum(x(all, range(1, 3)), lf::axis<0>);
  EXPECT_TRUE(test::evaluates_to(sums, values({0, 0})));
}

/// The sum of 2^Depth leaves, a balanced tree of distinct arrays.
template <int Depth, class Space>
auto tree(const vector<Space>* leaves) {
  if constexpr (Depth == 1) return leaves[0] + leaves[1];
  else return tree<Depth - 1, Space>(leaves) + tree<Depth - 1, Space>(leaves + (1 << (Depth - 1)));
}
TYPED_TEST(ownership, two_hundred_leaves_either_run_or_say_why) {
  // 128 + 64 + 8 leaves; more parameters than old kernel launches take
  std::vector<vector<TypeParam>> leaves;
  for (int n = 0; n < 200; ++n) leaves.push_back(vector<TypeParam>{float(n), 1, 2});
  const vector<TypeParam> sum = tree<7, TypeParam>(leaves.data()) + tree<6, TypeParam>(leaves.data() + 128) +
                                tree<3, TypeParam>(leaves.data() + 192);
  EXPECT_TRUE(test::evaluates_to(sum, values({19900, 200, 400})));
}

TYPED_TEST(ownership, shapes_in_the_message) {
  const matrix<TypeParam> x(lf::shape{3, 4});
  const vector<TypeParam> y(lf::shape{5});
  try {
    (void)(x + y);
    FAIL() << "shapes (3, 4) and (5,) do not broadcast";
  } catch (const lf::shape_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("add: shapes (3, 4) and (5,) do not broadcast"), std::string::npos) << text;
  }
  try {
    (void)lf::maximum(lf::transpose(x), x);
    FAIL() << "shapes (4, 3) and (3, 4) do not broadcast";
  } catch (const lf::shape_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("maximum: shapes (4, 3) and (3, 4) do not broadcast"), std::string::npos) << text;
  }
}

}  // namespace
