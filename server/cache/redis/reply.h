#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"

struct redisReader;

namespace acceld::cache::redis {

// A reply of a Redis server.
struct Reply {
  enum class Type : uint8_t { kNil, kStatus, kError, kInteger, kString, kArray };
  Type type = Type::kNil;
  std::string text;  // of kStatus, kError (as "MOVED 3999 host:port") and kString
  int64_t integer = 0;
  std::vector<Reply> elements;  // of kArray

  bool is_nil() const { return type == Type::kNil; }
  bool is_error() const { return type == Type::kError; }
};
// Formats a reply for messages: "nil", "3", "[a, b]". Long ones are truncated.
std::string ToString(const Reply& reply);

// Parses replies from bytes that arrive in pieces (protocol RESP2, by hiredis). Bounds the memory
// that a server can make it use: by the bytes of a reply and by the elements of its arrays, whose
// number a few bytes could announce to be huge. Thread-compatible.
class ReplyReader {
 public:
  // The most elements of one array.
  static constexpr int64_t kMaxElements = 65536;

  // `max_bytes` bounds the bytes of a reply, and the memory of its array elements.
  explicit ReplyReader(size_t max_bytes);
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // Adds the next bytes. Returns the reply once it is complete, before that nullopt. DATA_LOSS when
  // the bytes are not a valid reply, are too many, or go on after the reply: the rest would be
  // mistaken for the reply to the next command. The reader must not be used after an error.
  absl::StatusOr<absl::optional<Reply>> Add(absl::string_view bytes);

 private:
  using Reader = std::unique_ptr<redisReader, void (*)(redisReader*)>;
  static Reader NewReader(size_t& left_for_elements);

  const size_t max_bytes_;
  size_t bytes_ = 0;  // of the current reply
  // How many bytes of array elements the current reply may still have. Updated by the callbacks of
  // hiredis.
  size_t left_for_elements_;
  Reader reader_;
};

}  // namespace acceld::cache::redis
