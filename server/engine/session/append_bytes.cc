#include "common/memory/streaming_copy.h"
#include "server/engine/session/session.h"

namespace acceld::engine {

absl::Status Session::AppendUpload(Handle handle, int64_t offset_bytes, absl::string_view bytes) {
  return AppendUpload(handle, offset_bytes, bytes.size(), [&](size_t begin, absl::Span<char> to) {
    StreamingCopy(to.data(), bytes.data() + begin, to.size());
    return absl::OkStatus();
  });
}

}  // namespace acceld::engine
