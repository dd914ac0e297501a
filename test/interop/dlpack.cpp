// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack tensors: given without a copy, taken with their deleter as the owner; each mistake has its sentence.
#include "support/arrays.hpp"

#include <lazyfuse/interop/dlpack.hpp>

#include <functional>
#include <optional>

namespace {

namespace dl = lf::dlpack;
using dl::managed_tensor, dl::managed_tensor_versioned;
using lf::all, lf::range;

template <class Space>
class dlpack : public test::on<Space> {};
TYPED_TEST_SUITE(dlpack, test::spaces, test::space_name);

template <class Space>
using matrix = lf::array<float, 2, Space>;

template <class Space>
matrix<Space> numbers() {
  return lf::reshape(lf::arange<float>(6), {2, 3});
}

/// The stream of the test's two sides: the current one.
template <class Space>
dl::stream stream() {
#if defined(LAZYFUSE_CUDA)
  if constexpr (std::is_same_v<Space, lf::cuda>) return lf::current_stream();
#endif
  return dl::no_sync;
}
template <class Managed = managed_tensor_versioned, class T, int R, class Space>
Managed* give(lf::array<T, R, Space> x) {
  if constexpr (std::is_same_v<Space, lf::cuda>) return lf::to_dlpack<Managed>(std::move(x), stream<Space>());
  else return lf::to_dlpack<Managed>(std::move(x));
}
template <class T, int R, class Space, class Managed>
auto take(Managed* m) {
  return lf::from_dlpack<T, R, Space>(m, stream<Space>());
}

/// Somebody's tensor over memory of the space, which counts how often its deleter was called.
template <class Space, class T = float>
struct tensor {
  lf::array<T, 1, Space> memory = lf::cast<T>(lf::arange<float>(24));
  std::int64_t extents[3] = {2, 3, 1}, steps[3] = {3, 1, 1};
  int ended = 0;
  managed_tensor_versioned managed = {{1, 3},
                                      &ended,
                                      [](managed_tensor_versioned* m) { ++*static_cast<int*>(m->manager_ctx); },
                                      0,
                                      {memory.data(), place(), 2, dl::type_of<T>, extents, steps, 0}};

