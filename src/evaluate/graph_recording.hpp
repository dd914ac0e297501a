// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an evaluation of a graph became, kept for the next graph that differs from it by its arrays and numbers alone.
#pragma once

#include "evaluate/graph_memory.hpp"
#include "observe/recording.hpp"

#include <lazyfuse/core/error.hpp>
#include <lazyfuse/evaluate/graph_assignments.hpp>
#include <lazyfuse/evaluate/tune.hpp>

#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lazyfuse::graph_detail {

/// What a graph is, but for its arrays, its scalars and where its results go: operations, shapes and steps, which
/// operands are one, how those in one allocation lie to each other, and all to 16 bytes.
class graph_signature {
 public:
  graph_signature(const graph_space& space, const graph_ref* roots, const graph_target* targets, int count,
                  const index_t* extents, int rank);
  /// Of trees as they are listed, whose operations their list stands for.
  graph_signature(const graph_space& space, const listed_trees& trees, const graph_target* targets,
                  const index_t* extents, int rank);
  /// Of trees of any shapes; without targets, wherever their results go.
  graph_signature(const graph_space& space, const listed_trees& trees, const graph_result* results, bool with_targets);
  /// Large graphs have none, and what reads something that is computed by others.
  bool exists() const { return exists_; }
  std::string_view key() const { return {bytes_, size_}; }
  struct operand {
    const graph_source_type* type;
    const void* source;
    allocation* memory;

    const char* data() const;
    /// Whether another one is in the same memory, or the same of what is in none.
    bool is_beside(const operand& other) const;
  };
  /// The operands, in its order.
  std::span<const operand> operands() const { return {operands_, operand_count_}; }

 private:
  static constexpr std::size_t most_nodes = 256, most_placed_bytes = 8 << 10, most_operands = most_nodes,
                               most_bytes = 16 << 10;
  bool exists_ = true;
  std::size_t size_ = 0, operand_count_ = 0, placed_bytes_ = 0;
  std::size_t met_count_ = 0;
  const graph_node* met_[most_nodes];
  /// Their numbers by their addresses, from the first few on; half of it stays empty.
  static constexpr std::size_t few = 16, places = 2 * most_nodes;
  short number_at_[places];
  operand operands_[most_operands];
  alignas(16) unsigned char placed_[most_placed_bytes];  ///< sources of leaves
  char bytes_[most_bytes];

  void begin(const graph_space& space, int count, const index_t* extents, int rank);
  void put_target(const graph_target& t, int rank);
  void put(const graph_node* root);
  void put(const listed_trees& trees);
  void put_operand(const operand& o);
  /// Whether there is room for what is told of a node, which is then put without looking.
  bool has_room(std::size_t arguments = 0) {
    constexpr std::size_t most_of_a_node = (3 * max_rank + 8) * sizeof(index_t);
    return exists_ = exists_ && size_ + most_of_a_node + arguments * sizeof(int) <= most_bytes;
  }
  void put_extents(const index_t* extents, int rank) {
    for (int k = 0; k < rank; ++k) append(extents[k]);
  }
  void append(const auto&... part) {
    const auto put_one = [this](const auto& one) {
      const std::span bytes = std::as_bytes(std::span(&one, 1));
      std::memcpy(bytes_ + size_, bytes.data(), bytes.size());
      size_ += bytes.size();
    };
    (put_one(part), ...);
  }
  /// Of a node that was met; else less than 0, of many nodes -1 - where in number_at_ it belongs.
  int number_of(const graph_node* n) const;
  bool is_met(const graph_node* n) const { return number_of(n) >= 0; }
  void meet(const graph_node* n);
};

/// Memory between the kernels of an evaluation.
struct recorded_room {
  std::size_t bytes;
  dtype type;
  int rank;
  index_t extents[max_rank];
};
/// A plan whose operands have places instead of addresses.
struct recorded_kernel {
  enum class place { target, operand, room, scalar };
  struct bound {
    operand_info info;
    index_t steps[max_rank];
    place from;
    int number;      ///< of the target, the operand or the room
    index_t offset;  ///< in bytes
  };
  kernel_plan plan;
  const graph_program* program;
  std::vector<bound> operands;  ///< results first
};

/// The kernels of an evaluation as it runs.
class graph_recording {
 public:
  graph_recording(const graph_signature& of, const graph_target* targets, int count)
      : of_(of), targets_(targets, static_cast<std::size_t>(count)), tuned_(tune_detail::changes()) {}
  void room(const run_detail::room& at, const recorded_room& of);
  /// targets: those of the kernel, among them those of the evaluation where it is not in between.
  void kernel(const graph_plan& p, const graph_target* targets, int results, const char* because);
  /// Operands that the signature does not know to be one were found to be one, or one is not what it was given as.
  void give_up() { complete_ = false; }
  /// Keeps it, unless something in it cannot be found again.
  void keep() const;

 private:
  const graph_signature& of_;
  std::span<const graph_target> targets_;
  unsigned tuned_;  ///< what tune had found when it was planned
  bool complete_ = true;
  std::vector<run_detail::room> at_;
  std::vector<recorded_room> rooms_;
  std::vector<recorded_kernel> kernels_;
};

/// Runs what was kept of an equal graph. False if there is nothing, or a kernel is refused now, which is no longer
/// kept: the results are not written then.
bool run_recorded(const graph_space& space, const execution& x, const graph_signature& of, const graph_target* targets);

/// What an evaluation has in memory, where nobody has begun one.
class own_values {
 public:
  explicit own_values(const execution& outer) : x(outer) {
    if (!x.values) x.values = &values_.emplace();
  }
  execution x;
  /// Whether what it becomes is kept: nothing that it computes is asked for again.
  bool are_kept(const graph_space& space) const {
    return values_ && space.on_device && !x.list && !record_detail::current() && x.choice == plan_choice::automatic;
  }

 private:
  std::optional<graph_values> values_;
};
/// Runs it as it was run before; else run() it, and keep what it becomes.
void run_kept(const graph_space& space, const execution& x, const graph_signature& signature,
              const graph_target* targets, int count, const auto& run) {
  if (!signature.exists()) return run();
  if (run_recorded(space, x, signature, targets)) return;
  graph_recording recording(signature, targets, count);
  {
    const struct scope {
      graph_values& values;
      ~scope() { values.recording = nullptr; }
    } ends{*x.values};
    x.values->recording = &recording;
    run();
  }
  recording.keep();
}
}  // namespace lazyfuse::graph_detail
