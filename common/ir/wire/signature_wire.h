#pragma once

#include "acceld/v1/program.pb.h"
#include "common/ir/processes/process_signature.h"
#include "common/status.h"

namespace acceld::ir {

// Converts signatures to protobuf, into an empty message, and back. INVALID_ARGUMENT for types and
// shardings that are not valid on the mesh.
void ToProto(const ProcessSignature& signature, v1::ProcessSignature& proto);
absl::StatusOr<ProcessSignature> FromProto(const v1::ProcessSignature& proto);

}  // namespace acceld::ir
