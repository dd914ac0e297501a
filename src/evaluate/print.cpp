// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's text of arrays: shortest digits that read back, at most 8 after the point, columns aligned.
#include <lazyfuse/evaluate/print.hpp>

#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace lazyfuse {

namespace {

std::mutex program_options_mutex;
print_options program_options;
thread_local const print_options* scoped_options = nullptr;

}  // namespace

print_options current_print_options() {
  if (scoped_options) return *scoped_options;
  const std::lock_guard lock(program_options_mutex);
  return program_options;
}

void use_print_options(const print_options& options) {
  const std::lock_guard lock(program_options_mutex);
  program_options = options;
}

print_scope::print_scope(const print_options& options) : options_(options), outer_(scoped_options) {
  scoped_options = &options_;
}
print_scope::~print_scope() { scoped_options = outer_; }

namespace print_detail {

namespace {

/// What comparisons are made in.
template <class T>
using compared = std::conditional_t<small_real<T>, float, T>;

/// From here on NumPy writes numbers of the type with exponents: an array's, and a scalar's.
template <class T>
constexpr compared<T> large = small_real<T>    ? 1e3f
                              : sizeof(T) == 4 ? 1e6f
                                               : 1e8f;
template <class T>
constexpr compared<T> large_scalar = sizeof(T) == 8 ? 1e16 : large<T>;

/// A number in one notation, split at its point and exponent.
struct digits {
  std::string before, after, exponent;
};

std::string chars_of(double value, std::chars_format format, int precision) {
  std::string s(static_cast<std::size_t>(precision) + 330, ' ');  // the largest double has 309 digits
  s.resize(
      static_cast<std::size_t>(std::to_chars(s.data(), s.data() + s.size(), value, format, precision).ptr - s.data()));
  return s;
}
/// What the shortest digits of a 16-bit number are those of: the float with fewest digits that is rounded to it.
template <class T>
double with_fewest_digits(T value) {
  const double v = static_cast<float>(value);
  double d = v, unit = std::pow(10, std::floor(std::log10(std::abs(v))));
  for (int count = 0; count < 8 && v != 0; ++count, unit /= 10) {
    // the nearest of so many digits, and the next: above a power of two numbers are further apart than below
    for (const double near : {v, v < 0 ? v - unit / 2 : v + unit / 2}) {
      const std::string s = chars_of(near, std::chars_format::scientific, count);
      std::from_chars(s.data(), s.data() + s.size(), d);
      if (T(d).bits == value.bits) return d;
    }
  }
  return v;
}

/// The shortest digits that no other number of the type has.
template <class T>
std::string shortest(T value, std::chars_format format) {
  if constexpr (small_real<T>) return shortest(with_fewest_digits(value), format);
  else {
    char buffer[400];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr};
  }
}

digits split(std::string s) {
  digits d;
  if (const auto e = s.find('e'); e != std::string::npos) {
    d.exponent = s.substr(e);
    s.erase(e);
  }
  const auto point = s.find('.');
  d.before = s.substr(0, point);
  if (point != std::string::npos) d.after = s.substr(point + 1);
  return d;
}

/// How many digits after the point; exact: those of the number itself, not the shortest that are enough.
struct digit_count {
  std::size_t most, least;
  bool exact;
};
/// The shortest digits, within the count. Where these are not enough they are followed by those of the number, not
/// zeros.
template <class T>
digits digits_of(T value, bool scientific, digit_count count) {
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const auto with = [&](std::size_t n) {
    return split(chars_of(static_cast<compared<T>>(value), format, static_cast<int>(n)));
  };
  if (count.exact) return with(count.most);
  digits d = split(shortest(value, format));
  if (d.after.size() < count.least) return with(count.least);
  if (d.after.size() <= count.most) return d;
  d = with(count.most);
  while (d.after.size() > count.least && d.after.back() == '0') d.after.pop_back();
  return d;
}

/// The texts of all shown elements, of one width; with the sign of positive ones if it separates.
template <class T>
std::vector<std::string> reals(const std::vector<T>& values, const print_options& options, bool plus = false) {
  using C = compared<T>;
  C largest = 0, smallest = INFINITY;
  for (const C v : values)
    if (std::isfinite(v) && v != 0) {
      largest = std::max(largest, std::abs(v));
      smallest = std::min(smallest, std::abs(v));
    }
  const bool far_apart = largest > 0 && (smallest < C(1e-4) || static_cast<C>(T(largest / smallest)) > C(1000));
  bool scientific = options.reals == notation::scientific;
  if (options.reals == notation::shortest) scientific = largest >= large<T> || (far_apart && !options.suppress);

  const auto precision = static_cast<std::size_t>(std::max(options.precision, 0));
  const bool exact = options.reals != notation::shortest;
  digit_count count{precision, 0, exact};
  const auto parts = [&] {
    std::vector<digits> all;
    for (const T v : values)
      if (std::isfinite(static_cast<C>(v))) all.push_back(digits_of(v, scientific, count));
    return all;
  };
  std::vector<digits> all = parts();
  std::size_t left = 0, right = 0, exponent = 0;
  const auto measure = [&] {
    left = right = 0;
    for (digits& d : all) {
      if (plus && d.before[0] != '-') d.before.insert(0, "+");
      left = std::max(left, d.before.size());
      right = std::max(right, d.after.size());
      exponent = std::max(exponent, d.exponent.size());
    }
  };
  measure();
  if (scientific && !exact) {  // all have as many digits as the longest
    count = {right, right, false};
    all = parts();
    measure();
  }

  std::vector<std::string> texts;
  std::size_t width = 0, next = 0;
  for (const C v : values) {
    std::string s;
    if (std::isfinite(v)) {
      digits& d = all[next++];
      if (scientific) d.exponent.insert(2, exponent - d.exponent.size(), '0');
      s = std::string(left - d.before.size(), ' ') + d.before + "." + d.after;
      s += std::string(right - d.after.size(), ' ') + d.exponent;
    } else s = std::isnan(v) ? (plus ? "+nan" : "nan") : v < 0 ? "-inf" : plus ? "+inf" : "inf";
    width = std::max(width, s.size());
    texts.push_back(s);
  }
  for (auto& s : texts) s.insert(0, width - s.size(), ' ');
  return texts;
}

/// "1.+2.j": real parts as reals, imaginary ones with their sign.
template <class T>
std::vector<std::string> complexes(const std::vector<complex<T>>& values, const print_options& options) {
  std::vector<T> re, im;
  for (const auto& z : values) {
    re.push_back(z.re);
    im.push_back(z.im);
  }
  std::vector<std::string> texts = reals(re, options), imaginary = reals(im, options, true);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string& part = imaginary[i];
    part.insert(part.find_last_not_of(' ') + 1, "j");
    texts[i] += part;
  }
  return texts;
}

