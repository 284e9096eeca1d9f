#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::client {

// Takes the bytes of one fetched array: into memory of the caller's or a string of its own. One
// thread at a time.
class ByteSink {
 public:
  // A string of this size, which is made when the first bytes come.
  explicit ByteSink(size_t size_bytes) : size_bytes_(size_bytes) {}
  explicit ByteSink(absl::Span<char> into) : size_bytes_(into.size()), into_(into.data()) {}
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  size_t size_bytes() const { return size_bytes_; }
  // INTERNAL when they are more than there should be.
  absl::Status Append(absl::string_view bytes);
  // What came so far broke off; the bytes come anew from the first on.
  void Restart();
  // INTERNAL unless all have come.
  absl::Status Finish() const;
  // After Finish: the string.
  std::string TakeString() { return std::move(string_); }

 private:
  const size_t size_bytes_;
  char* const into_ = nullptr;
  size_t filled_ = 0;
  std::string string_;
};

}  // namespace acceld::client
