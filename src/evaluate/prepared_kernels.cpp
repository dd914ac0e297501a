// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are kept.
#include "core/text.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/explain.hpp>
#include <lazyfuse/evaluate/prepared_kernels.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace lazyfuse {

using namespace planning;

namespace {

constexpr std::align_val_t alignment{64};

/// What launches depend on of an address: whether so many bytes can be read at once.
bool aligned_alike(const void* a, const void* b) {
  return ((reinterpret_cast<std::uintptr_t>(a) ^ reinterpret_cast<std::uintptr_t>(b)) & 15) == 0;
}
/// Where in the copy is what `inside` points to in the plan.
template <class T>
T* moved(T* inside, const void* plan, void* copy) {
  const auto offset = reinterpret_cast<const char*>(inside) - static_cast<const char*>(plan);
  return reinterpret_cast<T*>(static_cast<char*>(copy) + offset);
}

/// Of a leaf in memory: whose it is, and the pointer that its offset is counted from.
allocation* owner_of(const leaf_record& r) { return r.type->owner(r.leaf); }
const char* pointer_of(const leaf_record& r) { return static_cast<const char* const*>(r.leaf)[1]; }
bool same_memory(const leaf_record& a, const leaf_record& b) {
  return a.type->element_size > 0 && b.type->element_size > 0 && owner_of(a) == owner_of(b) &&
         pointer_of(a) == pointer_of(b);
}

}  // namespace

void prepared_kernels::bytes::operator()(kernel_plan* p) const { ::operator delete(p, alignment); }

void* prepared_kernels::target() { return run_detail::planned_memory(0); }

execution prepared_kernels::plan(int device) {
  device_ = device;
  rebound_.clear();
  used_ = taken_ = 0;
  rebinding_ = rebinding::never;
  execution x{take, nullptr, this};
  x.room = room;
  return x;
}

handles<1>& prepared_kernels::room(void* self, std::size_t size) {
  auto& kept = *static_cast<prepared_kernels*>(self);
  if (kept.used_ == kept.memory_.size()) kept.memory_.emplace_back();
  handles<1>& next = kept.memory_[kept.used_++];
  const allocation* const a = next.memory[0];
  if (a && (a->bytes != size || (kept.device_ >= 0 && a->device != kept.device_))) next = {};
  return next;
}

void prepared_kernels::take(void* self, kernel_plan& p) {
  p.type->decide(p);
  if (!p.path) return;
  auto& kept = *static_cast<prepared_kernels*>(self);
  const kernel_type& type = *p.type;
  const auto size = static_cast<std::size_t>(type.bytes);
  if (kept.taken_ == kept.kernels_.size()) kept.kernels_.emplace_back();
  kernel_bytes& place = kept.kernels_[kept.taken_++];
  if (!place || place->type != &type) place.reset(static_cast<kernel_plan*>(::operator new(size, alignment)));
  kernel_plan* const copy = place.get();
  void* const to = copy;
  std::memcpy(to, &p, size);
  copy->info = moved(copy->info, &p, to);
  for (int i = 0; i < type.targets + type.operands; ++i) {
    operand_info& o = copy->info[i];
    if (o.steps) o.steps = moved(o.steps, &p, to);
    o.place = moved(o.place, &p, to);
    if (i < type.targets && !o.owner)  // what is written on the way has one
      kept.rebound_.push_back({copy, i, static_cast<const char*>(o.data) - static_cast<const char*>(target())});
  }
}

bool prepared_kernels::find_leaves(const kernel_plan& p, const leaf_record* leaves) {
  const bool in_own_order = p.type->pattern != std::string_view("scan");
  int known = 0;
  for (int i = 0; i < p.type->leaves; ++i) {
    if (p.type->slots[i] != known) continue;
    const operand_info& o = p.info[p.type->targets + known++];
    const leaf_view v = leaves[i].type->see(leaves[i].leaf);
    const bool plain = v.element_size > 0 && !v.mapped;
    // Where a scan begins at the other end, what is not plain memory has other origins than its leaf.
    if (o.owner != v.owner || !(plain || in_own_order || !o.steps)) return false;
    shifts_.push_back(static_cast<const char*>(o.data) - v.data);
    if (in_own_order && shifts_.back() != 0) return false;
  }
  return true;
}

