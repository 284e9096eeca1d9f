#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "common/status.h"

namespace acceld {

// A function that runs on a stack of its own and can stop in its middle, so that one thread can run
// several functions that wait for each other. A fiber runs only inside of Resume; between two calls
// it must stay on the same thread, since libraries keep state by thread, and must not hold locks.
//
// Not thread-safe.
class Fiber {
 public:
  // Makes a fiber that will run `body`, which must not throw. RESOURCE_EXHAUSTED if the system has
  // no memory for the stack.
  static absl::StatusOr<std::unique_ptr<Fiber>> Create(std::function<void()> body);
  // The body must have ended, or never begun.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the body, from where it stopped, until it calls Suspend or ends. Must not be called by a
  // fiber, nor when the body has ended.
  void Resume();
  bool has_ended() const { return has_ended_; }

  // Returns the fiber in which the caller runs; nullptr if it is in none.
  static Fiber* Current();
  // Returns from Resume; returns itself when Resume is called again. For the body.
  void Suspend();

 private:
  struct Context;  // where the fiber and its resumer continue

  Fiber(std::function<void()> body, std::unique_ptr<Context> context);
  static void Enter();

  std::function<void()> body_;
  const std::unique_ptr<Context> context_;
  bool has_begun_ = false, has_ended_ = false;
};

}  // namespace acceld
