#pragma once

#include <cstddef>
#include <iterator>

#include "client/pjrt/abi/abi.h"

// The positions of the fields in the argument structs of abi.h.
namespace acceld::pjrt {

// A field of an argument struct.
struct Field {
  const char* name;
  size_t offset, size_bytes;
};

// Layout<Args>::kFields lists all fields of an argument struct, in order.
template <typename Args>
struct Layout;

#define PJRT_IN(type, field) Field{#field, offsetof(Args, field), sizeof(Args::field)},
#define PJRT_OUT(type, field) PJRT_IN(type, field)
#define PJRT_FUNCTION(function, ...)                                                              \
  template <>                                                                                     \
  struct Layout<PJRT_##function##_Args> {                                                         \
    using Args = PJRT_##function##_Args;                                                          \
    static constexpr Field kFields[] = {                                                          \
        PJRT_IN(size_t, struct_size) PJRT_IN(PJRT_Extension_Base*, extension_start) __VA_ARGS__}; \
  };
#define PJRT_VOID_FUNCTION(function, ...) PJRT_FUNCTION(function, __VA_ARGS__)
#include "client/pjrt/abi/all_functions.def"

// The struct size that a caller compiled with this version of the interface passes: up to the end
// of the last field, without trailing padding.
template <typename Args>
constexpr size_t SizeOfArgs() {
  const Field& last = *std::rbegin(Layout<Args>::kFields);
  return last.offset + last.size_bytes;
}

}  // namespace acceld::pjrt
