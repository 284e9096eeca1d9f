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
};

// How a list of steps of a program with `graphs` is launched. A graph is for steps that libraries
// have no part in, and takes more time to launch than one kernel: it has some steps, or a loop or
// branches.
std::vector<Segment> SegmentsOf(const Steps& steps, bool graphs = true);

}  // namespace acceld::kernels::cuda
