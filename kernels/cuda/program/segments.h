#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// Steps [begin, end) of a list. As a graph they are launched together, loops and branches included,
// without the host; otherwise one after the other.
struct Segment {
  size_t begin = 0, end = 0;
  bool is_graph = false;
  bool has_loops = false;  // or branches
  int64_t nodes = 0;       // of the graph
  // Of the graph: calls of libraries, which are captured for the addresses of one run.
  int64_t calls = 0;
  // When there are calls but no loops: the same steps for a run whose addresses are others, in
  // segments without calls in graphs.
  std::vector<Segment> pieces;
};

// How a list of steps of a program with `graphs` is launched. A graph takes more time to launch
// than one kernel: it has some steps, or a loop or branches. Routines are in none.
std::vector<Segment> SegmentsOf(const Steps& steps, bool graphs = true);

}  // namespace acceld::kernels::cuda
