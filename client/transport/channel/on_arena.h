#pragma once

#include <google/protobuf/arena.h>

#include <cstddef>

namespace acceld::client {

// A message of Protocol Buffers whose parts lie behind one another, the first kFirstBytes of them
// in here: a brief message costs no allocation of its own, and none of its parts is freed one by
// one. It grows with whatever it is set to, and shrinks never: for messages that are built once.
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
