#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/pjrt/op_sharding.pb.h"
#include "common/ir/attributes/sharding.h"
#include "common/ir/processes/mesh.h"

namespace acceld::pjrt {

// Describes a sharding to the framework. The sharding must be valid for the mesh
// (ir::CheckSharding) and the mesh must have all partitions of the program. The order of the axes,
// which a sharding and the framework's description both have, becomes the order of the
// participants.
OpSharding ToOpSharding(const ir::Sharding& sharding, const ir::Mesh& mesh);

// The shardings of several values as the interface lists them: serialized messages.
class SerializedShardings {
 public:
  SerializedShardings() = default;
  SerializedShardings(absl::Span<const ir::Sharding> shardings, const ir::Mesh& mesh);
  SerializedShardings(const SerializedShardings&) = delete;
  SerializedShardings& operator=(const SerializedShardings&) = delete;

  // Return nullptr if there are none.
  const char* const* data() const { return pointers_.empty() ? nullptr : pointers_.data(); }
  const size_t* sizes() const { return sizes_.empty() ? nullptr : sizes_.data(); }

 private:
  std::vector<std::string> messages_;
  std::vector<const char*> pointers_;  // Refer to messages_.
  std::vector<size_t> sizes_;
};

}  // namespace acceld::pjrt
