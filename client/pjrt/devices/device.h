#pragma once

#include <cstdint>
#include <string>

#include "client/pjrt/abi/abi.h"
#include "client/pjrt/devices/memory.h"
#include "client/pjrt/devices/memory_use.h"
#include "client/pjrt/named_values.h"
#include "client/server_info.h"

// A device's static properties. Owned by its PJRT_Device; immutable.
struct PJRT_DeviceDescription {
  int id;            // JAX's number, from 0 over all devices of the client.
  std::string kind;  // "NVIDIA H100 80GB HBM3", "AMD EPYC 9R14"
  std::string debug_string, to_string;
  acceld::pjrt::NamedValues attributes;
};

// A device of the daemon. Owned by its client; immutable except for memory_use.
struct PJRT_Device {
  // `info` comes from the daemon; `id` is JAX's number; `ordinal` is the number among devices of
  // its kind.
  PJRT_Device(PJRT_Client* client, const acceld::client::DeviceInfo& info, int id, int ordinal);
  PJRT_Device(const PJRT_Device&) = delete;
  PJRT_Device& operator=(const PJRT_Device&) = delete;

  PJRT_Client* const client;
  const uint32_t daemon_id;
  const std::string daemon_kind;  // DeviceInfo::kind: "cpu", "cuda"
  const int ordinal;
  const bool is_cpu;
  const uint64_t memory_limit_bytes;
  PJRT_DeviceDescription description;
  PJRT_Memory memory;
  PJRT_Memory* const memories[1] = {&memory};
  acceld::pjrt::MemoryUse memory_use;
};
