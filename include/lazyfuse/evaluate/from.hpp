// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of the elements of ranges: standard ones, range-v3's, and those of others.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

namespace lazyfuse {

namespace from_detail {

/// How deep ranges are nested in V, and what is innermost.
template <class V>
struct nest {
  using value = std::remove_cv_t<V>;
  static constexpr int depth = 0;
};
template <std::ranges::input_range V>
struct nest<V> {
  using inner = nest<std::ranges::range_value_t<V>>;
  using value = typename inner::value;
  static constexpr int depth = inner::depth + 1;
};
template <class Range>
using nest_of = nest<std::remove_reference_t<Range>>;

/// bool has no vector whose elements have addresses.
template <class T>
using storable = std::conditional_t<__is_same(T, bool), unsigned char, T>;

/// Appends all elements; the first range at each depth says how long those there are.
template <int Depth, class T, class Range, class Values>
void append(Range&& r, Values& to, index_t* extents) {
  index_t n = 0;
  for (auto&& v : r) {
    if constexpr (Depth > 1) append<Depth - 1, T>(v, to, extents + 1);
    else to.push_back(static_cast<T>(v));
    ++n;
  }
  if (*extents >= 0 && *extents != n) throw_value("from: the inner ranges of a range differ in length");
  *extents = n;
}

}  // namespace from_detail

/// The elements of a range, copied into a new array: of rank 1, or of a higher one from ranges of ranges, which must be
/// equally long (else index_error). Contiguous ranges are copied at once, others element by element; a range may be
/// read only once. Waits for the copy to the GPU.
template <memory_space Space = default_space, std::ranges::input_range Range>
  requires(!expression<Range>)
auto from(Range&& r) {
  using nest = from_detail::nest_of<Range>;
  using T = typename nest::value;
  constexpr int R = nest::depth;
  if constexpr (R == 1 && std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>) {
    array<T, 1, Space> x(shape<1>{static_cast<index_t>(std::ranges::size(r))}, caller{});
    const auto bytes = static_cast<std::size_t>(x.size()) * sizeof(T);
    if (bytes > 0) memory_detail::copy(Space{}, x.owner(), x.unshared(), host{}, nullptr, std::ranges::data(r), bytes);
    return x;
  } else {
    std::vector<from_detail::storable<T>> values;
    if constexpr (R == 1 && std::ranges::sized_range<Range>) values.reserve(std::ranges::size(r));
    shape<R> s;
    for (int k = 0; k < R; ++k) s[k] = -1;
    from_detail::append<R, T>(r, values, s.extent);
    for (int k = 0; k < R; ++k) s[k] = s[k] < 0 ? 0 : s[k];
    array<T, R, Space> x(s, caller{});
    if (!values.empty())
      memory_detail::copy(Space{}, x.owner(), x.unshared(), host{}, nullptr, values.data(), values.size() * sizeof(T));
    return x;
  }
}

template <class Range>
  requires(!expression<Range> && std::ranges::input_range<Range>)
array(Range&&)
->array<typename from_detail::nest_of<Range>::value, from_detail::nest_of<Range>::depth, default_space>;

template <element_type Element, int Rank, memory_space Space>
template <class Range>
void array<Element, Rank, Space>::copy_range(Range&& r) {
  *this = from<Space>(static_cast<Range&&>(r));
}

}  // namespace lazyfuse
