#pragma once

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "google/protobuf/arena.h"

namespace acceld::rpc {

// Memory for decoding what a client has sent, bounded by a multiple of its size: an empty message
// in a list takes two bytes of the wire, and over a hundred of memory. Thread-compatible.
class BoundedArena {
 public:
  explicit BoundedArena(int64_t input_bytes);
  BoundedArena(const BoundedArena&) = delete;
  BoundedArena& operator=(const BoundedArena&) = delete;

  google::protobuf::Arena& arena() { return arena_; }
  // Calls `decode`, which makes its objects in the arena and says whether the input is well-formed.
  // RESOURCE_EXHAUSTED when the bound is reached, INVALID_ARGUMENT, "<what> is malformed,
  // or nested too deep", otherwise.
  absl::Status Decode(absl::string_view what, absl::FunctionRef<bool()> decode);

 private:
  const int64_t input_bytes_;
  google::protobuf::Arena arena_;
};

// A message that was decoded so.
template <typename Message>
class BoundedMessage {
 public:
  // The errors of BoundedArena.
  static absl::StatusOr<std::unique_ptr<BoundedMessage>> Decode(
      int64_t input_bytes, absl::FunctionRef<bool(Message&)> decode) {
    std::unique_ptr<BoundedMessage> message(new BoundedMessage(input_bytes));
    ACCELD_RETURN_IF_ERROR(
        message->arena_.Decode(absl::StrCat("the ", Message::descriptor()->name()),
                               [&] { return decode(*message->message_); }));
    return message;
  }

  // Decodes into `message`: in a bounded arena first where there is much, of which it is a copy
  // then.
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
  // What is smaller takes little memory in any case.
  static constexpr int64_t kLargeBytes = int64_t{1} << 20;

  explicit BoundedMessage(int64_t input_bytes)
      : arena_(input_bytes),
        message_(google::protobuf::Arena::CreateMessage<Message>(&arena_.arena())) {}

  BoundedArena arena_;
  Message* const message_;  // in the arena
};

}  // namespace acceld::rpc
