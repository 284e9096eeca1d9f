#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/attributes/op_attributes.h"
#include "common/ir/op.h"
#include "common/ir/types/type.h"

// The program representation: plain values, no pointers between nodes.
//
// A Module is a list of functions. A Function has one body region and a table with the type of each
// of its values; values are numbered across all nested regions of the function. A Region has
// parameters, ops in an order where operands stand before users, and results (what its terminator
// returns). Regions inside ops see the values of the regions around them (while bodies capture).
// Modules are built by FunctionBuilder and read by everything; passes make new ones.
// Thread-compatible.
namespace acceld::ir {

using ValueId = uint32_t;

// Where an op came from, for messages. 0: unknown. Not part of the fingerprint.
struct Location {
  uint32_t line = 0;  // In the text of the program.
  uint32_t column = 0;
  uint32_t place = 0;  // The number of its text in Module::places, from 1.
  uint32_t op = 0;     // The number of the op in its program: op_numbers.h.
  // Equal text has equal lines. Where the text was made and how it is numbered does not matter.
  friend bool operator==(const Location& a, const Location& b) {
    return a.line == b.line && a.column == b.column;
  }
};

struct Region;

struct Op {
  OpKind kind;
  OpAttributes attributes;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<Region> regions;
  Location location;

  // The op's attributes as its struct: op.As<DotGeneralAttributes>(). It must be the one in
  // ops.def.
  template <typename Attributes>
  const Attributes& As() const {
    return std::get<Attributes>(attributes);
  }
  friend bool operator==(const Op&, const Op&) = default;
};

struct Region {
  std::vector<ValueId> parameters;
  std::vector<Op> ops;
  std::vector<ValueId> results;
  friend bool operator==(const Region&, const Region&) = default;
};

// An op without regions.
Op MakeOp(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
          std::vector<ValueId> results, Location location);

// A parameter whose array the caller gives away (donation.h), and the result that the memory is for
// where the program chooses it. Not part of the fingerprint.
struct Donation {
  uint32_t parameter = 0;
  absl::optional<uint32_t> result;
  friend bool operator==(const Donation&, const Donation&) = default;
};

struct Function {
  std::string name;
  bool is_public = true;
  Region body;
  std::vector<Type> value_types;    // by ValueId
  std::vector<Donation> donations;  // ascending by parameter

  const Type& TypeOf(ValueId id) const { return value_types[id]; }
  // For values known to be tensors.
  const TensorType& TensorOf(ValueId id) const { return value_types[id].tensor(); }
  std::vector<Type> TypesOf(absl::Span<const ValueId> ids) const;
  std::vector<Type> ParameterTypes() const { return TypesOf(body.parameters); }
  std::vector<Type> ResultTypes() const { return TypesOf(body.results); }
  friend bool operator==(const Function&, const Function&) = default;
};

struct Module {
  std::string name;
  std::vector<Function> functions;
  // Where ops were made in the source of whoever made the program, as its reader found it:
  // "train.py:12:5 (jit(step)/dot_general)". Stays with the reader: it is not sent with the
  // program.
  std::vector<std::string> places;

  const Function* Find(absl::string_view function_name) const;
  // The function named `entry`, or a NOT_FOUND that lists the public ones.
  absl::StatusOr<const Function*> Entry(absl::string_view entry) const;
  // Programs that differ in their places only are equal.
  friend bool operator==(const Module& a, const Module& b) {
    return a.name == b.name && a.functions == b.functions;
  }
};

}  // namespace acceld::ir
