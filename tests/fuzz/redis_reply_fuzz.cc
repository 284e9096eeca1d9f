// What a server sends never takes more memory than it may, comes the same in pieces as at once, and
// ends nothing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/check.h"
#include "server/cache/redis/reply.h"

using acceld::cache::redis::Reply;
using acceld::cache::redis::ReplyReader;

namespace {

// The first answer, as text; empty when there is none.
std::string FirstOf(absl::string_view bytes, size_t piece) {
  ReplyReader reader(/*max_bytes=*/1 << 16);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const absl::StatusOr<absl::optional<Reply>> reply = reader.Add(bytes.substr(0, piece));
    if (!reply.ok()) return "";
    if (reply->has_value()) return ToString(**reply);
  }
  return "";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string in_pieces = FirstOf(bytes, 1);
  // An answer that is followed by more is refused.
  const std::string at_once = FirstOf(bytes, bytes.size());
  ACCELD_CHECK(at_once.empty() || at_once == in_pieces);
  return 0;
}
