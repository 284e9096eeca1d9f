#pragma once

#include "client/pjrt/abi/abi.h"

// The tables of functions that a plugin provides to the framework: GetPjrtApi() returns the main
// one, whose list of extensions contains the others.
extern "C" {

// The main table, with all functions of functions.def.
struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) PJRT_Error* (*PJRT_##name)(PJRT_##name##_Args*);
#define PJRT_VOID_FUNCTION(name, ...) void (*PJRT_##name)(PJRT_##name##_Args*);
#include "client/pjrt/abi/functions.def"
};

// The table of the extension "Layouts".
struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) PJRT_Error* (*PJRT_##name)(PJRT_##name##_Args*);
#include "client/pjrt/abi/layouts.def"
};

// The table of the extension "Shardings".
struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) PJRT_Error* (*PJRT_##name)(PJRT_##name##_Args*);
#include "client/pjrt/abi/shardings.def"
};

// Returns the main table. The framework looks up this symbol in the shared object of the plugin.
const PJRT_Api* GetPjrtApi();
}
