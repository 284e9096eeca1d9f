#pragma once

#include <cstddef>
#include <cstdint>

#include "client/pjrt/abi/abi.h"

// acceld's own extension, for features that the PJRT C API does not have. The Python package calls
// it through ctypes (client/python/acceld/native.py declares the same struct). Both belong to the
// same wheel, so the extension has no versions.
extern "C" {

enum : int { PJRT_Extension_Type_Acceld = 0x61636364 };

// The values of client::Priority.
enum Acceld_Priority : int {
  Acceld_Priority_Batch = 0,
  Acceld_Priority_Normal = 1,
  Acceld_Priority_Interactive = 2,
};

// A row-major array in host memory.
struct Acceld_HostArray {
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  const void* data;
  size_t size_bytes;
};

struct Acceld_CallbackAnswer;
// Adds a result, which is copied; or reports that the callback has failed.
typedef void (*Acceld_AddResult)(Acceld_CallbackAnswer* answer, const Acceld_HostArray* result);
typedef void (*Acceld_SetError)(Acceld_CallbackAnswer* answer, const char* message,
                                size_t message_size);
// Calls the Python function with this number. The operands are valid during the call.
typedef void (*Acceld_PythonCallback)(uint64_t id, const Acceld_HostArray* operands,
                                      size_t num_operands, Acceld_CallbackAnswer* answer,
                                      Acceld_AddResult add_result, Acceld_SetError set_error);

// The functions of the extension. Errors must be destroyed with PJRT_Error_Destroy; nullptr means
// success. Any thread may call them. Those that take a name block for the daemon's answer.
struct Acceld_Extension {
  PJRT_Extension_Base base;

  // Publishes the value of a buffer under a name by which other sessions can open it
  // (client::Client::Publish).
  PJRT_Error* (*publish)(PJRT_Buffer* buffer, const char* name, size_t name_size, bool for_everyone,
                         bool replace);
  // Opens the array with this name and returns its type and the id of its device. The next buffer
  // that this thread creates from host memory of that type on that device becomes this array, and
  // the host memory is not read. `dims` has room for `max_dims`.
  PJRT_Error* (*open)(PJRT_Client* client, const char* name, size_t name_size,
                      PJRT_Buffer_Type* type, int64_t* dims, size_t max_dims, size_t* num_dims,
                      int* device);
  // Returns whether the value of a buffer can be fetched without waiting for it
  // (PJRT_Buffer::FetchAhead).
  bool (*fetch_ahead)(PJRT_Buffer* buffer);
  // Removes a name (client::Client::DropName).
  PJRT_Error* (*drop)(PJRT_Client* client, const char* name, size_t name_size);
  // Sets the timeout of executions that this thread starts from now on; negative: none. Returns the
  // previous setting.
  int64_t (*set_timeout_ms)(int64_t timeout_ms);
  // Sets the priority (an Acceld_Priority) of executions that this thread starts from now on;
  // negative: the session's. Returns the previous setting.
  int (*set_priority)(int priority);
  // Returns the client that this process created last, or nullptr if it has been destroyed.
  PJRT_Client* (*client)();
  // Sets the function by which all host callbacks are called from now on; nullptr makes them fail.
  // The compile option "acceld_callbacks" selects the Python functions of a program.
  void (*set_python_callback)(Acceld_PythonCallback callback);
  // Stores the numbers of Python functions that nothing can call any more in `ids`, at most `room`
  // of them, and returns how many.
  size_t (*take_released_callbacks)(uint64_t* ids, size_t room);
};
}

namespace acceld::pjrt {

// Returns the extension, with `next` as its successor in the list of extensions.
PJRT_Extension_Base* AcceldExtension(PJRT_Extension_Base* next);

}  // namespace acceld::pjrt
