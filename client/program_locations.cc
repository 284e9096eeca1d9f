#include "client/program_locations.h"

#include <utility>

#include "common/op_origin.h"

namespace acceld::client {

absl::Status Locate(const absl::Status& status, const ir::OpLocations& source_locations) {
  const absl::optional<OpOrigin> origin = OriginOf(status);
  if (!origin.has_value()) return status;
  const absl::string_view location = source_locations.LocationOf(origin->op);
  return location.empty() ? status : Annotate(status, location);
}

void ProgramLocations::Add(const Digest& fingerprint,
                           std::shared_ptr<const ir::OpLocations> source_locations) {
  MutexLock lock(mutex_);
  bytes_ += source_locations->MemoryBytes();
  std::shared_ptr<const ir::OpLocations>& known = locations_[fingerprint];
  if (known == nullptr) {
    order_.push_back(fingerprint);
  } else {
    bytes_ -= known->MemoryBytes();
  }
  known = std::move(source_locations);
  while (bytes_ > kMaxBytes && order_.size() > 1) {
    const auto oldest = locations_.find(order_.front());
    bytes_ -= oldest->second->MemoryBytes();
    locations_.erase(oldest);
    order_.pop_front();
  }
}

absl::Status ProgramLocations::Locate(const absl::Status& status) const {
  const absl::optional<OpOrigin> origin = OriginOf(status);
  if (!origin.has_value()) return status;
  std::shared_ptr<const ir::OpLocations> source_locations;
  {
    MutexLock lock(mutex_);
    const auto found = locations_.find(origin->program);
    if (found != locations_.end()) source_locations = found->second;
  }
  return source_locations == nullptr ? status : client::Locate(status, *source_locations);
}

}  // namespace acceld::client