/// False if what some kernel reads cannot be told to be a leaf's.
bool prepared_kernels::find_reads(const leaf_record* leaves, int count) {
  for (int i = 0; i < count; ++i) {
    int first = 0;
    while (first < i && !same_memory(leaves[first], leaves[i])) ++first;
    first_with_.push_back(first);
    if (leaves[i].type->reach) return false;  // a map would have to be the same as well
  }
  for (const kernel_bytes& p : kernels_)
    for (int i = p->type->targets; i < p->type->targets + p->type->operands; ++i) {
      const operand_info& o = p->info[i];
      if (!o.data) continue;
      if (o.mapped_size != 0) return false;  // the map would have to be the same as well
      if (std::any_of(memory_.begin(), memory_.end(), [&](const auto& m) { return m.memory[0] == o.owner && o.owner; }))
        continue;
      if (!o.owner || o.element_size == 0) return false;
      int leaf = 0;
      while (leaf < count && (leaves[leaf].type->element_size == 0 || owner_of(leaves[leaf]) != o.owner)) ++leaf;
      if (leaf == count) return false;
      for (int other = leaf + 1; other < count; ++other)
        if (leaves[other].type->element_size > 0 && owner_of(leaves[other]) == o.owner &&
            !same_memory(leaves[leaf], leaves[other]))
          return false;
      reads_.push_back({p.get(), i, leaf, static_cast<const char*>(o.data) - pointer_of(leaves[leaf])});
    }
  return true;
}

void prepared_kernels::planned(const leaf_record* leaves, int count) {
  kernels_.resize(taken_);
  shifts_.clear();
  reads_.clear();
  first_with_.clear();
  const bool one = kernels_.size() == 1 && used_ == 0 && kernels_[0]->type->leaves == count;
  rebinding_ = one && find_leaves(*kernels_[0], leaves) ? rebinding::one
               : find_reads(leaves, count)              ? rebinding::all
                                                        : rebinding::never;
}

bool prepared_kernels::rebind(const leaf_record* leaves, const leaf_record* planned, int count) {
  return rebinding_ == rebinding::one ? rebind_one(leaves, count)
                                      : rebinding_ == rebinding::all && rebind_all(leaves, planned, count);
}

bool prepared_kernels::rebind_all(const leaf_record* leaves, const leaf_record* planned, int count) {
  for (int i = 0; i < count; ++i) {
    const auto& [leaf, type, frame] = leaves[i];
    if (type->see(leaf).offset != type->see(planned[i].leaf).offset) return false;
    const int first = first_with_[static_cast<std::size_t>(i)];
    if (type->element_size == 0 ? !type->same_source(leaf, planned[i].leaf)
                                : first != i && !same_memory(leaves[i], leaves[first]))
      return false;
  }
  for (const auto& [kernel, operand, leaf, shift] : reads_) {
    operand_info& o = kernel->info[operand];
    const void* const data = pointer_of(leaves[leaf]) + shift;
    if (kernel->by_address || !aligned_alike(data, o.data)) kernel->path = nullptr;
    std::memcpy(o.place, &data, sizeof data);
    o.data = data;
    o.owner = owner_of(leaves[leaf]);
  }
  for (const kernel_bytes& p : kernels_) {
    if (!p->path) p->type->decide(*p);
    if (!p->path) return false;
  }
  return true;
}

bool prepared_kernels::rebind_one(const leaf_record* leaves, int count) {
  kernel_plan& p = *kernels_[0];
  const int* const slots = p.type->slots;
  int known = 0;
  bool laid_out = !p.by_address;
  for (int i = 0; i < count; ++i) {
    const auto& [leaf, type, frame] = leaves[i];
    const int slot = slots[i];
    if (slot != known) {
      const leaf_record& first = leaves[std::find(slots, slots + i, slot) - slots];
      if (!type->same_source(leaf, first.leaf) || type->see(leaf).offset != type->see(first.leaf).offset) return false;
      continue;
    }
    operand_info& o = p.info[p.type->targets + known];
    ++known;
    if (type->element_size == 0) {
      type->place(leaf, o.place);
      continue;
    }
    const leaf_view v = type->see(leaf);
    const void* const data = v.data + shifts_[static_cast<std::size_t>(slot)];
    laid_out = laid_out && aligned_alike(data, o.data);
    if (v.mapped) type->place(leaf, o.place);
    else std::memcpy(o.place, &data, sizeof data);
    o.data = data;
    o.owner = v.owner;
    o.reach = v.reach;
  }
  if (!laid_out) p.type->decide(p);
  return p.path != nullptr;
}

