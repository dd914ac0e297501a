// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npy files: what NumPy wrote is loaded, what is saved are NumPy's bytes, and no file that is wrong does harm.
#include "support/arrays.hpp"
#include "support/messages.hpp"
#include "support/reference_data.hpp"
#include "support/resources.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <streambuf>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

template <class Space>
class npy : public test::on<Space> {};
TYPED_TEST_SUITE(npy, test::spaces, test::space_name);

/// The arrays that are in the files.
const test::reference_data& arrays() {
  static const test::reference_data data("npy");
  return data;
}
/// Files that NumPy wrote.
std::string path_of(const std::string& name) {
  const char* folder = std::getenv("LAZYFUSE_TEST_DATA");
  return std::string(folder ? folder : LAZYFUSE_TEST_DATA) + "/npy/" + name + ".npy";
}
std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that ends with the test.
class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "lazyfuse_npy_XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no folder " + name);
    path_ = name;
  }
  ~folder() { std::filesystem::remove_all(path_); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  std::ptrdiff_t files() const { return std::distance(std::filesystem::directory_iterator(path_), {}); }

 private:
  std::filesystem::path path_;
};

/// A stream that can be read, but neither seeks nor says how much there is.
class pipe_buffer : public std::streambuf {
 public:
  explicit pipe_buffer(std::string bytes) : bytes_(std::move(bytes)) {
    setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
  }

 private:
  std::string bytes_;
};

using test::message_of, test::mentions;

template <class Space, class T, int R>
void expect_loaded(const std::string& name) {
  EXPECT_TRUE(test::agrees(lf::load<T, R, Space>(path_of(name)), arrays(), name)) << name;
}

/// Calls f with a null pointer to each element type.
template <class F>
void for_every_type(const F& f) {
  const auto each = [&]<class... T>(T*... t) { (f(t), ...); };
  each((bool*)nullptr, (lf::int8*)nullptr, (lf::int16*)nullptr, (lf::int32*)nullptr, (lf::int64*)nullptr,
       (lf::uint8*)nullptr, (lf::uint16*)nullptr, (lf::uint32*)nullptr, (lf::uint64*)nullptr, (lf::half*)nullptr,
       (lf::bfloat16*)nullptr, (float*)nullptr, (double*)nullptr, (lf::complex<float>*)nullptr,
       (lf::complex<double>*)nullptr);
}

TYPED_TEST(npy, loads_every_element_type) {
  for_every_type([]<class T>(T*) { expect_loaded<TypeParam, T, 2>(test::name_of<T>()); });
}
TYPED_TEST(npy, loads_the_other_byte_order) {
  for_every_type([]<class T>(T*) {
    if constexpr (sizeof(T) > 1 && !std::is_same_v<T, lf::bfloat16>)
      expect_loaded<TypeParam, T, 2>(std::string("big_endian_") + test::name_of<T>());
  });
}
TYPED_TEST(npy, loads_every_rank) {
  expect_loaded<TypeParam, double, 0>("rank_0");
  expect_loaded<TypeParam, lf::int16, 1>("rank_1");
  expect_loaded<TypeParam, lf::uint8, 3>("rank_3");
  expect_loaded<TypeParam, lf::int16, 8>("rank_8");
}
TYPED_TEST(npy, loads_nothing) {
  expect_loaded<TypeParam, float, 1>("empty");
  expect_loaded<TypeParam, lf::int64, 3>("empty_rank_3");
  expect_loaded<TypeParam, float, 3>("fortran_empty");
}
TYPED_TEST(npy, rearranges_fortran_order) {
  expect_loaded<TypeParam, float, 2>("fortran");
  expect_loaded<TypeParam, bool, 2>("fortran_bool");
  expect_loaded<TypeParam, lf::half, 2>("fortran_float16");
  expect_loaded<TypeParam, double, 2>("fortran_float64");
  expect_loaded<TypeParam, lf::complex<double>, 2>("fortran_complex128");
  expect_loaded<TypeParam, lf::int8, 4>("fortran_rank_4");
  expect_loaded<TypeParam, float, 2>("fortran_big_endian");
}
TYPED_TEST(npy, loads_what_others_than_numpy_write) {
  for (const char* name :
       {"version_2", "version_3", "python_2", "double_quotes", "other_blanks", "native_order", "more_behind"})
    expect_loaded<TypeParam, float, 2>(name);
}

