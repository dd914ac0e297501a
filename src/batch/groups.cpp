// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of arrays: what is wrong with them, what their kernel reads and writes, and which of them are written where
// they are.
#include <lazyfuse/batch/groups.hpp>

#include "array/counted.hpp"
#include "core/text.hpp"

#include <lazyfuse/error.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
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
  bool same = true;  // no call of memcmp for so few
  for (int k = 0; k < rank; ++k) same = same && a.extents[k] == b.extents[k];
  return same;
}
/// Of no elements, too.
bool is_dense(const member& m, int rank) {
  for (int k = 0; k < rank; ++k)
    if (m.extents[k] == 0) return true;
  index_t step = 1;
  for (int k = rank - 1; k >= 0; --k) {
    if (m.extents[k] != 1 && m.steps[k] != step) return false;
    step *= m.extents[k];
  }
  return true;
}
/// Memory that others may write and read as well.
bool is_of_others(const allocation* owner) { return !owner || owner->foreign || owner->of_others; }

/// Owners are wherever arrays were made, and a processor waits for each of many: so they are asked for so many groups
/// ahead of their use.
constexpr index_t asked_ahead = 8;
void ask_for(const allocation* owner) {
#if defined(__GNUC__)
  if (!owner) return;
  __builtin_prefetch(owner);
  __builtin_prefetch(reinterpret_cast<const char*>(owner + 1) - 1);
#endif
}

/// Whether two arguments have array objects in common.
bool overlap(const argument& a, const argument& b) {
  const std::less<> before;
  const auto end = [](const argument& x) {
    return static_cast<const char*>(x.all) + static_cast<std::size_t>(x.count) * x.object_bytes;
  };
  const auto* const begin_a = static_cast<const char*>(a.all);
  const auto* const begin_b = static_cast<const char*>(b.all);
  return before(begin_a, end(b)) && before(begin_b, end(a));
}

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
  sizes_.reserve(static_cast<std::size_t>(first.count));
  numbers_.reserve(static_cast<std::size_t>(first.count));
  data_.reserve(arrays(first.count));
  owners_.reserve(arrays(first.count));
  for (index_t i = 0; i < first.count; ++i) {
    member of[most_arguments];
    for (int a = 0; a < count; ++a) {
      if (i + asked_ahead < first.count) ask_for(arguments[a].at(arguments[a].all, i + asked_ahead).owner);
      of[a] = arguments[a].at(arguments[a].all, i);
      if (!arguments[a].of_numbers()) check_shape(a, i, of[0], of[a]);
    }
    index_t size = 1;
    for (int k = 0; k < first.rank; ++k) size *= of[0].extents[k];
    if (size == 0) continue;
    for (int a = 0; a < count + written; ++a) {
      const member& m = of[a < count ? a : a - count];
      data_.push_back(m.first);
      owners_.push_back(m.owner);
      const bool reads = a < count && a >= written;
      reads_others_ = reads_others_ || (reads && (arguments[a].of_numbers() || is_of_others(m.owner)));
    }
    sizes_.push_back(size);
    numbers_.push_back(i);
    elements_ += size;
  }
}

void groups::check_shape(int a, index_t i, const member& first, const member& m) const {
  const int rank = arguments_[0].rank;
  if (a > 0 && !same_shape(first, m, rank))
    throw shape_error(name + number_of(i, 0) + " has shape " + text_of(first.extents, rank) +
                      ", and that of argument " + std::to_string(a) + " shape " + text_of(m.extents, rank));
  if (!is_dense(m, rank))
    throw shape_error(name + number_of(i, a) +
                      " is a view whose elements do not follow each other; materialize(x) has those that do");
}

void groups::check_apart() const {
  for (int a = 0; a < written_; ++a)
    for (int b = a + 1; b < written_; ++b)
      if (overlap(arguments_[a], arguments_[b]))
        throw index_error(name + ("arguments " + std::to_string(a)) + " and " + std::to_string(b) +
                          " have arrays in common, and both are written");
}

int groups::common_device(int (*device_of)(const allocation* owner, const void* data)) const {
  int found = -1;
  for (index_t g = 0; g < count(); ++g)
    for (int a = 0; a < argument_count_; ++a) {
      if (arguments_[a].of_numbers()) continue;
      const std::size_t at = arrays(g) + static_cast<std::size_t>(a);
      const int here = device_of(owners_[at], data_[at]);
      if (found >= 0 && here >= 0 && here != found)
        throw device_error(name + number_of(number(0), 0) + " is on device " + std::to_string(found) + ", " +
                           number_of(number(g), a) + " on device " + std::to_string(here) +
                           "; copy one of them with to(x, device{...})");
      if (found < 0) found = here;
    }
  return found;
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
    columns_.push_back(is_argument ? planning::pack::column{a, nullptr} : planning::pack::column{-1, o.data});
    reads_others_ = reads_others_ || (!is_argument && is_of_others(o.owner));
    if (is_argument) {
      o.owner = nullptr;
      o.data = std::bit_cast<const void*>(std::uintptr_t(a + 1) << 40);  // of each apart: traffic is counted by it
      o.arrays = arguments_[a].count;
      if (arguments_[a].of_numbers()) o.steps[0] = 0;  // the same for all elements of an array
    }
  }
  for (int w = 0; w < written_; ++w) columns_.push_back({argument_count_ + w, nullptr});
  find_in_place();
  if (reads_others_) leave_to_others(operands, count);
}

void groups::leave(int a, index_t g) {
  char& stays = in_place_[place(a, g)];
  moved_[a] += stays;
  stays = 0;
}

