#pragma once

#include <memory>
#include <utility>

#include "common/threads/future.h"

namespace acceld::pjrt {

// A copy of an array's value in the memory of this process, possibly still being fetched. Immutable
// once it has arrived. Thread-safe.
class HostValue {
 public:
  // `fetched` is the event of a fetch into `bytes`, which are kept until it has completed.
  HostValue(std::shared_ptr<char[]> bytes, acceld::Event fetched)
      : bytes_(std::move(bytes)), fetched_(std::move(fetched)) {
    if (!fetched_.IsReady()) fetched_.OnReady([bytes = bytes_](const auto&) {});
  }
  HostValue(const HostValue&) = delete;
  HostValue& operator=(const HostValue&) = delete;

  // Completes when the value has arrived, or with the error in its place.
  const acceld::Event& fetched() const { return fetched_; }
  bool is_here() const { return fetched_.IsReady() && fetched_.Await().ok(); }
  // The row-major elements, aligned for every dtype; valid to read if is_here(). Never nullptr.
  const char* data() const { return bytes_.get(); }

 private:
  const std::shared_ptr<char[]> bytes_;
  const acceld::Event fetched_;
};

}  // namespace acceld::pjrt
