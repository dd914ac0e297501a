// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The energy of an anharmonic vibration: exp(-h q - a q²).
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

auto vibr_energy(const auto& h, const auto& a, const auto& q) { return lf::exp(-h * q - a * lf::square(q)); }

}  // namespace programs
