#pragma once

#include <cstddef>
#include <cstdint>

// The PJRT C API: the binary interface between a framework such as JAX and a device plugin, as of
// version 0.91. Names, order and values are defined by that interface
// (https://openxla.org/xla/pjrt); tests/jax/plugin/run_layout.py compares every struct with an
// independent description of it.
//
// The structs of the interface grow at their end from version to version. Each therefore begins
// with the size that its writer knows, and its reader must not read any field beyond that size.
// Handles (PJRT_Client, ...) are opaque to the framework; each is a struct that this plugin defines
// in a header of its own.
extern "C" {

struct PJRT_Error;
struct PJRT_Event;
struct PJRT_Client;
struct PJRT_Device;
struct PJRT_DeviceDescription;
struct PJRT_Memory;
struct PJRT_TopologyDescription;
struct PJRT_Executable;
struct PJRT_LoadedExecutable;
struct PJRT_Buffer;
struct PJRT_AsyncHostToDeviceTransferManager;
struct PJRT_SerializedExecutable;
struct PJRT_SerializedCompileOptions;
struct PJRT_SerializedTopology;
struct PJRT_DeviceAssignmentSerialized;
// Handles that this plugin never creates, because it does not offer the functions that would return
// them.
struct PJRT_ExecuteContext;
struct PJRT_CopyToDeviceStream;
struct PJRT_FulfillAliasBufferCallback;
struct PJRT_AsyncTrackingEvent;
struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
struct PJRT_Buffer_DonateWithControlDependency_Callback_Args;

// The types of the extensions that this plugin has; the interface defines more.
enum PJRT_Extension_Type : int {
  PJRT_Extension_Type_Profiler = 1,
  PJRT_Extension_Type_Layouts = 4,
  PJRT_Extension_Type_Shardings = 19,
};

// Extensions form a linked list; the struct of each begins with this one.
struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  PJRT_Extension_Base* next;
};

// The version of the interface that the plugin implements.
struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  int major_version;
  int minor_version;
};

// The canonical status codes, with the numbers of absl::StatusCode.
enum PJRT_Error_Code : int { PJRT_Error_Code_OK = 0 };

typedef PJRT_Error* (*PJRT_CallbackError)(PJRT_Error_Code code, const char* message,
                                          size_t message_size);

enum PJRT_NamedValue_Type : int {
  PJRT_NamedValue_kString = 0,
  PJRT_NamedValue_kInt64 = 1,
  PJRT_NamedValue_kInt64List = 2,
  PJRT_NamedValue_kFloat = 3,
  PJRT_NamedValue_kBool = 4,
};

// A named option or attribute.
struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* name;
  size_t name_size;
  PJRT_NamedValue_Type type;
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  // The number of elements of a list or characters of a string; 1 for other types.
  size_t value_size;
};

// Callbacks for a key-value store that the framework offers to plugins that span several processes.
// This plugin does not, and never calls them.
typedef void (*PJRT_KeyValueGetCallback)();
typedef void (*PJRT_KeyValueTryGetCallback)();
typedef void (*PJRT_KeyValuePutCallback)();

// The callee destroys `error`.
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error* error, void* user_arg);

// The element types of arrays.
enum PJRT_Buffer_Type : int {
  PJRT_Buffer_Type_INVALID = 0,
  PJRT_Buffer_Type_PRED = 1,
  PJRT_Buffer_Type_S8 = 2,
  PJRT_Buffer_Type_S16 = 3,
  PJRT_Buffer_Type_S32 = 4,
  PJRT_Buffer_Type_S64 = 5,
  PJRT_Buffer_Type_U8 = 6,
  PJRT_Buffer_Type_U16 = 7,
  PJRT_Buffer_Type_U32 = 8,
  PJRT_Buffer_Type_U64 = 9,
  PJRT_Buffer_Type_F16 = 10,
  PJRT_Buffer_Type_F32 = 11,
  PJRT_Buffer_Type_F64 = 12,
  PJRT_Buffer_Type_BF16 = 13,
  PJRT_Buffer_Type_C64 = 14,
  PJRT_Buffer_Type_C128 = 15,
  PJRT_Buffer_Type_F8E5M2 = 16,
  PJRT_Buffer_Type_F8E4M3FN = 17,
  PJRT_Buffer_Type_F8E4M3B11FNUZ = 18,
  PJRT_Buffer_Type_F8E5M2FNUZ = 19,
  PJRT_Buffer_Type_F8E4M3FNUZ = 20,
  PJRT_Buffer_Type_S4 = 21,
  PJRT_Buffer_Type_U4 = 22,
  PJRT_Buffer_Type_TOKEN = 23,
  PJRT_Buffer_Type_S2 = 24,
  PJRT_Buffer_Type_U2 = 25,
  PJRT_Buffer_Type_F8E4M3 = 26,
  PJRT_Buffer_Type_F8E3M4 = 27,
  PJRT_Buffer_Type_F8E8M0FNU = 28,
  PJRT_Buffer_Type_F4E2M1FN = 29,
  // Added in versions after 0.91.
  PJRT_Buffer_Type_S1 = 30,
  PJRT_Buffer_Type_U1 = 31,
  PJRT_Buffer_Type_F6E2M3FN = 32,
  PJRT_Buffer_Type_F6E3M2FN = 33,
};

