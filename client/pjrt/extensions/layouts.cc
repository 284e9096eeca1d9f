#include "client/pjrt/extensions/layouts.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "client/pjrt/abi/table.h"
#include "client/pjrt/compile/executable.h"
#include "client/pjrt/compile/layout.h"
#include "client/pjrt/entry.h"
#include "client/pjrt/functions.h"
#include "client/pjrt/transfer/buffer.h"
#include "common/ir/verify/limits.h"

// The row-major layout for one rank. There is one object for each rank; they are never destroyed.
struct PJRT_Layouts_MemoryLayout {
  std::string text;  // In XLA's notation, the fastest varying dimension first: "{1,0}".
};

namespace acceld::pjrt {
namespace {

using Layouts = std::vector<PJRT_Layouts_MemoryLayout>;

Layouts& AllLayouts() {
  static Layouts& layouts = *[] {
    auto* const made = new Layouts;
    for (size_t rank = 0; rank <= ir::limits::kMaxRank; ++rank) {
      const absl::Span<const int64_t> dims(RowMajorDimensions(rank), rank);
      made->push_back({absl::StrCat("{", absl::StrJoin(dims, ","), "}")});
    }
    return made;
  }();
  return layouts;
}

absl::StatusOr<PJRT_Layouts_MemoryLayout*> LayoutOf(size_t rank) {
  Layouts& layouts = AllLayouts();
  if (rank < layouts.size()) return &layouts[rank];
  return absl::InvalidArgumentError(
      absl::StrCat("an array of ", rank, " dimensions; ", ir::limits::kMaxRank, " are supported"));
}

}  // namespace

absl::Status Layouts_MemoryLayout_Destroy(PJRT_Layouts_MemoryLayout_Destroy_Args&) {
  return absl::OkStatus();
}

absl::Status Layouts_MemoryLayout_Serialize(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  args.serialized_bytes = args.layout->text.data();
  args.serialized_bytes_size = args.layout->text.size();
  args.serialized_layout = nullptr;
  args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout*) {};
  return absl::OkStatus();
}

absl::Status Layouts_PJRT_Client_GetDefaultLayout(
    PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(args.layout, LayoutOf(args.num_dims));
  return absl::OkStatus();
}

absl::Status Layouts_PJRT_Topology_GetDefaultLayout(
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(args.layout, LayoutOf(args.num_dims));
  return absl::OkStatus();
}

absl::Status Layouts_PJRT_Buffer_MemoryLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(args.layout, LayoutOf(args.buffer->type().dims.size()));
  return absl::OkStatus();
}

absl::Status Layouts_PJRT_Executable_GetOutputLayouts(
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args) {
  args.layouts = args.executable->compiled->result_layouts.data();
  args.num_outputs = args.executable->compiled->result_layouts.size();
  return absl::OkStatus();
}

absl::Status Layouts_PJRT_Executable_GetParameterLayouts(
    PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args) {
  args.layouts = args.executable->compiled->parameter_layouts.data();
  args.num_parameters = args.executable->compiled->parameter_layouts.size();
  return absl::OkStatus();
}

std::vector<PJRT_Layouts_MemoryLayout*> LayoutsOf(absl::Span<const ir::TensorType> types) {
  std::vector<PJRT_Layouts_MemoryLayout*> layouts;
  layouts.reserve(types.size());
  for (const ir::TensorType& type : types) layouts.push_back(&AllLayouts()[type.dims.size()]);
  return layouts;
}

PJRT_Extension_Base* LayoutsExtension(PJRT_Extension_Base* next) {
  static PJRT_Layouts_Extension extension = {
      .base = {.struct_size = sizeof(PJRT_Layouts_Extension),
               .type = PJRT_Extension_Type_Layouts,
               .next = next},
#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) .PJRT_##name = &Entry<PJRT_##name##_Args, &name>,
#include "client/pjrt/abi/layouts.def"
  };
  return &extension.base;
}

}  // namespace acceld::pjrt
