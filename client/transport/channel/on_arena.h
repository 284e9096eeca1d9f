#pragma once

#include <google/protobuf/arena.h>

#include <cstddef>

namespace acceld::client {

// A protobuf message on an arena whose first kFirstBytes are part of this object. A short message
// therefore needs no heap allocation, and its parts are freed all at once. The arena grows with
// every field that is set and never shrinks, so use this for messages that are built once.
template <typename Message, size_t kFirstBytes = 1024>
class OnArena {
 public:
  OnArena() : arena_(first_, kFirstBytes) {}
  OnArena(const OnArena&) = delete;
  OnArena& operator=(const OnArena&) = delete;

  Message& operator*() { return *message_; }
  Message* operator->() { return message_; }

 private:
  alignas(8) char first_[kFirstBytes];
  google::protobuf::Arena arena_;
  Message* const message_ = google::protobuf::Arena::CreateMessage<Message>(&arena_);
};

}  // namespace acceld::client
