#include "server/runtime/schedule/compute_streams.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace acceld::runtime {

ComputeStreams::ComputeStreams(std::unique_ptr<ComputeStream> current) : current_(current.get()) {
  all_.push_back(std::move(current));
}

void ComputeStreams::Add(std::unique_ptr<ComputeStream> stream) {
  spare_.push_back(stream.get());
  all_.push_back(std::move(stream));
}

void ComputeStreams::UseSpare() {
  ACCELD_CHECK(!spare_.empty());
  current_ = spare_.back();
  spare_.pop_back();
  least_spare_ = std::min(least_spare_, spare_.size());
}

void ComputeStreams::Use(ComputeStream& stream) {
  spare_.push_back(current_);
  current_ = &stream;
}

std::unique_ptr<ComputeStream> ComputeStreams::Remove(const ComputeStream& stream) {
  const auto position =
      std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.get() == &stream; });
  std::unique_ptr<ComputeStream> removed = std::move(*position);
  all_.erase(position);
  return removed;
}

std::vector<std::unique_ptr<ComputeStream>> ComputeStreams::RemoveUnused() {
  std::vector<std::unique_ptr<ComputeStream>> unused;
  for (size_t i = 0; i < least_spare_; ++i) unused.push_back(Remove(*spare_[i]));
  spare_.erase(spare_.begin(), spare_.begin() + static_cast<ptrdiff_t>(least_spare_));
  least_spare_ = spare_.size();
  return unused;
}

}  // namespace acceld::runtime
