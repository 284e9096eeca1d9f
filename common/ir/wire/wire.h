#pragma once

#include "acceld/v1/program.pb.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Converts modules to protobuf (proto/acceld/v1/program.proto) and back. FromProto does not trust
// its input: the result is verified, within all limits and a memory budget
// (verify/memory_budget.h); any malformed message is INVALID_ARGUMENT, an unknown op is
// UNIMPLEMENTED, and acceld's own ops are refused. Functions with two parameters write into an
// empty message, which may be on an arena.
void ToProto(const Module& module, v1::Module& proto);
v1::Module ToProto(const Module& module);
absl::StatusOr<Module> FromProto(const v1::Module& proto);

void ToProto(const TensorType& type, v1::TensorType& proto);
v1::TensorType ToProto(const TensorType& type);
absl::StatusOr<TensorType> FromProto(const v1::TensorType& proto);
void ToProto(const Literal& literal, v1::Literal& proto);
v1::Literal ToProto(const Literal& literal);
absl::StatusOr<Literal> FromProto(const v1::Literal& proto);

}  // namespace acceld::ir
