// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types, how two of them meet (NumPy's promotion) and how they are called.
#pragma once

#include <lazyfuse/core/index.hpp>

#include <cuda/std/cstdint>
#include <cuda/std/type_traits>

namespace lazyfuse {

/// Integers; they wrap around.
using int32 = ::cuda::std::int32_t;
using int64 = ::cuda::std::int64_t;

/// Anything an array can hold; operations other than map and where ask for a number.
template <class T>
concept element_type = ::cuda::std::is_trivially_copyable_v<T> && !::cuda::std::is_const_v<T>;

/// The element types that operations know: bool, int32 and int64, float and double.
template <class T>
concept boolean = __is_same(T, bool);
template <class T>
concept integer = __is_same(T, int32) || __is_same(T, int64);
template <class T>
concept real = __is_same(T, float) || __is_same(T, double);
template <class T>
concept number = integer<T> || real<T>;
template <class T>
concept arithmetic_type = number<T> || boolean<T>;

namespace types_detail {
struct no_common_type {};
template <class A, class B>
constexpr auto promote() {
  if constexpr (__is_same(A, B)) return A{};
  else if constexpr (integer<A> && integer<B>) return int64{};
  else if constexpr (real<A> && real<B>) return double{};
  else if constexpr (integer<A> && real<B>) return double{};  // float cannot hold every int32
  else if constexpr (real<A> && integer<B>) return double{};
  else return no_common_type{};
}
template <class... T>
struct promoted;
template <class A>
struct promoted<A> {
  using type = A;
};
template <class A, class B>
struct promoted<A, B> {
  using type = decltype(promote<A, B>());
};
template <class A, class B, class C, class... D>
struct promoted<A, B, C, D...> : promoted<typename promoted<A, B>::type, C, D...> {};
}  // namespace types_detail

/// The type in which elements of these types meet; no_common_type for bool with a number.
template <class... T>
using promoted_t = typename types_detail::promoted<T...>::type;

/// Whether elements of these types meet at all.
template <class... T>
concept have_common_type = !__is_same(promoted_t<T...>, types_detail::no_common_type);

/// Whether every A is also a B: what an assignment converts without being asked.
template <class A, class B>
concept widens_to = __is_same(A, B) || (number<A> && number<B> && __is_same(promoted_t<A, B>, B));

/// int64 for bool and integers, the type itself for the rest: what sums are kept in.
template <class T>
using accumulator_t = ::cuda::std::conditional_t<boolean<T> || integer<T>, int64, T>;

/// double for integers and bool, the type itself for the rest: what means and sines are computed in.
template <class T>
using floating_t = ::cuda::std::conditional_t<boolean<T> || integer<T>, double, T>;

/// The element types that printing, files and explain know; anything else is "struct".
enum class dtype : unsigned char { boolean, int32, int64, float32, float64, other };

template <class T>
inline constexpr dtype dtype_of = __is_same(T, bool)     ? dtype::boolean
                                  : __is_same(T, int32)  ? dtype::int32
                                  : __is_same(T, int64)  ? dtype::int64
                                  : __is_same(T, float)  ? dtype::float32
                                  : __is_same(T, double) ? dtype::float64
                                                         : dtype::other;

}  // namespace lazyfuse
