#pragma once

#include <cstddef>
#include <iterator>

#include "client/pjrt/abi/abi.h"

// Where the fields of the argument structs are.
namespace acceld::pjrt {

struct Field {
  const char* name;
  size_t offset, size_bytes;
};

// Layout<Args>::kFields has all fields of an argument struct, in order.
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

// The size that a caller of this version of the interface gives: up to the end of the last field,
// without what the compiler adds behind it.
template <typename Args>
constexpr size_t SizeOfArgs() {
  const Field& last = *std::rbegin(Layout<Args>::kFields);
  return last.offset + last.size_bytes;
}

}  // namespace acceld::pjrt
