#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/threads/future.h"
#include "server/runtime/device_executor.h"
#include "tests/unit/runtime/fake_device.h"

// What tests of executors have in common.
namespace acceld::runtime {

using ArrayPtr = std::shared_ptr<Array>;

inline constexpr auto kForever = std::chrono::steady_clock::time_point::max();
// For tests whose kernels keep the device, however long the test itself takes.
inline constexpr std::chrono::hours kOneSlice{1};

inline absl::Status AddOne(const kernels::cpu::LaunchContext& context) {
  const float in = *static_cast<const float*>(context.arguments[0]);
  *static_cast<float*>(context.results[0]) = in + 1;
  return absl::OkStatus();
}

inline absl::Status Nothing(const kernels::cpu::LaunchContext&) { return absl::OkStatus(); }

// Whether a kernel is to poll its interrupts. Generated code reads the byte; other code must say
// that it is an atomic one.
inline bool IsInterrupted(const kernels::cpu::LaunchContext& context) {
  return reinterpret_cast<const std::atomic<bool>*>(const_cast<const bool*>(context.interrupted))
      ->load();
}

// A door that kernels wait at until the test opens it. Copies are the same door: a kernel whose
// execution fails may still run when the variables of its test are gone, so it keeps one.
class Door {
 public:
  void Pass() const {
    if (!state_->reached_before.exchange(true)) state_->reached.Set(Unit{});
    (void)opened_.Await();
  }
  void AwaitArrival() const { (void)reached_.Await(); }
  void Open() const { state_->open.Set(Unit{}); }

 private:
  struct State {
    std::atomic<bool> reached_before{false};
    Promise<Unit> reached, open;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
  Event reached_ = state_->reached.future(), opened_ = state_->open.future();
};

// One session on one or more executors.
class Client {
 public:
  explicit Client(std::vector<DeviceExecutor*> executors, int64_t limit_bytes = INT64_MAX,
                  Priority priority = Priority::kNormal,
                  std::shared_ptr<DeviceShare> share = nullptr)
      : executors_(std::move(executors)), account_(std::make_shared<MemoryAccount>(limit_bytes)) {
    for (DeviceExecutor* executor : executors_) {
      queues_.push_back(executor->OpenQueue(account_, priority, share));
    }
  }

  ArrayPtr NewArray(int64_t elements, int device = 0) {
    return std::make_shared<Array>(testing::F32({elements}), device, account_);
  }
  ArrayPtr Upload(std::vector<float> values, int device = 0) {
    ArrayPtr array = NewArray(static_cast<int64_t>(values.size()), device);
    UploadTo(array, std::move(values));
    return array;
  }
  void UploadTo(const ArrayPtr& array, std::vector<float> values) {
    auto kept = std::make_shared<std::vector<float>>(std::move(values));
    auto task = Task::Create(
        runtime::Upload{kept->data(), static_cast<int64_t>(kept->size() * sizeof(float)), kept});
    task->outputs.push_back(array);
    executors_[array->device()]->Submit(queues_[array->device()], std::move(task), true);
  }
  ArrayPtr Run(const std::string& name, std::shared_ptr<const hal::LoadedExecutable> executable,
               std::vector<ArrayPtr> inputs, int device = 0) {
    return Start(name, std::move(executable), std::move(inputs), device).second;
  }
  std::pair<std::shared_ptr<Task>, ArrayPtr> Start(
      const std::string& name, std::shared_ptr<const hal::LoadedExecutable> executable,
      std::vector<ArrayPtr> inputs, int device = 0) {
    auto prepared = Prepare(name, std::move(executable), std::move(inputs), device);
    Submit(prepared.first);
    return prepared;
  }
  // An execution that is not submitted yet, and its output.
  std::pair<std::shared_ptr<Task>, ArrayPtr> Prepare(
      const std::string& name, std::shared_ptr<const hal::LoadedExecutable> executable,
      std::vector<ArrayPtr> inputs, int device = 0) {
    Execution execution;
    execution.inputs.assign(inputs.begin(), inputs.end());
    execution.program_name = std::make_shared<const std::string>(name);
    ArrayPtr output = std::make_shared<Array>(executable->executable->results[0], device, account_);
    execution.executable = std::move(executable);
    auto task = Task::Create(std::move(execution));
    task->outputs.push_back(output);
    return {task, output};
  }
  void Submit(const std::shared_ptr<Task>& task, bool executable_ready = true) {
    const int device = task->outputs[0]->device();
    executors_[device]->Submit(queues_[device], task, executable_ready);
  }
  // An execution whose executable the caller provides later.
  std::pair<std::shared_ptr<Task>, ArrayPtr> RunLater(const std::string& name,
                                                      std::vector<ArrayPtr> inputs) {
    Execution execution;
    execution.inputs.assign(inputs.begin(), inputs.end());
    execution.program_name = std::make_shared<const std::string>(name);
    ArrayPtr output = NewArray(1);
    auto task = Task::Create(std::move(execution));
    task->outputs.push_back(output);
    executors_[0]->Submit(queues_[0], task, false);
    return {task, output};
  }
  void Cancel() {
    for (size_t i = 0; i < executors_.size(); ++i) {
      executors_[i]->Cancel(*queues_[i], absl::CancelledError("the session is closed"));
    }
  }
  MemoryAccount& account() { return *account_; }

 private:
  std::vector<DeviceExecutor*> executors_;
  std::shared_ptr<MemoryAccount> account_;
  std::vector<std::shared_ptr<TaskQueue>> queues_;
};

inline absl::Status Final(const ArrayPtr& array) {
  (void)array->Final().Await();
  return array->error();
}

inline float FirstValue(DeviceExecutor& executor, const ArrayPtr& array) {
  EXPECT_TRUE(Final(array).ok()) << array->error();
  if (array->state() != Array::State::kDefined) return -1;
  Promise<float> promise;
  Future<float> value = promise.future();
  auto shared = std::make_shared<Promise<float>>(std::move(promise));
  executor.Download(array, [shared](absl::StatusOr<SharedBytes> bytes) {
    float first = 0;
    std::memcpy(&first, bytes->view.data(), sizeof(first));
    shared->Set(first);
  });
  return *value.Await();
}

// A kernel that does nothing but wait at its door.
struct Gate {
  Door door;
  std::shared_ptr<const hal::LoadedExecutable> kernel =
      testing::LoadedKernel(0, 1, [door = door](const auto&) {
        door.Pass();
        return absl::OkStatus();
      });
};

// Notes in `order` that it ran; expected to take so long that nothing goes behind it.
inline std::shared_ptr<const hal::LoadedExecutable> Noting(std::string& order, char who) {
  auto kernel = testing::LoadedKernel(0, 1, [&order, who](const auto&) {
    order += who;
    return absl::OkStatus();
  });
  kernel->cost.Record(std::chrono::nanoseconds(std::chrono::hours(1)).count());
  return kernel;
}

}  // namespace acceld::runtime
