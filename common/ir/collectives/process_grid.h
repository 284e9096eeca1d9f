#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// `a` times `b`, or the largest number if the product is larger. Both are positive.
int64_t SaturatingProduct(int64_t a, int64_t b);

// How many devices a mesh in an attribute has, the product of the sizes of its axes:
// #stablehlo.mesh<axes = [...]>, or the same as a dictionary.
absl::StatusOr<int64_t> DevicesOfMesh(const Attribute& mesh);

// How many processes a program is for (StableHLO specification, "Parallel execution"), and which of
// its ops mean one of them. acceld runs a program as one process on one device, so a program for
// several runs only where that changes no value: where no op asks for the number of its process,
// and none exchanges values with others. Gathered while a program is read, over all of its
// functions; Check is for the end, since text may declare a mesh, or the module's attributes, after
// their use. Thread-compatible.
class ProcessGrid {
 public:
  // The module's mhlo.num_replicas and mhlo.num_partitions; each is 1 where it is missing.
  absl::Status SetSizes(const AttributeDictionary& module_attributes);
  // A mesh of `num_devices`, which may be kUnknownSize: whoever uses that one is refused.
  void DeclareMesh(std::string name, int64_t num_devices);
  static constexpr int64_t kUnknownSize = 0;

  // Notes an op of the function @`function` if it depends on the grid: process numbers,
  // collectives, and changes between a value and one process's part of it.
  void NoteOp(const ImportedOp& op, absl::string_view function);
  // Notes that an op is for the devices of the mesh @`mesh`.
  void NoteMesh(absl::string_view mesh, absl::string_view op, absl::string_view function);

  // UNIMPLEMENTED, saying what to do, where one process cannot stand for the program's;
  // INVALID_ARGUMENT for a mesh that is not declared.
  absl::Status Check() const;

 private:
  struct MeshUse {
    std::string mesh;
    std::string user;
  };

  int64_t num_replicas_ = 1;
  int64_t num_partitions_ = 1;
  std::map<std::string, int64_t> meshes_;  // their devices, by name
  std::vector<MeshUse> mesh_uses_;         // the first of each mesh
  std::string first_user_;                 // the first op that depends on the grid; empty: none
};

// What a program that needs several devices has to be told, to end a message with.
inline constexpr absl::string_view kOneDeviceOnly =
    "acceld runs a program as one process on one device; lower it for one device (a mesh of one)";

}  // namespace acceld::ir
