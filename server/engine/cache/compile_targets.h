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

// What programs are compiled for.
struct CompileTarget {
  std::string architecture;
  absl::optional<size_t> device;  // nullopt: for devices elsewhere; nothing is loaded
  const codegen::CodeGenerator* generator = nullptr;
  std::unique_ptr<const codegen::CodeGenerator> own;  // what `generator` is, where no device has it
};
using CompileTargetPtr = std::shared_ptr<const CompileTarget>;

// This node's devices, and architectures that callers name. Thread-safe.
class CompileTargets {
 public:
  // Makes code for an architecture without a device of it. INVALID_ARGUMENT when it is none, or not
  // one that this machine can compile for.
  using MakeGenerator = std::function<absl::StatusOr<std::unique_ptr<const codegen::CodeGenerator>>(
      const std::string&)>;

  // `devices` outlive what is compiled. `make` may be empty: the devices' architectures are all.
  CompileTargets(const std::vector<codegen::TargetDevice>& devices, MakeGenerator make);

  const CompileTargetPtr& OfDevice(size_t device) const { return of_devices_[device]; }
  // For an architecture as DeviceInfo has it. May take a second, the first time.
  absl::StatusOr<CompileTargetPtr> OfArchitecture(const std::string& architecture);

 private:
  const MakeGenerator make_;
  std::vector<CompileTargetPtr> of_devices_;
  Mutex mutex_;
  std::map<std::string, CompileTargetPtr> made_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
