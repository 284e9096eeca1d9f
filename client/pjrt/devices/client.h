#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/pjrt/abi/abi.h"
#include "client/pjrt/compile/late_questions.h"
#include "client/pjrt/devices/device.h"
#include "client/pjrt/devices/topology.h"
#include "common/status.h"

// A session with a daemon, as a framework sees it. Immutable after it is made, but for
// late_questions.
struct PJRT_Client {
  explicit PJRT_Client(std::shared_ptr<acceld::client::Client> session);
  PJRT_Client(const PJRT_Client&) = delete;
  PJRT_Client& operator=(const PJRT_Client&) = delete;

  // The device that `memory` or else `device` means, or the first one when both are null.
  PJRT_Device* Choose(const PJRT_Device* device, const PJRT_Memory* memory) const;

  const std::shared_ptr<acceld::client::Client> session;  // Shared with executables.
  const std::string platform_version;
  std::vector<std::unique_ptr<PJRT_Device>> devices;  // JAX's order
  std::vector<PJRT_Device*> device_pointers;          // the same
  std::vector<PJRT_Memory*> memory_pointers;          // of them, in their order
  PJRT_TopologyDescription topology;
  acceld::pjrt::LateQuestions late_questions;
};

namespace acceld::pjrt {

// What JAX calls the platform: JAX_PLATFORMS=acceld.
inline constexpr char kPlatformName[] = "acceld";

// The client that this process has made last, and not destroyed; nullptr when there is none.
PJRT_Client* LastClient();

// NOT_FOUND says which devices there are.
absl::StatusOr<PJRT_Device*> FindDevice(const PJRT_Client& client, int64_t id);

}  // namespace acceld::pjrt
