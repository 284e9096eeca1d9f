#pragma once

#include <cstddef>
#include <cstdint>

#include "client/pjrt/abi/abi.h"

// An extension of acceld's own, for what JAX has no word for. The Python package calls it through
// ctypes (client/python/acceld/native.py, which declares the same struct); both are of one wheel,
// so it has no versions.
extern "C" {

enum : int { PJRT_Extension_Type_Acceld = 0x61636364 };

// client::Priority.
enum Acceld_Priority : int {
  Acceld_Priority_Batch = 0,
  Acceld_Priority_Normal = 1,
  Acceld_Priority_Interactive = 2,
};

// An array in host memory, row-major.
struct Acceld_HostArray {
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  const void* data;
  size_t size_bytes;
};

struct Acceld_CallbackAnswer;
// Adds a result, which is copied, or says that the callback has failed.
typedef void (*Acceld_AddResult)(Acceld_CallbackAnswer* answer, const Acceld_HostArray* result);
typedef void (*Acceld_SetError)(Acceld_CallbackAnswer* answer, const char* message,
                                size_t message_size);
// Calls the Python function of this number. The operands stay for the duration of the call.
typedef void (*Acceld_PythonCallback)(uint64_t id, const Acceld_HostArray* operands,
                                      size_t num_operands, Acceld_CallbackAnswer* answer,
                                      Acceld_AddResult add_result, Acceld_SetError set_error);

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
  // Whether the value of a buffer can be fetched without waiting for it (PJRT_Buffer::FetchAhead).
  bool (*fetch_ahead)(PJRT_Buffer* buffer);
  // Forgets a name.
  PJRT_Error* (*drop)(PJRT_Client* client, const char* name, size_t name_size);
  // How long executions that this thread starts from now on may take; negative: for ever. Gives
  // what held before.
  int64_t (*set_timeout_ms)(int64_t timeout_ms);
  // The priority of executions that this thread starts from now on, of Acceld_Priority; negative:
  // the session's. Gives what held before.
  int (*set_priority)(int priority);
  // The client of this process that was made last, or nullptr.
  PJRT_Client* (*client)();
  // Through which host callbacks are called from now on; nullptr: they fail. Which functions the
  // callbacks of a program are says the compile option "acceld_callbacks".
  void (*set_python_callback)(Acceld_PythonCallback callback);
  // Numbers of functions that nothing calls any more, at most as many as there is room for; how
  // many.
  size_t (*take_released_callbacks)(uint64_t* ids, size_t room);
};
}

namespace acceld::pjrt {

PJRT_Extension_Base* AcceldExtension(PJRT_Extension_Base* next);

}  // namespace acceld::pjrt
