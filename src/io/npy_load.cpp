// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format is numpy.lib.format's: magic, version, length of the header, the header (a dictionary as Python writes
// it), elements. What is read may be anybody's, so it is taken to be wrong until it has been looked at.
#include "io/npy.hpp"

#include <algorithm>
#include <fstream>
#include <istream>
#include <string_view>

namespace lazyfuse {

namespace npy_detail {

namespace {

/// The start of text from a file, fit for an error.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string s;
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127) s += c;
    else s += {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  }
  return "\"" + s + (text.size() > most ? "...\"" : "\"");
}

struct element_format {
  dtype type = dtype::other;
  bool swapped = false;
};
element_format element_of(std::string_view descr) {
  if (descr == "bfloat16") return {dtype::bfloat16, false};
  char order = '=';
  if (!descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
    order = descr[0];
    descr.remove_prefix(1);
  }
  for (const element_name& e : element_names)
    if (descr == e.letters) {
      const bool swapped = order == '>' && e.part > 1;
      if (swapped && e.type == dtype::bfloat16) break;  // opaque bytes have no order, so nobody can have meant it
      return {e.type, swapped};
    }
  return {};
}

// Headers

/// The dictionary of a header. Only what NumPy and its imitators write is understood: no escapes, no comments.
class dictionary {
 public:
  dictionary(std::string_view text, std::size_t offset, const request& r) : text_(text), offset_(offset), request_(r) {}

