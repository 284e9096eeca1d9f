#pragma once

namespace acceld::client {

// Marks the current thread, for the life of the object, as one that runs users' callbacks on behalf
// of a connection: there an append must not block (the reader brings the credits it would wait for)
// and no connection may join its threads.
class TransportThread {
 public:
  TransportThread() { current_ = true; }
  ~TransportThread() { current_ = false; }
  TransportThread(const TransportThread&) = delete;
  TransportThread& operator=(const TransportThread&) = delete;

  static bool IsCurrent() { return current_; }

 private:
  static inline thread_local bool current_ = false;
};

}  // namespace acceld::client
