// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// einsum: sums of products whose axes have letters. Letters are read when the program is compiled; products of more
// than two operands are taken two at a time where that is fewer products in all.
#pragma once

#include <lazyfuse/expr/barrier.hpp>
#include <lazyfuse/expr/products.hpp>

#include <cstdint>
#include <tuple>

namespace lazyfuse {

namespace einsum_detail {

/// The text of einsum<"ij,jk->ik">.
template <int N>
struct subscripts {
  char text[static_cast<std::size_t>(N)];
  constexpr subscripts(const char (&s)[N]) {
    for (int k = 0; k < N; ++k) text[k] = s[k];
  }
};

/// The letters of an operand's axes, or of the result's, of which each has bit 0 to 51.
struct letters {
  int count = 0;
  int of[2 * max_rank] = {};
  constexpr std::uint64_t set() const {
    std::uint64_t s = 0;
    for (int k = 0; k < count; ++k) s |= std::uint64_t{1} << of[k];
    return s;
  }
  constexpr bool has(int letter) const { return (set() >> letter & 1) != 0; }
  constexpr bool repeats(int times) const {
    for (int k = 0; k < count; ++k) {
      int n = 0;
      for (int j = 0; j < count; ++j) n += of[j] == of[k];
      if (n > times) return true;
    }
    return false;
  }
};
constexpr int letter_of(char c) { return c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? c - 'A' + 26 : -1; }

template <int Operands>
struct equation {
  letters operand[Operands > 0 ? Operands : 1], result;
  bool readable = true;  ///< as many operands as there are, of letters, commas and an arrow

