// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What einsum finds wrong with the extents of its operands.
#include <lazyfuse/error.hpp>
#include <lazyfuse/expr/einsum.hpp>

#include <string>

namespace lazyfuse::einsum_detail {

void check_letters(const letters* operands, const index_t* const* extents, int count) {
  index_t known[52];
  for (index_t& n : known) n = -1;
  for (int o = 0; o < count; ++o)
    for (int k = 0; k < operands[o].count; ++k) {
      const int letter = operands[o].of[k];
      const index_t n = extents[o][k];
      if (known[letter] >= 0 && known[letter] != n)
        throw shape_error(std::string("einsum: axes of the letter ") +
                          static_cast<char>(letter < 26 ? 'a' + letter : 'A' + letter - 26) + " have extents " +
                          std::to_string(known[letter]) + " and " + std::to_string(n));
      known[letter] = n;
    }
}

}  // namespace lazyfuse::einsum_detail
