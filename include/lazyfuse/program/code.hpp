// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as text: postfix words that name every operation, "x0 x1 sin/1 +/2 ". Equal programs have equal codes,
// whichever compiler made them, so that a code is a key as well; src/program/text.cpp writes them as people do. Names
// that others may have as well, as those of users' operations, begin with an apostrophe. Graphs are
// written at run time, in parentheses that are words: "( x0 sin/1 =0 v0 */2 ) "; "=0" names the value before it, which
// is "v0" from then on.
#pragma once

#include <lazyfuse/core/characters.hpp>
#include <lazyfuse/core/types.hpp>
#include <lazyfuse/op/registry.hpp>
#include <lazyfuse/program/traverse.hpp>

namespace lazyfuse::ir {

template <class Monoid, bool Exclusive>
struct scanned;

namespace code_detail {

using characters_detail::length, characters_detail::joined;

/// What follows a word: nothing, a number, its digits after a minus sign, or after a slash: how many words before it
/// are its arguments. Some nodes have no word.
enum class suffix : char { none, number, negative, arguments, no_word };

struct word {
  const char* text;
  suffix after = suffix::none;
  unsigned long long number = 0;
  bool foreign = false;  ///< others may have the same name
  short type = -1;       ///< of a literal: its dtype, after a #
};
constexpr int digits_of(unsigned long long number) {
  int n = 1;
  for (; number >= 10; number /= 10) ++n;
  return n;
}
constexpr int size_of(const word& w) {
  if (w.after == suffix::no_word) return 0;
  int n = length(w.text) + 1 + static_cast<int>(w.foreign);
  if (w.after != suffix::none) n += digits_of(w.number);
  if (w.after == suffix::arguments || w.after == suffix::negative) ++n;
  if (w.type >= 0) n += 1 + digits_of(static_cast<unsigned>(w.type));
  return n;
}
constexpr char* put_number(char* to, unsigned long long number) {
  char* const end = to + digits_of(number);
  for (char* digit = end; digit != to; number /= 10) *--digit = static_cast<char>('0' + number % 10);
  return end;
}
constexpr char* put(char* to, const word& w) {
  if (w.after == suffix::no_word) return to;
  if (w.foreign) *to++ = '\'';
  for (const char* from = w.text; *from != '\0'; ++from) *to++ = *from;
  if (w.after == suffix::negative) *to++ = '-';
  if (w.after == suffix::arguments) *to++ = '/';
  if (w.after != suffix::none) to = put_number(to, w.number);
  if (w.type >= 0) {
    *to++ = '#';
    to = put_number(to, static_cast<unsigned>(w.type));
  }
  *to++ = ' ';
  return to;
}

/// A node of a program, linked to those below it. Compilers follow the links and no object file has them: it would name
/// each node by its type.
struct node {
  word own;
  int size;  ///< of its code
  int count;
  bool is_stage;
  const node* (*below)(const node*, int);
};
template <int N>
struct node_of : node {
  const node* arguments[N];
};
template <>
struct node_of<0> : node {};
template <int N>
constexpr const node* argument_of(const node* n, int i) {
  return static_cast<const node_of<N>*>(n)->arguments[i];
}

/// From this size on a program is abbreviated: its type may repeat a part of it more often than anybody would read.
inline constexpr int most = 6000;

constexpr node_of<0> leaf_of(const word& w) { return {{w, size_of(w), 0, false, nullptr}}; }
template <class... Node>
constexpr node_of<int(sizeof...(Node))> branch_of(const word& w, int own_size, bool is_stage, const Node&... below) {
  constexpr int n = sizeof...(Node);
  const int size = (own_size + ... + below.size);
  if (size > most) return {{word{"..."}, 4, 0, is_stage, nullptr}, {&below...}};
  return {{w, size, n, is_stage, argument_of<n>}, {&below...}};
}

/// A whole number as it is written, a floating-point number by its bits.
template <auto V>
constexpr word value_word() {
  using T = bare_t<decltype(V)>;
  if constexpr (boolean<T>) return {V ? "true" : "false"};
  else if constexpr (standard::is_integral_v<T>) {
    constexpr auto digits = static_cast<unsigned long long>(V);
    if constexpr (V < 0) return {"", suffix::negative, 0 - digits};
    else return {"", suffix::number, digits};
  } else if constexpr (sizeof(T) <= 4) return {"~f", suffix::number, __builtin_bit_cast(uint32, static_cast<float>(V))};
  else return {"~d", suffix::number, __builtin_bit_cast(uint64, static_cast<double>(V))};
}
template <class T, auto V>
constexpr word literal_word() {
  word w = value_word<V>();
  w.type = static_cast<short>(dtype_of<T>);
  return w;
}
template <class Op>
inline constexpr bool is_own = contains<Op, op::all_elementwise> || contains<Op, op::inner_operations>;
template <class Op>
inline constexpr bool is_cast = false;
template <class T>
inline constexpr bool is_cast<op::cast<T>> = true;
/// "component<2>".
template <class Op>
inline constexpr bool is_component = false;
template <int K>
inline constexpr bool is_component<op::component<K>> = true;
template <class Op>
inline constexpr auto component_words = nullptr;
template <int K>
inline constexpr auto component_words<op::component<K>> = [] {
  characters<12 + digits_of(K)> c{};
  char* to = c.text;
  for (const char* from = "component<"; *from != '\0'; ++from) *to++ = *from;
  to = put_number(to, K);
  *to = '>';
  return c;
}();
/// Programs do not show it.
template <class Op>
inline constexpr bool is_hidden = false;
template <>
inline constexpr bool is_hidden<op::divisor> = true;
template <class Kind>
inline constexpr bool is_own_stage = false;
template <class Monoid>
inline constexpr bool is_own_stage<combined<Monoid>> = contains<Monoid, op::all_stages>;
template <class Monoid, bool Exclusive>
inline constexpr bool is_own_stage<scanned<Monoid, Exclusive>> = contains<Monoid, op::all_stages>;

template <class Op>
constexpr word operation_word(int arguments) {
  if constexpr (is_cast<Op>) return {"@", suffix::number, static_cast<unsigned>(dtype_of<typename Op::converts_to>)};
  else if constexpr (is_component<Op>) return {component_words<Op>.text, suffix::arguments, 1};
  else if constexpr (is_hidden<Op>) return {"", suffix::no_word};
  else
    return {Op::symbol[0] != '\0' ? Op::symbol : Op::name, suffix::arguments, static_cast<unsigned>(arguments),
            !is_own<Op>};
}
template <class Op, int Arguments>
inline constexpr word word_of = operation_word<Op>(Arguments);
template <class Op, int Arguments>
inline constexpr int word_size = size_of(word_of<Op, Arguments>);

/// What a program is folded into.
struct linked {
  template <int I>
  static constexpr node_of<0> operand = leaf_of({"x", suffix::number, I});
  template <class T, auto V>
  static constexpr node_of<0> literal = leaf_of(literal_word<T, V>());
  template <class Op, class... Node>
  static constexpr auto apply(const Node&... below) {
    constexpr int n = sizeof...(Node);
    return branch_of(word_of<Op, n>, word_size<Op, n>, false, below...);
  }
  template <class Kind, class... P>
  static constexpr auto stage = branch_of({Kind::name, suffix::arguments, sizeof...(P), !is_own_stage<Kind>},
                                          length(Kind::name) + 4, true, fold<linked, P>...);
};

/// Stages that have been written, and are r0, r1, ... from then on.
struct stages {
  const node* const* written;
  int count;
};
constexpr char* put_whole(char* to, const node* n, const stages& known);
constexpr char* put(char* to, const node* n, const stages& known) {
  if (n->is_stage)
    for (int i = 0; i < known.count; ++i)
      if (known.written[i] == n) return put(to, word{"r", suffix::number, static_cast<unsigned>(i)});
  return put_whole(to, n, known);
}
constexpr char* put_whole(char* to, const node* n, const stages& known) {
  for (int i = 0; i < n->count; ++i) to = put(to, n->below(n, i), known);
  return put(to, n->own);
}

template <class... P>
constexpr int size_of(list<P...>) {
  return (0 + ... + fold<linked, P>.size);
}
template <class... P>
constexpr char* put_pass(char* to, const node** written, int& count, list<P...>) {
  ((to = put_whole(to, &fold<linked, P>, {written, count}), written[count++] = &fold<linked, P>), ...);
  return put(to, word{"|"});
}
/// In at most Size characters.
template <int Size, class... P, class... Pass>
constexpr characters<Size> written(list<P...>, Pass... passes) {
  characters<Size> c{};
  char* to = c.text;
  const node* stages[(1 + ... + Pass::size)]{};
  int count = 0;
  ((to = put_pass(to, stages, count, passes)), ...);
  ((to = put(to, &fold<linked, P>, {stages, count})), ...);
  return c;
}
template <class Programs, class... Passes>
constexpr auto code_from() {
  constexpr auto c = written<(size_of(Programs{}) + ... + (size_of(Passes{}) + 2))>(Programs{}, Passes{}...);
  if constexpr (sizeof...(Passes) == 0) return c;
  else return joined<length(c.text)>(c.text);  // stages are shorter by name
}

}  // namespace code_detail

/// The code of a list of programs, one after the other. Passes, each a list of stages, are written before them and end
/// with "| "; where programs and later passes contain these stages they say r0, r1, ... instead.
template <class Programs, class... Passes>
inline constexpr auto code_of = code_detail::code_from<Programs, Passes...>();

}  // namespace lazyfuse::ir
