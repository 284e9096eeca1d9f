#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/ir/attributes/op_attributes.h"
#include "common/ir/types/dtype.h"

// The kinds of operations and the properties of each kind, from ops.def.
namespace acceld::ir {

// The kinds of ops, one for each row of ops.def.
enum class OpKind : uint16_t {
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  k##Kind,
#include "common/ir/ops.def"
};

inline constexpr int kNumOpKinds = 0
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) +1
#include "common/ir/ops.def"
    ;

// Families of ops that the stages after the front end handle alike.
enum class OpFamily : uint8_t {
  kElementwise,  // element i of the result from element i of the operands
  kIndexing,     // data movement and values made from indices
  kNest,         // a loop nest of its own for each kind of op
  kContraction,  // a library call if a library has it, else a loop nest
  kRoutine,      // library routines on whole buffers
  kDerived,      // replaced by other ops before anything else is done
  kDynamic,      // take shapes as values; replaced by static ops in specialization
  kCollective,   // exchange values between processes, or depend on the process
  kSharding,     // say how values are distributed; replaced when a program is partitioned
  kStructure,    // constants, control flow, calls, tuples: parts of the plan
};

inline constexpr int kVariadic = -1;

// The classes of element types that an elementwise op accepts for its data operands; bits, combined
// with |.
enum OperandClasses : uint8_t {
  kBool = 1,
  kSigned = 2,
  kUnsigned = 4,
  kInteger = kSigned | kUnsigned,
  kFloat = 8,
  kComplex = 16,
  kAny = 31,
};

// The properties of one kind of op: a row of ops.def.
struct OpInfo {
  absl::string_view name;  // "stablehlo.add"
  int min_operands;
  int max_operands;  // kVariadic: no bound
  int num_regions;   // kVariadic: one or more
  OpFamily family;
  OperandClasses operand_classes;   // kAny for ops that are not elementwise
  OpAttributes default_attributes;  // holds the op's attribute struct, fields at their defaults
};

const OpInfo& InfoOf(OpKind kind);
inline absl::string_view NameOf(OpKind kind) { return InfoOf(kind).name; }
inline OpFamily FamilyOf(OpKind kind) { return InfoOf(kind).family; }
// Finds a kind of op by its full name, "stablehlo.add"; nullopt if there is none.
absl::optional<OpKind> FindOp(absl::string_view name);

}  // namespace acceld::ir
