// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the test against NumPy calls through ctypes: tensors out, tensors in.
#include <lazyfuse/interop/dlpack.hpp>
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;
namespace dl = lazyfuse::dlpack;

extern "C" {

/// 2 x 3 numbers from 0, by the structure with flags; shared: read-only.
dl::managed_tensor_versioned* make(int shared) {
  static lf::array<double, 2, lf::host> kept;
  lf::array<double, 2, lf::host> x = lf::reshape(lf::arange<double>(6), {2, 3});
  if (shared) kept = x;
  return lf::to_dlpack(std::move(x));
}
/// The same by the older structure.
dl::managed_tensor* make_old() {
  return lf::to_dlpack<dl::managed_tensor>(lf::array<double, 2, lf::host>(lf::reshape(lf::arange<double>(6), {2, 3})));
}
/// The sum of each row's squares, to `to`. The tensor is taken unless false is returned.
bool squares(dl::managed_tensor_versioned* m, double* to) {
  try {
    const auto x = lf::from_dlpack<const double, 2>(m);
    lf::into(lf::borrow(to, lf::shape{x.shape()[0]})) = lf::sum(x * x, lf::axis<1>);
    return true;
  } catch (const lf::borrow_error&) {
    return false;
  }
}
/// Doubles the elements where they are.
bool double_all(dl::managed_tensor_versioned* m) {
  try {
    const auto x = lf::from_dlpack<double, 2>(m);
    lf::into(x) = x * 2;
    return true;
  } catch (const lf::borrow_error&) {
    return false;
  }
}
}
