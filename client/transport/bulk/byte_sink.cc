#include "client/transport/bulk/byte_sink.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/memory/streaming_copy.h"

namespace acceld::client {

absl::Status ByteSink::Append(absl::string_view bytes) {
  if (bytes.size() > size_bytes_ - filled_) {
    return absl::InternalError(
        absl::StrCat("the daemon sends more than the ", size_bytes_, " bytes of the array"));
  }
  if (into_ != nullptr) {
    StreamingCopy(into_ + filled_, bytes.data(), bytes.size());
  } else {
    string_.reserve(size_bytes_);
    string_.append(bytes.data(), bytes.size());
  }
  filled_ += bytes.size();
  return absl::OkStatus();
}

absl::Status ByteSink::Share(SharedBytes bytes) {
  filled_ = bytes.view.size();
  shared_ = std::move(bytes);
  return Finish();
}

SharedBytes ByteSink::TakeShared() {
  if (shared_.owner != nullptr) return std::move(shared_);
  const auto owner = std::make_shared<const std::string>(TakeString());
  return {*owner, owner, {}};
}

void ByteSink::Restart() {
  filled_ = 0;
  string_.clear();
  shared_ = {};
}

absl::Status ByteSink::Finish() const {
  if (filled_ == size_bytes_) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the daemon sends ", filled_, " of the ", size_bytes_, " bytes of the array"));
}

}  // namespace acceld::client
