#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/ir/plan.h"

// A plan as a CUDA device runs it: one module of machine code, and steps that launch its kernels.
namespace acceld::kernels::cuda {

// A kernel of the module and how it is launched.
struct CudaEntry {
  std::string name;
  int buffers = 0;  // its pointers; then one to the int that ends it, if it polls
  int64_t blocks = 1;
  int threads = 1;  // of a block
  bool polls = false;
  std::vector<uint32_t> written;  // of its buffers, ascending
  friend bool operator==(const CudaEntry&, const CudaEntry&) = default;
};

// Plain value.
struct CudaProgram {
  std::string cubin;
  std::vector<CudaEntry> kernels;
  Steps steps;                         // without calls; launches count `kernels`
  std::vector<SharedPlace> may_share;  // Plan::may_share
  // Where the algorithms that its products and convolutions name were measured, and where alone
  // they hold.
  std::string measured_on;
};

// What a program's slices may reach.
struct SpaceSizes {
  std::vector<int64_t> arguments, results;  // bytes
  int64_t arena = 0, constants = 0;
};

// INTERNAL for a program that breaks the rules of plan.h or leaves its spaces.
absl::Status CheckProgram(const CudaProgram& program, const SpaceSizes& sizes);

// Leaves all products and convolutions to their library's choice.
void ForgetAlgorithms(Steps& steps);

// UNIMPLEMENTED, naming the step, for one that these programs cannot express.
absl::StatusOr<std::string> Serialize(const CudaProgram& program);
// DATA_LOSS for what Serialize does not make.
absl::StatusOr<CudaProgram> Deserialize(absl::string_view bytes);

// "0: kernel mul <<<12, 256>>> ..." with the steps by depth, for --dump-dir and tests.
std::string ToString(const CudaProgram& program);

}  // namespace acceld::kernels::cuda