  npy_header read() {
    npy_header h{};
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{', "'{'");
    while (next() != '}') {
      const std::string key = string("a key");
      expect(':', "':'");
      bool& known = key == "descr" ? has_descr : key == "fortran_order" ? has_order : has_shape;
      if (key != "descr" && key != "fortran_order" && key != "shape")
        request_.fail("has a header with the unknown key " + shown(key));
      if (known) request_.fail("has a header with '" + key + "' twice");
      known = true;
      if (key == "descr") h.descr = literal();
      else if (key == "shape") h.shape = tuple();
      else h.fortran_order = truth();
      if (next() != '}') expect(',', "',' or '}'");
    }
    ++at_;
    if (next() != '\0' || at_ < text_.size()) fail("nothing behind '}'");
    if (!has_descr || !has_order || !has_shape)
      request_.fail(std::string("has a header without '") +
                    (!has_descr   ? "descr"
                     : !has_order ? "fortran_order"
                                  : "shape") +
                    "'");
    h.type = element_of(h.descr).type;
    return h;
  }

 private:
  [[noreturn]] void fail(const char* expected) const {
    const std::string found = at_ < text_.size() ? shown(text_.substr(at_)) : "the end of the header";
    request_.fail("has a bad header: found " + found + " at byte " + std::to_string(offset_ + at_) + ", expected " +
                  expected);
  }
  /// The next character that is not white; 0 at the end.
  char next() {
    while (at_ < text_.size() && std::strchr(" \t\r\n\f\v", text_[at_]) && text_[at_] != '\0') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c, const char* what) {
    if (next() != c) fail(what);
    ++at_;
  }

  std::string string(const char* what) {
    const char quote = next();
    if (quote != '\'' && quote != '"') fail(what);
    const std::size_t end = text_.find_first_of(std::string{quote, '\\', '\n'}, at_ + 1);
    if (end == std::string_view::npos || text_[end] != quote) fail("a string that ends with the quote it begins with");
    std::string s(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return s;
  }
  /// A string, or the text of a list or tuple.
  std::string literal() {
    if (next() != '[' && next() != '(') return string("an element type");
    const std::size_t begin = at_;
    std::string open;  // the brackets that are still to come
    do {
      switch (const char c = next()) {
        case '(':
        case '[':
          open += c == '(' ? ')' : ']';
          ++at_;
          break;
        case ')':
        case ']':
          if (c != open.back()) fail("the other bracket");
          open.pop_back();
          ++at_;
          break;
        case '\'':
        case '"':
          string("a string");
          break;
        case '\0':
        case '{':
        case '}':
          fail("an element type");
        default:
          ++at_;
      }
    } while (!open.empty());
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool truth() {
    next();
    const std::string_view rest = text_.substr(at_);
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest.starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail("True or False");
  }
  std::vector<index_t> tuple() {
    std::vector<index_t> extents;
    expect('(', "'('");
    while (next() != ')') {
      if (extents.size() == most_extents) fail("at most 64 extents");
      extents.push_back(extent());
      if (next() != ')' || extents.size() == 1) expect(',', "','");
    }
    ++at_;
    return extents;
  }
  static constexpr std::size_t most_extents = 64;  // NumPy's
  index_t extent() {
    const std::size_t begin = at_;
    index_t n = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, text_[at_] - '0', &n)) {
        at_ = begin;
        fail("an extent below 2^63");
      }
    if (at_ == begin) fail("an extent");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote it
    return n;
  }

  std::string_view text_;
  std::size_t offset_, at_ = 0;
  const request& request_;
};

// Reading

/// Bytes from a stream, whose state is not changed.
class source {
 public:
  source(std::istream& in, const request& r) : from_(in.rdbuf()), request_(r) {
    if (!in || !from_) r.fail("is in a failed state");
  }

  std::size_t at() const { return at_; }

  /// How many of the bytes came.
  std::size_t some(void* to, std::size_t bytes) {
    std::size_t n = 0;
    try {
      while (n < bytes) {
        const std::streamsize got = from_->sgetn(static_cast<char*>(to) + n, static_cast<std::streamsize>(bytes - n));
        if (got <= 0) break;
        n += static_cast<std::size_t>(got);
      }
    } catch (const std::ios_base::failure& failure) {
      request_.fail(std::string("cannot be read: ") + failure.what());
    }
    at_ += n;
    return n;
  }

  /// How many bytes are left; -1 if that cannot be known.
  index_t left() {
    const std::streambuf::pos_type nowhere = std::streambuf::off_type(-1);
    const auto here = from_->pubseekoff(0, std::ios_base::cur, std::ios_base::in);
    if (here == nowhere) return -1;
    const auto end = from_->pubseekoff(0, std::ios_base::end, std::ios_base::in);
    if (from_->pubseekpos(here, std::ios_base::in) != here) request_.fail("cannot be read: seeking failed");
    return end == nowhere ? -1 : static_cast<index_t>(end - here);
  }

 private:
  std::streambuf* from_;
  const request& request_;
  std::size_t at_ = 0;
};

npy_header read_header(source& from, const request& r) {
  constexpr std::string_view magic = "\x93NUMPY";
  constexpr std::size_t longest = 1 << 20;  // of the element types that arrays have, they are 118 bytes
  char start[12];
  std::size_t got = from.some(start, magic.size());
  if (std::string_view(start, got) != magic.substr(0, got)) {
    const bool zip = got >= 2 && start[0] == 'P' && start[1] == 'K';
    r.fail("is not a .npy file: it begins with " + shown({start, got}) + ", not with \"\\x93NUMPY\"" +
           (zip ? "; .npz archives must be unpacked first" : ""));
  }
  if (got == magic.size()) got += from.some(start + got, 2);
  const int version = got == 8 ? static_cast<unsigned char>(start[6]) : 0;
  const int minor = got == 8 ? static_cast<unsigned char>(start[7]) : 0;
  if (got == 8 && (version < 1 || version > 3 || minor != 0))
    r.fail("has version " + std::to_string(version) + "." + std::to_string(minor) + ", not 1.0, 2.0 or 3.0");
  const std::size_t digits = version == 1 ? 2 : 4;
  if (got == 8) got += from.some(start + got, digits);
  const auto cut_short = [&](const char* part) {
    r.fail("ends at byte " + std::to_string(from.at()) + ", within " + part);
  };
  if (got < 8 + digits) cut_short("the first bytes of a .npy file");

  std::size_t length = 0;
  for (std::size_t k = 0; k < digits; ++k)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(start[8 + k])) << (8 * k);
  if (length > longest)
    r.fail("has a header of " + std::to_string(length) + " bytes, more than " + std::to_string(longest));
  std::string text(length, '\0');
  if (from.some(text.data(), length) < length)
    cut_short(("the header of " + std::to_string(length) + " bytes").c_str());
  return dictionary(text, from.at() - length, r).read();
}

/// How many bytes the elements take; refuses more than can be counted, and extents of arrays without elements whose
/// steps could not be counted.
std::size_t bytes_of(const npy_header& h, const request& r) {
  index_t bytes = named(h.type).bytes;
  bool empty = false;
  for (const index_t n : h.shape) {
    if (n == 0) empty = true;
    else if (__builtin_mul_overflow(bytes, n, &bytes))
      r.fail("has a header with the shape " + text_of(h.shape.data(), static_cast<int>(h.shape.size())) +
             ", which is too large");
  }
  return empty ? 0 : static_cast<std::size_t>(bytes);
}

/// Whether it holds what is asked for.
void check(const npy_header& h, const wanted& w, const request& r) {
  const auto elements = std::string(name_of(w.type));
  if (h.type != w.type) {
    std::string problem = r.name + " holds ";
    if (h.type != dtype::other) {
      problem += std::string(name_of(h.type)) + ", not " + elements + ": load it as " + name_of(h.type) +
                 ", then cast what was loaded";
    } else {
      const std::string& d = h.descr;
      const bool structured = d.starts_with("[") || d.starts_with("(");
      problem += structured                         ? "structured elements, "
                 : d.find('O') != std::string::npos ? "Python objects, "
                                                    : "elements of the type ";
      problem += shown(d) + ", not " + elements + "; arrays have no such elements";
    }
    throw_dtype(r.operation, problem.c_str(), r.where);
  }
  if (h.shape.size() != static_cast<std::size_t>(w.rank))
    throw_shape(
        r.operation, h.shape.data(), static_cast<int>(h.shape.size()),
        ("of " + r.name + " has rank " + std::to_string(h.shape.size()) + ", not " + std::to_string(w.rank)).c_str(),
        r.where);
}

/// Reads all elements, or says how many came. Where it is not known that they are there, memory grows with what comes.
class element_reader {
 public:
  element_reader(source& from, const npy_header& h, std::size_t bytes, const request& r)
      : from_(from), header_(h), bytes_(bytes), request_(r), begin_(from.at()), left_(from.left()) {
    if (left_ >= 0 && static_cast<std::size_t>(left_) < bytes_) fail(static_cast<std::size_t>(left_));
  }
  bool certain() const { return left_ >= 0; }

