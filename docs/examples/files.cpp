// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays in files and as text: the blocks of docs/files.md.
#include "expect.hpp"

#include <lazyfuse/interop/fmt.hpp>
#include <lazyfuse/lazyfuse.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace lf = lazyfuse;

void save_and_load(const std::filesystem::path& folder) {
  // [save]
  const lf::array<double, 2> x{{0, 1, 4}, {9, 16, 25}};
  lf::save(folder / "roots.npy", lf::sqrt(x));                         // any expression; numpy.load reads it
  const auto y = lf::load<double, 2>(folder / "roots.npy");            // element type and rank are those of the file
  const auto f = lf::cast<float>(lf::transpose(y));                    // an array like any other
  const auto h = lf::load<double, 2, lf::host>(folder / "roots.npy");  // in a space of one's choice
  // [save]
  expect(lf::array_equal(y * y, x) && f.shape() == lf::shape{3, 2} && h.size() == 6);

  // [inspect]
  const lf::npy_header header = lf::inspect(folder / "roots.npy");
  std::cout << lf::name_of(header.type) << ", " << header.shape.size() << " axes\n";  // float64, 2 axes
  // [inspect]
  expect(header.shape[1] == 3 && !header.fortran_order);
}

void streams(const std::filesystem::path& folder) {
  const lf::array<float, 1> x{1, 2}, y{3};
  // [streams]
  std::ofstream out(folder / "both.npy", std::ios::binary);
  lf::save(out, x);  // one behind the other
  lf::save(out, y);

  std::ifstream in(folder / "both.npy", std::ios::binary);
  const auto first = lf::load<float, 1>(in);
  const auto second = lf::load<float, 1>(in);
  // [streams]
  expect(lf::array_equal(first, x) && lf::array_equal(second, y));
}

void errors(const std::filesystem::path& folder) {
  std::string said;
  // [errors]
  try {
    (void)lf::load<float, 2>(folder / "roots.npy");
  } catch (const lf::dtype_error& e) {
    said = e.what();  // load: .../roots.npy holds float64, not float32: load it as float64, then cast what was loaded
  }
  // [errors]
  expect(said.find("holds float64, not float32") != std::string::npos);
}

void printing() {
  // [print]
  const lf::array<double, 2> x = lf::reshape(lf::arange<double>(120), {30, 4}) / 7;
  std::cout << lf::format(x, {.precision = 3, .threshold = 100, .edgeitems = 2}) << '\n';
  // [print]
  const std::string numpys =
      "[[ 0.     0.143  0.286  0.429]\n [ 0.571  0.714  0.857  1.   ]\n ...\n"
      " [16.    16.143 16.286 16.429]\n [16.571 16.714 16.857 17.   ]]";
  expect(lf::format(x, {.precision = 3, .threshold = 100, .edgeitems = 2}) == numpys);

  const lf::array<double, 1> small{1e-6, 0.5};
  // [scope]
  lf::use_print_options({.precision = 4});  // of the program
  {
    const lf::print_scope scope({.precision = 2, .suppress = true});  // of this thread, to the end of the block
    std::cout << small << '\n';                                       // [0.  0.5]
  }
  std::cout << small << '\n';  // [1.e-06 5.e-01]
  // [scope]
  expect(lf::format(small) == "[1.e-06 5.e-01]");
  lf::use_print_options({});
}

void fmt_strings() {
  // [fmt]
  const lf::array<float, 1> x{1, 2, 4};
  fmt::print("x = {}, x / 3 = {:.2f}\n", x, x / 3);  // x = [1. 2. 4.], x / 3 = [0.33 0.67 1.33]
  // [fmt]
  expect(fmt::format("{:.2f}", x / 3) == "[0.33 0.67 1.33]");
}

int main() {
  const std::filesystem::path folder = std::filesystem::current_path() / "example_files";
  std::filesystem::create_directory(folder);
  save_and_load(folder);
  streams(folder);
  errors(folder);
  printing();
  fmt_strings();
  std::filesystem::remove_all(folder);
}
