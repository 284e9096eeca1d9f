#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"

namespace acceld::client {

// Receives the bytes of one fetched array, into memory of the caller, a string of its own, or
// memory that the daemon shares. Not thread-safe.
class ByteSink {
 public:
  // Collects into a string of this size, which is allocated when the first bytes arrive.
  explicit ByteSink(size_t size_bytes) : size_bytes_(size_bytes) {}
  // Collects into a string too, unless the daemon offers the bytes as shared memory.
  struct MayShare {};
  ByteSink(size_t size_bytes, MayShare) : size_bytes_(size_bytes), may_share_(true) {}
  // Writes to memory of the caller.
  explicit ByteSink(absl::Span<char> into) : size_bytes_(into.size()), into_(into.data()) {}
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  size_t size_bytes() const { return size_bytes_; }
  bool may_share() const { return may_share_; }
  // Receives all bytes at once as shared memory. INTERNAL if their number is wrong.
  absl::Status Share(SharedBytes bytes);
  // Receives the next bytes. INTERNAL if there are more than expected.
  absl::Status Append(absl::string_view bytes);
  // Discards the bytes received so far, because the transfer starts again from the first byte.
  void Restart();
  // Returns INTERNAL unless all bytes have been received.
  absl::Status Finish() const;
  // Returns the string; call after Finish.
  std::string TakeString() { return std::move(string_); }
  // Returns the bytes of a sink that was made with MayShare; call after Finish.
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