/// A bool as it lies in memory.
enum class truth : unsigned char {};

template <class T>
std::vector<std::string> texts_of(const std::vector<T>& values, const print_options& options) {
  if constexpr (floating_point<T>) return reals(values, options);
  else if constexpr (complex_number<T>) return complexes(values, options);
  else {
    std::vector<std::string> texts;
    std::size_t width = 0;
    for (const auto v : values) {
      if constexpr (std::is_same_v<T, truth>) texts.push_back(v == truth{} ? "False" : " True");
      else texts.push_back(std::to_string(v));
      width = std::max(width, texts.back().size());
    }
    for (auto& s : texts) s.insert(0, width - s.size(), ' ');
    return texts;
  }
}

/// A scalar as Python writes it, 2.5 or 1e+16: with all digits that it needs.
template <class T>
std::string scalar_text(T value, const char* after_whole) {
  const auto v = static_cast<compared<T>>(value);
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  const double size = std::abs(static_cast<double>(v));
  if (size != 0 && (size < 1e-4 || v >= large_scalar<T> || -v >= large_scalar<T>))
    return shortest(value, std::chars_format::scientific);
  const std::string s = shortest(value, std::chars_format::fixed);
  return s.find('.') == std::string::npos ? s + after_whole : s;
}
template <class T>
std::string scalar_text(complex<T> z, const char*) {
  const std::string im = scalar_text(z.im, "");
  if (z.re == 0 && !std::signbit(z.re)) return im + "j";
  const bool minus = im[0] == '-';
  return "(" + scalar_text(z.re, "") + (minus ? "" : "+") + im + "j)";
}

/// The elements that are shown, and in which lines.
class layout {
 public:
  layout(const host_elements& x, const print_options& options)
      : x_(x), edge_(std::max<index_t>(options.edgeitems, 1)), width_(options.linewidth) {
    index_t size = 1;
    for (int k = 0; k < x.rank; ++k) size *= x.extents[k];
    summarised_ = size > options.threshold;
  }

  /// Calls f(linear index) for every element that is shown.
  template <class F>
  void for_shown(const F& f, int axis = 0, index_t base = 0) const {
    if (axis == x_.rank) return f(base);
    for (index_t i = 0; i < x_.extents[axis]; ++i) {
      if (skips(axis) && i == edge_) i = x_.extents[axis] - edge_;
      for_shown(f, axis + 1, base * x_.extents[axis] + i);
    }
  }

