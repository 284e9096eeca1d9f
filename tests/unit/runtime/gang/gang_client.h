#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "common/threads/mutex.h"
#include "kernels/cpu/collective_exchange.h"
#include "server/runtime/gang/gang.h"
#include "server/runtime/gang/gang_scheduler.h"
#include "tests/unit/runtime/executor_client.h"

// What tests of gangs have in common.
namespace acceld::runtime {

using LaunchContext = kernels::cpu::LaunchContext;
using Executable = std::shared_ptr<const hal::LoadedExecutable>;

inline float Argument(const LaunchContext& context) {
  return *static_cast<const float*>(context.arguments[0]);
}
inline float& Result(const LaunchContext& context) {
  return *static_cast<float*>(context.results[0]);
}

// Adds a value up over the members 0, 1, ... of a gang.
inline absl::StatusOr<float> Sum(const LaunchContext& context, int members, float value) {
  kernels::Collective collective{.operands = {testing::F32({})}, .results = {testing::F32({})}};
  collective.groups.emplace_back();
  for (int i = 0; i < members; ++i) collective.groups[0].push_back(i);
  float sum = 0;
  const void* const operands[] = {&value};
  void* const results[] = {&sum};
  ACCELD_RETURN_IF_ERROR(context.collectives->Run(collective, /*site=*/1, operands, results));
  return sum;
}

// A kernel whose result is the sum of the arguments of all members.
inline testing::Kernel SumOf(int members) {
  return [members](const LaunchContext& context) -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(Result(context), Sum(context, members, Argument(context)));
    return absl::OkStatus();
  };
}

// A kernel without arguments that meets the other members until its launch ends.
inline testing::Kernel MeetForever(int members) {
  return [members](const LaunchContext& context) -> absl::Status {
    while (true) ACCELD_RETURN_IF_ERROR(Sum(context, members, 1).status());
  };
}

// Ends the process when a test hangs.
class Watchdog {
 public:
  Watchdog() : thread_([this] { Watch(); }) {}
  ~Watchdog() {
    {
      const MutexLock lock(mutex_);
      test_has_ended_ = true;
    }
    changed_.NotifyAll();
    thread_.join();
  }

 private:
  void Watch() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    const MutexLock lock(mutex_);
    while (!test_has_ended_) {
      if (changed_.WaitUntil(mutex_, deadline) || test_has_ended_) continue;
      std::cerr << "the test hangs\n";
      std::abort();
    }
  }

  Mutex mutex_;
  CondVar changed_;
  bool test_has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// Several devices, with an executor each.
class Cluster {
 public:
  // `memory_bytes` is the memory of the devices from number 1 on; device 0 has plenty.
  explicit Cluster(int devices, const DeviceExecutor::Options& options = {.slice = kOneSlice},
                   int64_t memory_bytes = int64_t{1} << 30) {
    for (int i = 0; i < devices; ++i) {
      devices_.push_back(
          std::make_unique<testing::FakeDevice>(i == 0 ? int64_t{1} << 30 : memory_bytes));
      executors_.push_back(std::make_unique<DeviceExecutor>(*devices_.back(), i, options));
    }
  }
  // All executors must be idle before the first is destroyed.
  ~Cluster() { WaitUntilIdle(); }

  GangScheduler& gangs() { return gangs_; }
  testing::FakeDevice& device(int number) { return *devices_[static_cast<size_t>(number)]; }
  DeviceExecutor& executor(int number) { return *executors_[static_cast<size_t>(number)]; }
  std::vector<DeviceExecutor*> executors() const {
    std::vector<DeviceExecutor*> executors;
    for (const auto& executor : executors_) executors.push_back(executor.get());
    return executors;
  }
  void WaitUntilIdle() {
    for (const auto& executor : executors_) executor->WaitUntilIdle(kForever);
  }

 private:
  const Watchdog watchdog_;
  GangScheduler gangs_;
  std::vector<std::unique_ptr<testing::FakeDevice>> devices_;
  std::vector<std::unique_ptr<DeviceExecutor>> executors_;
};

// A launch on several devices; by member.
struct GangLaunch {
  std::shared_ptr<Gang> gang;
  std::vector<std::shared_ptr<Task>> tasks;
  std::vector<ArrayPtr> outputs;
};

// Awaits the ends of all members.
inline std::vector<absl::Status> Ends(const GangLaunch& launch) {
  std::vector<absl::Status> ends;
  for (const ArrayPtr& output : launch.outputs) ends.push_back(Final(output));
  return ends;
}

// One session on all devices of a cluster.
class GangClient {
 public:
  // Sessions have different numbers.
  GangClient(Cluster& cluster, uint64_t number, Priority priority = Priority::kNormal)
      : cluster_(cluster),
        number_(number),
        priority_(priority),
        client_(cluster.executors(), INT64_MAX, priority) {}

  Client& client() { return client_; }
  // A launch of program "f" that is not submitted yet. `executables` and `inputs` are by member;
  // no inputs at all: no member has any.
  GangLaunch Prepare(const std::vector<int>& devices, const std::vector<Executable>& executables,
                     const std::vector<std::vector<ArrayPtr>>& inputs = {}) {
    std::vector<hal::Device*> members;
    for (const int device : devices) members.push_back(&cluster_.device(device));
    GangLaunch launch;
    launch.gang = std::make_shared<Gang>(cluster_.gangs(), *members[0]->CreateGang(members),
                                         number_, priority_);
    for (size_t i = 0; i < devices.size(); ++i) {
      auto [task, output] = client_.Prepare(
          "f", executables[i], inputs.empty() ? std::vector<ArrayPtr>{} : inputs[i], devices[i]);
      task->execution()->gang = launch.gang;
      task->execution()->participant = static_cast<int>(i);
      launch.gang->Add(cluster_.executor(devices[i]), devices[i], task);
      launch.tasks.push_back(std::move(task));
      launch.outputs.push_back(std::move(output));
    }
    return launch;
  }
  void Submit(const GangLaunch& launch) {
    for (const std::shared_ptr<Task>& task : launch.tasks) client_.Submit(task);
  }
  GangLaunch Start(const std::vector<int>& devices, const std::vector<Executable>& executables,
                   const std::vector<std::vector<ArrayPtr>>& inputs = {}) {
    GangLaunch launch = Prepare(devices, executables, inputs);
    Submit(launch);
    return launch;
  }
  // All members have the same executable.
  GangLaunch Start(const std::vector<int>& devices, const Executable& executable,
                   const std::vector<std::vector<ArrayPtr>>& inputs = {}) {
    return Start(devices, std::vector<Executable>(devices.size(), executable), inputs);
  }

 private:
  Cluster& cluster_;
  const uint64_t number_;
  const Priority priority_;
  Client client_;
};

}  // namespace acceld::runtime
