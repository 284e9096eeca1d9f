#pragma once

#include "acceld/v1/program.pb.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/types/type.h"
#include "common/ir/verify/memory_budget.h"
#include "common/status.h"

// Converts attributes and types to protobuf, into empty messages, and back; used by wire.cc.
// Reading bounds the depth by limits::kMaxDepth and charges the memory of the result to a budget.
namespace acceld::ir {

void ToProto(const Attribute& attribute, v1::Attribute& proto);
absl::StatusOr<Attribute> AttributeFromProto(const v1::Attribute& proto, MemoryBudget& budget);

void TypeToProto(const Type& type, v1::Type& proto);
absl::StatusOr<Type> TypeFromProto(const v1::Type& proto, MemoryBudget& budget);

}  // namespace acceld::ir