template <class Space, class T, int R>
void expect_numpys_bytes(const std::string& name) {
  std::ostringstream out;
  lf::save(out, test::array_of<Space, R>(arrays().get<T>(name)));
  EXPECT_EQ(out.str(), bytes_of(path_of(name))) << name;
}

TYPED_TEST(npy, saves_the_bytes_that_numpy_saves) {
  for_every_type([]<class T>(T*) { expect_numpys_bytes<TypeParam, T, 2>(test::name_of<T>()); });
  expect_numpys_bytes<TypeParam, double, 0>("rank_0");
  expect_numpys_bytes<TypeParam, lf::int16, 1>("rank_1");
  expect_numpys_bytes<TypeParam, lf::uint8, 3>("rank_3");
  expect_numpys_bytes<TypeParam, lf::int16, 8>("rank_8");
  expect_numpys_bytes<TypeParam, float, 1>("empty");
  expect_numpys_bytes<TypeParam, lf::int64, 3>("empty_rank_3");
}
TYPED_TEST(npy, saves_expressions_and_views) {
  const folder tmp;
  const lf::array<float, 2, TypeParam> x = lf::reshape(lf::arange<float>(6), {2, 3});
  lf::save(tmp / "e.npy", lf::transpose(x * 2));
  EXPECT_TRUE(test::evaluates_to(lf::load<float, 2, TypeParam>(tmp / "e.npy"),
                                 test::tensor<float>({3, 2}, {0, 6, 2, 8, 4, 10})));
  lf::save(tmp / "e.npy", lf::sum(x));
  EXPECT_EQ((lf::load<float, 0, TypeParam>(tmp / "e.npy").item()), 15.0f) << "replaced";
  lf::save(tmp / "e.npy", x(0, lf::range(lf::none, lf::none, -1)));
  EXPECT_TRUE(test::evaluates_to(lf::load<float, 1, TypeParam>(tmp / "e.npy"), test::tensor<float>({3}, {2, 1, 0})));
  EXPECT_EQ(tmp.files(), 1);
}
TYPED_TEST(npy, takes_paths_strings_and_literals) {
  const folder tmp;
  const std::filesystem::path path = tmp / "x";  // no .npy is added
  const std::string string = path.string();
  const lf::array<float, 1, TypeParam> x{1, 2};
  lf::save(path, x);
  lf::save(string, x);
  lf::save(string.c_str(), x);
  EXPECT_TRUE(lf::array_equal(lf::load<float, 1, TypeParam>(path), x));
  EXPECT_TRUE(lf::array_equal(lf::load<float, 1, TypeParam>(string), x));
  EXPECT_TRUE(lf::array_equal(lf::load<float, 1, TypeParam>(string.c_str()), x));
}
TYPED_TEST(npy, several_arrays_follow_each_other_in_a_stream) {
  std::stringstream stream;
  stream << "before";
  const lf::array<double, 1, TypeParam> x{1, 2, 3};
  lf::save(stream, x);
  lf::save(stream, x > 1);
  stream << "after";
  std::string word(6, '\0');
  stream.read(word.data(), 6);
  EXPECT_TRUE(lf::array_equal(lf::load<double, 1, TypeParam>(stream), x));
  EXPECT_TRUE(lf::array_equal(lf::load<bool, 1, TypeParam>(stream), x > 1));
  stream >> word;
  EXPECT_EQ(word, "after");
}
TYPED_TEST(npy, loads_streams_that_cannot_seek) {
  for (const char* name : {"rank_1", "fortran_rank_4", "float32"}) {
    pipe_buffer buffer(bytes_of(path_of(name)) + "x");
    std::istream stream(&buffer);
    if (name == std::string("rank_1"))
      EXPECT_TRUE(test::agrees(lf::load<lf::int16, 1, TypeParam>(stream), arrays(), name));
    else if (name == std::string("float32"))
      EXPECT_TRUE(test::agrees(lf::load<float, 2, TypeParam>(stream), arrays(), name));
    else EXPECT_TRUE(test::agrees(lf::load<lf::int8, 4, TypeParam>(stream), arrays(), name));
    EXPECT_EQ(stream.get(), 'x');
  }
  const lf::array<float, 1, TypeParam> large = lf::arange<float>(3'000'000);  // several steps of growth
  std::ostringstream out;
  lf::save(out, large);
  pipe_buffer buffer(out.str());
  std::istream stream(&buffer);
  EXPECT_TRUE(lf::array_equal(lf::load<float, 1, TypeParam>(stream), large));
}
TYPED_TEST(npy, large_arrays_in_fortran_order_are_rearranged_in_tiles) {
  const lf::array<lf::int32, 3, TypeParam> x = lf::reshape(lf::arange<lf::int32>(70 * 3 * 45), {70, 3, 45});
  std::ostringstream out;
  lf::save(out, lf::permute_dims<2, 1, 0>(x));
  std::string bytes = out.str();  // the same elements in the same order, under another name
  bytes.replace(bytes.find("False"), 5, "True ");
  bytes.replace(bytes.find("(45, 3, 70)"), 11, "(70, 3, 45)");
  std::istringstream in(bytes);
  EXPECT_TRUE(lf::array_equal(lf::load<lf::int32, 3, TypeParam>(in), x));
}
TYPED_TEST(npy, any_byte_but_zero_is_true) {
  std::string bytes = bytes_of(path_of("bool"));
  bytes.replace(bytes.size() - 6, 6, std::string("\0\1\2\x80\xff\0", 6));
  std::istringstream in(bytes);
  EXPECT_TRUE(test::evaluates_to(lf::load<bool, 2, TypeParam>(in), test::tensor<bool>({2, 3}, {0, 1, 1, 1, 1, 0})));
}
TYPED_TEST(npy, a_file_that_is_not_loaded_changes_nothing_and_allocates_nothing) {
  lf::array<float, 1, TypeParam> x{1, 2};
  const float* const data = std::as_const(x).data();
  lf::kernel_trace trace;
  EXPECT_THROW((x = lf::load<float, 1, TypeParam>(path_of("structured"))), lf::dtype_error);
  EXPECT_EQ(std::as_const(x).data(), data);
  EXPECT_EQ(trace.allocations(), 0);
}

