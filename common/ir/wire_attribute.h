#pragma once

#include "acceld/v1/program.pb.h"
#include "common/ir/attribute.h"
#include "common/ir/type.h"
#include "common/status.h"

// Attributes and types as protobuf, written into empty messages. Part of wire.cc. Reading bounds
// the depth by limits::kMaxDepth.
namespace acceld::ir {

void ToProto(const Attribute& attribute, v1::Attribute& proto);
absl::StatusOr<Attribute> AttributeFromProto(const v1::Attribute& proto);

void TypeToProto(const Type& type, v1::Type& proto);
absl::StatusOr<Type> TypeFromProto(const v1::Type& proto);

}  // namespace acceld::ir
