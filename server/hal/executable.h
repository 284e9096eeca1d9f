#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/types/type.h"
#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::hal {

// What a compile makes and the cache keeps: code for one architecture and what a runtime must know
// to run it. Plain value.
struct Executable {
  std::string program_name;  // for people
  std::string architecture;  // CodeGenerator::architecture()
  std::string build_id;      // compiler::BuildId() of the producer
  std::vector<ir::TensorType> arguments, results;
  int64_t arena_bytes = 0;  // temporaries of one execution
  // Which arguments and results a run may be given in one place: as in kernels::Plan.
  std::vector<kernels::SharedPlace> may_share;
  std::string constants;  // the constant block
  std::string code;       // for the architecture: an ELF object for the CPU
  // Every run takes about as long as any other (kernels/ir/analysis/steady.h).
  bool steady = false;
  double compile_ms = 0;

  int64_t size_bytes() const { return static_cast<int64_t>(constants.size() + code.size()); }
  std::string Signature() const;  // "(tensor<2xf32>) -> tensor<2xf32>"
};

// The byte form that the disk tier stores. Deserialize checks everything but trust: signature and
// checksum are the cache's. DATA_LOSS for what is not a well-formed executable.
// Empty if that would be larger than 2 GiB.
std::string Serialize(const Executable& executable);
absl::StatusOr<Executable> Deserialize(absl::string_view bytes);

}  // namespace acceld::hal
