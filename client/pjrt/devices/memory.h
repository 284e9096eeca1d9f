#pragma once

#include <string>

#include "client/pjrt/abi/abi.h"

// The memory of a device. Owned by its PJRT_Device; immutable.
struct PJRT_Memory {
  PJRT_Device* device;  // The only device that can use it.
  int id;
  std::string debug_string;

  // The name of this kind of memory in JAX: `x.sharding.memory_kind`.
  static constexpr char kKind[] = "device";
  static constexpr int kKindId = 0;
};
