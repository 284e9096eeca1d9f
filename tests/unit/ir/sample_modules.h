#pragma once

#include <vector>

#include "common/ir/module.h"

// Programs that together use every form that the wire and the fingerprint must carry.
namespace acceld::ir {

// main calls f twice in a chain; f negates.
Module CallModule();
// A loop with a captured value, a branch and a case.
Module ControlModule();
// Reductions, windows, gather, scatter, sort, dot_general.
Module NestModule();
// Tuples, tokens, custom calls with a dictionary, composites, constants of many types.
Module StructureModule();

std::vector<Module> SampleModules();

}  // namespace acceld::ir
