// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text that compilers put together, and the names of types.
#pragma once

namespace lazyfuse {

/// So many characters, and a zero.
template <int N>
struct characters {
  char text[N + 1];
};

namespace characters_detail {

/// Of texts, without their zeros.
template <class... Text>
constexpr int length(const Text*... texts) {
  const char* const all[] = {texts...};
  int n = 0;
  for (const char* text : all)
    for (; *text != '\0'; ++text) ++n;
  return n;
}
/// One text after the other, of N characters together.
template <int N, class... Text>
constexpr characters<N> joined(const Text*... texts) {
  const char* const all[] = {texts...};
  characters<N> one{};
  char* to = one.text;
  for (const char* from : all)
    for (; *from != '\0'; ++from) *to++ = *from;
  return one;
}

/// Of a type of which nothing else is known, a user's function: its name is in the compiler's spelling of it, "... [T =
/// app::longer<int>]", and nowhere else.
template <class T>
constexpr const char* spelling() {
  return __PRETTY_FUNCTION__;
}
struct part {
  const char* begin;
  int size;
};
/// "longer" of the above; "lambda" of what has no name.
constexpr part name_in(const char* spelling) {
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const char* end = spelling + length(spelling) - 1;  // the bracket
  if (end[-1] == '>') {
    int open = 0;
    do {
      --end;
      open += *end == '>' ? 1 : *end == '<' ? -1 : 0;
    } while (open > 0 && end != spelling);
  }
  const char* begin = end;
  while (begin != spelling && in_name(begin[-1])) --begin;
  if (begin == end) return {"lambda", 6};
  return {begin, static_cast<int>(end - begin)};
}
template <class T>
constexpr auto named() {
  constexpr part name = name_in(spelling<T>());
  characters<name.size> all{};
  for (int i = 0; i < name.size; ++i) all.text[i] = name.begin[i];
  return all;
}

}  // namespace characters_detail

/// The name of a type, without the namespaces and classes around it and without its arguments.
template <class T>
inline constexpr auto type_name = characters_detail::named<T>();

}  // namespace lazyfuse
