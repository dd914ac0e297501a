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
#include <utility>

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
/// Of each argument so many arrays are taken at a time.
constexpr index_t taken_at_once = 32;
void ask_for(const allocation* owner) {
#if defined(__GNUC__)
  if (owner) __builtin_prefetch(owner);  // what is asked is in front
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

groups::groups(const argument* arguments, int count, int written, bool (*captured)(const allocation* of))
    : arguments_(arguments), argument_count_(count), written_(written) {
  const argument& first = arguments[0];
  for (int a = 1; a < count; ++a)
    if (arguments[a].count != first.count)
      throw shape_error(name + ("argument 0 has " + std::to_string(first.count)) + " arrays, and argument " +
                        std::to_string(a) + " has " + std::to_string(arguments[a].count));
  check_apart();
  take_kept(captured);
  kept_arrays& all = *all_;
  const auto stride = arrays(1);
  const auto most = static_cast<std::size_t>(first.count);
  bool same = all.arguments == count && all.written == written;
  const std::size_t before = all.sizes.size();
  all.arguments = count;
  all.written = written;
  all.sizes.resize(most);
  all.numbers.resize(most);
  all.data.resize(most * stride);
  all.owners.resize(most * stride);
  std::size_t g = 0;
  member of[most_arguments][taken_at_once];
  for (index_t from = 0; from < first.count; from += taken_at_once) {
    const index_t n = std::min(taken_at_once, first.count - from);
    for (int a = 0; a < count; ++a) arguments[a].take(arguments[a].all, from, n, of[a]);
    for (index_t i = 0; i < n; ++i) {
      index_t size = 1;
      for (int k = 0; k < first.rank; ++k) size *= of[0][i].extents[k];
      for (int a = 0; a < count; ++a)
        if (!arguments[a].of_numbers() &&
            !(same_shape(of[0][i], of[a][i], first.rank) && is_dense(of[a][i], first.rank)))
          refuse_shape(a, from + i, of[0][i], of[a][i]);
      if (size == 0) continue;
      const auto put = [&, at = g * stride](int place, const member& m) {
        const std::size_t to = at + static_cast<std::size_t>(place);
        same = same && all.data[to] == m.first && all.owners[to] == m.owner;
        all.data[to] = m.first;
        all.owners[to] = m.owner;
      };
      for (int a = 0; a < count; ++a) put(a, of[a][i]);
      for (int w = 0; w < written; ++w) put(count + w, of[w][i]);
      same = same && all.sizes[g] == size;
      all.sizes[g] = size;
      all.numbers[g++] = from + i;
      elements_ += size;
    }
  }
  all.sizes.resize(g);
  all.numbers.resize(g);
  all.data.resize(g * stride);
  all.owners.resize(g * stride);
  if (!same || g != before) all.words = {};
}

void groups::take_kept(bool (*captured)(const allocation* of)) {
  const argument& first = arguments_[0];
  for (index_t i = 0; i < std::min<index_t>(first.count, taken_at_once) && !all_; ++i) {
    allocation* const owner = first.at(first.all, i).owner;
    if (!owner) continue;
    if (memory_detail::owners_of(owner).load(std::memory_order_acquire) == 1 && owner->kept && !captured(owner))
      all_.reset(static_cast<kept_arrays*>(std::exchange(owner->kept, nullptr)));
    break;
  }
  if (!all_) all_ = std::make_unique<kept_arrays>();
}

void groups::keep() noexcept {
  if (!all_->words.memory.memory[0]) return;
  allocation* const owner = all_->owners[0];
  // Its memory is given back where it came from when the array is gone: to the array's own resource, which is then
  // still there. Another one that is equal may not be.
  const auto is_one = [](const resource_ref& a, const resource_ref& b) {
    return a.object == b.object && a.table == b.table;
  };
  if (owner && is_one(owner->source, all_->words.memory.memory[0]->source)) {
    delete owner->kept;
    owner->kept = all_.release();
  }
}

void groups::refuse_shape(int a, index_t i, const member& first, const member& m) const {
  const int rank = arguments_[0].rank;
  if (!same_shape(first, m, rank))
    throw shape_error(name + number_of(i, 0) + " has shape " + text_of(first.extents, rank) +
                      ", and that of argument " + std::to_string(a) + " shape " + text_of(m.extents, rank));
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
      const int here = device_of(all_->owners[at], all_->data[at]);
      if (found >= 0 && here >= 0 && here != found)
        throw device_error(name + number_of(number(0), 0) + " is on device " + std::to_string(found) + ", " +
                           number_of(number(g), a) + " on device " + std::to_string(here) +
                           "; copy one of them with to(x, device{...})");
      if (found < 0) found = here;
    }
  return found;
}

void groups::read(planning::operand_info* operands, int count, void* stream) {
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
  look_at_owners(stream);
  if (reads_others_) leave_to_others(operands, count);
}

