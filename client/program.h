#pragma once

#include <cstddef>
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

// An immutable, verified program together with its entry function. It is not tied to a client: each
// client sends it to its daemon once, at the first use. Copies share one state. Thread-safe.
class Program {
 public:
  // Parses StableHLO text. Errors: those of ir::ParseModule, with `file_name`, line and column;
  // NOT_FOUND if there is no function `entry`; INVALID_ARGUMENT if a parameter or result of that
  // function is not a tensor.
  static absl::StatusOr<Program> FromText(absl::string_view text,
                                          absl::string_view file_name = "<program>",
                                          absl::string_view entry = "main");
  // Reads StableHLO text, a portable artifact (MLIR bytecode) or a serialized program
  // (serialized_program.h, which stores its own entry and ignores `entry`), told apart by content.
  // Errors: those of FromText, and DATA_LOSS for a serialized program that is damaged.
  static absl::StatusOr<Program> FromBytes(absl::string_view bytes,
                                           absl::string_view file_name = "<program>",
                                           absl::string_view entry = "main");
  // Verifies `module` and makes a program of it. Errors of ir::Verify; NOT_FOUND and
  // INVALID_ARGUMENT as for FromText.
  static absl::StatusOr<Program> FromModule(ir::Module module, absl::string_view entry = "main");

  const ir::Module& module() const;
  const std::string& entry() const;
  // The ir::Fingerprint of the program: equal for equal programs in every process.
  const Digest& fingerprint() const;
  // The types of the entry's parameters and results. Dimensions may be dynamic.
  absl::Span<const ir::TensorType> parameter_types() const;
  absl::Span<const ir::TensorType> result_types() const;

  // Prints the program as StableHLO text, which FromText reads.
  std::string ToText() const;
  // Returns the numbers of the parameters that the program declares as donatable
  // (tf.aliasing_output, jax.buffer_donor), ascending. Client::Execute donates them only if its
  // options say so.
  std::vector<uint32_t> DonatedArguments() const;
  // Returns the numbers of the host callbacks that the program may call, ascending.
  // ExecuteOptions::callbacks must contain them.
  absl::Span<const int64_t> host_callbacks() const;

  // Returns OK if arguments of these types may be passed to the entry. INVALID_ARGUMENT names the
  // first argument that does not fit, or the wrong number of arguments.
  absl::Status CheckArguments(absl::Span<const ir::TensorType> arguments) const;
  // Returns the types of the results for arguments of these types. Dynamic dimensions are computed
  // from the arguments' shapes, once for each combination of types. Errors: those of
  // CheckArguments; INVALID_ARGUMENT if the arguments do not determine a result's shape, or if the
  // program itself checks shapes and rejects these.
  absl::StatusOr<std::vector<ir::TensorType>> ResultTypesFor(
      absl::Span<const ir::TensorType> arguments) const;
  // Computes, in this process, how much work one run with arguments of these types is. Errors:
  // those of ResultTypesFor.
  absl::StatusOr<ir::Cost> CostFor(absl::Span<const ir::TensorType> arguments) const;

 private:
  friend class Client;
  struct State;
  static absl::StatusOr<Program> FromVerified(ir::Module module, absl::string_view entry);
  static absl::StatusOr<Program> FromVerifiedUncontained(ir::Module module,
                                                         absl::string_view entry);
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  // The parts of CheckArguments.
  absl::Status CheckNumArguments(size_t count) const;
  absl::Status CheckArgument(size_t number, const ir::TensorType& type) const;

  std::shared_ptr<const State> state_;  // Shared by copies; immutable.
};

}  // namespace acceld::client
