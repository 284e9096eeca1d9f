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

// Returns `a` times `b`, or the largest int64_t if the product is larger. Both must be positive.
int64_t SaturatingProduct(int64_t a, int64_t b);

// Returns how many devices a mesh in an attribute has, the product of the sizes of its axes. The
// attribute is #stablehlo.mesh<axes = [...]>, or the same as a dictionary.
absl::StatusOr<int64_t> DevicesOfMesh(const Attribute& mesh);

// Checks that a program which is made for several processes (StableHLO specification, "Parallel
// execution") can run as one process. acceld runs a program as one process on one device, which
// gives the same values only if no op asks for the number of its process and none exchanges values
// with others. The ops are noted while the functions of a program are read. Check is called
// afterwards, since text may declare a mesh, or the module's attributes, behind their use.
// Thread-compatible.
class ProcessGrid {
 public:
  // Reads the module's mhlo.num_replicas and mhlo.num_partitions, which are 1 where they are
  // missing.
  absl::Status SetSizes(const AttributeDictionary& module_attributes);
  // Declares a mesh of `num_devices`, which may be kUnknownSize: then Check refuses its users.
  void DeclareMesh(std::string name, int64_t num_devices);
  static constexpr int64_t kUnknownSize = 0;

  // Notes an op of the function @`function` if it depends on the processes: ops that ask for the
  // number of the process, collectives, and conversions between a value and one process's part of
  // it.
  void NoteOp(const ImportedOp& op, absl::string_view function);
  // Notes that the op `op` of a function is for the devices of the mesh @`mesh`.
  void NoteMesh(absl::string_view mesh, absl::string_view op, absl::string_view function);

  // UNIMPLEMENTED, with advice, if the program cannot run as one process; INVALID_ARGUMENT for the
  // use of a mesh that is not declared.
  absl::Status Check() const;

 private:
  struct MeshUse {
    std::string mesh;
    std::string user;
  };

  int64_t num_replicas_ = 1;
  int64_t num_partitions_ = 1;
  std::map<std::string, int64_t> meshes_;  // number of devices, by name
  std::vector<MeshUse> mesh_uses_;         // the first use of each mesh
  std::string first_user_;  // the first op that depends on the processes; empty: none
};

// The advice at the end of messages about programs that need several devices.
inline constexpr absl::string_view kOneDeviceOnly =
    "acceld runs a program as one process on one device; lower it for one device (a mesh of one)";

}  // namespace acceld::ir
