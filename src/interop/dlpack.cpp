// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack tensors: what is given away, and what is wanted of those that are taken.
#include "array/counted.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/interop/dlpack.hpp>

#include <memory>
#include <new>
#include <string>

namespace lazyfuse::dlpack_detail {

namespace {

/// A tensor that was given away, and what it points to.
template <class M>
struct given {
  M managed{};
  index_t extents[max_rank + 1] = {}, steps[max_rank + 1] = {};  // the components of vectors are an axis, too
  handles<1> memory;
  dlpack::stream stream = dlpack::no_sync;

  static void end(void* context) {
    const std::unique_ptr<given> g(static_cast<given*>(context));
    // This stream has another meaning in every thread, so what is left on it can only be waited for.
    if (g->stream.number == dlpack::per_thread.number)
      if (auto* const wait = memory_detail::wait_for_all.load(std::memory_order_relaxed))
        wait(g->managed.dl_tensor.device.id);
  }
};

template <class M>
M* give_away(const exported& x, handles<1>&& memory) {
  std::unique_ptr<given<M>> g(new (std::nothrow) given<M>);
  if (!g) throw memory_error("to_dlpack: could not allocate the tensor's description");
  for (int k = 0; k < x.rank; ++k) {
    g->extents[k] = x.extents[k];
    g->steps[k] = x.steps[k];
  }
  g->memory = static_cast<handles<1>&&>(memory);
  g->stream = x.stream;
  g->managed.dl_tensor = {const_cast<void*>(x.data), x.place, x.rank, x.dtype, g->extents, g->steps, 0};
  g->managed.manager_ctx = g.get();
  return &g.release()->managed;
}

/// float32, as NumPy calls it
std::string name_of(dlpack::data_type t) {
  using enum dlpack::type_code;
  const std::string bits = std::to_string(int{t.bits}), lanes = t.lanes == 1 ? "" : " x " + std::to_string(t.lanes);
  switch (t.code) {
    case integer:
      return "int" + bits + lanes;
    case unsigned_integer:
      return "uint" + bits + lanes;
    case real:
      return "float" + bits + lanes;
    case bfloat:
      return "bfloat" + bits + lanes;
    case complex:
      return "complex" + bits + lanes;
    case boolean:
      return (t.bits == 8 ? "bool" : "bool" + bits) + lanes;
    default:
      return "of type code " + std::to_string(static_cast<int>(t.code)) + ", " + bits + " bits" + lanes;
  }
}
std::string name_of(dlpack::device d) {
  using enum dlpack::device_type;
  switch (d.type) {
    case cpu:
      return "the host";
    case cuda:
      return "CUDA device " + std::to_string(d.id);
    case cuda_host:
      return "the host, pinned";
    case cuda_managed:
      return "managed memory of CUDA";
    default:
      return "device type " + std::to_string(static_cast<int>(d.type));
  }
}
[[noreturn]] void refuse(const std::string& text, caller where) { throw_borrow("from_dlpack", text.c_str(), where); }

struct foreign_memory : allocation {
  void (*end)(void*) = nullptr;
  void* object = nullptr;
};

}  // namespace

dlpack::managed_tensor_versioned* give_versioned(const exported& x, handles<1>&& memory) {
  const bool shared = owners(memory) > 1;
  auto* const m = give_away<dlpack::managed_tensor_versioned>(x, static_cast<handles<1>&&>(memory));
  m->version = dlpack::version;
  m->flags = shared ? dlpack::read_only : 0;
  return m;
}
dlpack::managed_tensor* give(const exported& x, handles<1>&& memory) {
  return give_away<dlpack::managed_tensor>(x, static_cast<handles<1>&&>(memory));
}

void end_given(dlpack::managed_tensor_versioned*, void* context) {
  given<dlpack::managed_tensor_versioned>::end(context);
}
void end_given(dlpack::managed_tensor*, void* context) { given<dlpack::managed_tensor>::end(context); }

void check_version(const dlpack::managed_tensor_versioned& m, bool writes, caller where) {
  if (m.version.major != dlpack::version.major)
    refuse("the tensor has version " + std::to_string(m.version.major) + " of DLPack, not 1", where);
  if (writes && (m.flags & dlpack::read_only))
    refuse("the tensor is read-only; ask for const elements: from_dlpack<const T, R>", where);
}

void* look_at(const dlpack::tensor& t, const wanted& w, index_t* extents, index_t* steps, caller where) {
  using enum dlpack::device_type;
  const int axes = w.rank + (w.components > 0);
  if (t.ndim != axes) refuse("the tensor has " + std::to_string(t.ndim) + " axes, not " + std::to_string(axes), where);
  if (t.dtype.code != w.dtype.code || t.dtype.bits != w.dtype.bits || t.dtype.lanes != w.dtype.lanes)
    refuse("the tensor's elements are " + name_of(t.dtype) + ", not " + name_of(w.dtype), where);
  const auto place = t.device.type;
  if (w.on_device ? place != cuda && place != cuda_managed && place != cuda_host
                  : place != cpu && place != cuda_host && place != cuda_managed)
    refuse("the tensor is on " + name_of(t.device) + "; ask for it in lf::" + (place == cuda ? "cuda" : "host"), where);
  const int numbers = w.components > 0 ? w.components : 1;  // in an element
  index_t size = 1;
  if (w.components > 0) {
    size = t.shape[w.rank];
    if (size != numbers || (t.strides && t.strides[w.rank] != 1 && numbers > 1))
      refuse("the tensor's last axis does not hold " + std::to_string(numbers) + " adjacent numbers", where);
  }
  for (int k = w.rank - 1; k >= 0; --k) {
    extents[k] = t.shape[k];
    const index_t step = t.strides ? t.strides[k] : size;
    steps[k] = step / numbers;
    if (extents[k] < 0) refuse("the tensor has a negative extent", where);
    if (extents[k] > 1 && step % numbers != 0)
      refuse("the tensor's strides are not multiples of the vector length", where);
    size *= extents[k];
  }
  return static_cast<char*>(t.data) + t.byte_offset;
}

allocation* adopt(host, const dlpack::tensor&, void* data, void (*end)(void*), void* object, dlpack::stream, caller) {
  auto* const a = new (std::nothrow) foreign_memory;
  if (!a) throw memory_error("from_dlpack: could not allocate a handle");
  a->data = data;
  a->foreign = true;
  a->end = end;
  a->object = object;
  a->release = [](allocation* memory) noexcept {
    const std::unique_ptr<foreign_memory> f(static_cast<foreign_memory*>(memory));
    f->end(f->object);
  };
  return a;
}

}  // namespace lazyfuse::dlpack_detail
