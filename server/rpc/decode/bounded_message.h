#pragma once

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "google/protobuf/arena.h"

namespace acceld::rpc {

// An arena for decoding what a client has sent, bounded by a multiple of the serialized size. The
// bound is needed because protobuf amplifies: an empty message in a repeated field has two bytes
// when serialized, but takes over a hundred bytes of memory. Thread-compatible.
class BoundedArena {
 public:
  // `input_bytes` is the serialized size.
  explicit BoundedArena(int64_t input_bytes);
  BoundedArena(const BoundedArena&) = delete;
  BoundedArena& operator=(const BoundedArena&) = delete;

  google::protobuf::Arena& arena() { return arena_; }
  // Calls `decode`, which makes its objects in the arena and returns whether the input is
  // well-formed. RESOURCE_EXHAUSTED when it would take more memory than the bound;
  // INVALID_ARGUMENT, "<what> is malformed, or nested too deep", when it returns false.
  absl::Status Decode(absl::string_view what, absl::FunctionRef<bool()> decode);

 private:
  const int64_t input_bytes_;
  google::protobuf::Arena arena_;
};

// A message that was decoded in a BoundedArena, which it owns.
template <typename Message>
class BoundedMessage {
 public:
  // Decodes a message of `input_bytes` serialized bytes; `decode` parses them and returns whether
  // they are well-formed. The errors of BoundedArena::Decode.
  static absl::StatusOr<std::unique_ptr<BoundedMessage>> Decode(
      int64_t input_bytes, absl::FunctionRef<bool(Message&)> decode) {
    std::unique_ptr<BoundedMessage> message(new BoundedMessage(input_bytes));
    ACCELD_RETURN_IF_ERROR(
        message->arena_.Decode(absl::StrCat("the ", Message::descriptor()->name()),
                               [&] { return decode(*message->message_); }));
    return message;
  }

  // Decodes into `message`. A large input is first decoded in a BoundedArena and then copied to
  // `message`. The errors of BoundedArena::Decode.
  static absl::Status DecodeTo(Message& message, int64_t input_bytes,
                               absl::FunctionRef<bool(Message&)> decode) {
    if (input_bytes < kLargeBytes) {
      if (decode(message)) return absl::OkStatus();
      return absl::InvalidArgumentError(
          absl::StrCat("the ", Message::descriptor()->name(), " is malformed, or nested too deep"));
    }
    ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<BoundedMessage> bounded,
                            Decode(input_bytes, decode));
    message = **bounded;
    return absl::OkStatus();
  }

  Message& operator*() { return *message_; }
  Message* operator->() { return message_; }

 private:
  // An input with fewer bytes takes little memory even without a bound.
  static constexpr int64_t kLargeBytes = int64_t{1} << 20;

  explicit BoundedMessage(int64_t input_bytes)
      : arena_(input_bytes),
        message_(google::protobuf::Arena::CreateMessage<Message>(&arena_.arena())) {}

  BoundedArena arena_;
  Message* const message_;  // owned by the arena
};

}  // namespace acceld::rpc
