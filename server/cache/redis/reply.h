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

// An answer of a server.
struct Reply {
  enum class Type : uint8_t { kNil, kStatus, kError, kInteger, kString, kArray };
  Type type = Type::kNil;
  std::string text;  // of kStatus, kError ("MOVED 3999 host:port") and kString
  int64_t integer = 0;
  std::vector<Reply> elements;  // of kArray

  bool is_nil() const { return type == Type::kNil; }
  bool is_error() const { return type == Type::kError; }
};
// "nil", "3", "[a, b]", for messages; long ones are cut.
std::string ToString(const Reply& reply);

// Makes answers of bytes as they come (RESP2, by hiredis). What a server sends cannot take more
// than so much memory, neither the bytes nor the elements of arrays, of which a few bytes could
// announce many. Thread-compatible.
class ReplyReader {
 public:
  static constexpr int64_t kMaxElements = 65536;  // of an array

  explicit ReplyReader(size_t max_bytes);
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // The next answer, when there is all of it. DATA_LOSS for what is none, or larger than
  // `max_bytes`, or goes on after the answer: nobody has asked for more, and it would be taken for
  // the answer to the next command. Then the reader is of no more use.
  absl::StatusOr<absl::optional<Reply>> Add(absl::string_view bytes);

 private:
  using Reader = std::unique_ptr<redisReader, void (*)(redisReader*)>;
  static Reader NewReader(size_t& left_for_elements);

  const size_t max_bytes_;
  size_t bytes_ = 0;          // of the answer so far
  size_t left_for_elements_;  // of it, in bytes; counted down by the reader
  Reader reader_;
};

}  // namespace acceld::cache::redis
