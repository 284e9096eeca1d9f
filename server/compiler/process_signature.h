#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/ir/processes/process_signature.h"
#include "common/status.h"

namespace acceld::compiler {

// Partitions the program to find the signature; takes milliseconds to seconds. The module must be
// verified and have several processes. Errors: those of spmd::Partition; UNIMPLEMENTED for
// parameters of dynamic shape.
absl::StatusOr<ir::ProcessSignature> SignatureOfProcess(const ir::Module& module,
                                                        absl::string_view entry);

// Returns the program that one process runs, after partitioning and before anything else: it takes
// the arguments that the signature says, and has collectives. It has the same processes. Errors and
// duration as SignatureOfProcess.
absl::StatusOr<ir::Module> ProgramOfProcess(const ir::Module& module, absl::string_view entry);

// Returns the result types of one run on arguments of these types: of the program or, if it has
// several processes, of one of them, which takes its number, a scalar ui32, as one more argument.
// Errors: those of ir::ResultTypesOf and SignatureOfProcess.
absl::StatusOr<std::vector<ir::TensorType>> ResultTypesOfRun(
    const ir::Module& module, absl::string_view entry,
    absl::Span<const ir::TensorType> argument_types);

}  // namespace acceld::compiler