void prepared_kernels::rebind_target(void* data, allocation* owner) {
  for (const auto& [kernel, target, shift] : rebound_) {
    operand_info& o = kernel->info[target];
    const void* const begin = static_cast<const char*>(data) + shift;
    if (!aligned_alike(begin, o.data)) kernel->path = nullptr;
    std::memcpy(o.place, &begin, sizeof begin);
    o.data = begin;
    o.owner = owner;
  }
}

void prepared_kernels::launch() {
  for (const kernel_bytes& p : kernels_) {
    lazyfuse::launch(*p);
    if (!p->path) throw error(std::string("prepare: ") + backend_refuses + place_asked());
  }
}

std::vector<planned_kernel> prepared_kernels::described() const {
  std::vector<planned_kernel> all;
  for (const kernel_bytes& p : kernels_) {
    planned_kernel& k = all.emplace_back(explain_detail::described(*p));
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
      const allocation* const owner = p->info[p->type->targets + static_cast<int>(i)].owner;
      k.operands[i].temporary =
          owner && std::any_of(memory_.begin(), memory_.end(), [&](const auto& m) { return m.memory[0] == owner; });
    }
  }
  return all;
}

namespace {

bool equal(const index_t* a, const index_t* b, int n) {
  for (int k = 0; k < n; ++k)
    if (a[k] != b[k]) return false;
  return true;
}
const index_t* at(const leaf_record& r, int member) {
  return reinterpret_cast<const index_t*>(static_cast<const char*>(r.leaf) + member);
}
[[noreturn]] void throw_layout(const std::string& what, const char* property, const index_t* was, const index_t* is,
                               int rank) {
  throw shape_error("prepare: " + what + " has " + property + " " + text_of(is, rank) + ", and was prepared with " +
                    text_of(was, rank) + "; prepare another, or assign" + place_asked());
}

}  // namespace

void prepare_detail::check_layout(const leaf_record* prepared, const leaf_record* given, int leaves,
                                  const reduction_record* r, const reduction_record* s, int reductions) {
  for (int i = 0; i < leaves; ++i) {
    const leaf_record &was = prepared[i], &is = given[i];
    const leaf_type& type = *is.type;
    for (const auto& [member, property] : {std::pair(type.extents, "shape"), std::pair(type.steps, "steps")})
      if (!equal(at(was, member), at(is, member), type.rank))
        throw_layout("operand " + std::to_string(i), property, at(was, member), at(is, member), type.rank);
  }
  for (int i = 0; i < reductions; ++i) {
    const reduction_record &was = r[i], &is = s[i];
    const auto check = [&](const char* property, const index_t* a, const index_t* b, int rank) {
      if (!equal(a, b, rank)) throw_layout("the view of reduction " + std::to_string(i), property, a, b, rank);
    };
    check("shape", was.extents, is.extents, is.rank);
    check("steps", was.steps, is.steps, is.rank);
    check("offset", &was.offset, &is.offset, 1);
  }
}

void prepare_detail::move_leaves(const leaf_record* leaves, int count, const allocation* from, const void* data_of_from,
                                 allocation* to, const void* data) {
  for (int i = 0; i < count; ++i) {
    if (leaves[i].type->element_size == 0 || owner_of(leaves[i]) != from) continue;
    const auto offset = pointer_of(leaves[i]) - static_cast<const char*>(data_of_from);
    const void* const source[2] = {to, static_cast<const char*>(data) + offset};
    std::memcpy(const_cast<void*>(leaves[i].leaf), source, sizeof source);  // the expression is the caller's
  }
}

void prepare_detail::throw_device(int prepared, int given) {
  throw device_error("prepare: the arrays are on device " + std::to_string(given) +
                     ", and the assignment was prepared on device " + std::to_string(prepared) +
                     "; prepare another, or assign" + place_asked());
}

}  // namespace lazyfuse
