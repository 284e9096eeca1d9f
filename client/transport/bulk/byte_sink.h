#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"

namespace acceld::client {

// Takes the bytes of one fetched array: into memory of the caller's, a string of its own, or memory
// that the daemon shares. One thread at a time.
class ByteSink {
 public:
  // A string of this size, which is made when the first bytes come.
  explicit ByteSink(size_t size_bytes) : size_bytes_(size_bytes) {}
  // The same, unless the bytes come as memory that is shared.
  struct MayShare {};
  ByteSink(size_t size_bytes, MayShare) : size_bytes_(size_bytes), may_share_(true) {}
  explicit ByteSink(absl::Span<char> into) : size_bytes_(into.size()), into_(into.data()) {}
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  size_t size_bytes() const { return size_bytes_; }
  bool may_share() const { return may_share_; }
  // All bytes at once. INTERNAL when they are not as many as there should be.
  absl::Status Share(SharedBytes bytes);
  // INTERNAL when they are more than there should be.
  absl::Status Append(absl::string_view bytes);
  // What came so far broke off; the bytes come anew from the first on.
  void Restart();
  // INTERNAL unless all have come.
  absl::Status Finish() const;
  // After Finish: the string.
  std::string TakeString() { return std::move(string_); }
  // The same for one that MayShare.
  SharedBytes TakeShared();

 private:
  const size_t size_bytes_;
  char* const into_ = nullptr;
  const bool may_share_ = false;
  size_t filled_ = 0;
  std::string string_;
  SharedBytes shared_;
};

}  // namespace acceld::client
