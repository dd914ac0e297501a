// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an evaluation is told and tells: run for real, or only report (explain, trace).
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/evaluate/trace.hpp>

namespace lazyfuse {

/// What run() would do, one entry per kernel, with the operands it reads.
struct plan_record {
  const char* program;
  const char* pattern;
  const char* path;
  const char* space;
  index_t elements, read, written;
  int rank;
  index_t extents[max_rank];
  int targets, operands;
  bool shared;
};

/// How to run: for real, or (explain) only telling a listener.
struct execution {
  void (*listen)(void*, const plan_record&, const operand_info*, const dtype*) = nullptr;
  void* listener = nullptr;
  bool dry() const { return listen != nullptr; }
};

namespace run_detail {

/// The compiler's spelling of a list of programs.
template <class Programs>
const char* spelling() {
  return __PRETTY_FUNCTION__;
}

/// Bytes of memory that operands touch: each address once, broadcast elements once.
index_t touched_bytes(const index_t* extents, int rank, const operand_info* operands, int count);

template <class L>
struct dtypes_of;
template <class... Src>
struct dtypes_of<list<Src...>> {
  static constexpr dtype value[sizeof...(Src) + 1] = {dtype_of<typename Src::value_type>...};
};

template <class Space, int Share, class Sources, class Programs, int R>
void tell(const execution& x, const char* pattern, const char* path, const shape<R>& s, const shape<R>& out,
          const operand_info* info, int targets) {
  const index_t read = touched_bytes(s.extent, R, info + targets, Sources::size),
                written = touched_bytes(out.extent, R, info, targets);
  if (x.dry()) {
    plan_record r{spelling<Programs>(), pattern,  path, Space::name, s.size(), read, written, R, {}, targets,
                  Sources::size,        Share > 0};
    for (int k = 0; k < R; ++k) r.extents[k] = s[k];
    x.listen(x.listener, r, info, dtypes_of<Sources>::value);
  } else trace_detail::launched(spelling<Programs>(), pattern, path, Space::name, s.size(), read, written);
}

}  // namespace run_detail

}  // namespace lazyfuse
