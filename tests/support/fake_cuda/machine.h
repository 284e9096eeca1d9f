#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/hal/cuda/driver/driver.h"
#include "tests/support/fake_cuda/fake_stream.h"
#include "tests/support/fake_cuda/host_code.h"

// What the functions of the fake driver work on.
namespace acceld::testing::fake {

struct MachineOptions {
  int devices = 1;
  int64_t memory_bytes = int64_t{1} << 30;  // of each
  int break_at = 0;                         // the kernel of device 0 that breaks it, from 1
  int driver_version = 13'000;
  bool reach_each_other = true;  // the devices
};

struct Gpu {
  int64_t used_bytes = 0;
  hal::cuda::Driver::Result broken = 0;  // what all calls answer
  std::unique_ptr<FakeStream> default_stream;
  int kernels = 0;  // that have run
};

struct Stream {
  Gpu& gpu;
  FakeStream stream;
};
struct Event {
  std::shared_ptr<Recorded> recorded;
};
struct Module {
  std::shared_ptr<const HostCode> code;
};
struct Pool {
  Gpu& gpu;
  std::set<int> reachable_from = {};
};

// All there is; guarded by `world.mutex` but for what is atomic or never changes.
struct Machine {
  MachineOptions options;
  FakeStream::World world;
  std::deque<Gpu> gpus;
  std::vector<std::string> calls;
  struct Failure {
    int calls;
    hal::cuda::Driver::Result result;
  };
  std::map<std::string, Failure, std::less<>> failures;
  std::map<std::string, hal::cuda::Driver::Result> kernel_failures;
  struct Allocation {
    Gpu* gpu;
    int64_t size_bytes;
    Pool* pool;  // if it is of one
  };
  std::map<hal::cuda::CuPointer, Allocation> allocations;
  int live = 0;
  Mutex kernels;  // The shim runs one at a time.
};

// The one there is; nullptr for none.
extern Machine* machine;
// The thread's device.
extern thread_local Gpu* current;

constexpr hal::cuda::Driver::Result kInvalidValue = 1, kInvalidContext = 201;

// Notes the call; what it is to answer at once, if not 0.
hal::cuda::Driver::Result Begin(absl::string_view function);
// The same of a call that is about the thread's device.
hal::cuda::Driver::Result BeginOnDevice(absl::string_view function);
#define BEGIN(function) \
  if (const Result begin_ = BeginOnDevice(#function); begin_ != 0) return begin_

// Of the objects that there are.
void Count(int change);
FakeStream& StreamOf(hal::cuda::CuStream stream);
bool IsBroken(const Gpu& gpu);

// A launch, with copies of the values of its parameters.
struct KernelCall {
  const HostCode::Kernel* kernel = nullptr;
  std::vector<std::string> values;
  unsigned int blocks = 1, threads = 1;
};
void RunKernel(Gpu& gpu, const KernelCall& call);

Machine* NewMachine(const MachineOptions& options);

}  // namespace acceld::testing::fake