  constexpr equation() = default;
  template <int N>
  constexpr explicit equation(const subscripts<N>& s) {
    int at = 0;
    bool arrow = false;
    for (int k = 0; k + 1 < N; ++k) {
      const char c = s.text[k];
      if (c == ' ') continue;
      if (c == '-' && k + 2 < N && s.text[k + 1] == '>' && !arrow) {
        arrow = true;
        ++k;
        continue;
      }
      if (c == ',' && !arrow && at + 1 < Operands) {
        ++at;
        continue;
      }
      letters& to = arrow ? result : operand[at];
      if (letter_of(c) < 0 || to.count == max_rank) {
        readable = false;
        return;
      }
      to.of[to.count++] = letter_of(c);
    }
    readable = at + 1 == Operands;
    if (arrow || !readable) return;
    for (int letter = 26; letter < 78; ++letter) {  // NumPy's: letters that occur once, capitals first
      int n = 0;
      for (const letters& o : operand)
        for (int k = 0; k < o.count; ++k) n += o.of[k] == letter % 52;
      if (n != 1) continue;
      readable = readable && result.count < max_rank;
      if (readable) result.of[result.count++] = letter % 52;
    }
  }
  constexpr std::uint64_t all() const {
    std::uint64_t s = 0;
    for (const letters& o : operand) s |= o.set();
    return s;
  }
  /// Letters that a product of operands i and j keeps: those of the result and of the other operands.
  constexpr letters kept(int i, int j) const {
    std::uint64_t others = result.set();
    for (int k = 0; k < Operands; ++k)
      if (k != i && k != j) others |= operand[k].set();
    const std::uint64_t keep = (operand[i].set() | operand[j].set()) & others;
    letters l;
    for (int letter = 0; letter < 52; ++letter)
      if ((keep >> letter & 1) != 0) l.of[l.count++] = letter;
    return l;
  }
};
constexpr int size_of(std::uint64_t set) {
  int n = 0;
  for (; set != 0; set &= set - 1) ++n;
  return n;
}

/// The product of two of the operands alone.
template <int Operands>
constexpr auto pair_of(const equation<Operands>& e, int i, int j) {
  equation<(Operands > 2 ? 2 : Operands)> two;
  two.operand[0] = e.operand[i];
  two.operand[1] = e.operand[j];
  two.result = e.kept(i, j);
  return two;
}

/// Two operands that are multiplied first, and the most letters of a product when the others follow in the same way. Of
/// more than four operands, those whose product has the fewest letters: orders are as many as the factorial's square.
struct first_pair {
  int i = 0, j = 1, letters = 0;
};
template <int Operands>
constexpr equation<Operands - 1> after(const equation<Operands>& e, int i, int j);
template <int Operands>
constexpr first_pair best_pair(const equation<Operands>& e) {
  if constexpr (Operands <= 2) return {0, 1, size_of(e.all())};
  else {
    const auto letters_of = [&](int i, int j) { return size_of(e.operand[i].set() | e.operand[j].set()); };
    const auto with_later = [&](int i, int j) {
      const int here = letters_of(i, j), later = best_pair(after(e, i, j)).letters;
      return here > later ? here : later;
    };
    constexpr bool all_orders = Operands <= 4;
    first_pair best{0, 1, 99};
    for (int i = 0; i < Operands; ++i)
      for (int j = i + 1; j < Operands; ++j)
        if (const int most = all_orders ? with_later(i, j) : letters_of(i, j); most < best.letters) best = {i, j, most};
    if (!all_orders) best.letters = with_later(best.i, best.j);
    return best;
  }
}
/// With the product of operands i and j in place of i, and without j.
template <int Operands>
constexpr equation<Operands - 1> after(const equation<Operands>& e, int i, int j) {
  equation<Operands - 1> to;
  to.result = e.result;
  int next = 0;
  for (int k = 0; k < Operands; ++k)
    if (k != j) to.operand[next++] = k == i ? e.kept(i, j) : e.operand[k];
  return to;
}

/// Whether operands of these ranks have as many letters as axes.
template <int Operands>
constexpr bool fits(const equation<Operands>& e, const int (&ranks)[Operands]) {
  for (int k = 0; k < Operands; ++k)
    if (e.operand[k].count != ranks[k]) return false;
  return true;
}
template <int Operands>
constexpr bool has_results(const equation<Operands>& e) {
  return !e.result.repeats(1) && (e.result.set() & ~e.all()) == 0;
}
template <int Operands>
constexpr bool repeats_thrice(const equation<Operands>& e) {
  for (const letters& o : e.operand)
    if (o.repeats(2)) return true;
  return false;
}

/// Letters in the order of the axes of a product: those of the result, then those that are summed over.
template <int Operands>
constexpr letters axes_of(const equation<Operands>& e) {
  letters all = e.result;
  for (int letter = 0; letter < 52; ++letter)
    if ((e.all() >> letter & 1) != 0 && !all.has(letter)) all.of[all.count++] = letter;
  return all;
}
/// A view of an operand along all axes of a product.
template <letters Own, letters All, class X>
constexpr auto along_letters(const X& x) {
  index_map<rank_of<X>, All.count> m;
  for (int to = 0; to < All.count; ++to) {
    m.source[to] = -1;
    m.factor[to] = 0;
    m.extents[to] = 1;
    for (int k = 0; k < Own.count; ++k) {
      if (Own.of[k] != All.of[to]) continue;
      if (m.source[to] >= 0) m.beside[to] = k + 1;
      else m.source[to] = k;
      m.factor[to] = 1;
      m.extents[to] = x.shape()[k];
    }
  }
  return over(view_detail::remap_known<number_detail::by_values>(x.tree, m), x);
}
/// Throws shape_error where axes of one letter differ.
void check_letters(const letters* operands, const index_t* const* extents, int count);

template <auto Equation, class... X, int... I>
auto in_one(index_sequence<I...>, const X&... x) {
  constexpr bool few = size_of(Equation.all()) <= max_rank;
  static_assert(few, "lazyfuse: this product of einsum has more than 8 letters");
  if constexpr (few) {
    constexpr letters all = axes_of(Equation);
    return products_detail::sum_of_products<all.count - Equation.result.count>(
        along_letters<Equation.operand[I], all>(x)...);
  } else return map_detail::first_expression(x...);
}
template <auto Equation, class... X>
auto contracted(const X&... x);
/// Operand K, or the product in the place of operand I.
template <int K, int I, class Product, class Operands>
constexpr const auto& operand_in(const Product& product, const Operands& x) {
  if constexpr (K == I) return product;
  else return std::get<static_cast<std::size_t>(K)>(x);
}
/// Operands i and j multiplied, in memory, and then the others.
template <auto Equation, first_pair Pair, class Operands, int... Others>
auto pair_first(const Operands& x, index_sequence<Others...>) {
  constexpr auto two = pair_of(Equation, Pair.i, Pair.j);
  const auto product = barrier(contracted<two>(std::get<Pair.i>(x), std::get<Pair.j>(x)));
  return contracted<after(Equation, Pair.i, Pair.j)>(
      operand_in<(Others < Pair.j ? Others : Others + 1), Pair.i>(product, x)...);
}
template <auto Equation, class... X>
auto contracted(const X&... x) {
  constexpr int n = int(sizeof...(X));
  constexpr first_pair pair = best_pair(Equation);
  if constexpr (n > 2 && pair.letters < size_of(Equation.all()))
    return pair_first<Equation, pair>(std::forward_as_tuple(x...), make_index_sequence<n - 1>{});
  else return in_one<Equation>(make_index_sequence<n>{}, x...);
}
/// The same as a function of operands of one type.
template <auto Equation>
struct contraction_of {
  template <class... X>
  auto operator()(const X&... x) const {
    return contracted<Equation>(x...);
  }
};
}  // namespace einsum_detail

/// einsum<"ij,jk->ik">(x, y): the sum of the products of all operands, whose axes have letters: over those that the
/// result has not. A letter that an operand has twice is its diagonal. Without an arrow the result has, in alphabetical
/// order, the letters that occur once. Axes of one letter have one extent, or it throws shape_error: extents of 1 are
/// not broadcast. Of three operands and more, two at a time are multiplied into memory where that is of fewer letters,
/// as if all extents were alike; one product has at most 8. \numpy{einsum}
template <einsum_detail::subscripts Subscripts, class... X>
  requires(sizeof...(X) > 0 && (expression<X> && ...))
auto einsum(const X&... x) {
  using namespace einsum_detail;
  constexpr int n = int(sizeof...(X));
  constexpr equation<n> e(Subscripts);
  constexpr int ranks[] = {rank_of<X>...};
  constexpr bool readable = e.readable, ranked = fits(e, ranks), diagonals = !repeats_thrice(e),
                 results = has_results(e);
  static_assert(
      readable,
      "lazyfuse: einsum takes letters for the axes of each operand, with commas between as many as there are, "
      "and those of the result behind ->");
  static_assert(ranked || !readable, "lazyfuse: einsum takes as many letters for an operand as it has axes");
  static_assert(diagonals || !ranked || !readable, "lazyfuse: einsum takes a letter for an operand twice at most");
  static_assert(results || !diagonals || !ranked || !readable,
                "lazyfuse: the letters of einsum's result are its operands', each once");
  if constexpr (readable && ranked && diagonals && results) {
    const index_t* const extents[] = {x.shape().extent...};
    check_letters(e.operand, extents, n);
    // In one type from the beginning, whichever two are multiplied first, and rounded to 16 bits at the end alone.
    constexpr int bools = (0 + ... + boolean<value_t<X>>);
    if constexpr (bools > 0) return contracted<e>(x...);
    else {
      using T = products_detail::product_t<X...>;
      using F = products_detail::factor_t<T>;
      constexpr contraction_of<e> product;
      if constexpr (std::is_same_v<F, T>) return products_detail::with_factors<F>(product, x...);
      else return cast<T>(products_detail::with_factors<F>(product, x...));
    }
  } else return map_detail::first_expression(x...);
}

}  // namespace lazyfuse
