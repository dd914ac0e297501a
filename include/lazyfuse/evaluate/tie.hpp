// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assign(tie(x, y), e1, e2): several assignments as one, all of the values before it, in the kernels that materialize
// of the expressions is.
#pragma once

#include <lazyfuse/evaluate/into.hpp>
#include <lazyfuse/evaluate/materialize.hpp>

#include <optional>

namespace lazyfuse {

/// Arrays and slices that are assigned to together; it refers to them, and is used up where it is written.
template <class... Y>
struct tied {
  std::tuple<Y&&...> written;
};

namespace tie_detail {

using materialize_detail::place;

/// One that is assigned to, as code that knows no types sees it.
struct destination_record {
  planning::alias_scan elements;
  const handles<1>* array;     ///< that they are of
  bool whole;                  ///< they are all of it
  bool in_place = false;       ///< their memory is written; else new memory, which the array has in the end
  long ours = 0;               ///< handles to the memory that end with the expressions
  const void* copy = nullptr;  ///< of all memory of the array, for its slices; made by the first
  allocation* owner = nullptr;

  bool is_empty() const {
    for (int k = 0; k < elements.rank; ++k)
      if (elements.extents[k] == 0) return true;
    return false;
  }
  /// Whether nobody else can see the elements, and the kernel that writes them reads them only where it does.
  bool can_be_in_place() const { return owners(*array) == 1 + ours && !elements.elsewhere; }
};
/// Throws index_error if two have an element in common.
void check_apart(const destination_record* d, int count);
/// Slices of one array are in place all or none.
void agree(destination_record* d, int count);
/// The first that is of the same array as number i.
destination_record& first_of(destination_record* d, int i);
/// Whether at[i] is not among those before it.
bool is_first(const void* const* at, int i);
/// Whose memory there is; null if nobody's.
const allocation* any_owner(const destination_record* d, int count);

template <class T, int R, class Space>
planning::alias_scan elements_of(const tree::leaf<stored<T, Space>, R>& x) {
  return {x.source.owner, reinterpret_cast<const char*>(x.source.data + x.offset), sizeof(T), R, x.extents.extent,
          x.steps.step};
}

/// What may be written: an array that has a name, or a slice that has none.
template <class Y>
class written;
template <class T, int R, class Space>
class written<array<T, R, Space>&> {
 public:
  using space = Space;
  explicit written(array<T, R, Space>& y) : y_(y) {}

  template <class E>
  static consteval bool takes() {
    if constexpr (scalar<E> || is_literal<E>) return true;
    else return assign_detail::check<T, R, Space, E>();
  }
  /// The tree that is stored there; sentences where e is a number that does not fit.
  template <class E>
  auto tree_of(const E& e) const {
    if constexpr (is_literal<E>) return tree_of(E::value);
    else if constexpr (scalar<E>) return tree::constant_leaf(assign_detail::from_scalar<T>(e), y_.shape());
    else return assign_detail::converted<T>(e.tree);
  }
  destination_record record() const { return {elements_of(y_.tree), &y_.memory, true}; }
  bool has_room(const shape<R>& s) const { return y_.size() > 0 && y_.shape() == s; }

  place<T, R> prepare(destination_record* d, int i, const shape<R>& s) {
    if (d[i].in_place) return materialize_detail::place_of(y_);
    fresh_.emplace(s, caller{});
    return materialize_detail::place_of(*fresh_);
  }
  void finish() {
    if (fresh_ &&
        !record_detail::settled({y_.owner(), y_.unshared()}, {fresh_->owner(), fresh_->unshared()},
                                static_cast<std::size_t>(fresh_->size()) * sizeof(T), fresh_->shape() == y_.shape()))
      y_ = static_cast<array<T, R, Space>&&>(*fresh_);
  }

 private:
  array<T, R, Space>& y_;
  std::optional<array<T, R, Space>> fresh_;
};
template <class Tree>
class written<slice<Tree>> {
  using T = typename Tree::value_type;
  using whole_element = typename stored_place<Tree>::element;
  static constexpr int R = Tree::rank;

 public:
  using space = typename Tree::space;
  explicit written(slice<Tree>& y) : to_(assign_detail::place_in(y)), of_(y.written) {}

  template <class E>
  static consteval bool takes() {
    if constexpr (scalar<E> || is_literal<E>) return true;
    else return assign_detail::check_slice<T, R, space, tree_t<E>>();
  }
  template <class E>
  auto tree_of(const E& e) const {
    if constexpr (is_literal<E>) return tree_of(E::value);
    else
      return view_detail::broadcast_tree(assign_detail::converted<T>(assign_detail::lifted<T>(e)), to_.extents,
                                         "assignment");
  }
  destination_record record() const { return {elements_of(to_), of_.memory, false}; }
  bool has_room(const shape<R>&) const { return true; }

