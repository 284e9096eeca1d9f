#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/pjrt/abi/layout.h"
#include "client/pjrt/error.h"

// The C functions in the tables of the interface: wrappers that call the C++ functions of
// functions.h.
namespace acceld::pjrt {

// Calls `function` and converts exceptions to errors, because no exception may leave the plugin.
template <typename Args>
absl::Status CallContained(absl::Status (*function)(Args&), Args& args) {
  try {
    return function(args);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("the process has no memory left for this call of acceld");
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("acceld: ", error.what()));
  }
}

// Calls `function` with a complete argument struct, whichever version of the interface the caller
// has.
template <typename Args>
absl::Status Call(absl::Status (*function)(Args&), Args* args) {
  if (args == nullptr) return absl::InvalidArgumentError("acceld: a call without arguments");
  if (args->struct_size >= SizeOfArgs<Args>()) return CallContained(function, *args);
  // The caller has an older version of the interface, in which the struct ends earlier.
  Args whole{};
  std::memcpy(&whole, args, args->struct_size);
  const absl::Status status = CallContained(function, whole);
  std::memcpy(args, &whole, args->struct_size);
  return status;
}

// The table entry for a function that returns an error, and the one for a function that returns
// nothing.
template <typename Args, absl::Status (*function)(Args&)>
PJRT_Error* Entry(Args* args) {
  return ToError(Call(function, args));
}

template <typename Args, absl::Status (*function)(Args&)>
void VoidEntry(Args* args) {
  (void)Call(function, args);
}

}  // namespace acceld::pjrt
