#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/ir/plan.h"

// A plan translated for a CUDA device: a module of machine code, and steps that launch its kernels
// and call libraries.
namespace acceld::kernels::cuda {

// A kernel of the module, and its launch configuration.
struct CudaEntry {
  std::string name;
  // The number of buffer parameters. If `polls`, they are followed by a pointer to an int that
  // makes the kernel return early when it is not zero.
  int buffers = 0;
  int64_t blocks = 1;
  int threads = 1;  // of each block
  bool polls = false;
  std::vector<uint32_t> written;  // the numbers of the buffers that the kernel writes, ascending
  friend bool operator==(const CudaEntry&, const CudaEntry&) = default;
};

// The program: its code, its kernels, and the steps of a run. Plain value.
struct CudaProgram {
  std::string cubin;
  std::vector<CudaEntry> kernels;
  // No CallSteps or AttentionSteps; LaunchStep::kernel is an index into `kernels`. CollectiveSteps
  // use further kernels, which have their names (collective_kernels.h).
  Steps steps;
  std::vector<InputOutputAlias> may_share;  // as Plan::may_share
  // Identifies the device and the library versions on which the algorithms of products and
  // convolutions were measured. The algorithms are valid only there.
  std::string measured_on;
};

// The sizes, in bytes, of the memory spaces that the slices of a program's steps refer to.
struct SpaceSizes {
  std::vector<int64_t> arguments, results;
  int64_t arena = 0, constants = 0;
};

// Returns INTERNAL if a step of the program violates the rules of plan.h, or a slice exceeds its
// space.
absl::Status CheckProgram(const CudaProgram& program, const SpaceSizes& sizes);

// Clears the algorithm of all products and convolutions, so that the libraries choose.
void ClearAlgorithms(Steps& steps);

// Returns UNIMPLEMENTED, naming the step, if the program has a step of a kind that CUDA programs do
// not support.
absl::StatusOr<std::string> Serialize(const CudaProgram& program);
// Returns DATA_LOSS for bytes that are no result of Serialize.
absl::StatusOr<CudaProgram> Deserialize(absl::string_view bytes);

// Readable text with one line for each step, for example "mul<<<12, 256>>>(argument0[0:64], ...)",
// indented by nesting, for --dump-dir and tests.
std::string ToString(const CudaProgram& program);

}  // namespace acceld::kernels::cuda
