// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// explain: what evaluating an expression would do, as text; nothing runs and nothing is allocated.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

#include <string>

namespace lazyfuse {

namespace explain_detail {
/// Appends one kernel to the text a void* points to.
void append(void* text, const plan_record& record, const operand_info* info, const dtype* types);
/// The finished text.
std::string finish(const std::string& kernels, const char* space, const char* type, const index_t* extents, int rank);
}  // namespace explain_detail

/// The kernels that would run, each with its program, operands, bytes and the path chosen.
template <class X>
  requires expression<X> std::string explain(const X& x) {
    const auto& e = x.tree;
    using T = value_t<X>;
    constexpr int R = rank_of<X>;
    using Space = home_space<X>;
    std::string text;
    allocation* const owner = nullptr;
    const target_pack<R, T> to{{{{nullptr, row_major(e.shape())}}}};
    run<Space, R, T>(execution{explain_detail::append, &text}, e.shape(), to, &owner, e);
    static constexpr const char* names[] = {"bool", "int32", "int64", "float32", "float64", "struct"};
    return explain_detail::finish(text, Space::name, names[int(dtype_of<T>)], e.shape().extent, R);
  }

}  // namespace lazyfuse
