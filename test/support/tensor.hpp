// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The independent reference of the tests: a shape and a std::vector, evaluated by plain index loops.
// Nothing here uses the library, so that an error there cannot hide here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

using extents = std::vector<std::int64_t>;

inline std::int64_t product(const extents& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// bool has no std::vector whose elements have addresses.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

/// NumPy's name of an element type.
template <class T>
constexpr const char* name_of() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  else if constexpr (std::is_integral_v<T>) {
    constexpr const char* names[] = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};
    return names[(sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3) + (std::is_signed_v<T> ? 0 : 4)];
  } else if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "float32" : "float64";
  else if constexpr (requires { T::largest; }) return T::largest < 1e6f ? "float16" : "bfloat16";
  else if constexpr (requires { typename T::value_type; }) return sizeof(T) == 8 ? "complex64" : "complex128";
  else return "unknown";
}

/// A dense row-major tensor.
template <class T>
struct tensor {
  extents shape;
  std::vector<stored<T>> values;

  tensor() : values(1) {}
  explicit tensor(extents s) : shape(std::move(s)), values(static_cast<std::size_t>(product(shape))) {}
  tensor(extents s, std::vector<stored<T>> v) : shape(std::move(s)), values(std::move(v)) {}

  std::int64_t size() const { return static_cast<std::int64_t>(values.size()); }
  int rank() const { return static_cast<int>(shape.size()); }

  /// Of an index in braces, too, of which no vector is made: loops of tests read millions.
  using braced = std::initializer_list<std::int64_t>;
  std::size_t offset(const extents& index) const { return offset_of(index.data()); }
  std::size_t offset(braced index) const { return offset_of(index.begin()); }
  stored<T>& operator[](const extents& index) { return values[offset(index)]; }
  stored<T> operator[](const extents& index) const { return values[offset(index)]; }
  stored<T>& operator[](braced index) { return values[offset(index)]; }
  stored<T> operator[](braced index) const { return values[offset(index)]; }

 private:
  std::size_t offset_of(const std::int64_t* index) const {
    std::int64_t at = 0;
    const std::int64_t* extent = shape.data();
    for (std::size_t axes = shape.size(); axes > 0; --axes) at = at * *extent++ + *index++;
    return static_cast<std::size_t>(at);
  }
};

/// Calls f(index) for every index of a shape, the last axis fastest.
template <class F>
void for_each_index(const extents& shape, F f) {
  if (product(shape) == 0) return;
  extents index(shape.size(), 0);
  while (true) {
    f(static_cast<const extents&>(index));
    int axis = static_cast<int>(shape.size()) - 1;
    for (; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < shape[static_cast<std::size_t>(axis)]) break;
      index[static_cast<std::size_t>(axis)] = 0;
    }
    if (axis < 0) return;
  }
}

/// tensor of that shape with f(index) at every index.
template <class T, class F>
tensor<T> generate(const extents& shape, F f) {
  tensor<T> t{shape};
  std::size_t n = 0;
  for_each_index(shape, [&](const extents& i) { t.values[n++] = static_cast<stored<T>>(f(i)); });
  return t;
}

/// first, first + step, ... in row-major order.
template <class T>
tensor<T> counting(const extents& shape, T first = T(0), T step = T(1)) {
  tensor<T> t{shape};
  for (std::size_t n = 0; n < t.values.size(); ++n)
    t.values[n] = static_cast<stored<T>>(first + static_cast<T>(n) * step);
  return t;
}

/// NumPy's rule for two shapes that are known to fit.
inline extents broadcast(const extents& a, const extents& b) {
  extents s(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    s[s.size() - 1 - i] = x == 1 ? y : x;
  }
  return s;
}

/// The element of t that broadcasting shows at an index of the larger shape.
template <class T>
stored<T> at_broadcast(const tensor<T>& t, const extents& index) {
  extents own(t.shape.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::size_t axis = own.size() - 1 - i;
    own[axis] = t.shape[axis] == 1 ? 0 : index[index.size() - 1 - i];
  }
  return t[own];
}

/// f of two tensors, broadcast.
template <class R, class A, class B, class F>
tensor<R> zip(const tensor<A>& a, const tensor<B>& b, F f) {
  return generate<R>(broadcast(a.shape, b.shape),
                     [&](const extents& i) { return f(at_broadcast(a, i), at_broadcast(b, i)); });
}

template <class R, class A, class F>
tensor<R> transform(const tensor<A>& a, F f) {
  tensor<R> t{a.shape};
  for (std::size_t n = 0; n < t.values.size(); ++n) t.values[n] = static_cast<stored<R>>(f(a.values[n]));
  return t;
}

/// Start, step and number of elements of one axis of a slice.
struct strided {
  std::int64_t start, step, count;
};

template <class T>
tensor<T> slice(const tensor<T>& t, const std::vector<strided>& axes) {
  extents s;
  for (const strided& a : axes) s.push_back(a.count);
  return generate<T>(s, [&](const extents& i) {
    extents from(i.size());
    for (std::size_t axis = 0; axis < i.size(); ++axis) from[axis] = axes[axis].start + i[axis] * axes[axis].step;
    return t[from];
  });
}

template <class T>
tensor<T> permute(const tensor<T>& t, const std::vector<int>& axes) {
  extents s;
  for (int a : axes) s.push_back(t.shape[static_cast<std::size_t>(a)]);
  return generate<T>(s, [&](const extents& i) {
    extents from(i.size());
    for (std::size_t axis = 0; axis < i.size(); ++axis) from[static_cast<std::size_t>(axes[axis])] = i[axis];
    return t[from];
  });
}

/// Folds the given axes with f, starting from init, in index order; the reduced axes disappear.
template <class R, class T, class F>
tensor<R> fold(const tensor<T>& t, const std::vector<int>& axes, R init, F f) {
  extents s;
  std::vector<std::size_t> kept;
  for (std::size_t axis = 0; axis < t.shape.size(); ++axis)
    if (std::find(axes.begin(), axes.end(), static_cast<int>(axis)) == axes.end()) {
      kept.push_back(axis);
      s.push_back(t.shape[axis]);
    }
  tensor<R> out{s};
  std::fill(out.values.begin(), out.values.end(), static_cast<stored<R>>(init));
  for_each_index(t.shape, [&](const extents& i) {
    extents to;
    for (std::size_t axis : kept) to.push_back(i[axis]);
    stored<R>& r = out[to];
    r = static_cast<stored<R>>(f(r, t[i]));
  });
  return out;
}

/// A vector of these.
inline tensor<float> values(std::initializer_list<float> v) { return {{static_cast<std::int64_t>(v.size())}, v}; }

/// "(3, 4)", as NumPy writes a shape.
inline std::string text(const extents& shape) {
  std::string s = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace test
