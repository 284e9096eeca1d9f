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
class GatheredBytes {
 public:
  // Without an allowance nothing is charged.
  explicit GatheredBytes(std::shared_ptr<Allowance> allowance = nullptr)
      : taken_(std::move(allowance)) {}
  GatheredBytes(GatheredBytes&& other) noexcept = default;
  GatheredBytes& operator=(GatheredBytes&& other) noexcept = default;

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