void groups::find_in_place() {
  in_place_.assign(sizes_.size() * static_cast<std::size_t>(written_), 1);
  for (int w = 0; w < written_; ++w) {
    bool of_other_groups = false;
    for (int a = written_; a < argument_count_; ++a)
      of_other_groups =
          of_other_groups || (arguments_[w].all != arguments_[a].all && overlap(arguments_[w], arguments_[a]));
    for (index_t g = 0; g < count(); ++g) {
      if (g + asked_ahead < count()) ask_for(owners_[arrays(g + asked_ahead) + static_cast<std::size_t>(w)]);
      if (of_other_groups ||
          memory_detail::owners_of(owners_[arrays(g) + static_cast<std::size_t>(w)]).load(std::memory_order_acquire) !=
              1)
        leave(w, g);
    }
  }
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
    const char* const first = static_cast<const char*>(data_[arrays(g) + static_cast<std::size_t>(a)]);
    const auto size = static_cast<std::size_t>(sizes_[static_cast<std::size_t>(g)]);
    return range{first, first + size * arguments_[a].element_size, a, g};
  };
  for (index_t g = 0; g < this->count(); ++g)
    for (int a = written_; a < argument_count_; ++a)
      if (arguments_[a].of_numbers()) {
        const char* const number = static_cast<const char*>(data_[arrays(g) + static_cast<std::size_t>(a)]);
        borrowed.push_back({number, number + arguments_[a].element_size, -1, -1});
      } else if (is_of_others(owners_[arrays(g) + static_cast<std::size_t>(a)])) borrowed.push_back(range_of(a, g));
  for (int k = 0; k < count; ++k) {
    const planning::operand_info& o = operands[k];
    if (!o.steps || o.element_size == 0 || o.arrays > 0 || !is_of_others(o.owner)) continue;
    const char* const first = static_cast<const char*>(o.data);
    borrowed.push_back({first, first + o.element_size, -1, -1});
  }
  for (int w = 0; w < written_; ++w)
    for (index_t g = 0; g < this->count(); ++g)
      if (in_place(w, g)) written.push_back(range_of(w, g));
  std::sort(written.begin(), written.end(), [&](const range& a, const range& b) { return before(a.begin, b.begin); });
  for (const range& b : borrowed) {
    auto w = std::lower_bound(written.begin(), written.end(), b.end,
                              [&](const range& r, const char* end) { return before(r.begin, end); });
    while (w != written.begin() && before(b.begin, (--w)->end))
      if (!(w->group == b.group && w->begin == b.begin && w->end == b.end)) leave(w->argument, w->group);
  }
}

void groups::write(int a, index_t g, const void* data, allocation* owner) {
  const std::size_t at = arrays(g) + static_cast<std::size_t>(argument_count_ + a);
  data_[at] = data;
  owners_[at] = owner;
}

void groups::copy_numbers(allocation* (*copy)(const void* from, std::size_t bytes)) {
  std::vector<unsigned char> all;
  const auto each = [&](const auto& use) {
    for (int a = 0; a < argument_count_; ++a)
      if (arguments_[a].of_numbers())
        for (index_t g = 0; g < count(); ++g) use(arrays(g) + static_cast<std::size_t>(a), arguments_[a].element_size);
  };
  constexpr std::size_t alignment = 16;  // of the largest numbers
  std::size_t bytes = 0;
  const auto next = [&](std::size_t size) {
    const std::size_t at = (bytes + size - 1) / size * size;
    bytes = at + size;
    return at;
  };
  each([&](std::size_t, std::size_t size) { (void)next(size); });
  if (bytes == 0) return;
  all.resize((bytes + alignment - 1) / alignment * alignment);
  bytes = 0;
  each([&](std::size_t at, std::size_t size) { std::memcpy(all.data() + next(size), data_[at], size); });
  numbers_of_device_.memory[0] = copy(all.data(), all.size());
  bytes = 0;
  each([&](std::size_t at, std::size_t size) {
    data_[at] = static_cast<const char*>(numbers_of_device_.memory[0]->data) + next(size);
    owners_[at] = numbers_of_device_.memory[0];
  });
}

const planning::pack& groups::pack() {
  pack_ = {count(),         sizes_.data(),
           data_.data(),    argument_count_ + written_,
           columns_.data(), static_cast<int>(columns_.size())};
  return pack_;
}

void groups::for_each(void (*use)(const planning::operand_info* info, int targets, int count)) const {
  constexpr int together = 4;  // of the most arguments, more of fewer: what asks the runtime once does so for all
  planning::operand_info info[together * 2 * most_arguments] = {};
  for (planning::operand_info& o : info) o.element_size = 1;  // it is in memory
  const index_t at_once = together * 2 * most_arguments / (argument_count_ + written_);
  for (index_t begin = 0; begin < count(); begin += at_once) {
    const index_t n = std::min(at_once, count() - begin);
    int i = 0;
    const auto set = [&](index_t g, int place) {
      const std::size_t at = arrays(g) + static_cast<std::size_t>(place);
      info[i].owner = owners_[at];
      info[i++].data = data_[at];
      ask_for(owners_[at]);
    };
    for (index_t g = begin; g < begin + n; ++g)
      for (int w = 0; w < written_; ++w) set(g, argument_count_ + w);
    const int targets = i;
    for (index_t g = begin; g < begin + n; ++g)
      for (int a = 0; a < argument_count_; ++a)
        if (a >= written_ || !in_place(a, g)) set(g, a);  // elsewhere the same array is written
    use(info, targets, i);
  }
}

}  // namespace lazyfuse::zip_detail
