#pragma once

#include <cstddef>
#include <cstdint>

#include "client/pjrt/abi/abi.h"

// An extension of acceld's own, for what JAX has no word for. The Python package calls it through
// ctypes (client/python/acceld/native.py, which declares the same struct); both are of one wheel,
// so it has no versions.
extern "C" {

enum : int { PJRT_Extension_Type_Acceld = 0x61636364 };

// Functions return an error to be destroyed with PJRT_Error_Destroy, or nullptr. Any thread may
// call them. Those with a name block for the daemon's answer.
struct Acceld_Extension {
  PJRT_Extension_Base base;

  // Names the value of a buffer, so that other sessions can open it (client::Client::Publish).
  PJRT_Error* (*publish)(PJRT_Buffer* buffer, const char* name, size_t name_size, bool for_everyone,
                         bool replace);
  // Looks for the array of that name, and gives its type, and the id of the device that has it. The
  // next buffer that this thread makes from host memory of that type is this array; the memory is
  // not read. `dims` has room for `max_dims`.
  PJRT_Error* (*open)(PJRT_Client* client, const char* name, size_t name_size,
                      PJRT_Buffer_Type* type, int64_t* dims, size_t max_dims, size_t* num_dims,
                      int* device);
  // Forgets a name.
  PJRT_Error* (*drop)(PJRT_Client* client, const char* name, size_t name_size);
  // How long executions that this thread starts from now on may take; negative: for ever. Gives
  // what held before.
  int64_t (*set_timeout_ms)(int64_t timeout_ms);
  // The client of this process that was made last, or nullptr.
  PJRT_Client* (*client)();
};
}

namespace acceld::pjrt {

PJRT_Extension_Base* AcceldExtension(PJRT_Extension_Base* next);

}  // namespace acceld::pjrt
