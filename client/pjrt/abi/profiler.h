#pragma once

#include <cstddef>
#include <cstdint>

#include "client/pjrt/abi/abi.h"

// The extension "Profiler" of the PJRT C API, and the table of functions that it points to. Names,
// order and values are defined by that interface; tests/jax/plugin/run_layout.py compares them with
// an independent description. Later versions of the table are longer; callers only use functions
// within the table's struct_size.
extern "C" {

struct PLUGIN_Profiler_Error;
struct PLUGIN_Profiler;

// The argument structs of the functions in PLUGIN_Profiler_Api. The callee sets the fields marked
// "out".
struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
};

struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
  const char* message;  // out: valid as long as `error`
  size_t message_size;  // out
};

struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
  int code;  // out: a canonical status code
};

struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;
  const char* options;  // a serialized tensorflow.ProfileOptions
  size_t options_size;
  PLUGIN_Profiler* profiler;  // out
};

struct PLUGIN_Profiler_Destroy_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};

struct PLUGIN_Profiler_Start_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};

struct PLUGIN_Profiler_Stop_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};

// Returns the profile, a serialized XSpace. If `buffer` is null, the callee sets it to the profile,
// which stays valid as long as the profiler, and sets the size. Otherwise `buffer` has room for
// `buffer_size_in_bytes`, and the callee copies the profile there.
struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  uint8_t* buffer;
  size_t buffer_size_in_bytes;
};

// The table of functions.
struct PLUGIN_Profiler_Api {
  size_t struct_size;
  void* priv;
  void (*error_destroy)(PLUGIN_Profiler_Error_Destroy_Args* args);
  void (*error_message)(PLUGIN_Profiler_Error_Message_Args* args);
  PLUGIN_Profiler_Error* (*error_get_code)(PLUGIN_Profiler_Error_GetCode_Args* args);
  PLUGIN_Profiler_Error* (*create)(PLUGIN_Profiler_Create_Args* args);
  PLUGIN_Profiler_Error* (*destroy)(PLUGIN_Profiler_Destroy_Args* args);
  PLUGIN_Profiler_Error* (*start)(PLUGIN_Profiler_Start_Args* args);
  PLUGIN_Profiler_Error* (*stop)(PLUGIN_Profiler_Stop_Args* args);
  PLUGIN_Profiler_Error* (*collect_data)(PLUGIN_Profiler_CollectData_Args* args);
};

// The extension, which points to the table.
struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;
  PLUGIN_Profiler_Api* profiler_api;
  // Used only in the extension of a call's argument struct.
  int64_t traceme_context_id;
};
}
