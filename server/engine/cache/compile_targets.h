#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/codegen/target_device.h"

namespace acceld::engine {

// The architecture that a program is compiled for, with its code generator.
struct CompileTarget {
  std::string architecture;
  absl::optional<size_t> device;  // its index; nullopt: for devices elsewhere, so nothing is loaded
  const codegen::CodeGenerator* generator = nullptr;
  // Owns `generator` for architectures that no device here has.
  std::unique_ptr<const codegen::CodeGenerator> own;
};
using CompileTargetPtr = std::shared_ptr<const CompileTarget>;

// The compile targets: the devices of this node, and other architectures by name. Thread-safe.
class CompileTargets {
 public:
  // Makes a generator for an architecture that no device here has. INVALID_ARGUMENT when the
  // architecture is unknown or this machine cannot compile for it.
  using MakeGenerator = std::function<absl::StatusOr<std::unique_ptr<const codegen::CodeGenerator>>(
      const std::string&)>;

  // `devices` must outlive what is compiled. `make` may be empty: then only the architectures of
  // the devices are available.
  CompileTargets(const std::vector<codegen::TargetDevice>& devices, MakeGenerator make);

  const CompileTargetPtr& OfDevice(size_t device) const { return of_devices_[device]; }
  // Returns the target for an architecture as named in DeviceInfo. May take a second the first
  // time.
  absl::StatusOr<CompileTargetPtr> OfArchitecture(const std::string& architecture);

 private:
  const MakeGenerator make_;
  std::vector<CompileTargetPtr> of_devices_;
  Mutex mutex_;
  std::map<std::string, CompileTargetPtr> made_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
