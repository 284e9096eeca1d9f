#pragma once

#include <string>

#include "client/pjrt/abi/abi.h"

// The memory of a device. Belongs to its client; immutable.
struct PJRT_Memory {
  PJRT_Device* device;  // the only one that can use it
  int id;
  std::string debug_string;

  // What JAX knows it as: `x.sharding.memory_kind`.
  static constexpr char kKind[] = "device";
  static constexpr int kKindId = 0;
};
