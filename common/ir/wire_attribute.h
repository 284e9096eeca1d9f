#pragma once

#include "acceld/v1/program.pb.h"
#include "common/ir/attribute.h"
#include "common/ir/type.h"
#include "common/status.h"

// Attributes and types as protobuf. Part of wire.cc. Reading bounds the depth by limits::kMaxDepth.
namespace acceld::ir {

v1::Attribute ToProto(const Attribute& attribute);
absl::StatusOr<Attribute> AttributeFromProto(const v1::Attribute& proto);

v1::Type TypeToProto(const Type& type);
absl::StatusOr<Type> TypeFromProto(const v1::Type& proto);

}  // namespace acceld::ir
