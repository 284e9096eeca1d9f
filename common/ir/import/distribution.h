#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/import/import_op.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// The target of a custom call that stands for StableHLO's interpreter.run_parallel, which runs
// functions of the module as several processes (conformance/conformance.h).
inline constexpr absl::string_view kRunParallelTarget = "interpreter.run_parallel";

// The name that Distribution::Prepare gives an op whose results are its operands.
inline constexpr absl::string_view kUnchangedOp = "unchanged";

// Collects, while a program is read, how it is distributed over processes: their number, the meshes
// and the shardings. Attributes come with the names of meshes and axes, in this form, which the
// readers of text and of bytecode make alike:
//
//   mesh         structure "mesh": axes, a list of structures "mesh_axis" (name, a string; size, an
//                integer), and maybe device_ids, a list of integers
//   axis         structure "axis_ref": name, a string, and maybe sub_axis_info, a structure of that
//                name (pre_size and size, integers)
//   sharding     structure "sharding": mesh, a symbol or a mesh; dimensions, a list of structures
//                "dimension_sharding" (axes, a list; is_closed, a boolean; maybe priority, an
//                integer); maybe replicated and unreduced, lists of axes, and reduction_op, an
//                integer
//   shardings    structure "sharding_per_value": shardings, a list
//   manual axes  structure "manual_axes": axes, a list of strings
//
// A mesh must be declared before anything refers to it. Thread-compatible.
class Distribution {
 public:
  // Reads the module's mhlo.num_replicas and mhlo.num_partitions, which are 1 where they are
  // missing.
  absl::Status ReadGrid(const AttributeDictionary& module_attributes);
  // Declares a mesh of the module. INVALID_ARGUMENT if the name is declared already.
  absl::Status DeclareMesh(const std::string& name, const Attribute& mesh);

  // Returns the value of sdy.sharding among the attributes of a parameter or a result of a
  // function; nullopt if there is none. Also notes mhlo.sharding, which Finish may refuse. `where`
  // names the function for messages.
  absl::StatusOr<std::optional<Sharding>> ShardingAmong(const AttributeDictionary& attributes,
                                                        absl::string_view where);

  // Prepares an op for ImportOp: replaces the names of meshes and axes in its attributes by
  // numbers, groups along axes by lists of processes, and the ops of Shardy that give a value
  // another sharding by sdy.sharding_constraint or kUnchangedOp. Other ops are left as they are.
  // Notes custom calls
  // and annotations of XLA's older partitioner (GSPMD), which Finish may refuse. `function` is the
  // function's name, for messages.
  absl::Status Prepare(ImportedOp& op, absl::string_view function);
  // Returns the shardings that an op's attribute sdy.sharding gives its results; empty if it has
  // none.
  absl::StatusOr<std::vector<Sharding>> ShardingsOfResults(const ImportedOp& op);

  // Completes a module that has been read: sets its grid and meshes or, for one process, removes
  // what concerns several (ForSingleProcess). UNIMPLEMENTED, with advice, for several processes
  // with annotations of the older partitioner. INVALID_ARGUMENT for meshes that do not fit the
  // number of partitions.
  absl::StatusOr<Module> Finish(Module module) const;

 private:
  // Returns the index of the mesh, a symbol or a mesh, in meshes_.
  absl::StatusOr<int64_t> FindMesh(const Attribute& from);
  absl::StatusOr<Sharding> ReadSharding(const Attribute& from);
  absl::StatusOr<std::vector<Sharding>> ReadShardings(const Attribute& from);
  absl::Status PrepareManualComputation(ImportedOp& op);
  absl::Status PrepareGroups(ImportedOp& op);
  void NoteOldPartitioner(const ImportedOp& op, absl::string_view function);

  ProcessGrid grid_;
  std::vector<Mesh> meshes_;
  std::string old_partitioner_;  // the first annotation of it; empty: none
  // Whether the program tests collectives: it runs its functions in grids of processes of their
  // own.
  bool runs_functions_in_parallel_ = false;
};

}  // namespace acceld::ir
