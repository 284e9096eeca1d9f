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

// Bytes that come in pieces and are kept in blocks, which never move. Memory is taken from an
// allowance before it is taken from the system. Not thread-safe.
class GatheredBytes {
 public:
  // Without an allowance nobody is charged.
  explicit GatheredBytes(std::shared_ptr<Allowance> allowance = nullptr)
      : taken_(std::move(allowance)) {}
  GatheredBytes(GatheredBytes&& other) noexcept = default;
  GatheredBytes& operator=(GatheredBytes&& other) noexcept = default;

  // The error of the allowance; nothing has happened then.
  absl::Status Append(absl::string_view bytes);
  int64_t size_bytes() const { return size_bytes_; }
  const std::vector<std::string>& blocks() const { return blocks_; }

 private:
  Taken taken_;
  std::vector<std::string> blocks_;
  int64_t size_bytes_ = 0;
};

}  // namespace acceld
