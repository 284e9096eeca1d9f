#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/ir/cost/cost.h"
#include "common/ir/module.h"
#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::client {

// An immutable, verified program and the function of it to run. Not tied to a client: each client
// sends it to its daemon once, at the first use. Copies share. Thread-safe.
class Program {
 public:
  // Reads StableHLO text. Errors: those of ir::ParseModule, with `file_name`, line and column;
  // NOT_FOUND when there is no function `entry`; INVALID_ARGUMENT when a parameter or result of it
  // is not a tensor.
  static absl::StatusOr<Program> FromText(absl::string_view text,
                                          absl::string_view file_name = "<program>",
                                          absl::string_view entry = "main");
  // Reads StableHLO text, a portable artifact (MLIR bytecode) or a serialized program
  // (serialized_program.h, which says itself what its entry is), told apart by content. Errors: as
  // above, and DATA_LOSS for a serialized program that is damaged.
  static absl::StatusOr<Program> FromBytes(absl::string_view bytes,
                                           absl::string_view file_name = "<program>",
                                           absl::string_view entry = "main");
  // From a module; it is verified.
  static absl::StatusOr<Program> FromModule(ir::Module module, absl::string_view entry = "main");

  const ir::Module& module() const;
  const std::string& entry() const;
  // Equal for equal programs in every process (ir::Fingerprint).
  const Digest& fingerprint() const;
  // Types of the entry's parameters and results. Dimensions may be dynamic.
  absl::Span<const ir::TensorType> parameter_types() const;
  absl::Span<const ir::TensorType> result_types() const;

  // Numbers of the parameters that the program says may be donated (tf.aliasing_output,
  // jax.buffer_donor), ascending. They are donated only when an Execute says so.
  std::vector<uint32_t> DonatedArguments() const;
  // The numbers of the host callbacks that it may call, ascending: they have to be given when it is
  // executed.
  absl::Span<const int64_t> host_callbacks() const;

  // INVALID_ARGUMENT names the first argument that does not fit, or the wrong number of them.
  absl::Status CheckArguments(absl::Span<const ir::TensorType> arguments) const;
  // The types of the results for arguments of these types. Dynamic dimensions are worked out from
  // the arguments, once for each combination of types. The errors of CheckArguments, and
  // INVALID_ARGUMENT when the arguments do not determine a result's shape, or the program checks
  // its shapes and does not take these.
  absl::StatusOr<std::vector<ir::TensorType>> ResultTypesFor(
      absl::Span<const ir::TensorType> arguments) const;
  // How much work a run with arguments of these types is, worked out here, without a daemon. The
  // errors of ResultTypesFor.
  absl::StatusOr<ir::Cost> CostFor(absl::Span<const ir::TensorType> arguments) const;

 private:
  friend class Client;
  struct State;
  static absl::StatusOr<Program> FromVerified(ir::Module module, absl::string_view entry);
  static absl::StatusOr<Program> FromVerifiedUncontained(ir::Module module,
                                                         absl::string_view entry);
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;  // Shared by copies; immutable.
};

}  // namespace acceld::client
