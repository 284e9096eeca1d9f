#pragma once

#include <vector>

#include "common/ir/interpreter.h"
#include "common/ir/module.h"
#include "common/status.h"

// The parts of conformance programs that run as several processes. StableHLO's op
// interpreter.run_parallel is a custom call of that name here, whose backend_config is a dictionary
// with the op's attributes: `programs`, a list of lists of functions, one for each partition of
// each replica. Its operands are the arguments of the processes, one process after the other, and
// so are its results.
namespace acceld::ir {

// One call of interpreter.run_parallel.
struct ParallelRun {
  Module program;                  // the functions that the processes run, and their grid
  std::vector<ProcessCall> calls;  // by process
};

// Whether the op is a call of interpreter.run_parallel.
bool IsParallelRun(const Op& op);

// Takes a call out of the function `main` of a module. The interpreter computes the arguments.
// INVALID_ARGUMENT when the functions do not exist or do not have the types of the op's operands
// and results; UNIMPLEMENTED when the arguments depend on another call, or processes need an
// infeed.
absl::StatusOr<ParallelRun> TakeParallelRun(const Module& module, const Function& main,
                                            const Op& op, const InterpreterLimits& limits);

// Runs the processes in the interpreter. Returns the results of one process after the other.
absl::StatusOr<std::vector<Literal>> InterpretParallelRun(const ParallelRun& run,
                                                          const InterpreterLimits& limits = {});

}  // namespace acceld::ir
