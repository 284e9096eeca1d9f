#pragma once

#include <memory>
#include <utility>

#include "common/threads/future.h"

namespace acceld::pjrt {

// A copy of an array's value in the memory of this process, on its way or there. Immutable once it
// is there, and any thread may use it.
class HostValue {
 public:
  // `bytes` is where `fetched` brings the value to; they stay as long as they may be written to.
  HostValue(std::shared_ptr<char[]> bytes, acceld::Event fetched)
      : bytes_(std::move(bytes)), fetched_(std::move(fetched)) {
    if (!fetched_.IsReady()) fetched_.OnReady([bytes = bytes_](const auto&) {});
  }
  HostValue(const HostValue&) = delete;
  HostValue& operator=(const HostValue&) = delete;

  // When the value is there, or the error that stands for it.
  const acceld::Event& fetched() const { return fetched_; }
  bool is_here() const { return fetched_.IsReady() && fetched_.Await().ok(); }
  // Row-major elements, aligned for each dtype; to be read when the value is here. Never null.
  const char* data() const { return bytes_.get(); }

 private:
  const std::shared_ptr<char[]> bytes_;
  const acceld::Event fetched_;
};

}  // namespace acceld::pjrt