  static dl::device place() {
    return {std::is_same_v<Space, lf::cuda> ? dl::device_type::cuda : dl::device_type::cpu, 0};
  }
};

TYPED_TEST(dlpack, a_shared_array_is_given_without_a_copy_and_read_only) {
  matrix<TypeParam> x = numbers<TypeParam>();
  const float* const data = std::as_const(x).data();
  lf::kernel_trace trace;
  managed_tensor_versioned* const m = give(x);
  EXPECT_EQ(m->version.major, 1u);
  EXPECT_EQ(m->flags, dl::read_only);
  const dl::tensor& t = m->dl_tensor;
  EXPECT_EQ(t.data, data);
  EXPECT_EQ(t.device.type, tensor<TypeParam>::place().type);
  EXPECT_EQ(t.device.id, 0);
  EXPECT_EQ(t.ndim, 2);
  EXPECT_EQ(t.dtype.code, dl::type_code::real);
  EXPECT_EQ(t.dtype.bits, 32);
  EXPECT_EQ(t.dtype.lanes, 1);
  EXPECT_EQ(t.shape[0], 2);
  EXPECT_EQ(t.shape[1], 3);
  EXPECT_EQ(t.strides[0], 3);
  EXPECT_EQ(t.strides[1], 1);
  EXPECT_EQ(t.byte_offset, 0u);
  EXPECT_EQ(trace.allocations(), 0);
  {
    const auto back = take<const float, 2, TypeParam>(m);
    x = x + 100;  // the tensor keeps the values that were given
    EXPECT_NE(std::as_const(x).data(), data);
    EXPECT_TRUE(test::evaluates_to(back, test::counting<float>({2, 3})));
    EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({2, 3}, 100)));
  }
}
TYPED_TEST(dlpack, the_deleter_ends_the_share_in_the_memory) {
  matrix<TypeParam> x = numbers<TypeParam>();
  const float* const data = std::as_const(x).data();
  managed_tensor_versioned* const m = give(x);
  m->deleter(m);
  x += 1;
  EXPECT_EQ(std::as_const(x).data(), data) << "in place again";
}
TYPED_TEST(dlpack, an_array_that_is_given_away_may_be_written) {
  matrix<TypeParam> x = numbers<TypeParam>();
  const float* const data = std::as_const(x).data();
  managed_tensor_versioned* const m = give(std::move(x));
  EXPECT_EQ(m->flags, 0u);
  EXPECT_EQ(m->dl_tensor.data, data);
  const auto view = take<float, 2, TypeParam>(m);
  lf::into(view) = view * 2;
  lf::into(view(0)) = -1;
  EXPECT_TRUE(test::evaluates_to(view, test::tensor<float>({2, 3}, {-1, -1, -1, 6, 8, 10})));
}
TYPED_TEST(dlpack, what_an_expression_reads_is_given_read_only) {
  matrix<TypeParam> x = numbers<TypeParam>();
  const auto e = x + 1;
  managed_tensor_versioned* const m = give(std::move(x));
  EXPECT_EQ(m->flags, dl::read_only);
  EXPECT_THROW((void)(take<float, 2, TypeParam>(m)), lf::borrow_error);
  m->deleter(m);
  EXPECT_TRUE(test::evaluates_to(e, test::counting<float>({2, 3}, 1)));
}
TYPED_TEST(dlpack, the_older_structure_shares_with_nobody) {
  const matrix<TypeParam> x = numbers<TypeParam>();
  managed_tensor* const copy = give<managed_tensor>(x);
  EXPECT_NE(copy->dl_tensor.data, x.data());
  matrix<TypeParam> y = numbers<TypeParam>();
  const float* const data = std::as_const(y).data();
  managed_tensor* const same = give<managed_tensor>(std::move(y));
  EXPECT_EQ(same->dl_tensor.data, data);
  const auto a = take<float, 2, TypeParam>(copy), b = take<float, 2, TypeParam>(same);
  lf::into(a) = b + 1;
  EXPECT_TRUE(test::evaluates_to(a, test::counting<float>({2, 3}, 1)));
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({2, 3})));
}

TYPED_TEST(dlpack, a_tensor_lives_as_long_as_what_reads_it) {
  tensor<TypeParam> t;
  {
    auto e = [&] {
      const auto x = take<float, 2, TypeParam>(&t.managed);
      const auto copy = x;
      return lf::transpose(copy)(range(1, 3)) * 2 + lf::sum(x);
    }();
    EXPECT_EQ(t.ended, 0);
    EXPECT_TRUE(test::evaluates_to(e, test::tensor<float>({2, 2}, {17, 23, 19, 25})));
    const matrix<TypeParam> value = e;
    EXPECT_EQ(t.ended, 0);
    { const auto last = std::move(e); }
    EXPECT_EQ(t.ended, 1);
    EXPECT_TRUE(test::evaluates_to(value(0), test::tensor<float>({2}, {17, 23}))) << "a copy";
  }
  EXPECT_EQ(t.ended, 1);
}
TYPED_TEST(dlpack, tensors_have_strides_offsets_and_any_rank) {
  const auto check = [](auto change, const test::tensor<float>& want) {
    tensor<TypeParam> t;
    change(t.managed.dl_tensor, t.extents, t.steps);
    EXPECT_TRUE(test::evaluates_to(take<const float, 2, TypeParam>(&t.managed), want));
    EXPECT_EQ(t.ended, 1);
  };
  check([](dl::tensor& t, auto&, auto&) { t.strides = nullptr; }, test::counting<float>({2, 3}));
  check([](dl::tensor& t, auto&, auto&) { t.byte_offset = 8; }, test::counting<float>({2, 3}, 2));
  check([](dl::tensor&, auto&, auto& steps) { steps[0] = 1, steps[1] = 2; },
        test::tensor<float>({2, 3}, {0, 2, 4, 1, 3, 5}));
  check(
      [](dl::tensor& t, auto&, auto& steps) {
        t.byte_offset = 20;
        steps[0] = -3, steps[1] = -1;
      },
      test::tensor<float>({2, 3}, {5, 4, 3, 2, 1, 0}));
  check([](dl::tensor&, auto&, auto& steps) { steps[0] = 0; }, test::tensor<float>({2, 3}, {0, 1, 2, 0, 1, 2}));
  check(
      [](dl::tensor& t, auto& extents, auto&) {
        extents[0] = 0;
        t.data = nullptr;
      },
      test::tensor<float>({0, 3}));
  tensor<TypeParam> t;
  t.managed.dl_tensor.ndim = 0;
  EXPECT_EQ((take<const float, 0, TypeParam>(&t.managed).item()), 0.0f);
  t.managed.deleter = nullptr;  // the memory outlives everybody
  t.managed.dl_tensor.ndim = 3;
  EXPECT_EQ(lf::sum(take<const float, 3, TypeParam>(&t.managed)).item(), 15.0f);
  EXPECT_EQ(t.ended, 1);
}
TYPED_TEST(dlpack, two_tensors_over_the_same_memory_are_found_out) {
  tensor<TypeParam> t;
  tensor<TypeParam> u;
  u.managed.dl_tensor.data = t.managed.dl_tensor.data;
  u.managed.dl_tensor.byte_offset = 4;
  const auto x = take<float, 2, TypeParam>(&t.managed), y = take<float, 2, TypeParam>(&u.managed);
  lf::into(y) = x + 0;  // one element further: as if x had been copied first
  EXPECT_TRUE(test::evaluates_to(y, test::counting<float>({2, 3})));
}

