#pragma once

#include <string>
#include <vector>

#include "client/pjrt/abi/abi.h"
#include "client/pjrt/named_values.h"

// The descriptions of all devices of a client. Owned by the client.
struct PJRT_TopologyDescription {
  const std::string* platform_version = nullptr;  // Owned by the client.
  std::vector<PJRT_DeviceDescription*> descriptions;
  acceld::pjrt::NamedValues attributes;
};
