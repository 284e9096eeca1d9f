#pragma once

#include <cstdint>
#include <memory>

#include "client/array.h"
#include "common/future.h"

namespace acceld::pjrt {

// A copy of an array's value in the memory of this process, which is fetched when it is made. JAX
// reads it in place, as it reads the arrays of its own CPU platform. Immutable once it is there,
// and any thread may use it.
class HostValue {
 public:
  // Arrays up to this size are copied so; larger ones are fetched to where they are wanted.
  static constexpr int64_t kMaxBytes = int64_t{64} << 10;

  // Whoever makes it reads it next, so it waits a little for a value that comes at once, and longer
  // for one that is already computed.
  explicit HostValue(const client::Array& array);
  HostValue(const HostValue&) = delete;
  HostValue& operator=(const HostValue&) = delete;

  // When the value is there, or the error that stands for it.
  const acceld::Event& fetched() const { return fetched_; }
  bool is_here() const { return fetched_.IsReady() && fetched_.Await().ok(); }
  // Row-major elements, aligned for each dtype; to be read when the value is here. Never null.
  const char* data() const { return bytes_.get(); }

 private:
  const std::shared_ptr<char[]> bytes_;  // Shared with the fetch.
  const acceld::Event fetched_;
};

}  // namespace acceld::pjrt