  template <class = maker>
  place<T, R> prepare(destination_record* d, int i, const shape<R>&) {
    T* const data = const_cast<T*>(to_.source.data) + to_.offset;
    if (d[i].in_place) return {data, to_.steps, to_.source.owner};
    destination_record& first = first_of(d, i);
    if (&first == d + i) {
      copy_.emplace(assign_detail::copy_of(of_));
      first.copy = copy_->data();
      first.owner = copy_->owner();
    }
    const auto to = const_cast<char*>(static_cast<const char*>(first.copy)) +
                    (reinterpret_cast<const char*>(data) - reinterpret_cast<const char*>(of_.source->data));
    return {reinterpret_cast<T*>(to), to_.steps, first.owner};
  }
  void finish() {
    if (copy_) assign_detail::replace(of_, static_cast<array<whole_element, 1, space>&&>(*copy_));
  }

 private:
  tree::leaf<stored<T, space>, R> to_;
  array_memory<whole_element, space> of_;
  std::optional<array<whole_element, 1, space>> copy_;
};

template <class Y>
inline constexpr bool can_be_written = false;
template <class T, int R, class Space>
inline constexpr bool can_be_written<array<T, R, Space>&> = true;
template <class Tree>
inline constexpr bool can_be_written<slice<Tree>> = true;

template <class D>
inline constexpr bool is_tied = false;
template <class... Y>
inline constexpr bool is_tied<tied<Y...>> = true;

/// Only the last kernel writes in place: what fails before it, or in it before it runs, leaves all as it was.
template <int... I, class... Y, class... E, class Maker = maker>
void assign_all(index_sequence<I...>, const tied<Y...>& to, E&&... e) {
  constexpr int count = sizeof...(Y);
  using Space = typename type_at<0, written<Y>...>::space;
  std::tuple<written<Y>...> y(std::get<I>(to.written)...);
  destination_record d[] = {std::get<I>(y).record()...};
  check_apart(d, count);
  const auto trees = std::tuple(std::get<I>(y).tree_of(e)...);
  const void* const at[] = {&e...};  // an expression that is given twice has its handles once
  for (destination_record& one : d)
    one.ours = ((is_first(at, I) ? assign_detail::handles_in(static_cast<E&&>(e), one.elements.owner) : 0) + ...);

  const memory_detail::device_scope<Space> scope(
      planning::device_for<Space>(nullptr, any_owner(d, count), std::get<I>(trees)...));
  materialize_detail::assignments<Space, Maker, bare_t<decltype(std::get<I>(trees))>...> all(std::get<I>(trees)...);
  const int last = all.kernels - 1;
  const auto decide = [&](auto& one, int i, bool has_room) {
    one.in_place = all.kernel[i] == last && has_room && scope.has(one.elements.owner);
    if (one.in_place) ((all.kernel[I] == last ? one.elements.scan(std::get<I>(trees)) : void()), ...);
    one.in_place = one.in_place && one.can_be_in_place();
  };
  (decide(d[I], I, std::get<I>(y).has_room(std::get<I>(trees).shape())), ...);
  agree(d, count);
  ((get<I>(all.places) = std::get<I>(y).prepare(d, I, std::get<I>(trees).shape())), ...);
  all.run();
  (std::get<I>(y).finish(), ...);
}

template <class... Y>
consteval bool in_one_space() {
  using joined = map_detail::joined<typename written<Y>::space...>;
  return !joined::mixed;
}

}  // namespace tie_detail

/// tie(x, y(0), ...): arrays that have names, and slices of them, for assign.
template <class... Y>
auto tie(Y&&... y) {
  constexpr bool can_be_written = sizeof...(Y) > 0 && (tie_detail::can_be_written<Y> && ...);
  static_assert(can_be_written,
                "lazyfuse: tie takes arrays that have a name and are not const, and slices of them that have none, as "
                "in tie(x, y(0))");
  if constexpr (can_be_written) return tied<Y...>{std::tuple<Y&&...>(static_cast<Y&&>(y)...)};
  else return no_destination{};
}

/// assign(tie(x, y), e1, e2): x = e1 and y = e2, both of the values before, as few kernels as materialize(e1, e2) is;
/// in place where the last of them reads an array only where it writes it. If it throws, nothing has changed. Throws
/// shape_error; index_error if an element is assigned to twice; memory_error; device_error.
template <class... Y, class... E, class = maker>
  requires((expression<E> || scalar<E>)&&...)
void assign(tied<Y...>&& to, E&&... e) {
  constexpr bool one_each = sizeof...(Y) == sizeof...(E);
  static_assert(one_each, "lazyfuse: assign(tie(x, y), e1, e2) takes as many expressions as arrays");
  if constexpr (one_each) {
    constexpr bool one_space = tie_detail::in_one_space<Y...>();
    static_assert(one_space, "lazyfuse: arrays assigned to together must live in one space");
    if constexpr (one_space && (tie_detail::written<Y>::template takes<bare_t<E>>() && ...))
      tie_detail::assign_all(make_index_sequence<sizeof...(Y)>{}, to, static_cast<E&&>(e)...);
  }
}
template <class... Y, class... E>
void assign(const tied<Y...>&, E&&...) {
  static_assert(sizeof...(Y) == 0, "lazyfuse: tie is written where it is assigned to, as in assign(tie(x, y), e1, e2)");
}
template <class... E>
void assign(const no_destination&, E&&...) {}

}  // namespace lazyfuse