template <class T>
std::optional<dl::data_type> type_of_given() {
  managed_tensor_versioned* const m = lf::to_dlpack(lf::array<T, 1, lf::host>(lf::shape{3}));
  const dl::data_type t = m->dl_tensor.dtype;
  m->deleter(m);
  return t;
}
TEST(dlpack_of_the_host, element_types_have_their_codes) {
  const struct {
    std::optional<dl::data_type> got;
    dl::type_code code;
    int bits;
  } cases[] = {{type_of_given<bool>(), dl::type_code::boolean, 8},
               {type_of_given<std::int8_t>(), dl::type_code::integer, 8},
               {type_of_given<std::int32_t>(), dl::type_code::integer, 32},
               {type_of_given<std::int64_t>(), dl::type_code::integer, 64},
               {type_of_given<std::uint16_t>(), dl::type_code::unsigned_integer, 16},
               {type_of_given<float>(), dl::type_code::real, 32},
               {type_of_given<double>(), dl::type_code::real, 64}};
  for (const auto& [got, code, bits] : cases) {
    EXPECT_EQ(got->code, code);
    EXPECT_EQ(got->bits, bits);
    EXPECT_EQ(got->lanes, 1);
  }
}

TYPED_TEST(dlpack, each_mistake_has_its_sentence_and_leaves_the_tensor_to_the_caller) {
  using change = std::function<void(managed_tensor_versioned&)>;
  const bool gpu = std::is_same_v<TypeParam, lf::cuda>;
  const std::pair<change, const char*> cases[] = {
      {[](auto& m) { m.version.major = 2; }, "the tensor has version 2 of DLPack, not 1"},
      {[](auto& m) { m.flags = dl::read_only | dl::is_copied; }, "the tensor is read-only; ask for const elements"},
      {[](auto& m) { m.dl_tensor.ndim = 3; }, "the tensor has 3 axes, not 2"},
      {[](auto& m) { m.dl_tensor.dtype.bits = 64; }, "the tensor's elements are float64, not float32"},
      {[](auto& m) { m.dl_tensor.dtype = dl::type_of<bool>; }, "the tensor's elements are bool, not float32"},
      {[](auto& m) {
         m.dl_tensor.dtype = {dl::type_code::bfloat, 16, 1};
       },
       "are bfloat16, not float32"},
      {[](auto& m) { m.dl_tensor.dtype.lanes = 4; }, "the tensor's elements are float32 x 4, not float32"},
      {[](auto& m) { m.dl_tensor.device.type = dl::device_type(8); }, "the tensor is on device type 8"},
      {[](auto& m) { m.dl_tensor.shape[1] = -1; }, "the tensor has a negative extent"},
      {[](auto& m) { m.dl_tensor.data = nullptr; }, "the pointer is null"},
      {[](auto& m) { m.dl_tensor.byte_offset = 2; }, "the address is not a multiple of the alignment"},
      {[gpu](auto& m) { m.dl_tensor.device.type = gpu ? dl::device_type::cpu : dl::device_type::cuda; },
       gpu ? "the tensor is on the host; ask for it in lf::host"
           : "the tensor is on CUDA device 0; ask for it in lf::cuda"},
  };
  for (const auto& [make, text] : cases) {
    tensor<TypeParam> t;
    make(t.managed);
    try {
      (void)take<float, 2, TypeParam>(&t.managed);
      ADD_FAILURE() << "taken without: " << text;
    } catch (const lf::borrow_error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("from_dlpack: "), std::string::npos) << message;
      EXPECT_NE(message.find(text), std::string::npos) << message;
    }
    EXPECT_EQ(t.ended, 0) << text;
  }
}

