#include "client/pjrt/abi/table.h"
#include "client/pjrt/entry.h"
#include "client/pjrt/extensions/extensions.h"
#include "client/pjrt/functions.h"

namespace {

// Newer versions of the interface require functions that are not needed here. Older ones lack
// functions that JAX calls, and with them JAX does not use the extension "Shardings".
constexpr int kMajorVersion = 0, kMinorVersion = 91;

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  using namespace acceld::pjrt;  // NOLINT: the names of functions.def
  static const PJRT_Api api = {
      .struct_size = sizeof(PJRT_Api),
      .extension_start = Extensions(),
      .pjrt_api_version = {.struct_size = sizeof(PJRT_Api_Version),
                           .extension_start = nullptr,
                           .major_version = kMajorVersion,
                           .minor_version = kMinorVersion},
#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) .PJRT_##name = &Entry<PJRT_##name##_Args, &name>,
#define PJRT_VOID_FUNCTION(name, ...) .PJRT_##name = &VoidEntry<PJRT_##name##_Args, &name>,
#include "client/pjrt/abi/functions.def"
  };
  return &api;
}