void groups::leave(int a, index_t g) {
  char& stays = in_place_[place(a, g)];
  moved_[a] += stays;
  stays = 0;
}

void groups::look_at_owners(void* stream) {
  in_place_.assign(all_->sizes.size() * static_cast<std::size_t>(written_), 1);
  bool of_other_groups[most_arguments] = {};
  for (int w = 0; w < written_; ++w)
    for (int a = written_; a < argument_count_; ++a)
      of_other_groups[w] =
          of_other_groups[w] || (arguments_[w].all != arguments_[a].all && overlap(arguments_[w], arguments_[a]));
  for (index_t g = 0; g < count(); ++g) {
    allocation* const* const owners = all_->owners.data() + arrays(g);
    const bool more = g + asked_ahead < count();
    bool elsewhere = false;
    for (int a = 0; a < argument_count_; ++a) {
      const allocation* const owner = owners[a];
      if (more) ask_for(all_->owners[arrays(g + asked_ahead) + static_cast<std::size_t>(a)]);
      if (a < written_ && (of_other_groups[a] || memory_detail::owners_of(owner).load(std::memory_order_acquire) != 1))
        leave(a, g);
      if (a >= written_) reads_others_ = reads_others_ || is_of_others(owner);
      elsewhere = elsewhere || (owner && (memory_detail::stream_of(owner).load(std::memory_order_acquire) != stream ||
                                          memory_detail::readers_of(owner).load(std::memory_order_acquire)));
    }
    if (elsewhere) elsewhere_.push_back(g);
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
    const char* const first = static_cast<const char*>(all_->data[arrays(g) + static_cast<std::size_t>(a)]);
    const auto size = static_cast<std::size_t>(all_->sizes[static_cast<std::size_t>(g)]);
    return range{first, first + size * arguments_[a].element_size, a, g};
  };
  for (index_t g = 0; g < this->count(); ++g)
    for (int a = written_; a < argument_count_; ++a)
      if (arguments_[a].of_numbers()) {
        const char* const number = static_cast<const char*>(all_->data[arrays(g) + static_cast<std::size_t>(a)]);
        borrowed.push_back({number, number + arguments_[a].element_size, -1, -1});
      } else if (is_of_others(all_->owners[arrays(g) + static_cast<std::size_t>(a)]))
        borrowed.push_back(range_of(a, g));
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
  all_->data[at] = data;
  all_->owners[at] = owner;
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
  each([&](std::size_t at, std::size_t size) { std::memcpy(all.data() + next(size), all_->data[at], size); });
  numbers_of_device_.memory[0] = copy(all.data(), all.size());
  bytes = 0;
  each([&](std::size_t at, std::size_t size) {
    all_->data[at] = static_cast<const char*>(numbers_of_device_.memory[0]->data) + next(size);
    all_->owners[at] = numbers_of_device_.memory[0];
  });
}

const planning::pack& groups::pack(bool keep) {
  for (int a = 0; a < argument_count_; ++a) keep = keep && !arguments_[a].of_numbers() && moved_[a] == 0;
  if (!keep) all_->words = {};
  pack_ = {count(),
           all_->sizes.data(),
           all_->data.data(),
           argument_count_ + written_,
           columns_.data(),
           static_cast<int>(columns_.size()),
           keep ? &all_->words : nullptr};
  return pack_;
}

void groups::for_each(void (*use)(const planning::operand_info* info, int targets, int count), bool all) const {
  constexpr int together = 4;  // of the most arguments, more of fewer: what asks the runtime once does so for all
  planning::operand_info info[together * 2 * most_arguments] = {};
  for (planning::operand_info& o : info) o.element_size = 1;  // it is in memory
  const index_t at_once = together * 2 * most_arguments / (argument_count_ + written_);
  const index_t used = all ? count() : static_cast<index_t>(elsewhere_.size());
  const auto group = [&](index_t n) { return all ? n : elsewhere_[static_cast<std::size_t>(n)]; };
  for (index_t begin = 0; begin < used; begin += at_once) {
    const index_t end = std::min(begin + at_once, used);
    int i = 0;
    const auto set = [&](index_t g, int place) {
      const std::size_t at = arrays(g) + static_cast<std::size_t>(place);
      info[i].owner = all_->owners[at];
      info[i++].data = all_->data[at];
      ask_for(all_->owners[at]);
    };
    for (index_t n = begin; n < end; ++n)
      for (int w = 0; w < written_; ++w) set(group(n), argument_count_ + w);
    const int targets = i;
    for (index_t n = begin; n < end; ++n)
      for (int a = 0; a < argument_count_; ++a)
        if (a >= written_ || !in_place(a, group(n))) set(group(n), a);  // elsewhere the same array is written
    use(info, targets, i);
  }
}

}  // namespace lazyfuse::zip_detail
