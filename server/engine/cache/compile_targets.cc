#include "server/engine/cache/compile_targets.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::engine {
namespace {

// The most generators kept, as each may hold a compiler; usually few are used.
constexpr size_t kMaxMade = 32;

}  // namespace

CompileTargets::CompileTargets(const std::vector<codegen::TargetDevice>& devices,
                               MakeGenerator make)
    : make_(std::move(make)) {
  for (const codegen::TargetDevice& device : devices) {
    auto target = std::make_shared<CompileTarget>();
    target->generator = device.generator.get();
    target->architecture = target->generator->architecture();
    target->device = of_devices_.size();
    of_devices_.push_back(std::move(target));
  }
}

absl::StatusOr<CompileTargetPtr> CompileTargets::OfArchitecture(const std::string& architecture) {
  MutexLock lock(mutex_);
  if (const auto it = made_.find(architecture); it != made_.end()) return it->second;
  auto target = std::make_shared<CompileTarget>();
  target->architecture = architecture;
  for (const CompileTargetPtr& device : of_devices_) {
    if (device->architecture == architecture) target->generator = device->generator;
  }
  if (target->generator == nullptr) {
    if (make_ == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("target '", architecture, "': no device here is one"));
    }
    ACCELD_ASSIGN_OR_RETURN(target->own, make_(architecture));
    target->generator = target->own.get();
    // The generator may have completed the requested name; the complete one is part of cache keys.
    target->architecture = target->generator->architecture();
  }
  if (made_.size() >= kMaxMade) made_.clear();
  return made_[architecture] = std::move(target);
}

}  // namespace acceld::engine
