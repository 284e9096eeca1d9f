#pragma once

#include <vector>

#include "common/ir/attributes/sharding.h"
#include "common/ir/processes/mesh.h"
#include "common/ir/types/type.h"

namespace acceld::ir {

// What one process of a program for several processes takes and gives. Plain value.
struct ProcessSignature {
  // The types of its arguments and results, which are equal for all processes.
  std::vector<TensorType> arguments, results;
  // The shardings of the arguments and results of the whole program on `mesh`, whose positions are
  // the partitions 0, 1, 2, .... Without elements if the program computes on the values of one
  // process, so that there are no whole values.
  std::vector<Sharding> argument_shardings, result_shardings;
  Mesh mesh;
};

}  // namespace acceld::ir
