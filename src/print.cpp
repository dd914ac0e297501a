// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's text of arrays: shortest digits that read back, at most 8 after the point, columns aligned.
#include <lazyfuse/evaluate/print.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace lazyfuse::print_detail {

namespace {

constexpr int edge = 3;              // elements shown at each end of a long axis
constexpr index_t threshold = 1000;  // elements above which the middle is left out
constexpr std::size_t line_width = 75;
constexpr int precision = 8;

/// Shortest digits in one notation, split into what stands before and after the point.
struct digits {
  std::string before, after, exponent;
};

template <class T>
digits split_real(T value, bool scientific) {
  char buffer[400];
  auto r = std::to_chars(buffer, buffer + sizeof buffer, value,
                         scientific ? std::chars_format::scientific : std::chars_format::fixed);
  std::string s(buffer, r.ptr);
  const auto count_after = [&] {
    const auto point = s.find('.');
    return point == std::string::npos ? 0 : static_cast<int>((scientific ? s.find('e') : s.size()) - point) - 1;
  };
  if (count_after() > precision) {
    r = std::to_chars(buffer, buffer + sizeof buffer, value,
                      scientific ? std::chars_format::scientific : std::chars_format::fixed, precision);
    s.assign(buffer, r.ptr);
  }
  digits d;
  if (const auto e = s.find('e'); e != std::string::npos) {
    d.exponent = s.substr(e);
    s.erase(e);
  }
  const auto point = s.find('.');
  d.before = s.substr(0, point);
  if (point != std::string::npos) d.after = s.substr(point + 1);
  while (!d.after.empty() && d.after.back() == '0') d.after.pop_back();
  return d;
}
/// What the shortest digits of a 16-bit number are those of: the float with fewest digits that is rounded to it.
template <class T>
double with_fewest_digits(T value) {
  char buffer[40];
  for (int count = 0; count < 8; ++count) {
    const auto r = std::to_chars(buffer, buffer + sizeof buffer, static_cast<double>(static_cast<float>(value)),
                                 std::chars_format::scientific, count);
    double d = 0;
    std::from_chars(buffer, r.ptr, d);
    if (T(d).bits == value.bits) return d;
  }
  return static_cast<float>(value);
}

template <class T>
digits split(T value, bool scientific) {
  if constexpr (small_real<T>) return split(with_fewest_digits(value), scientific);
  else return split_real(value, scientific);
}

/// Digits in scientific notation, so many after the point: those of the number, not zeros.
digits with_digits(double value, int count) {
  char buffer[40];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, count);
  const std::string s(buffer, r.ptr);
  const auto point = s.find('.'), e = s.find('e');
  return {s.substr(0, point), s.substr(point + 1, e - point - 1), s.substr(e)};
}

/// What comparisons are made in.
template <class T>
using compared = std::conditional_t<small_real<T>, float, T>;

/// The texts of all shown elements, of one width; with the sign of positive ones if it separates.
template <class T>
std::vector<std::string> reals(const std::vector<T>& values, bool plus = false) {
  using C = compared<T>;
  C largest = 0, smallest = INFINITY;
  for (const C v : values)
    if (std::isfinite(v) && v != 0) {
      largest = std::max(largest, std::abs(v));
      smallest = std::min(smallest, std::abs(v));
    }
  const bool scientific = largest > 0 && (largest >= C(1e8) || smallest < C(1e-4) || largest / smallest > C(1000));
  std::vector<digits> parts;
  std::size_t left = 0, right = 0;
  const auto signed_text = [plus](std::string text) { return plus && text[0] != '-' ? "+" + text : text; };
  for (const T v : values) {
    if (!std::isfinite(C(v))) continue;
    parts.push_back(split(v, scientific));
    parts.back().before = signed_text(parts.back().before);
    left = std::max(left, parts.back().before.size());
    right = std::max(right, parts.back().after.size());
  }
  std::vector<std::string> texts;
  std::size_t width = 0, next = 0;
  for (const C v : values) {
    std::string s;
    if (std::isfinite(v)) {
      digits& d = parts[next++];
      if (scientific && d.after.size() < right) {  // all have as many digits as the longest
        d = with_digits(static_cast<double>(v), static_cast<int>(right));
        d.before = signed_text(d.before);
      }
      s = std::string(left - d.before.size(), ' ') + d.before + "." + d.after;
      s += std::string(right - d.after.size(), ' ') + d.exponent;
    } else s = signed_text(std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    width = std::max(width, s.size());
    texts.push_back(s);
  }
  for (auto& s : texts) s.insert(0, width - s.size(), ' ');
  return texts;
}

std::vector<std::string> aligned(std::vector<std::string> texts) {
  std::size_t width = 0;
  for (const auto& s : texts) width = std::max(width, s.size());
  for (auto& s : texts) s.insert(0, width - s.size(), ' ');
  return texts;
}

/// A bool as it lies in memory.
enum class truth : unsigned char {};

/// "1.+2.j": real parts as reals, imaginary ones with their sign.
template <class T>
std::vector<std::string> complexes(const std::vector<complex<T>>& values) {
  std::vector<T> re, im;
  for (const auto& z : values) {
    re.push_back(z.re);
    im.push_back(z.im);
  }
  std::vector<std::string> texts = reals(re), imaginary = reals(im, true);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string& part = imaginary[i];
    part.insert(part.find_last_not_of(' ') + 1, "j");
    texts[i] += part;
  }
  return texts;
}

