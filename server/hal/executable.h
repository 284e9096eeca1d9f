#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/types/type.h"
#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::hal {

// The result of compiling a program, which the cache stores: code for one architecture, and what
// the runtime needs to know to run it. Plain value.
struct Executable {
  std::string program_name;  // for messages and listings
  std::string architecture;  // CodeGenerator::architecture()
  std::string build_id;      // compiler::BuildId() of the producer
  std::vector<ir::TensorType> arguments, results;
  int64_t arena_bytes = 0;  // temporaries of one execution
  // Pairs of an argument and a result that may use the same buffer in a run; see
  // kernels::Plan::may_share.
  std::vector<kernels::InputOutputAlias> may_share;
  std::string constants;  // the bytes of the constant block
  std::string code;       // ELF objects for the CPU, a serialized CudaProgram for GPUs
  // Whether all runs take about the same time, whatever the data (kernels::HasBoundedDuration). Not
  // counting how long they wait for other participants.
  bool steady = false;
  bool has_collectives = false;  // whether runs exchange values with other participants
  double compile_ms = 0;         // how long the compilation took

  int64_t size_bytes() const { return static_cast<int64_t>(constants.size() + code.size()); }
  std::string Signature() const;  // "(tensor<2xf32>) -> tensor<2xf32>"
};

// Returns the executable in the byte format that the cache stores, or an empty string if that would
// be larger than 2 GiB.
std::string Serialize(const Executable& executable);
// Parses the format of Serialize. Returns DATA_LOSS when the bytes are not a well-formed
// executable. Whether the bytes can be trusted is not checked: signature and checksum are the
// cache's duty.
absl::StatusOr<Executable> Deserialize(absl::string_view bytes);

}  // namespace acceld::hal