  /// The texts of the elements, taken in order, between brackets.
  std::string lines(const std::vector<std::string>& texts) const {
    auto next = texts.begin();
    std::string out;
    write(out, 0, next);
    return out;
  }

 private:
  bool skips(int axis) const { return summarised_ && x_.extents[axis] > 2 * edge_; }

  void write(std::string& out, int axis, std::vector<std::string>::const_iterator& next) const {
    const auto indent = static_cast<std::size_t>(axis) + 1;
    const bool last = axis + 1 == x_.rank;
    const auto between = std::string(static_cast<std::size_t>(x_.rank - axis - 1), '\n') + std::string(indent, ' ');
    // brackets of this axis and of those around it are still to be closed
    const int room = width_ - static_cast<int>(indent);
    std::string line(indent, ' ');
    const auto add_word = [&](const std::string& word) {
      if (static_cast<int>(line.size() + word.size()) > room && line.size() > indent) {
        line.erase(line.find_last_not_of(' ') + 1);
        out += line.substr(indent) + "\n" + std::string(indent, ' ');
        line.assign(indent, ' ');
      }
      line += word;
    };
    out += "[";
    for (index_t i = 0; i < x_.extents[axis]; ++i) {
      const bool gap = skips(axis) && i == edge_;
      if (gap) i = x_.extents[axis] - edge_;
      if (last) {
        if (gap) {
          add_word("...");
          line += " ";
        }
        add_word(*next++);
        if (i + 1 < x_.extents[axis]) line += " ";
      } else {
        if (i > 0) out += between;
        if (gap) out += "..." + between;
        write(out, axis + 1, next);
      }
    }
    out += line.substr(indent) + "]";
  }

  const host_elements& x_;
  index_t edge_;
  int width_;
  bool summarised_;
};

/// Calls f with a null pointer to the element type.
template <class F>
auto with_type(dtype type, const F& f) {
  switch (type) {
    case dtype::int8:
      return f(static_cast<int8*>(nullptr));
    case dtype::int16:
      return f(static_cast<int16*>(nullptr));
    case dtype::int32:
      return f(static_cast<int32*>(nullptr));
    case dtype::int64:
      return f(static_cast<int64*>(nullptr));
    case dtype::uint8:
      return f(static_cast<uint8*>(nullptr));
    case dtype::uint16:
      return f(static_cast<uint16*>(nullptr));
    case dtype::uint32:
      return f(static_cast<uint32*>(nullptr));
    case dtype::uint64:
      return f(static_cast<uint64*>(nullptr));
    case dtype::float16:
      return f(static_cast<half*>(nullptr));
    case dtype::bfloat16:
      return f(static_cast<bfloat16*>(nullptr));
    case dtype::float32:
      return f(static_cast<float*>(nullptr));
    case dtype::float64:
      return f(static_cast<double*>(nullptr));
    case dtype::complex64:
      return f(static_cast<complex<float>*>(nullptr));
    case dtype::complex128:
      return f(static_cast<complex<double>*>(nullptr));
    case dtype::boolean:
    case dtype::other:  // refused at compile time
      break;
  }
  return f(static_cast<truth*>(nullptr));
}

std::string scalar_text(truth value, const char*) { return value == truth{} ? "False" : "True"; }

}  // namespace

std::string text_of(const host_elements& x, const print_options& options) {
  return with_type(x.type, [&]<class T>(T*) -> std::string {
    const T* const data = static_cast<const T*>(x.data);
    const layout l(x, options);
    std::vector<T> shown;
    l.for_shown([&](index_t i) { shown.push_back(data[i]); });
    if (shown.empty()) return "[]";
    if constexpr (std::is_same_v<T, truth>)
      if (x.rank == 0) return scalar_text(shown[0], "");
    const std::vector<std::string> texts = texts_of(shown, options);
    return x.rank == 0 ? texts[0] : l.lines(texts);
  });
}

std::string text_of(const host_elements& x) {
  if (x.rank > 0) return text_of(x, current_print_options());
  return with_type(x.type, [&]<class T>(T*) -> std::string {
    const T value = *static_cast<const T*>(x.data);
    if constexpr (integer<T>) return std::to_string(value);
    else return scalar_text(value, ".0");
  });
}

void print(std::ostream& out, const host_elements& x) { out << text_of(x); }
void print(std::ostream& out, const index_t* extents, int rank) { out << lazyfuse::text_of(extents, rank); }

}  // namespace print_detail

}  // namespace lazyfuse
