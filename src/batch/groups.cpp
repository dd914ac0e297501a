// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of arrays: what is wrong with them, what their kernel reads and writes, and which of them are written where
// they are.
#include <lazyfuse/batch/groups.hpp>

#include "array/counted.hpp"
#include "core/text.hpp"

#include <lazyfuse/error.hpp>

#include <algorithm>
#include <functional>
#include <string>

namespace lazyfuse::zip_detail {

namespace {

using batch_detail::member;

constexpr const char* name = "for_each_zip: ";

std::string number_of(index_t array, int argument) {
  return "array " + std::to_string(array) + " of argument " + std::to_string(argument);
}
bool same_shape(const member& a, const member& b, int rank) {
  return std::equal(a.extents, a.extents + rank, b.extents);
}
bool is_dense(const member& m, int rank) {
  index_t step = 1;
  for (int k = rank - 1; k >= 0; --k) {
    if (m.extents[k] != 1 && m.steps[k] != step) return false;
    step *= m.extents[k];
  }
  return true;
}
/// Memory that others may write and read as well.
bool is_of_others(const allocation* owner) { return !owner || owner->foreign || owner->of_others; }

}  // namespace

allocation* stand_in(int i) {
  static allocation all[most_arguments];
  return all + i;
}

groups::groups(const argument* arguments, int count, int written)
    : arguments_(arguments), argument_count_(count), written_(written) {
  const argument& first = arguments[0];
  for (int a = 1; a < count; ++a)
    if (arguments[a].count != first.count)
      throw shape_error(name + ("argument 0 has " + std::to_string(first.count)) + " arrays, and argument " +
                        std::to_string(a) + " has " + std::to_string(arguments[a].count));
  check_apart();
  for (index_t i = 0; i < first.count; ++i) {
    const member m = first.at(first.all, i);
    index_t size = 1;
    for (int k = 0; k < first.rank; ++k) size *= m.extents[k];
    for (int a = 0; a < count; ++a) {
      const member other = arguments[a].at(arguments[a].all, i);
      if (!same_shape(m, other, first.rank))
        throw shape_error(name + number_of(i, 0) + " has shape " + text_of(m.extents, first.rank) +
                          ", and that of argument " + std::to_string(a) + " shape " +
                          text_of(other.extents, first.rank));
      if (size > 0 && !is_dense(other, first.rank))
        throw shape_error(name + number_of(i, a) +
                          " is a view whose elements do not follow each other; materialize(x) has those that do");
    }
    if (size == 0) continue;
    sizes_.push_back(size);
    numbers_.push_back(i);
    elements_ += size;
  }
}

void groups::check_apart() {
  const std::less<> before;
  const auto begin = [&](int a) { return static_cast<const char*>(arguments_[a].all); };
  const auto end = [&](int a) {
    return begin(a) + static_cast<std::size_t>(arguments_[a].count) * arguments_[a].object_bytes;
  };
  for (int a = 0; a < written_; ++a)
    for (int b = a + 1; b < written_; ++b)
      if (before(begin(a), end(b)) && before(begin(b), end(a)))
        throw index_error(name + ("arguments " + std::to_string(a)) + " and " + std::to_string(b) +
                          " have arrays in common, and both are written");
}

void groups::throw_devices(int a, index_t g, int device, int other) const {
  throw device_error(name + number_of(number(0), 0) + " is on device " + std::to_string(device) + ", " +
                     number_of(number(g), a) + " on device " + std::to_string(other) +
                     "; copy one of them with to(x, device{...})");
}

void groups::read(planning::operand_info* operands, int count) {
  for (int k = 0; k < count; ++k) {
    planning::operand_info& o = operands[k];
    if (!o.steps || o.element_size == 0) continue;
    int a = 0;
    while (a < argument_count_ && o.owner != stand_in(a)) ++a;
    const bool is_argument = a < argument_count_;
    if (is_argument ? o.data != stand_in(a) || (o.steps[0] != 1 && elements_ > 1) : o.steps[0] != 0 && elements_ > 1)
      throw index_error(
          name + std::string(is_argument ? "the function takes a view of an argument, and can only read it as it is"
                                         : "the function reads an array that is no argument; of those it may read "
                                           "such as have one element"));
    columns_.push_back({is_argument ? a : -1, o.data});
    if (is_argument) {
      o.owner = nullptr;
      o.arrays = arguments_[a].count;
    }
  }
  find_in_place(operands, count);
  data_.resize(sizes_.size() * (columns_.size() + static_cast<std::size_t>(written_)));
  owners_.resize(sizes_.size() * static_cast<std::size_t>(written_));
  auto to = data_.begin();
  for (index_t g = 0; g < this->count(); ++g, to += written_)
    for (const column& c : columns_) *to++ = c.argument < 0 ? c.data : at(c.argument, g).first;
}

void groups::find_in_place(const planning::operand_info* operands, int count) {
  in_place_.assign(sizes_.size() * static_cast<std::size_t>(written_), 0);
  const std::less<> before;
  for (int w = 0; w < written_; ++w) {
    const argument& written = arguments_[w];
    const auto bytes = [](const argument& a) { return static_cast<std::size_t>(a.count) * a.object_bytes; };
    bool moved = false;  // the same arrays are of other groups, too
    for (int a = written_; a < argument_count_; ++a) {
      const auto* const mine = static_cast<const char*>(written.all);
      const auto* const other = static_cast<const char*>(arguments_[a].all);
      moved = moved ||
              (mine != other && before(mine, other + bytes(arguments_[a])) && before(other, mine + bytes(written)));
    }
    for (index_t g = 0; g < this->count() && !moved; ++g) {
      in_place_[place(w, g)] = memory_detail::owners_of(at(w, g).owner).load(std::memory_order_acquire) == 1;
    }
  }
  leave_to_others(operands, count);
}

/// Borrowed memory may be a part of an array, which nobody counts.
void groups::leave_to_others(const planning::operand_info* operands, int count) {
  struct range {
    const char *begin, *end;
    int argument;
    index_t group;
  };
  const std::less<const char*> before;
  std::vector<range> borrowed, written;
  const auto range_of = [&](int a, index_t g) {
    const char* const first = static_cast<const char*>(at(a, g).first);
    return range{first,
                 first + static_cast<std::size_t>(sizes_[static_cast<std::size_t>(g)]) * arguments_[a].element_size, a,
                 g};
  };
  for (int a = written_; a < argument_count_; ++a)
    for (index_t g = 0; g < this->count(); ++g)
      if (is_of_others(at(a, g).owner)) borrowed.push_back(range_of(a, g));
  for (int k = 0; k < count; ++k)
    if (operands[k].steps && operands[k].steps[0] == 0 && operands[k].arrays == 0 && is_of_others(operands[k].owner)) {
      const char* const first = static_cast<const char*>(operands[k].data);
      borrowed.push_back({first, first + operands[k].element_size, -1, -1});
    }
  if (borrowed.empty()) return;
  for (int w = 0; w < written_; ++w)
    for (index_t g = 0; g < this->count(); ++g)
      if (in_place(w, g)) written.push_back(range_of(w, g));
  std::sort(written.begin(), written.end(), [&](const range& a, const range& b) { return before(a.begin, b.begin); });
  for (const range& b : borrowed) {
    auto w = std::lower_bound(written.begin(), written.end(), b.end,
                              [&](const range& r, const char* end) { return before(r.begin, end); });
    while (w != written.begin() && before(b.begin, (--w)->end)) {
      const bool same = w->group == b.group && w->begin == b.begin && w->end == b.end;
      if (!same) move(w->argument, w->group);
    }
  }
}

void groups::write(int a, index_t g, const void* data, allocation* owner) {
  const auto group = static_cast<std::size_t>(g), column = static_cast<std::size_t>(a);
  data_[group * (columns_.size() + static_cast<std::size_t>(written_)) + columns_.size() + column] = data;
  owners_[group * static_cast<std::size_t>(written_) + column] = owner;
}

const planning::pack& groups::pack() {
  pack_ = {count(), sizes_.data(), data_.data(), static_cast<int>(columns_.size()) + written_};
  return pack_;
}

int groups::describe(index_t g, planning::operand_info* to) const {
  const auto first = static_cast<std::size_t>(g) * static_cast<std::size_t>(written_);
  for (int w = 0; w < written_; ++w) {
    to[w] = {};
    to[w].element_size = 1;  // it is in memory
    to[w].owner = owners_[first + static_cast<std::size_t>(w)];
  }
  for (int a = 0; a < argument_count_; ++a) {
    const member m = at(a, g);
    planning::operand_info& o = to[written_ + a] = {};
    o.element_size = 1;
    o.owner = m.owner;
    o.data = m.first;
  }
  return written_ + argument_count_;
}

}  // namespace lazyfuse::zip_detail
