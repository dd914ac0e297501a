// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are kept.
#include "core/text.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/prepared_kernels.hpp>
#include <lazyfuse/plan/graph.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace lazyfuse {

using planning::kernel_plan, planning::leaf_record, planning::leaf_type, planning::leaf_view, planning::operand_info,
    planning::reduction_record;

namespace {

/// What launches depend on of an address: whether so many bytes can be read at once.
bool aligned_alike(const void* a, const void* b) {
  return ((reinterpret_cast<std::uintptr_t>(a) ^ reinterpret_cast<std::uintptr_t>(b)) & 15) == 0;
}
/// Of a leaf in memory: whose it is, and the pointer that its offset is counted from.
allocation* owner_of(const leaf_record& r) { return r.type->owner(r.leaf); }
const char* pointer_of(const leaf_record& r) { return static_cast<const char* const*>(r.leaf)[1]; }
bool same_memory(const leaf_record& a, const leaf_record& b) {
  return a.type->element_size > 0 && b.type->element_size > 0 && owner_of(a) == owner_of(b) &&
         pointer_of(a) == pointer_of(b);
}

}  // namespace

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

/// A scalar of a kernel, or another source without memory, is that of the one leaf with its value. False if nobody can
/// tell whose it is: scans that begin at the other end move what is no scalar.
bool prepared_kernels::find_scalar(kernel_plan& p, int operand, const leaf_record* leaves, int count) {
  const planning::operand_type& type = p.type->types[operand - p.type->targets];
  if (type.bytes > planning::most_source_bytes) return true;  // none of that size may change
  if (!type.constant() && p.type->pattern == std::string_view("scan")) return false;
  int found = -1;
  for (int i = 0; i < count; ++i) {
    alignas(16) unsigned char value[planning::most_source_bytes];
    if (leaves[i].type->element_size > 0 || leaves[i].type->source_bytes != type.bytes) continue;
    leaves[i].type->place(leaves[i].leaf, value);
    if (std::memcmp(value, p.info[operand].place, static_cast<std::size_t>(type.bytes)) != 0) continue;
    if (found >= 0) return true;  // of several, none may change
    found = i;
  }
  if (found < 0) return type.constant();
  reads_.push_back({&p, operand, found, -1});
  may_change_[static_cast<std::size_t>(found)] = 1;
  return true;
}

/// False if what some kernel reads cannot be told to be a leaf's.
bool prepared_kernels::find_reads(const leaf_record* leaves, int count) {
  may_change_.assign(static_cast<std::size_t>(count), 0);
  for (int i = 0; i < count; ++i) {
    int first = 0;
    while (first < i && !same_memory(leaves[first], leaves[i])) ++first;
    first_with_.push_back(first);
    if (leaves[i].type->reach) return false;  // a map would have to be the same as well
  }
  for (int k = 0; k < plans_.size(); ++k) {
    kernel_plan& p = plans_[k];
    for (int i = p.type->targets; i < p.type->targets + p.type->operands; ++i) {
      const operand_info& o = p.info[i];
      if (!o.data) {
        if (!find_scalar(p, i, leaves, count)) return false;
        continue;
      }
      if (o.mapped_size != 0) return false;  // the map would have to be the same as well
      if (plans_.is_between(o)) continue;
      if (o.element_size == 0) return false;
      const auto is_it = [&](const leaf_record& r) {  // of borrowed memory nobody knows how far it goes
        return r.type->element_size > 0 && owner_of(r) == o.owner && (o.owner || r.type->see(r.leaf).data == o.data);
      };
      const int leaf = static_cast<int>(std::find_if(leaves, leaves + count, is_it) - leaves);
      if (leaf == count) return false;
      for (int other = leaf + 1; other < count; ++other)
        if (is_it(leaves[other]) && !same_memory(leaves[leaf], leaves[other])) return false;
      reads_.push_back({&p, i, leaf, static_cast<const char*>(o.data) - pointer_of(leaves[leaf])});
    }
  }
  return true;
}

execution prepared_kernels::plan(int device) {
  rebound_.clear();
  rebinding_ = rebinding::never;  // until all kernels are there
  plans_.restart(device);
  return {&plans_};
}

void prepared_kernels::planned(const leaf_record* leaves, int count) {
  shifts_.clear();
  reads_.clear();
  first_with_.clear();
  for (int k = 0; k < plans_.size(); ++k)
    for (int i = 0; i < plans_[k].type->targets; ++i)
      if (const operand_info& o = plans_[k].info[i]; !o.owner)  // what is written on the way has one
        rebound_.push_back({&plans_[k], i, static_cast<const char*>(o.data) - static_cast<const char*>(target())});
  // Graphs are planned anew: which of their operands others are in their places, nobody can say.
  if (std::any_of(leaves, leaves + count, [](const leaf_record& r) { return r.type->is_graph; })) return;
  // Those of graphs have their operands in another order than the leaves.
  const bool one = plans_.size() == 1 && !plans_.has_memory_between() && plans_[0].type->leaves == count;
  rebinding_ = one && find_leaves(plans_[0], leaves) ? rebinding::one
               : find_reads(leaves, count)           ? rebinding::all
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
    if (type->element_size == 0
            ? may_change_[static_cast<std::size_t>(i)] == 0 && !type->same_source(leaf, planned[i].leaf)
            : first != i && !same_memory(leaves[i], leaves[first]))
      return false;
  }
  for (const auto& [kernel, operand, leaf, shift] : reads_) {
    operand_info& o = kernel->info[operand];
    if (!o.data) {
      leaves[leaf].type->place(leaves[leaf].leaf, o.place);
      continue;
    }
    const void* const data = pointer_of(leaves[leaf]) + shift;
    if (kernel->by_address || !aligned_alike(data, o.data)) kernel->path = nullptr;
    std::memcpy(o.place, &data, sizeof data);
    o.data = data;
    o.owner = owner_of(leaves[leaf]);
  }
  for (int k = 0; k < plans_.size(); ++k) {
    kernel_plan& p = plans_[k];
    if (!p.path) p.type->decide(p);
    if (!p.path) return false;
  }
  return true;
}

bool prepared_kernels::rebind_one(const leaf_record* leaves, int count) {
  kernel_plan& p = plans_[0];
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
