#pragma once

#include <string>
#include <vector>

#include "client/pjrt/abi/abi.h"
#include "client/pjrt/named_values.h"

// The devices of a client, described. Belongs to the client.
struct PJRT_TopologyDescription {
  const std::string* platform_version = nullptr;  // the client's
  std::vector<PJRT_DeviceDescription*> descriptions;
  acceld::pjrt::NamedValues attributes;
};
