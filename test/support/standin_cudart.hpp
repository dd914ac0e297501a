// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for the CUDA runtime: programs linked with it run without a GPU. Memory of devices is the host's,
// copies copy, kernels are noted and not run. Any call can be made to fail.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace standin {

/// Calls that can fail, since the last reset: all but those that free, or ask for the text of an error.
long calls();
/// The names of the kernels that were launched since the last reset: those of the functions, without arguments.
const std::vector<std::string>& launches();
/// The same launches: the device and stream of each, its blocks, and how many of them form a cluster.
struct launch {
  int device;
  cudaStream_t stream;
  unsigned blocks, cluster;
};
const std::vector<launch>& launched();
/// Which stream was told to wait for what another had been given, since the last reset.
struct wait {
  cudaStream_t earlier, later;
};
const std::vector<wait>& waits();
/// Which streams the host waited for, since the last reset.
const std::vector<cudaStream_t>& waited_for();
/// A node of a graph: a kernel, or "memset", "memcpy", "call", "while", "if", "allocation", "free"; which nodes before
/// it waits for, by their numbers; of a kernel the first pointer of its parameters, as a graph that can be launched has
/// it; and the graphs that are within it.
struct graph_node {
  std::string what;
  std::vector<int> after;
  const void* first = nullptr;
  std::vector<std::vector<graph_node>> bodies = {};
  bool early = false;    ///< it may begin while the one that it waits for ends
  unsigned cluster = 1;  ///< blocks of one
};
/// The nodes of the graph that was made ready to be launched last, in the order in which they were captured.
std::vector<graph_node> graph();
/// Those of any graph so far.
std::vector<graph_node> nodes_of(cudaGraph_t graph);
/// Calls the functions of the graph that was made ready last, as a launch would.
void call_hosts();
/// The streams on which graphs were launched, since the last reset; graphs run nothing.
const std::vector<cudaStream_t>& graph_launches();
/// How many nodes of graphs that can be launched were given other parameters, since the last reset.
long graph_updates();
/// How many parameters of nodes kernels have changed, since the last reset.
long device_updates();
/// How many kernels became nodes of graphs, since the last reset.
long captures();

/// How many devices there are; before the library asks. Each thread has one of them for the current one; streams,
/// events, pools and memory belong to one, and calls fail that mix them as the runtime's do.
void devices(int count);
/// Everything that was made and not given back.
struct balance {
  long blocks, bytes, events, streams, pools, graphs = 0;
  friend bool operator==(const balance&, const balance&) = default;
};
balance live();

/// Called by the stand-in before and after it allocates memory of its own; for tests that count.
extern void (*quiet)(bool);

/// Counts from 0 again, and nothing fails.
void reset();
/// The n-th call from now on fails, n from 1: an allocation for want of memory, others with `error`.
void fail_at(long n, cudaError_t error = cudaErrorLaunchOutOfResources);
/// The name of the call that was made to fail; empty if none was.
const std::string& failed();
/// The n-th launch from now on succeeds, but its kernel faults: whoever waits for it is told, and so is everyone later.
void fault_at(long n, cudaError_t error = cudaErrorIllegalAddress);

}  // namespace standin
