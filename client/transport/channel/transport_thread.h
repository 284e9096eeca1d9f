#pragma once

namespace acceld::client {

// Marks the current thread, for the lifetime of the object, as one that runs users' callbacks for a
// connection. On such a thread an append must not block, because the credits it would wait for may
// arrive on this thread, and a connection must not join its threads.
class TransportThread {
 public:
  TransportThread() { current_ = true; }
  ~TransportThread() { current_ = false; }
  TransportThread(const TransportThread&) = delete;
  TransportThread& operator=(const TransportThread&) = delete;

  // Returns whether the calling thread is marked.
  static bool IsCurrent() { return current_; }

 private:
  static inline thread_local bool current_ = false;
};

}  // namespace acceld::client
