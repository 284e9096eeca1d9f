#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/memory/allowance.h"
#include "common/status.h"

namespace acceld {

// A buffer to which bytes are appended piece by piece. It keeps them in blocks that never move. A
// block is charged to an allowance before it is allocated. Not thread-safe.
class ChunkedBytes {
 public:
  // Without an allowance nothing is charged.
  explicit ChunkedBytes(std::shared_ptr<Allowance> allowance = nullptr)
      : taken_(std::move(allowance)) {}
  ChunkedBytes(ChunkedBytes&& other) noexcept = default;
  ChunkedBytes& operator=(ChunkedBytes&& other) noexcept = default;

  // Appends `bytes`, or nothing if the allowance refuses their memory, whose error is returned.
  absl::Status Append(absl::string_view bytes);
  int64_t size_bytes() const { return size_bytes_; }
  const std::vector<std::string>& blocks() const { return blocks_; }

 private:
  Taken taken_;
  std::vector<std::string> blocks_;
  int64_t size_bytes_ = 0;
};

}  // namespace acceld