template <class T>
std::vector<std::string> texts_of(const std::vector<T>& values) {
  if constexpr (floating_point<T>) return reals(values);
  else if constexpr (complex_number<T>) return complexes(values);
  else {
    std::vector<std::string> texts;
    for (const auto v : values) {
      if constexpr (std::is_same_v<T, truth>) texts.push_back(v == truth{} ? "False" : "True");
      else texts.push_back(std::to_string(v));
    }
    return aligned(std::move(texts));
  }
}

struct layout {
  const index_t* extents;
  int rank;
  bool summarised;
  bool skips(int axis) const { return summarised && extents[axis] > 2 * edge; }
};

/// Calls f(linear index) for every element that is shown.
template <class F>
void for_shown(const layout& l, int axis, index_t base, const F& f) {
  if (axis == l.rank) return f(base);
  for (index_t i = 0; i < l.extents[axis]; ++i) {
    if (l.skips(axis) && i == edge) i = l.extents[axis] - edge;
    for_shown(l, axis + 1, base * l.extents[axis] + i, f);
  }
}

void write(std::string& out, const layout& l, int axis, const std::vector<std::string>& texts, std::size_t& next,
           const std::string& indent) {
  out += "[";
  const bool last = axis + 1 == l.rank;
  std::string line;
  const auto flush_word = [&](const std::string& word, bool first) {
    if (first) line = word;
    else if (indent.size() + 1 + line.size() + 1 + word.size() > line_width - 1) {
      out += line + "\n" + indent + " ";
      line = word;
    } else line += " " + word;
  };
  bool first = true;
  for (index_t i = 0; i < l.extents[axis]; ++i) {
    const bool gap = l.skips(axis) && i == edge;
    if (last) {
      if (gap) flush_word("...", first);
      if (gap) i = l.extents[axis] - edge;
      flush_word(texts[next++], first && !gap);
    } else {
      const std::string between = std::string(static_cast<std::size_t>(l.rank - axis - 1), '\n') + indent + " ";
      if (gap) {
        out += between + "...";
        i = l.extents[axis] - edge;
      }
      if (!first) out += between;
      write(out, l, axis + 1, texts, next, indent + " ");
    }
    first = false;
  }
  out += line + "]";
}

template <class T>
void print_as(std::ostream& out, const T* data, const layout& l) {
  std::vector<T> shown;
  for_shown(l, 0, 0, [&](index_t i) { shown.push_back(data[i]); });
  const auto texts = texts_of(shown);
  if (l.rank == 0) {
    if constexpr (complex_number<T>) {  // as Python's
      const auto part = [](auto v) {
        char buffer[40];
        return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
      };
      const T z = shown[0];
      const bool minus = std::signbit(z.im);
      out << "(" << part(z.re) << (minus ? "" : "+") << part(z.im) << "j)";
      return;
    }
    std::string s = texts[0];
    if constexpr (floating_point<T>) {
      if (!s.empty() && s.back() == '.') s += "0";
    }
    out << s;
    return;
  }
  std::string text;
  std::size_t next = 0;
  write(text, l, 0, texts, next, "");
  out << text;
}

}  // namespace

void print(std::ostream& out, const void* data, dtype type, const index_t* extents, int rank) {
  index_t size = 1;
  for (int k = 0; k < rank; ++k) size *= extents[k];
  if (size == 0) {
    out << "[]";
    return;
  }
  const layout l{extents, rank, size > threshold};
  const auto as = [&]<class T>(const T*) { print_as(out, static_cast<const T*>(data), l); };
  switch (type) {
    case dtype::boolean:
      return as(static_cast<truth*>(nullptr));
    case dtype::int8:
      return as(static_cast<int8*>(nullptr));
    case dtype::int16:
      return as(static_cast<int16*>(nullptr));
    case dtype::int32:
      return as(static_cast<int32*>(nullptr));
    case dtype::int64:
      return as(static_cast<int64*>(nullptr));
    case dtype::uint8:
      return as(static_cast<uint8*>(nullptr));
    case dtype::uint16:
      return as(static_cast<uint16*>(nullptr));
    case dtype::uint32:
      return as(static_cast<uint32*>(nullptr));
    case dtype::uint64:
      return as(static_cast<uint64*>(nullptr));
    case dtype::float16:
      return as(static_cast<half*>(nullptr));
    case dtype::bfloat16:
      return as(static_cast<bfloat16*>(nullptr));
    case dtype::float32:
      return as(static_cast<float*>(nullptr));
    case dtype::float64:
      return as(static_cast<double*>(nullptr));
    case dtype::complex64:
      return as(static_cast<complex<float>*>(nullptr));
    case dtype::complex128:
      return as(static_cast<complex<double>*>(nullptr));
    case dtype::other:
      break;
  }
}

}  // namespace lazyfuse::print_detail