TEST(npy_headers, are_inspected_without_the_elements) {
  const auto h = lf::inspect(path_of("big_endian_float32"));
  EXPECT_EQ(h.type, lf::dtype::float32);
  EXPECT_EQ(h.descr, ">f4");
  EXPECT_EQ(h.shape, (std::vector<lf::index_t>{2, 3}));
  EXPECT_FALSE(h.fortran_order);
  EXPECT_TRUE(lf::inspect(path_of("fortran")).fortran_order);
  EXPECT_EQ(lf::inspect(path_of("bfloat16")).type, lf::dtype::bfloat16);
  EXPECT_TRUE(lf::inspect(path_of("rank_0")).shape.empty());
  const auto s = lf::inspect(path_of("structured"));
  EXPECT_EQ(s.type, lf::dtype::other);
  EXPECT_EQ(s.descr, "[('x', '<i4'), ('y (z', '<f8', (2,))]");
  std::ifstream in(path_of("float64"), std::ios::binary);
  EXPECT_EQ(lf::inspect(in).descr, "<f8");
  EXPECT_EQ(in.tellg(), 128);
}

std::string npy_file(const std::string& header, const std::string& elements = std::string(64, '\0'), int version = 1) {
  std::string all = "\x93NUMPY";
  all +=
      {static_cast<char>(version), '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  if (version > 1) all += std::string(2, '\0');
  return all + header + elements;
}
template <class T, int R>
std::string error_of(const std::string& file) {
  std::istringstream stream(file);
  const auto text = message_of<lf::file_error>([&] { (void)lf::load<T, R, lf::host>(stream); });
  pipe_buffer buffer(file);
  std::istream pipe(&buffer);
  EXPECT_THROW((void)(lf::load<T, R, lf::host>(pipe)), lf::file_error) << text;
  return text;
}

TEST(npy_errors, say_what_a_header_has_and_should_have) {
  const struct {
    const char* header;
    std::initializer_list<std::string> said;
  } cases[] = {
      {"", {"found the end of the header at byte 10, expected '{'"}},
      {"[]", {"found \"[]\" at byte 10, expected '{'"}},
      {"{'descr' '<f4'}", {"found \"'<f4'}\" at byte 19, expected ':'"}},
      {"{descr: '<f4'}", {"found \"descr: '<f4'}\" at byte 11, expected a key"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4)}", {"expected ','"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,", {"the end of the header", "expected an extent"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-4,)}", {"\"-4,)}\"", "expected an extent"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4.0,)}", {"expected ','"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [4]}", {"expected '('"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 4}", {"expected '('"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", {"below 2^63"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2305843009213693952,)}", {"too large"}},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (4,)}", {"\"0, 'shape': (4,)}\"", "expected True or False"}},
      {"{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (4,)}", {"\"hood", "expected ',' or '}'"}},
      {"{'descr': '<f4', 'shape': (4,)}", {"without 'fortran_order'"}},
      {"{'fortran_order': False, 'shape': (4,)}", {"without 'descr'"}},
      {"{'descr': '<f4', 'fortran_order': False}", {"without 'shape'"}},
      {"{}", {"without 'descr'"}},
      {"{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (4,)}", {"'descr' twice"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'shape': (2,)}", {"'shape' twice"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'order': 1}", {"the unknown key \"order\""}},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': (4,)}", {"expected ',' or '}'"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'x", {"ends with the quote it begins with"}},
      {"{'descr': '<f4\n', 'fortran_order': False, 'shape': (4,)}", {"ends with the quote it begins with"}},
      {"{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (4,)}", {"ends with the quote it begins with"}},
      {"{'descr': [('x', '<f4'), 'fortran_order': False, 'shape': (4,)}", {"expected an element type"}},
      {"{'descr': [('x', '<f4'], 'fortran_order': False, 'shape': (4,)}", {"the other bracket"}},
      {"{'descr': float, 'fortran_order': False, 'shape': (4,)}", {"expected an element type"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} x", {"found \"x\"", "expected nothing behind '}'"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}}", {"expected nothing behind '}'"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,) \xff}", {"\"\\xff}\"", "expected ','"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,)", {"the end of the header", "expected ','"}},
  };
  for (const auto& c : cases) {
    const auto text = error_of<float, 1>(npy_file(c.header));
    EXPECT_TRUE(mentions(text, c.said)) << c.header << '\n' << text;
    EXPECT_TRUE(mentions(text, {"load: the stream has a "})) << text;
  }
  const auto zero = error_of<float, 1>(npy_file(std::string("{'descr': '<f4', \0 'fortran_order': False}", 41)));
  EXPECT_TRUE(mentions(zero, {"\\x00"})) << zero;
  std::string extents = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < 65; ++i) extents += "1, ";
  EXPECT_TRUE(mentions(error_of<float, 1>(npy_file(extents + ")}")), {"at most 64 extents"}));
}
TEST(npy_errors, of_more_bytes_than_can_be_counted_name_the_shape) {
  const std::string begin = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  const auto two = error_of<float, 2>(npy_file(begin + "4294967296, 4294967296)}"));
  EXPECT_TRUE(mentions(two, {"has a header with the shape (4294967296, 4294967296), which is too large"})) << two;
  const auto none = error_of<float, 3>(npy_file(begin + "0, 4294967296, 4294967296)}"));
  EXPECT_TRUE(mentions(none, {"(0, 4294967296, 4294967296), which is too large"})) << "its steps cannot be counted";
}
TEST(npy_errors, of_what_is_no_npy_file_show_how_it_begins) {
  const auto text = error_of<float, 1>("not a file of NumPy's");
  EXPECT_TRUE(mentions(text, {"is not a .npy file: it begins with \"not a \", not with \"\\x93NUMPY\""})) << text;
  const auto zip = error_of<float, 1>("PK\3\4 an archive");
  EXPECT_TRUE(mentions(zip, {"\"PK\\x03\\x04 a\"", ".npz archives must be unpacked first"})) << zip;
  const auto version = error_of<float, 1>(npy_file("{}", "", 4));
  EXPECT_TRUE(mentions(version, {"has version 4.0, not 1.0, 2.0 or 3.0"})) << version;
  const auto header = error_of<float, 1>(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13));
  EXPECT_TRUE(mentions(header, {"a header of 4294967295 bytes, more than 1048576"})) << header;
}
TEST(npy_errors, of_a_file_that_is_cut_short_anywhere_say_where) {
  for (const char* name : {"float32", "version_3", "fortran_float64"}) {
    const std::string whole = bytes_of(path_of(name));
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const auto cut = whole.substr(0, n);
      const auto text = name == std::string("fortran_float64") ? error_of<double, 2>(cut) : error_of<float, 2>(cut);
      EXPECT_TRUE(mentions(text, {"ends at byte " + std::to_string(n) + ","})) << text;
    }
  }
  const folder tmp;
  std::ofstream(tmp / "x.npy", std::ios::binary) << bytes_of(path_of("float32")).substr(0, 151);
  const auto text = message_of<lf::file_error>([&] { (void)lf::load<float, 2, lf::host>(tmp / "x.npy"); });
  EXPECT_TRUE(mentions(text, {"x.npy ends at byte 151, but float32 of shape (2, 3) end at byte 152"})) << text;
}
TEST(npy_errors, of_huge_shapes_in_small_files_come_before_the_memory) {
  const std::string file = npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (1125899906842624, 16)}\n");
  lf::kernel_trace trace;
  const auto text = error_of<float, 2>(file);
  EXPECT_TRUE(mentions(text, {"(1125899906842624, 16)", "end at byte 72057594037928"})) << text;
  EXPECT_EQ(trace.allocations(), 0);
}
TEST(npy_errors, of_other_element_types_name_both_and_say_how_to_cast) {
  const auto text = message_of<lf::dtype_error>([] { (void)lf::load<float, 2, lf::host>(path_of("float64")); });
  EXPECT_TRUE(mentions(text, {"load: ", "float64.npy holds float64, not float32: load it as float64, then cast"}))
      << text;
  EXPECT_THROW((void)(lf::load<lf::int16, 2, lf::host>(path_of("uint16"))), lf::dtype_error);
  EXPECT_THROW((void)(lf::load<lf::half, 2, lf::host>(path_of("bfloat16"))), lf::dtype_error);
  const struct {
    const char* name;
    const char* said;
  } cases[] = {{"structured", "holds structured elements, \"[('x', '<i4'), "},
               {"objects", "holds Python objects, \"|O\""},
               {"text", "holds elements of the type \"<U2\", not float32; arrays have no such elements"},
               {"dates", "holds elements of the type \"<M8[D]\""}};
  for (const auto& c : cases) {
    const auto said = message_of<lf::dtype_error>([&] { (void)lf::load<float, 1, lf::host>(path_of(c.name)); });
    EXPECT_TRUE(mentions(said, {c.said})) << said;
  }
  std::istringstream opaque(npy_file("{'descr': '>V2', 'fortran_order': False, 'shape': (2,)}\n"));
  EXPECT_THROW((void)(lf::load<lf::bfloat16, 1, lf::host>(opaque)), lf::dtype_error) << "opaque bytes have no order";
}
TEST(npy_errors, of_other_ranks_name_both) {
  const auto text = message_of<lf::shape_error>([] { (void)lf::load<float, 3, lf::host>(path_of("float32")); });
  EXPECT_TRUE(mentions(text, {"load: shape (2, 3) of ", "float32.npy has rank 2, not 3"})) << text;
}
TEST(npy_errors, name_the_file_the_reason_and_the_caller) {
  const folder tmp;
  const lf::array<float, 1, lf::host> x{1, 2};
  const auto missing = message_of<lf::file_error>([&] { (void)lf::load<float, 1, lf::host>(tmp / "no.npy"); });
  EXPECT_TRUE(mentions(missing, {"load: ", "/no.npy cannot be opened: No such file or directory (", "npy.cpp:"}))
      << missing;
  const auto directory = message_of<lf::file_error>([&] { (void)lf::load<float, 1, lf::host>(tmp / "."); });
  EXPECT_TRUE(mentions(directory, {"cannot be read: ", "Is a directory"})) << directory;
  const auto nowhere = message_of<lf::file_error>([&] { lf::save(tmp / "no/x.npy", x); });
  EXPECT_TRUE(mentions(nowhere, {"save: ", "/no/x.npy cannot be opened: No such file or directory (", "npy.cpp:"}))
      << nowhere;
  EXPECT_THROW(lf::save(tmp / ".", x), lf::file_error);
  const auto header = message_of<lf::file_error>([&] { (void)lf::inspect(tmp / "no.npy"); });
  EXPECT_TRUE(mentions(header, {"inspect: ", "/no.npy cannot be opened", "npy.cpp:"})) << header;
  std::ifstream failed(tmp / "no.npy");
  const auto state = message_of<lf::file_error>([&] { (void)lf::load<float, 1, lf::host>(failed); });
  EXPECT_TRUE(mentions(state, {"load: the stream is in a failed state"})) << state;
}
TEST(npy_errors, of_memory_name_the_call) {
  const folder tmp;
  const lf::array<float, 1, lf::host> x{1, 2, 3};
  lf::save(tmp / "x.npy", x);
  test::counting_resource<lf::host> resource;
  const lf::memory_scope scope(lf::host{}, resource);
  const auto said = [&](auto f) {
    resource.fails = resource.given + 1;
    const std::string text = message_of<lf::memory_error>(f);
    return text.find("npy.cpp:") != std::string::npos ? std::string("here") : text;
  };
  EXPECT_EQ(said([&] { (void)lf::load<float, 1, lf::host>(tmp / "x.npy"); }), "here");
  EXPECT_EQ(said([&] { lf::save(tmp / "y.npy", x + 1); }), "here");
}
TEST(npy_errors, of_a_full_disk_come_from_files_and_from_streams) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const lf::array<float, 1, lf::host> x = lf::arange<float>(10000);
  const auto text = message_of<lf::file_error>([&] { lf::save("/dev/full", x); });
  EXPECT_TRUE(mentions(text, {"save: /dev/full cannot be written: No space left on device"})) << text;
  std::ofstream out("/dev/full");
  const auto stream = message_of<lf::file_error>([&] { lf::save(out, x); });
  EXPECT_TRUE(mentions(stream, {"save: the stream cannot be written"})) << stream;
}
TEST(npy_errors, leave_the_old_file_and_nothing_beside_it) {
  const folder tmp;
  lf::save(tmp / "x.npy", lf::array<float, 1, lf::host>{1, 2});
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto text = message_of<lf::file_error>([&] { lf::save(tmp / "x.npy", lf::zeros<float>({1000})); });
  EXPECT_THROW(lf::save(tmp / "y.npy", lf::zeros<float>({1000})), lf::file_error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(mentions(text, {"x.npy cannot be written: File too large"})) << text;
  EXPECT_TRUE(test::evaluates_to(lf::load<float, 1, lf::host>(tmp / "x.npy"), test::tensor<float>({2}, {1, 2})));
  EXPECT_EQ(tmp.files(), 1);
}
TEST(npy_files, that_are_replaced_keep_their_links_and_permissions) {
  const folder tmp;
  const lf::array<float, 1, lf::host> x{1, 2}, y{3, 4, 5};
  lf::save(tmp / "x.npy", x);
  ASSERT_EQ(::chmod((tmp / "x.npy").c_str(), 0640), 0);
  std::filesystem::create_symlink("x.npy", tmp / "link.npy");
  lf::save(tmp / "link.npy", y);
  EXPECT_TRUE(std::filesystem::is_symlink(tmp / "link.npy"));
  EXPECT_TRUE(lf::array_equal(lf::load<float, 1, lf::host>(tmp / "x.npy"), y));
  EXPECT_EQ(std::filesystem::status(tmp / "x.npy").permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(tmp.files(), 2);
}
TEST(npy_files, may_be_pipes) {
  const folder tmp;
  const std::string pipe = tmp / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const lf::array<float, 1, lf::host> x = lf::arange<float>(100000);
  std::thread writer([&] { lf::save(pipe, x); });
  const auto y = lf::load<float, 1, lf::host>(pipe);
  writer.join();
  EXPECT_TRUE(lf::array_equal(x, y));
}

}  // namespace
