#pragma once

#include "common/ir/module.h"

namespace acceld::pjrt {

// Returns a program for several devices in ops that XLA's importer knows, for reading: frameworks
// show the text of executables, and convert the program for that. Sharding constraints give their
// operands, and manual computations become the ops of their regions, between custom calls
// (SPMDFullToShardShape and SPMDShardToFullShape) that change whole values to shards and back.
// Shardings and meshes are gone. Returns other programs as they are. `module` must be verified.
ir::Module WithoutShardings(const ir::Module& module);

}  // namespace acceld::pjrt