// How long the framework keeps the bytes of a host buffer valid: only during the call, or until the
// event `done_with_host_buffer`.
enum PJRT_HostBufferSemantics : int {
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall = 0,
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes = 1,
  PJRT_HostBufferSemantics_kImmutableZeroCopy = 2,
  PJRT_HostBufferSemantics_kMutableZeroCopy = 3,
};

enum PJRT_Buffer_MemoryLayout_Type : int {
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0,
  PJRT_Buffer_MemoryLayout_Type_Strides = 1,
};

struct PJRT_Buffer_MemoryLayout_Tiled {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Logical dimensions, the fastest varying one first.
  const int64_t* minor_to_major;
  size_t minor_to_major_size;
  const int64_t* tile_dims;  // The dimensions of all tiles, concatenated.
  const size_t* tile_dim_sizes;
  size_t num_tiles;
};

struct PJRT_Buffer_MemoryLayout_Strides {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* byte_strides;  // May be negative.
  size_t num_byte_strides;
};

// The layout of an array in memory: tiles, or byte strides for each dimension.
struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;
};

// The shape and element type of an array.
struct PJRT_ShapeSpec {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
};

// A serialized program.
struct PJRT_Program {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  char* code;
  size_t code_size;
  const char* format;  // "mlir" or "hlo"
  size_t format_size;
};

struct PJRT_ProcessInfo;  // For programs that span several processes.

// Host memory, with the function that frees it.
struct PJRT_Chunk {
  void* data;
  size_t size;
  void (*deleter)(void* data, void* deleter_arg);
  void* deleter_arg;
};

struct PJRT_SendCallbackInfo;
struct PJRT_RecvCallbackInfo;

// The options of one execution.
struct PJRT_ExecuteOptions {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_SendCallbackInfo** send_callbacks;
  PJRT_RecvCallbackInfo** recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int launch_id;
  const int64_t* non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
  PJRT_ExecuteContext* context;
  const char* call_location;
  size_t num_tasks;
  int* task_ids;
  int64_t* incarnation_ids;
};

typedef void (*PJRT_SerializedExecutable_Deleter)(PJRT_SerializedExecutable*);
typedef void (*PJRT_SerializedCompileOptions_Deleter)(PJRT_SerializedCompileOptions*);
typedef void (*PJRT_SerializedTopology_Deleter)(PJRT_SerializedTopology*);
typedef void (*PJRT_DeviceAssignmentSerialized_Deleter)(PJRT_DeviceAssignmentSerialized*);
typedef void (*PJRT_Buffer_CopyRawToHostFuture_Callback)(
    PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
typedef void (*PJRT_Buffer_DonateWithControlDependency_Callback)(
    PJRT_Buffer_DonateWithControlDependency_Callback_Args*);
typedef void (*PJRT_DeviceBuffer_Deleter)(void* device_buffer_ptr, void* user_arg);

// Handles and callbacks of the extension "Layouts".
struct PJRT_Layouts_MemoryLayout;
struct PJRT_Layouts_SerializedLayout;
typedef void (*PJRT_Layouts_SerializedLayout_Deleter)(PJRT_Layouts_SerializedLayout*);

// The argument structs of all functions.
#define PJRT_IN(type, name) type name;
#define PJRT_OUT(type, name) type name;
#define PJRT_FUNCTION(name, ...)          \
  struct PJRT_##name##_Args {             \
    size_t struct_size;                   \
    PJRT_Extension_Base* extension_start; \
    __VA_ARGS__                           \
  };
#define PJRT_VOID_FUNCTION(name, ...) PJRT_FUNCTION(name, __VA_ARGS__)
#include "client/pjrt/abi/all_functions.def"
}