  void read(void* to) {
    if (const std::size_t got = from_.some(to, bytes_); got < bytes_) fail(got);
  }
  std::vector<char> read() {
    constexpr std::size_t least = 1 << 20;
    std::vector<char> all;
    while (all.size() < bytes_) {
      const std::size_t have = all.size(), more = certain() ? bytes_ : std::min(bytes_ - have, std::max(have, least));
      try {
        all.resize(have + more);
      } catch (const std::exception&) {  // bad_alloc or length_error
        throw_memory("host", have + more,
                     {request_.operation, header_.type, header_.shape.data(), static_cast<int>(header_.shape.size())});
      }
      if (const std::size_t got = from_.some(all.data() + have, more); got < more) fail(have + got);
    }
    return all;
  }

 private:
  [[noreturn]] void fail(std::size_t got) const {
    request_.fail("ends at byte " + std::to_string(begin_ + got) + ", but " + name_of(header_.type) + " of shape " +
                  text_of(header_.shape.data(), static_cast<int>(header_.shape.size())) + " end at byte " +
                  std::to_string(begin_ + bytes_));
  }
  source& from_;
  const npy_header& header_;
  std::size_t bytes_;
  const request& request_;
  std::size_t begin_;
  index_t left_;
};

/// From Fortran order to row-major: for each place along the axes between, a matrix is transposed in tiles.
template <class E>
void to_row_major(const E* from, E* to, const std::vector<index_t>& extents) {
  constexpr index_t tile = 32;
  const index_t rows = extents.front(), columns = extents.back();
  index_t between = 1;
  for (std::size_t k = 1; k + 1 < extents.size(); ++k) between *= extents[k];
  for (index_t there = 0; there < between; ++there) {
    index_t here = 0, rest = there;  // the same place, counted from the first axis
    index_t step = between;
    for (std::size_t k = 1; k + 1 < extents.size(); ++k) {
      step /= extents[k];
      here += rest % extents[k] * step;
      rest /= extents[k];
    }
    for (index_t i0 = 0; i0 < rows; i0 += tile)
      for (index_t k0 = 0; k0 < columns; k0 += tile)
        for (index_t i = i0; i < std::min(i0 + tile, rows); ++i)
          for (index_t k = k0; k < std::min(k0 + tile, columns); ++k)
            to[(i * between + here) * columns + k] = from[i + rows * (there + between * k)];
  }
}
template <int Bytes>
struct opaque {
  char byte[Bytes];
};
void to_row_major(const void* from, void* to, const npy_header& h) {
  const auto of = [&]<class E>(E) { to_row_major(static_cast<const E*>(from), static_cast<E*>(to), h.shape); };
  switch (named(h.type).bytes) {
    case 1:
      return of(opaque<1>{});
    case 2:
      return of(opaque<2>{});
    case 4:
      return of(opaque<4>{});
    case 8:
      return of(opaque<8>{});
    default:
      return of(opaque<16>{});
  }
}

template <class Word>
void swap_each(char* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += sizeof(Word)) {
    Word w;
    std::memcpy(&w, data + i, sizeof w);
    if constexpr (sizeof w == 2) w = __builtin_bswap16(w);
    else if constexpr (sizeof w == 4) w = __builtin_bswap32(w);
    else w = __builtin_bswap64(w);
    std::memcpy(data + i, &w, sizeof w);
  }
}
/// The machine's byte order, and bools that are 0 or 1: any other byte is true in NumPy, and an error in C++.
void make_native(void* elements, std::size_t bytes, const npy_header& h) {
  char* const data = static_cast<char*>(elements);
  if (element_of(h.descr).swapped) {
    const int part = named(h.type).part;
    if (part == 2) swap_each<uint16>(data, bytes);
    else if (part == 4) swap_each<uint32>(data, bytes);
    else swap_each<uint64>(data, bytes);
  }
  if (h.type == dtype::boolean)
    for (std::size_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
}

void fill(std::istream& in, const wanted& w, const request& r) {
  source from(in, r);
  const npy_header h = read_header(from, r);
  check(h, w, r);
  const std::size_t bytes = bytes_of(h, r);
  element_reader elements(from, h, bytes, r);
  const bool rearranged = h.fortran_order && h.shape.size() > 1;
  void* to = nullptr;
  if (elements.certain() && !rearranged) {
    to = w.allocate(w.array, h.shape.data());
    elements.read(to);
  } else {
    const std::vector<char> all = elements.read();
    to = w.allocate(w.array, h.shape.data());
    if (bytes == 0) return;
    if (rearranged) to_row_major(all.data(), to, h);
    else std::copy(all.begin(), all.end(), static_cast<char*>(to));
  }
  make_native(to, bytes, h);
}

std::ifstream opened(const char* path, const request& r) {
  std::ifstream in(path, std::ios::binary);
  if (!in) r.fail_with_errno("cannot be opened");
  return in;
}

}  // namespace

void load(const char* path, const wanted& w, caller where) {
  const request r{"load", path, where};
  std::ifstream in = opened(path, r);
  fill(in, w, r);
}
void load(std::istream& in, const wanted& w, caller where) { fill(in, w, {"load", "the stream", where}); }

}  // namespace npy_detail

npy_header inspect(file_name path, caller where) {
  const npy_detail::request r{"inspect", path.text, where};
  std::ifstream in = npy_detail::opened(path.text, r);
  npy_detail::source from(in, r);
  return npy_detail::read_header(from, r);
}
npy_header inspect(std::istream& in, caller where) {
  const npy_detail::request r{"inspect", "the stream", where};
  npy_detail::source from(in, r);
  return npy_detail::read_header(from, r);
}

}  // namespace lazyfuse
