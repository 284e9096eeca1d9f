#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/driver.h"

namespace acceld::testing {

// What an event of the driver stands for since it was last recorded.
struct Recorded {
  bool reached = false;
  std::chrono::steady_clock::time_point at;
};

// A stream of the fake driver: a thread. All streams of a FakeCuda share a lock and a condition.
class FakeStream {
 public:
  struct World {
    Mutex mutex;
    CondVar changed;
    bool paused = false;
  };

  explicit FakeStream(World& world) : world_(world), thread_([this] { Run(); }) {}
  ~FakeStream();  // Runs what is enqueued first.

  void Enqueue(std::function<void()> work);
  // From now on what is enqueued is kept. False while it is.
  bool BeginCapture();
  // What was kept; nullopt when nothing was to be.
  std::optional<std::vector<std::function<void()>>> EndCapture();

  // Not while what is enqueued is kept.
  void Record(std::shared_ptr<Recorded> recorded);
  void WaitFor(std::shared_ptr<Recorded> recorded);
  void Synchronize();

 private:
  // Empty functions with `waits_for`.
  struct Item {
    std::function<void()> work;
    std::shared_ptr<Recorded> waits_for, records;
  };

  void Push(Item item);
  void Run();

  World& world_;
  std::optional<std::vector<std::function<void()>>> captured_ ABSL_GUARDED_BY(world_.mutex);
  std::deque<Item> items_ ABSL_GUARDED_BY(world_.mutex);
  bool busy_ ABSL_GUARDED_BY(world_.mutex) = false;
  bool stopping_ ABSL_GUARDED_BY(world_.mutex) = false;
  std::thread thread_;
};

}  // namespace acceld::testing
