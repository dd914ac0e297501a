// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// array: a regular value over counted memory. Copies share it, writing detaches, expressions see the
// values an array had when they were written.
#pragma once

#include <lazyfuse/array/ranges.hpp>
#include <lazyfuse/array/slice.hpp>
#include <lazyfuse/expr/reduce.hpp>

#include <initializer_list>

namespace lazyfuse {

template <element_type T, int Rank, memory_space Space = default_space>
class array;

namespace array_detail {
template <class T, int R>
struct nested_list {
  using type = std::initializer_list<typename nested_list<T, R - 1>::type>;
};
template <class T>
struct nested_list<T, 0> {
  using type = T;
};

template <class T>
void flatten(const T& value, index_t*, T*& to) {
  *to++ = value;
}
template <class L, class T>
void flatten(const std::initializer_list<L>& values, index_t* extent, T*& to) {
  for (const L& v : values) {
    if constexpr (requires { v.begin(); }) {
      if (static_cast<index_t>(v.size()) != extent[1])
        throw_value("array: the inner lists of a nested list differ in length");
    }
    flatten(v, extent + 1, to);
  }
}
/// A range whose elements an array can be made of.
template <class R>
concept elements = !expression<R> && std::ranges::input_range<R>;
template <class R>
concept given = true;

template <class L>
void list_extents(const L& values, index_t* extent) {
  if constexpr (requires { values.begin(); }) {
    *extent = static_cast<index_t>(values.size());
    if (values.size() > 0) list_extents(*values.begin(), extent + 1);
  }
}
}  // namespace array_detail

/// Elements of a rank known at compile time and extents known at run time, row-major. A value: copies share memory
/// until one of them is written. As an expression it is a leaf and the handle to its memory.
template <element_type Element, int Rank, memory_space Space>
class array : private lazy<tree::leaf<stored<Element, Space>, Rank>> {
  // private: moving the base alone would leave a dangling tree
  using base = lazy<tree::leaf<stored<Element, Space>, Rank>>;

 public:
  using base::memory;
  using base::shape;
  using base::T;
  using base::tree;
  using typename base::space;
  using typename base::tree_type;
  using typename base::value_type;
  static constexpr int rank = Rank;
  static constexpr bool is_array = true;

