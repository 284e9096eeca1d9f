#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// Steps [begin, end) of a list of steps, to be launched together as one CUDA graph, or one after
// the other. A graph contains the loops and branches as conditional nodes, so that the host takes
// no part in them.
struct Segment {
  size_t begin = 0, end = 0;
  bool is_graph = false;
  bool has_loops = false;  // whether there are loops or branches
  int64_t nodes = 0;       // the number of nodes of the graph
  // The number of library calls in the graph. They are captured for the buffer addresses of one
  // run.
  int64_t calls = 0;
  // If the graph has calls but no loops: the same steps, divided into segments whose graphs have no
  // calls. They are used for a run with other addresses.
  std::vector<Segment> pieces;
};

// Divides a list of steps into segments. Launching a graph takes longer than launching one kernel,
// so graphs have several nodes, or loops or branches. Routines, convolutions, host calls and
// collectives are in no graph. Without `graphs` there are no graphs.
std::vector<Segment> SegmentsOf(const Steps& steps, bool graphs = true);

}  // namespace acceld::kernels::cuda
