#include "common/memory/gathered_bytes.h"

#include <algorithm>

namespace acceld {
namespace {

// The overhead of a smaller block would exceed its bytes.
constexpr size_t kMinBlockBytes = size_t{4} << 10;
// The most room that is allocated for bytes that are yet to come.
constexpr size_t kMaxSpareBytes = size_t{1} << 20;

}  // namespace

absl::Status ChunkedBytes::Append(absl::string_view bytes) {
  const size_t room = blocks_.empty() ? 0 : blocks_.back().capacity() - blocks_.back().size();
  const absl::string_view first = bytes.substr(0, room), rest = bytes.substr(first.size());
  if (!rest.empty()) {
    // Doubles the room, within bounds, so that many small pieces make few blocks.
    const size_t spare =
        std::min(kMaxSpareBytes, std::max(kMinBlockBytes, static_cast<size_t>(size_bytes_)));
    const size_t capacity = std::max(rest.size(), spare);
    ACCELD_RETURN_IF_ERROR(taken_.Add(static_cast<int64_t>(capacity)));
    std::string block;
    block.reserve(capacity);
    block.append(rest.data(), rest.size());
    if (!first.empty()) blocks_.back().append(first.data(), first.size());
    blocks_.push_back(std::move(block));
  } else if (!first.empty()) {
    blocks_.back().append(first.data(), first.size());
  }
  size_bytes_ += static_cast<int64_t>(bytes.size());
  return absl::OkStatus();
}

}  // namespace acceld