  /// No elements; rank 0 has one, whose bytes are zero.
  array() : array(lazyfuse::shape<Rank>{}, caller{}) {
    if constexpr (Rank == 0) memory_detail::zero(Space{}, owner(), unshared(), bytes());
  }
  /// array(shape(2, 3)): uninitialised elements. Throws shape_error for a negative extent, memory_error.
  explicit array(const lazyfuse::shape<Rank>& s, caller where = caller::here())
      : base{{}, {{nullptr, nullptr}, checked(s, "array"), row_major(s)}, {}} {
    const asked_at at(where);
    if (s.size() > 0) own(memory_detail::allocate(Space{}, bytes(), {"array", dtype_of<Element>, s.extent, Rank}));
  }
  /// array{{1, 2}, {3, 4}}: the elements of lists; throws index_error if the inner ones differ in length.
  array(typename array_detail::nested_list<Element, Rank>::type values) requires(Rank > 0)
      : base{{}, {{nullptr, nullptr}, {}, {}}, {}} {
    copy_list(values);
  }
  /// array({2, 3}): uninitialised elements, as array(shape(2, 3)).
  explicit array(const index_t (&extents)[Rank > 1 ? Rank : 2], caller where = caller::here()) requires(Rank > 1)
      : array(view_detail::shape_from(extents), where) {}
  template <class I>
    requires(Rank > 1 && std::is_integral_v<I> && !__is_same(I, index_t))
  explicit array(const I (&extents)[Rank > 1 ? Rank : 2], caller where = caller::here())
      : array(view_detail::shape_from(extents), where) {}
  /// array(range): the elements of a range of the array's rank, of ranges for a matrix, as from(range).
  template <class Range, class constructor_is_explicit = void>
    requires(array_detail::elements<Range>&& array_detail::given<Range>)
  explicit array(Range&& r) : base{{}, {{nullptr, nullptr}, {}, {}}, {}} { copy_range(static_cast<Range&&>(r)); }
  // Mistakes: `array x = range`, which is no conversion, and numbers that might be elements
  // or extents.
  template <class Range, class constructor_is_explicit = void>  // which compilers show
    requires(array_detail::elements<Range>)
  array(Range&&)  // explicit, since it copies: write array x(range), or x = from(range)
  = delete;
  template <class... N>
    requires(sizeof...(N) > 0 && (std::is_arithmetic_v<N> && ...))
  explicit(sizeof...(N) == 1) array(N...) : array() {
    static_assert(sizeof...(N) == 0,
                  "lazyfuse: numbers alone do not say whether they are elements, in lists as deep as the rank, "
                  "array<int, 1>{1, 2} or array<int, 2>{{1, 2}, {3, 4}}, or extents, as in zeros<float>({3, 4}), or "
                  "array(shape(3, 4)) uninitialised");
  }
  array(const array&) = default;
  // The source keeps no elements; of rank 0, which always has one, it keeps a share.
  array(array&& x) noexcept : base(static_cast<base&&>(x)) { leave(x); }
  array& operator=(const array&) = default;
  array& operator=(array&& x) noexcept {
    if (&x != this) {
      base::operator=(static_cast<base&&>(x));
      leave(x);
    }
    return *this;
  }
  ~array() = default;
  /// array(e): evaluates the expression, by one kernel in the common case. Throws memory_error.
  template <class E, class = maker>
    requires(expression<E> && !__is_same(bare_t<E>, array))
  array(E&& e, caller where = caller::here()) : base{{}, {{nullptr, nullptr}, {}, {}}, {}} {
    const asked_at at(where);
    construct(static_cast<E&&>(e));
  }

