#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/pjrt/abi/abi.h"
#include "client/pjrt/compile/deferred_queries.h"
#include "client/pjrt/devices/device.h"
#include "client/pjrt/devices/topology.h"
#include "common/status.h"

// A session with a daemon, as the framework sees it. Immutable after construction, except for
// deferred_queries.
struct PJRT_Client {
  explicit PJRT_Client(std::shared_ptr<acceld::client::Client> session);
  PJRT_Client(const PJRT_Client&) = delete;
  PJRT_Client& operator=(const PJRT_Client&) = delete;

  // Returns the device of `memory`, else `device`, or the first device if both are null.
  PJRT_Device* Choose(const PJRT_Device* device, const PJRT_Memory* memory) const;

  const std::shared_ptr<acceld::client::Client> session;  // Shared with executables.
  const std::string platform_version;
  std::vector<std::unique_ptr<PJRT_Device>> devices;  // In JAX's order.
  std::vector<PJRT_Device*> device_pointers;          // In the same order.
  std::vector<PJRT_Memory*> memory_pointers;          // In the same order.
  PJRT_TopologyDescription topology;
  acceld::pjrt::DeferredQueries deferred_queries;
};

namespace acceld::pjrt {

// The name of the platform in JAX: JAX_PLATFORMS=acceld.
inline constexpr char kPlatformName[] = "acceld";

// Returns the client that this process created last, or nullptr if that has been destroyed or there
// never was one.
PJRT_Client* LastClient();

// Returns the device that JAX numbers `id`. NOT_FOUND says how many devices there are.
absl::StatusOr<PJRT_Device*> FindDevice(const PJRT_Client& client, int64_t id);

}  // namespace acceld::pjrt
