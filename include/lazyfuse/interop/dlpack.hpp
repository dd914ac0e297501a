// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack in and out: tensors that libraries hand to each other without a copy (https://dmlc.github.io/dlpack).
#pragma once

#include <lazyfuse/evaluate/into.hpp>

namespace lazyfuse {

/// The layout of DLPack's structures, version 1: as dlpack/dlpack.h declares them, under names of our own.
namespace dlpack {

enum class device_type : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum class type_code : std::uint8_t {
  integer = 0,
  unsigned_integer = 1,
  real = 2,
  opaque = 3,
  bfloat = 4,
  complex = 5,
  boolean = 6
};

struct device {
  device_type type;
  std::int32_t id;
};
struct data_type {
  type_code code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
/// A tensor: strides in elements, null for row-major (before version 1.2); its first element byte_offset behind data.
struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t ndim;
  data_type dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
/// A tensor and who is told when it is not used any more: DLManagedTensor.
struct managed_tensor {
  tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(managed_tensor*);
};
struct version_number {
  std::uint32_t major, minor;
};
inline constexpr version_number version{1, 1};
inline constexpr std::uint64_t read_only = 1, is_copied = 2, subbyte_padded = 4;
/// The same since version 1: DLManagedTensorVersioned.
struct managed_tensor_versioned {
  version_number version;
  void* manager_ctx;
  void (*deleter)(managed_tensor_versioned*);
  std::uint64_t flags;
  tensor dl_tensor;
};

/// The stream of the one who takes a tensor, as in Python's protocol: a cudaStream_t, or legacy, per_thread, or no_sync
/// if both sides have seen to the order themselves. Zero is not allowed: it could be either of the first two.
struct stream {
  std::intptr_t number;
  constexpr stream(std::intptr_t n) : number(n) {}
  stream(CUstream_st* s) : number(reinterpret_cast<std::intptr_t>(s)) {}
};
inline constexpr stream no_sync{std::intptr_t{-1}}, legacy{std::intptr_t{1}}, per_thread{std::intptr_t{2}};

/// What DLPack calls an element type. Specialise it for one of your own.
template <class T>
inline constexpr data_type type_of = {boolean<T>               ? type_code::boolean
                                      : complex_number<T>      ? type_code::complex
                                      : __is_same(T, bfloat16) ? type_code::bfloat
                                      : floating_point<T>      ? type_code::real
                                      : signed_integer<T>      ? type_code::integer
                                      : unsigned_integer<T>    ? type_code::unsigned_integer
                                                               : type_code::opaque,
                                      sizeof(T) * 8, 1};

/// Structures with the members of the two above, of whichever header.
template <class M>
concept managed = requires(M& m) {
  m.dl_tensor.byte_offset;
  m.manager_ctx;
  m.deleter(&m);
};
template <class M>
inline constexpr bool is_versioned = requires(M& m) {
  m.version.major;
};

}  // namespace dlpack

namespace dlpack_detail {

/// Where memory is, as DLPack says it.
inline dlpack::device place_of(host, const void*) { return {dlpack::device_type::cpu, 0}; }
dlpack::device place_of(cuda, const void* data);

/// An array that is given away.
struct exported {
  const void* data;
  dlpack::data_type dtype;
  const index_t *extents, *steps;
  int rank;
  dlpack::device place;
  dlpack::stream stream;  ///< of who takes it
};
/// The tensor over the memory, whose handle it keeps; read-only if others have handles too. Its deleter is to be set:
/// one that calls end_given with the manager's context.
dlpack::managed_tensor_versioned* give_versioned(const exported& x, handles<1>&& memory);
dlpack::managed_tensor* give(const exported& x, handles<1>&& memory);
void end_given(dlpack::managed_tensor_versioned*, void* context);
void end_given(dlpack::managed_tensor*, void* context);

/// What is wanted of a tensor that is taken.
struct wanted {
  dlpack::data_type dtype;
  std::size_t alignment;
  int rank;
  int components;  ///< of a vec, which are one axis more; 0: none
  bool on_device, writes;
};
/// Checks all of it, writes extents and steps, and returns where the first element is.
void* look_at(const dlpack::tensor& t, const wanted& w, index_t* extents, index_t* steps, caller where);
void check_version(const dlpack::managed_tensor_versioned& m, bool writes, caller where);
/// Memory of others that is ready on the stream. Once nobody uses it any more, and what was launched on other streams
/// is in the order of that one, end(object) is called.
allocation* adopt(host, const dlpack::tensor& t, void* data, void (*end)(void*), void* object, dlpack::stream s,
                  caller where);
allocation* adopt(cuda, const dlpack::tensor& t, void* data, void (*end)(void*), void* object, dlpack::stream s,
                  caller where);
/// Lets the stream wait for what the memory (null if there is none) is ordered with, and its next user for the stream.
inline void hand_over(host, allocation*, dlpack::stream, caller) {}
void hand_over(cuda, allocation* a, dlpack::stream s, caller where);

template <class M>
void end(void* object) {
  M* const m = static_cast<M*>(object);
  if (m->deleter) m->deleter(m);
}

constexpr bool same(std::size_t a, std::size_t b) { return a == b; }
/// The same structure under our name.
template <class M>
auto* ours(M* m) {
  using own = std::conditional_t<dlpack::is_versioned<M>, dlpack::managed_tensor_versioned, dlpack::managed_tensor>;
  constexpr bool fits = same(sizeof(M), sizeof(own)) && same(offsetof(M, dl_tensor), offsetof(own, dl_tensor)) &&
                        same(offsetof(M, deleter), offsetof(own, deleter));
  static_assert(fits, "lazyfuse: this is not the layout of DLManagedTensor or DLManagedTensorVersioned of DLPack 1");
  return reinterpret_cast<own*>(m);
}

template <class Managed, class T, int R, class Space>
Managed* export_array(array<T, R, Space>& x, dlpack::stream s, caller where) {
  constexpr dlpack::data_type dtype = dlpack::type_of<component_t<T>>;
  static_assert(dtype.code != dlpack::type_code::opaque, "lazyfuse: DLPack has no code for this element type");
  using own = std::remove_pointer_t<decltype(ours(static_cast<Managed*>(nullptr)))>;
  constexpr bool versioned = __is_same(own, dlpack::managed_tensor_versioned);
  if constexpr (!versioned) (void)x.data();  // cannot say that it is read-only, so it shares with nobody
  hand_over(Space{}, x.owner(), s, where);
  constexpr int components = vec_detail::size<T>, numbers = components > 0 ? components : 1;
  index_t extents[R + 1], steps[R + 1];
  for (int k = 0; k < R; ++k) {
    extents[k] = x.shape()[k];
    steps[k] = x.tree.steps[k] * numbers;
  }
  extents[R] = numbers;
  steps[R] = 1;
  const exported e{
      x.tree.source.data, dtype, extents, steps, R + (components > 0), place_of(Space{}, x.tree.source.data), s};
  own* m;
  if constexpr (versioned) m = give_versioned(e, static_cast<handles<1>&&>(x.memory));
  else m = give(e, static_cast<handles<1>&&>(x.memory));
  auto* const theirs = reinterpret_cast<Managed*>(m);
  theirs->deleter = [](Managed* t) { end_given(static_cast<own*>(nullptr), t->manager_ctx); };
  return theirs;
}

}  // namespace dlpack_detail

/// The array as a DLPack tensor, without a copy; whoever takes it calls its deleter, which ends its share in the
/// memory. A copy is passed, so the array and its values stay as they are, and the tensor is read-only: give the array
/// away (std::move) for one that may be written, which it may if nobody else shares it. The older DLManagedTensor,
/// to_dlpack<DLManagedTensor>(x), cannot be read-only: it is a copy where the memory is shared. The structures of
/// dlpack/dlpack.h serve as well as those of lf::dlpack. Of vec<T, N> the components are one axis more. Throws
/// memory_error.
template <dlpack::managed Managed = dlpack::managed_tensor_versioned, class T, int R>
Managed* to_dlpack(array<T, R, host> x, caller where = caller::here()) {
  return dlpack_detail::export_array<Managed>(x, dlpack::no_sync, where);
}
/// Of the GPU: the stream on which it will be used waits for the array, and what frees or overwrites its memory later
/// waits for the stream, which must live as long. Throws borrow_error for stream 0, cuda_error.
template <dlpack::managed Managed = dlpack::managed_tensor_versioned, class T, int R>
Managed* to_dlpack(array<T, R, cuda> x, dlpack::stream s, caller where = caller::here()) {
  return dlpack_detail::export_array<Managed>(x, s, where);
}

/// A DLPack tensor as borrowed memory of rank R: nothing is copied; it is an expression, and into(view) writes it. As
/// vec<T, N> it is taken if it has one axis more, the last, with N numbers side by side. The deleter is called when no
/// expression uses it any more. T is the tensor's element type, const for what is only read:
/// tensors that are flagged read-only are taken no other way. The stream (GPU) is the one on which the tensor is ready,
/// the one that its giver was told: work on other streams waits for it, and it for them before the deleter is called;
/// with no_sync the tensor must be ready, and the host waits for them. Throws borrow_error if element type, rank,
/// device, flags, version, alignment or stream are not as asked: then the tensor remains the caller's.
template <class T, int R, memory_space Space = host, dlpack::managed Managed>
borrowed<T, R, Space> from_dlpack(Managed* m, dlpack::stream s = dlpack::no_sync, caller where = caller::here()) {
  using element = std::remove_const_t<T>;
  constexpr dlpack::data_type dtype = dlpack::type_of<component_t<element>>;
  static_assert(dtype.code != dlpack::type_code::opaque, "lazyfuse: DLPack has no code for this element type");
  auto* const own = dlpack_detail::ours(m);
  constexpr bool writes = !std::is_const_v<T>;
  if constexpr (dlpack::is_versioned<Managed>) dlpack_detail::check_version(*own, writes, where);
  shape<R> extents;
  strides<R> steps;
  void* const data = dlpack_detail::look_at(
      own->dl_tensor, {dtype, alignof(T), R, vec_detail::size<element>, space_traits<Space>::on_device, writes},
      extents.extent, steps.step, where);
  if (extents.size() > 0) memory_detail::check_place(Space{}, data, alignof(T), "from_dlpack", where);
  handles<1> keep;
  keep.memory[0] = dlpack_detail::adopt(Space{}, own->dl_tensor, data, dlpack_detail::end<Managed>, m, s, where);
  return {{}, {{keep.memory[0], static_cast<const T*>(data)}, extents, steps}, static_cast<handles<1>&&>(keep)};
}

}  // namespace lazyfuse
