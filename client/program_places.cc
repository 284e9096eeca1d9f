#include "client/program_places.h"

#include <utility>

#include "common/op_origin.h"

namespace acceld::client {

absl::Status Locate(const absl::Status& status, const ir::OpPlaces& places) {
  const absl::optional<OpOrigin> origin = OriginOf(status);
  if (!origin.has_value()) return status;
  const absl::string_view place = places.PlaceOf(origin->op);
  return place.empty() ? status : Annotate(status, place);
}

void ProgramPlaces::Add(const Digest& fingerprint, std::shared_ptr<const ir::OpPlaces> places) {
  MutexLock lock(mutex_);
  bytes_ += places->MemoryBytes();
  std::shared_ptr<const ir::OpPlaces>& known = places_[fingerprint];
  if (known == nullptr) {
    order_.push_back(fingerprint);
  } else {
    bytes_ -= known->MemoryBytes();
  }
  known = std::move(places);
  while (bytes_ > kMaxBytes && order_.size() > 1) {
    const auto oldest = places_.find(order_.front());
    bytes_ -= oldest->second->MemoryBytes();
    places_.erase(oldest);
    order_.pop_front();
  }
}

absl::Status ProgramPlaces::Locate(const absl::Status& status) const {
  const absl::optional<OpOrigin> origin = OriginOf(status);
  if (!origin.has_value()) return status;
  std::shared_ptr<const ir::OpPlaces> places;
  {
    MutexLock lock(mutex_);
    const auto found = places_.find(origin->program);
    if (found != places_.end()) places = found->second;
  }
  return places == nullptr ? status : client::Locate(status, *places);
}

}  // namespace acceld::client
