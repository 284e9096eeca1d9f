#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/attributes/op_attributes.h"
#include "common/ir/attributes/sharding.h"
#include "common/ir/op.h"
#include "common/ir/processes/mesh.h"
#include "common/ir/types/type.h"

// The representation of programs: plain values, without pointers between nodes.
//
// A Module is a list of functions. A Function has one body region and a table with the type of each
// of its values; values are numbered across all nested regions of the function. A Region has
// parameters, ops in an order in which operands are defined before their uses, and results (the
// operands of its terminator). Regions inside ops may use the values of the regions around them, as
// while bodies do. FunctionBuilder builds functions; passes make new modules instead of changing
// one. Not thread-safe, except that several threads may read a module.
namespace acceld::ir {

// Identifies a value within its function: an index into Function::value_types.
using ValueId = uint32_t;

// The source location of an op, for messages. 0: unknown. Not part of the fingerprint.
struct Location {
  uint32_t line = 0;  // In the text of the program.
  uint32_t column = 0;
  uint32_t index = 0;  // The index in Module::source_locations, plus 1.
  uint32_t op = 0;     // The op's number in its program: op_numbers.h.
  // Compares only the position in the text: equal programs may have different source locations and
  // op numbers.
  friend bool operator==(const Location& a, const Location& b) {
    return a.line == b.line && a.column == b.column;
  }
};

struct Region;

// An operation. Operands and results are values of the function that contains the op.
struct Op {
  OpKind kind;
  OpAttributes attributes;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<Region> regions;
  Location location;

  // Returns the op's attributes as their struct, op.As<DotGeneralAttributes>(). It must be the
  // struct that ops.def names.
  template <typename Attributes>
  const Attributes& As() const {
    return std::get<Attributes>(attributes);
  }
  friend bool operator==(const Op&, const Op&) = default;
};

// A sequence of ops with parameters and results.
struct Region {
  std::vector<ValueId> parameters;
  std::vector<Op> ops;
  std::vector<ValueId> results;
  friend bool operator==(const Region&, const Region&) = default;
};

// Makes an op without regions.
Op MakeOp(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
          std::vector<ValueId> results, Location location);

// A parameter whose array the caller gives up (donation.h), and the result that shall use its
// memory; nullopt: the compiler chooses one. Not part of the fingerprint.
struct Donation {
  uint32_t parameter = 0;
  absl::optional<uint32_t> result;
  friend bool operator==(const Donation&, const Donation&) = default;
};

// A function of a module.
struct Function {
  std::string name;
  bool is_public = true;
  Region body;
  std::vector<Type> value_types;    // by ValueId
  std::vector<Donation> donations;  // ascending by parameter
  // How the parameters and results are distributed over the partitions of the program, one for each
  // of them; empty if none is given.
  std::vector<std::optional<Sharding>> parameter_shardings, result_shardings;

  const Type& TypeOf(ValueId id) const { return value_types[id]; }
  // Returns the type of a value that is a tensor.
  const TensorType& TensorOf(ValueId id) const { return value_types[id].tensor(); }
  std::vector<Type> TypesOf(absl::Span<const ValueId> ids) const;
  std::vector<Type> ParameterTypes() const { return TypesOf(body.parameters); }
  std::vector<Type> ResultTypes() const { return TypesOf(body.results); }
  friend bool operator==(const Function&, const Function&) = default;
};

// The processes that run a program together: num_replicas times num_partitions. Each has its own
// values. Source: StableHLO specification, "Parallel execution".
struct ProcessGrid {
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  int64_t size() const { return num_replicas * num_partitions; }
  friend bool operator==(const ProcessGrid&, const ProcessGrid&) = default;
};

// A program, or a part of one.
//
// A program for several partitions comes in two forms. A global one computes on whole values and
// says with shardings how they are distributed; only the regions of its manual computations compute
// on the shards of one process. A local one computes on the values of one process throughout.
struct Module {
  std::string name;
  std::vector<Function> functions;
  ProcessGrid grid;
  std::vector<Mesh> meshes;  // of the shardings
  // The source locations of ops, in the source from which the program was made, such as
  // "train.py:12:5 (jit(step)/dot_general)"; the reader of the program found them. They stay in the
  // process of the reader: they are not sent with the program.
  std::vector<std::string> source_locations;

  // Returns a module with the same name, processes and meshes, and without functions.
  Module WithoutFunctions() const;
  // Returns nullptr when there is no such function.
  const Function* Find(absl::string_view function_name) const;
  // Returns the function named `entry`, or NOT_FOUND with a list of the public functions.
  absl::StatusOr<const Function*> Entry(absl::string_view entry) const;
  // Programs that differ in the source locations of their ops only are equal.
  friend bool operator==(const Module& a, const Module& b) {
    return a.name == b.name && a.functions == b.functions && a.grid == b.grid &&
           a.meshes == b.meshes;
  }
};

}  // namespace acceld::ir
