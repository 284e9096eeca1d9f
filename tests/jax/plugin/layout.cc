// Prints the layout of the PJRT C API as the plugin declares it, as JSON, for run_layout.py:
// {"structs": {NAME: {"size": BYTES, "fields": [[NAME, OFFSET], ...]}}, "table": [NAME, ...]}.
#include "client/pjrt/abi/layout.h"

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "client/pjrt/abi/profiler.h"
#include "client/pjrt/abi/table.h"

namespace {

using acceld::pjrt::Field;
using acceld::pjrt::Layout;

std::string Json(const char* name, size_t size, absl::Span<const Field> fields) {
  std::vector<std::string> list;
  for (const Field& field : fields) {
    list.push_back(absl::StrCat("[\"", field.name, "\", ", field.offset, "]"));
  }
  return absl::StrCat("\"", name, "\": {\"size\": ", size, ", \"fields\": [",
                      absl::StrJoin(list, ", "), "]}");
}

}  // namespace

int main() {
  std::vector<std::string> structs, table;
#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...)                                            \
  structs.push_back(Json("PJRT_" #name "_Args", sizeof(PJRT_##name##_Args), \
                         Layout<PJRT_##name##_Args>::kFields));
#define PJRT_VOID_FUNCTION(name, ...) PJRT_FUNCTION(name)
#include "client/pjrt/abi/all_functions.def"

#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) \
  table.push_back(absl::StrCat("[\"PJRT_" #name "\", ", offsetof(PJRT_Api, PJRT_##name), "]"));
#define PJRT_VOID_FUNCTION(name, ...) PJRT_FUNCTION(name)
#include "client/pjrt/abi/functions.def"

// The structs that are written by hand in abi.h.
#define FIELD(field) \
  Field { #field, offsetof(Struct, field), sizeof(Struct::field) }
#define STRUCT(name, ...)                                          \
  {                                                                \
    using Struct = name;                                           \
    structs.push_back(Json(#name, sizeof(Struct), {__VA_ARGS__})); \
  }
  STRUCT(PJRT_Extension_Base, FIELD(struct_size), FIELD(type), FIELD(next))
  STRUCT(PJRT_Api_Version, FIELD(struct_size), FIELD(extension_start), FIELD(major_version),
         FIELD(minor_version))
  STRUCT(PJRT_NamedValue, FIELD(struct_size), FIELD(extension_start), FIELD(name), FIELD(name_size),
         FIELD(type), FIELD(value_size))
  STRUCT(PJRT_Buffer_MemoryLayout_Tiled, FIELD(struct_size), FIELD(extension_start),
         FIELD(minor_to_major), FIELD(minor_to_major_size), FIELD(tile_dims), FIELD(tile_dim_sizes),
         FIELD(num_tiles))
  STRUCT(PJRT_Buffer_MemoryLayout_Strides, FIELD(struct_size), FIELD(extension_start),
         FIELD(byte_strides), FIELD(num_byte_strides))
  STRUCT(PJRT_Buffer_MemoryLayout, FIELD(struct_size), FIELD(extension_start), FIELD(type))
  STRUCT(PJRT_ShapeSpec, FIELD(struct_size), FIELD(extension_start), FIELD(dims), FIELD(num_dims),
         FIELD(element_type))
  STRUCT(PJRT_Program, FIELD(struct_size), FIELD(extension_start), FIELD(code), FIELD(code_size),
         FIELD(format), FIELD(format_size))
  STRUCT(PJRT_Chunk, FIELD(data), FIELD(size), FIELD(deleter), FIELD(deleter_arg))
  STRUCT(PJRT_ExecuteOptions, FIELD(struct_size), FIELD(extension_start), FIELD(send_callbacks),
         FIELD(recv_callbacks), FIELD(num_send_ops), FIELD(num_recv_ops), FIELD(launch_id),
         FIELD(non_donatable_input_indices), FIELD(num_non_donatable_input_indices), FIELD(context),
         FIELD(call_location), FIELD(num_tasks), FIELD(task_ids), FIELD(incarnation_ids))
  STRUCT(PJRT_Layouts_Extension, FIELD(base), FIELD(PJRT_Layouts_MemoryLayout_Destroy),
         FIELD(PJRT_Layouts_MemoryLayout_Serialize),
         FIELD(PJRT_Layouts_PJRT_Client_GetDefaultLayout),
         FIELD(PJRT_Layouts_PJRT_Buffer_MemoryLayout),
         FIELD(PJRT_Layouts_PJRT_Topology_GetDefaultLayout),
         FIELD(PJRT_Layouts_PJRT_Executable_GetOutputLayouts),
         FIELD(PJRT_Layouts_PJRT_Executable_GetParameterLayouts))
  STRUCT(PJRT_Shardings_Extension, FIELD(base),
         FIELD(PJRT_Shardings_PJRT_Executable_ParameterShardings),
         FIELD(PJRT_Shardings_PJRT_Executable_OutputShardings))
  STRUCT(PJRT_Profiler_Extension, FIELD(base), FIELD(profiler_api), FIELD(traceme_context_id))
  STRUCT(PLUGIN_Profiler_Api, FIELD(struct_size), FIELD(priv), FIELD(error_destroy),
         FIELD(error_message), FIELD(error_get_code), FIELD(create), FIELD(destroy), FIELD(start),
         FIELD(stop), FIELD(collect_data))
  STRUCT(PLUGIN_Profiler_Error_Destroy_Args, FIELD(struct_size), FIELD(priv), FIELD(error))
  STRUCT(PLUGIN_Profiler_Error_Message_Args, FIELD(struct_size), FIELD(priv), FIELD(error),
         FIELD(message), FIELD(message_size))
  STRUCT(PLUGIN_Profiler_Error_GetCode_Args, FIELD(struct_size), FIELD(priv), FIELD(error),
         FIELD(code))
  STRUCT(PLUGIN_Profiler_Create_Args, FIELD(struct_size), FIELD(options), FIELD(options_size),
         FIELD(profiler))
  STRUCT(PLUGIN_Profiler_Destroy_Args, FIELD(struct_size), FIELD(profiler))
  STRUCT(PLUGIN_Profiler_Start_Args, FIELD(struct_size), FIELD(profiler))
  STRUCT(PLUGIN_Profiler_Stop_Args, FIELD(struct_size), FIELD(profiler))
  STRUCT(PLUGIN_Profiler_CollectData_Args, FIELD(struct_size), FIELD(profiler), FIELD(buffer),
         FIELD(buffer_size_in_bytes))
#undef STRUCT
#undef FIELD
  std::printf("{\"structs\": {%s}, \"table\": [%s]}\n", absl::StrJoin(structs, ",\n").c_str(),
              absl::StrJoin(table, ", ").c_str());
}