  /// Evaluates e; in place when nobody else can see it, else into new memory (strong guarantee).
  template <class E, class = maker>
    requires((expression<E> || scalar<E>)&&!__is_same(bare_t<E>, array))
  array& operator=(E&& e) {
    evaluate(static_cast<E&&>(e));
    return *this;
  }
  /// x += e writes into x, and so do -=, *= and /=: e is broadcast to x's shape. Throws shape_error if it does not fit.
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  array& operator+=(E&& e) { return keep_shape(*this + static_cast<E&&>(e), e, "+="); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  array& operator-=(E&& e) { return keep_shape(*this - static_cast<E&&>(e), e, "-="); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  array& operator*=(E&& e) { return keep_shape(*this * static_cast<E&&>(e), e, "*="); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  array& operator/=(E&& e) { return keep_shape(*this / static_cast<E&&>(e), e, "/="); }

  /// The length of an axis; negative axes count from the end. Throws index_error if there is no such axis.
  index_t extent(int axis) const {
    if (axis < -Rank || axis >= Rank) throw_axis("extent", axis, shape().extent, Rank);
    return shape()[axis < 0 ? axis + Rank : axis];
  }
  /// The number of elements.
  index_t size() const { return shape().size(); }

  /// The elements, row-major. The non-const overload first detaches from all that share them.
  const Element* data() const { return tree.source.data; }
  Element* data() {
    if (owners(memory) > 1) *this = array(tree, copied{});
    return unshared();
  }
  /// Host arrays are contiguous ranges, row-major. The non-const overloads detach, as data() does: read through a
  /// const array.
  const Element* begin() const requires(!space_traits<Space>::on_device) { return data(); }
  const Element* end() const requires(!space_traits<Space>::on_device) { return data() + size(); }
  Element* begin() requires(!space_traits<Space>::on_device) { return data(); }
  Element* end() requires(!space_traits<Space>::on_device) { return data() + size(); }

  constexpr operator double() const requires(Rank == 0) { return static_cast<const base&>(*this); }
  constexpr explicit operator bool() const requires(Rank > 0) { return bool(static_cast<const base&>(*this)); }
  template <mistakes::number_of_cmath Number>
  constexpr operator Number() const requires(Rank > 0) {
    return static_cast<const base&>(*this);
  }
  using base::operator[];

  /// A view; x(...) = e writes into this array.
  template <class... Specs>
  auto operator()(Specs... specs) & {
    return written_view(*this, static_cast<Specs&&>(specs)...);
  }
  template <class... Specs>
  auto operator()(Specs... specs) const& {
    return view(*this, specs...);
  }
  template <class... Specs>
  auto operator()(Specs... specs) && {
    return view(*this, specs...);
  }
  /// The value of a one-element array; waits for it. Throws shape_error unless it has exactly one element.
  template <class = maker>
  Element item(caller where = caller::here()) const;

  /// The GPU that the elements are on; device{-1} on the host, and without elements.
  lazyfuse::device device() const { return {owner() ? owner()->device : -1}; }

  // The allocation, null without elements: for what evaluates.
  allocation* owner() const { return memory.memory[0]; }
  // The elements, by whoever knows that nobody shares them.
  Element* unshared() const { return const_cast<Element*>(tree.source.data); }
  // What a slice of this array may replace when it is assigned to.
  array_memory<Element, Space> own_memory() { return {&memory, &tree.source}; }

 private:
  /// What stays behind in x, whose handle was moved here.
  void leave(array& x) const {
    if constexpr (Rank == 0) x.memory = memory;
    else x.tree = {{nullptr, nullptr}, {}, {}};
  }
  /// *this = result, which was computed with e.
  template <class Result, class E, class = maker>
  array& keep_shape(Result&& result, const E& e, const char* operation) {
    if constexpr (requires { e.shape(); } && rank_of<Result> == Rank)
      if (!(result.shape() == shape()))
        throw_shapes(operation, shape().extent, Rank, e.shape().extent, rank_of<E>,
                     "do not broadcast to the first, the shape of the array");
    return *this = static_cast<Result&&>(result);
  }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * sizeof(Element); }
  /// Takes a new allocation, of the extents in the tree.
  void own(allocation* a) {
    memory.memory[0] = a;
    tree.source = {a, static_cast<const Element*>(a->data)};
  }
  struct copied {};
  array(const tree::leaf<stored<Element, Space>, Rank>& from, copied);
  // Unconstrained, because clang before 16 finds no match for a constrained member defined out of the class.
  void copy_list(typename array_detail::nested_list<Element, Rank>::type values);
  template <class Range>
  void copy_range(Range&& r);
  template <class E, class = maker>
  void construct(E&& e);
  template <class E, class = maker>
  void evaluate(E&& e);
};

template <class... N>
  requires(sizeof...(N) > 0 && (std::is_arithmetic_v<N> && ...))
array(N...)
->array<int, 0>;  // a mistake, as above

/// The resource that the array's memory came from; an empty array has none.
template <class T, int R, class Space>
resource_ref resource_of(const array<T, R, Space>& x) {
  return x.owner() ? x.owner()->source : resource_ref{};
}

namespace array_detail {
template <class S>
struct space_of_result {
  using type = S;
};
template <>
struct space_of_result<anywhere> {
  using type = default_space;
};
}  // namespace array_detail

/// The space in which the value of E is made: that of its arrays, or the default.
template <class E>
using result_space = typename array_detail::space_of_result<expression_space_t<E>>::type;

template <class E>
  requires expression<E> array(E&&)
->array<value_t<E>, bare_t<E>::rank, result_space<E>>;  // clang 14 looks here before the constraint
template <class T, int R, class Space>
array(const array<T, R, Space>&) -> array<T, R, Space>;
template <class T, int R, class Space>
array(array<T, R, Space>&) -> array<T, R, Space>;

}  // namespace lazyfuse