/// As dlpack/dlpack.h declares them.
namespace theirs {
struct DLDevice {
  std::int32_t device_type, device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLPackVersion {
  std::uint32_t major, minor;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};
}  // namespace theirs
TYPED_TEST(dlpack, the_structures_of_another_header_serve_as_well) {
  const matrix<TypeParam> x = numbers<TypeParam>();
  auto* const m = give<theirs::DLManagedTensorVersioned>(x);
  EXPECT_EQ(m->dl_tensor.dtype.bits, 32);
  EXPECT_TRUE(test::evaluates_to(take<const float, 2, TypeParam>(m), test::counting<float>({2, 3})));
  auto* const old = give<theirs::DLManagedTensor>(x);
  EXPECT_EQ(old->dl_tensor.shape[1], 3);
  old->deleter(old);
}

TYPED_TEST(dlpack, components_of_vectors_are_an_axis_more) {
  const lf::array<lf::vec<float, 3>, 1, TypeParam> x = lf::vec_of(lf::arange<float>(4), 10, 20);
  const auto table = take<const float, 2, TypeParam>(give(x));
  EXPECT_TRUE(lf::array_equal(table(lf::all, 0), lf::arange<float>(4)));
  EXPECT_TRUE(lf::array_equal(table(lf::all, 2), lf::full({4}, 20.0f)));
  const auto back = take<const lf::vec<float, 3>, 1, TypeParam>(give(lf::array(table)));
  EXPECT_TRUE(lf::array_equal(back, x));
  const lf::array<lf::vec<float, 3>, 8, TypeParam> deep =
      lf::broadcast_to(lf::reshape(x, {4, 1, 1, 1, 1, 1, 1, 1}), {4, 1, 1, 1, 1, 1, 1, 2});
  EXPECT_TRUE(lf::array_equal(take<const lf::vec<float, 3>, 8, TypeParam>(give(deep)), deep));

  tensor<TypeParam> t;  // 2 x 3 numbers
  EXPECT_EQ(lf::array(take<lf::vec<float, 3>, 1, TypeParam>(&t.managed))(1).item(), (lf::vec{3.0f, 4.0f, 5.0f}));
  tensor<TypeParam> apart;
  apart.steps[0] = 4;  // three numbers and one between
  EXPECT_THROW((take<lf::vec<float, 3>, 1, TypeParam>(&apart.managed)), lf::borrow_error);
  EXPECT_THROW((take<lf::vec<float, 2>, 1, TypeParam>(&apart.managed)), lf::borrow_error);
  EXPECT_THROW((take<lf::vec<float, 3>, 2, TypeParam>(&apart.managed)), lf::borrow_error);
}

}  // namespace
