#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "tests/support/fake_cuda/machine.h"

// The functions of the driver that fake_cuda.h describes.
namespace acceld::testing::fake {

Machine* machine = nullptr;
thread_local Gpu* current = nullptr;

using Result = hal::cuda::Driver::Result;

Result Begin(absl::string_view function) {
  MutexLock lock(machine->world.mutex);
  machine->calls.emplace_back(function);
  if (const auto failure = machine->failures.find(function);
      failure != machine->failures.end() && failure->second.calls-- == 0) {
    const Result result = failure->second.result;
    machine->failures.erase(failure);
    return result;
  }
  return 0;
}

Result BeginOnDevice(absl::string_view function) {
  if (const Result result = Begin(function); result != 0) return result;
  MutexLock lock(machine->world.mutex);
  return current != nullptr ? current->broken : kInvalidContext;
}

void Count(int change) {
  MutexLock lock(machine->world.mutex);
  machine->live += change;
}

FakeStream& StreamOf(hal::cuda::CuStream stream) {
  if (stream != nullptr) return reinterpret_cast<Stream*>(stream)->stream;
  return *current->default_stream;
}

bool IsBroken(const Gpu& gpu) {
  MutexLock lock(machine->world.mutex);
  return gpu.broken != 0;
}

namespace {

using hal::cuda::Driver;
using Result = Driver::Result;

constexpr Result kNoSuchThing = 500, kIllegalAddress = 700;

// The one that has this address; nullptr for none.
const Machine::Allocation* Find(hal::cuda::CuPointer address) {
  MutexLock lock(machine->world.mutex);
  auto it = machine->allocations.upper_bound(address);
  if (it == machine->allocations.begin()) return nullptr;
  --it;
  const auto end = it->first + static_cast<hal::cuda::CuPointer>(it->second.size_bytes);
  return address < end || address == it->first ? &it->second : nullptr;
}

Result Allocate(Gpu& gpu, size_t bytes, Pool* pool, hal::cuda::CuPointer* memory) {
  MutexLock lock(machine->world.mutex);
  const auto size = static_cast<int64_t>(bytes);
  if (gpu.used_bytes + size > machine->options.memory_bytes) return Driver::kOutOfMemory;
  void* const block = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  std::memset(block, 0xa5, bytes);
  *memory = reinterpret_cast<hal::cuda::CuPointer>(block);
  gpu.used_bytes += size;
  machine->allocations[*memory] = {&gpu, size, pool};
  return 0;
}

void Free(hal::cuda::CuPointer memory, bool is_of_pool) {
  MutexLock lock(machine->world.mutex);
  const auto it = machine->allocations.find(memory);
  ACCELD_CHECK(it != machine->allocations.end() && (it->second.pool != nullptr) == is_of_pool);
  it->second.gpu->used_bytes -= it->second.size_bytes;
  machine->allocations.erase(it);
  std::free(reinterpret_cast<void*>(memory));
}

int NumberOf(const Gpu& gpu) {
  for (size_t i = 0; i < machine->gpus.size(); ++i) {
    if (&machine->gpus[i] == &gpu) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

void RunKernel(Gpu& gpu, const KernelCall& call) {
  {
    MutexLock lock(machine->world.mutex);
    if (gpu.broken != 0) return;
    if (++gpu.kernels == machine->options.break_at && &gpu == &machine->gpus.front()) {
      gpu.broken = kIllegalAddress;
      return;
    }
    const auto failure = machine->kernel_failures.find(call.kernel->name);
    if (failure != machine->kernel_failures.end()) {
      gpu.broken = failure->second;
      machine->kernel_failures.erase(failure);
      return;
    }
  }
  MutexLock lock(machine->kernels);
  call.kernel->Run(call.values, call.blocks, static_cast<int>(call.threads));
}

namespace {

// For a process that knows nothing of FakeCuda.
MachineOptions OptionsOfEnvironment() {
  MachineOptions options;
  if (const char* devices = std::getenv("ACCELD_FAKE_CUDA_DEVICES")) {
    options.devices = std::atoi(devices);
  }
  if (const char* kernel = std::getenv("ACCELD_FAKE_CUDA_BREAK")) {
    options.break_at = std::atoi(kernel);
  }
  return options;
}

}  // namespace

Machine* NewMachine(const MachineOptions& options) {
  auto* const made = new Machine{.options = options};
  for (int i = 0; i < options.devices; ++i) {
    made->gpus.emplace_back().default_stream = std::make_unique<FakeStream>(made->world);
  }
  return made;
}

// The names of the driver, so that the library of this file can stand in for it.
extern "C" {

Result cuInit(unsigned int) {
  if (machine == nullptr) machine = NewMachine(OptionsOfEnvironment());
  return 0;
}

Result cuDriverGetVersion(int* version) {
  *version = machine->options.driver_version;
  return 0;
}

Result cuDeviceGetCount(int* count) {
  *count = machine->options.devices;
  return 0;
}

Result cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}

Result cuDeviceTotalMem_v2(size_t* bytes, int) {
  *bytes = static_cast<size_t>(machine->options.memory_bytes);
  return 0;
}

Result cuGetErrorName(Result error, const char** name) {
  *name = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                         : "CUDA_ERROR";
  return 0;
}

Result cuGetErrorString(Result, const char** text) {
  *text = "an error of the fake driver";
  return 0;
}

Result cuDeviceGetName(char* name, int size, int device) {
  const std::string text = absl::StrCat("Fake GPU ", device);
  std::strncpy(name, text.c_str(), static_cast<size_t>(size));
  return 0;
}

Result cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;  // sm_90
  return 0;
}

Result cuDevicePrimaryCtxRetain(hal::cuda::CuContext* context, int device) {
  if (const Result result = Begin("cuDevicePrimaryCtxRetain"); result != 0) return result;
  Gpu& gpu = machine->gpus[static_cast<size_t>(device)];
  Count(1);
  *context = reinterpret_cast<hal::cuda::CuContext>(&gpu);
  return 0;
}

Result cuDevicePrimaryCtxRelease_v2(int) {
  Count(-1);
  return 0;
}

Result cuCtxSetCurrent(hal::cuda::CuContext context) {
  current = reinterpret_cast<Gpu*>(context);
  return 0;
}

Result cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  BEGIN(cuMemGetInfo_v2);
  MutexLock lock(machine->world.mutex);
  *total_bytes = static_cast<size_t>(machine->options.memory_bytes);
  *free_bytes = *total_bytes - static_cast<size_t>(current->used_bytes);
  return 0;
}

Result cuMemPoolCreate(hal::cuda::CuMemoryPool* pool,
                       const hal::cuda::CuMemoryPoolProperties* properties) {
  BEGIN(cuMemPoolCreate);
  if (properties->location_id < 0 || properties->location_id >= machine->options.devices) {
    return kInvalidValue;
  }
  Count(1);
  *pool = reinterpret_cast<hal::cuda::CuMemoryPool>(
      new Pool{machine->gpus[static_cast<size_t>(properties->location_id)]});
  return 0;
}

Result cuMemPoolDestroy(hal::cuda::CuMemoryPool pool) {
  Count(-1);
  delete reinterpret_cast<Pool*>(pool);
  return 0;
}

Result cuMemAllocFromPoolAsync(hal::cuda::CuPointer* memory, size_t bytes,
                               hal::cuda::CuMemoryPool pool, hal::cuda::CuStream) {
  BEGIN(cuMemAllocFromPoolAsync);
  auto* const from = reinterpret_cast<Pool*>(pool);
  return Allocate(from->gpu, bytes, from, memory);
}

Result cuMemAlloc_v2(hal::cuda::CuPointer* memory, size_t bytes) {
  BEGIN(cuMemAlloc_v2);
  return Allocate(*current, bytes, /*pool=*/nullptr, memory);
}

Result cuMemFree_v2(hal::cuda::CuPointer memory) {
  BEGIN(cuMemFree_v2);
  Free(memory, /*is_of_pool=*/false);
  return 0;
}

Result cuMemFreeAsync(hal::cuda::CuPointer memory, hal::cuda::CuStream stream) {
  BEGIN(cuMemFreeAsync);
  StreamOf(stream).Enqueue([memory] { Free(memory, /*is_of_pool=*/true); });
  return 0;
}

Result cuDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = machine->options.reach_each_other && device != peer ? 1 : 0;
  return 0;
}

Result cuMemPoolSetAccess(hal::cuda::CuMemoryPool pool, const hal::cuda::CuMemoryAccess* accesses,
                          size_t count) {
  BEGIN(cuMemPoolSetAccess);
  for (size_t i = 0; i < count; ++i) {
    if (!machine->options.reach_each_other) return kInvalidValue;
    reinterpret_cast<Pool*>(pool)->reachable_from.insert(accesses[i].location_id);
  }
  return 0;
}

Result cuPointerGetAttribute(void* value, int attribute, hal::cuda::CuPointer address) {
  constexpr int kDeviceOrdinal = 9;
  const Machine::Allocation* const found = Find(address);
  if (attribute != kDeviceOrdinal || found == nullptr) return kInvalidValue;
  *static_cast<int*>(value) = NumberOf(*found->gpu);
  return 0;
}

Result cuMemHostAlloc(void** memory, size_t bytes, unsigned int) {
  BEGIN(cuMemHostAlloc);
  Count(1);
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return 0;
}

Result cuMemFreeHost(void* memory) {
  Count(-1);
  std::free(memory);
  return 0;
}

Result cuMemcpyAsync(hal::cuda::CuPointer to, hal::cuda::CuPointer from, size_t bytes,
                     hal::cuda::CuStream stream) {
  BEGIN(cuMemcpyAsync);
  const Machine::Allocation* const source = Find(from);
  if (source != nullptr && source->gpu != current &&
      (source->pool == nullptr || source->pool->reachable_from.count(NumberOf(*current)) == 0)) {
    return kInvalidValue;
  }
  StreamOf(stream).Enqueue([to, from, bytes, gpu = current] {
    if (IsBroken(*gpu)) return;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  });
  return 0;
}

Result cuMemsetD8Async(hal::cuda::CuPointer to, unsigned char value, size_t bytes,
                       hal::cuda::CuStream stream) {
  BEGIN(cuMemsetD8Async);
  StreamOf(stream).Enqueue([to, value, bytes, gpu = current] {
    if (IsBroken(*gpu)) return;
    std::memset(reinterpret_cast<void*>(to), value, bytes);
  });
  return 0;
}

Result cuMemcpyPeerAsync(hal::cuda::CuPointer to, hal::cuda::CuContext to_context,
                         hal::cuda::CuPointer from, hal::cuda::CuContext from_context, size_t bytes,
                         hal::cuda::CuStream stream) {
  BEGIN(cuMemcpyPeerAsync);
  const Machine::Allocation *const target = Find(to), *const source = Find(from);
  if (target == nullptr || target->gpu != reinterpret_cast<Gpu*>(to_context) || source == nullptr ||
      source->gpu != reinterpret_cast<Gpu*>(from_context)) {
    return kInvalidValue;
  }
  StreamOf(stream).Enqueue([to, from, bytes, gpu = current] {
    if (IsBroken(*gpu)) return;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  });
  return 0;
}

// Not of the driver: for libraries that work on streams.
Result FakeCudaEnqueue(hal::cuda::CuStream stream, const std::function<void()>& work) {
  BEGIN(FakeCudaEnqueue);
  StreamOf(stream).Enqueue(work);
  return 0;
}

// The same. Notes the call; what it is to answer at once, if not 0.
Result FakeCudaBegin(const char* function) { return BeginOnDevice(function); }

bool FakeCudaHasDevice() { return current != nullptr; }

// Of what a library gives, as the driver's own objects are counted.
void FakeCudaCount(int change) { Count(change); }

Result cuStreamCreateWithPriority(hal::cuda::CuStream* stream, unsigned int, int) {
  BEGIN(cuStreamCreateWithPriority);
  Count(1);
  *stream = reinterpret_cast<hal::cuda::CuStream>(new Stream{*current, FakeStream(machine->world)});
  return 0;
}

Result cuStreamDestroy_v2(hal::cuda::CuStream stream) {
  Count(-1);
  delete reinterpret_cast<Stream*>(stream);
  return 0;
}

Result cuStreamSynchronize(hal::cuda::CuStream stream) {
  BEGIN(cuStreamSynchronize);
  StreamOf(stream).Synchronize();
  MutexLock lock(machine->world.mutex);
  return current->broken;
}

Result cuStreamWaitEvent(hal::cuda::CuStream stream, hal::cuda::CuEvent event, unsigned int) {
  BEGIN(cuStreamWaitEvent);
  StreamOf(stream).WaitFor(reinterpret_cast<Event*>(event)->recorded);
  return 0;
}

Result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return 0;
}

Result cuEventCreate(hal::cuda::CuEvent* event, unsigned int) {
  BEGIN(cuEventCreate);
  Count(1);
  auto recorded = std::make_shared<Recorded>();
  recorded->reached = true;
  *event = reinterpret_cast<hal::cuda::CuEvent>(new Event{std::move(recorded)});
  return 0;
}

Result cuEventDestroy_v2(hal::cuda::CuEvent event) {
  Count(-1);
  delete reinterpret_cast<Event*>(event);
  return 0;
}

Result cuEventRecord(hal::cuda::CuEvent event, hal::cuda::CuStream stream) {
  BEGIN(cuEventRecord);
  auto& recorded = reinterpret_cast<Event*>(event)->recorded;
  recorded = std::make_shared<Recorded>();
  StreamOf(stream).Record(recorded);
  return 0;
}

Result cuEventQuery(hal::cuda::CuEvent event) {
  if (current == nullptr) return kInvalidContext;
  MutexLock lock(machine->world.mutex);
  if (current->broken != 0) return current->broken;
  return reinterpret_cast<Event*>(event)->recorded->reached ? 0 : Driver::kNotReady;
}

Result cuEventSynchronize(hal::cuda::CuEvent event) {
  if (current == nullptr) return kInvalidContext;
  const std::shared_ptr<Recorded> recorded = reinterpret_cast<Event*>(event)->recorded;
  MutexLock lock(machine->world.mutex);
  while (!recorded->reached) machine->world.changed.Wait(machine->world.mutex);
  return current->broken;
}

Result cuEventElapsedTime(float* milliseconds, hal::cuda::CuEvent begin, hal::cuda::CuEvent end) {
  BEGIN(cuEventElapsedTime);
  MutexLock lock(machine->world.mutex);
  const std::chrono::duration<float, std::milli> elapsed =
      reinterpret_cast<Event*>(end)->recorded->at - reinterpret_cast<Event*>(begin)->recorded->at;
  *milliseconds = elapsed.count();
  return 0;
}

Result cuModuleLoadData(hal::cuda::CuModule* module, const void* image) {
  BEGIN(cuModuleLoadData);
  auto code = HostCode::Compile(static_cast<const char*>(image));
  if (!code.ok()) std::fprintf(stderr, "%s\n", code.status().ToString().c_str());
  ACCELD_CHECK(code.ok());
  Count(1);
  *module = reinterpret_cast<hal::cuda::CuModule>(new Module{*std::move(code)});
  return 0;
}

Result cuModuleUnload(hal::cuda::CuModule module) {
  Count(-1);
  delete reinterpret_cast<Module*>(module);
  return 0;
}

Result cuModuleGetFunction(hal::cuda::CuFunction* function, hal::cuda::CuModule module,
                           const char* name) {
  BEGIN(cuModuleGetFunction);
  const HostCode::Kernel* kernel = reinterpret_cast<Module*>(module)->code->Find(name);
  if (kernel == nullptr) return kNoSuchThing;
  // The code of a module is never unloaded here.
  *function = reinterpret_cast<hal::cuda::CuFunction>(const_cast<HostCode::Kernel*>(kernel));
  return 0;
}

Result cuLaunchKernel(hal::cuda::CuFunction function, unsigned int grid_x, unsigned int grid_y,
                      unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                      unsigned int block_z, unsigned int shared_bytes, hal::cuda::CuStream stream,
                      void** parameters, void** extra) {
  BEGIN(cuLaunchKernel);
  if (grid_x == 0 || grid_y * grid_z * block_y * block_z != 1 || block_x == 0 || block_x > 1024 ||
      shared_bytes != 0 || extra != nullptr) {
    return kInvalidValue;
  }
  const auto* const kernel = reinterpret_cast<const HostCode::Kernel*>(function);
  StreamOf(stream).Enqueue([call = KernelCall{kernel, kernel->Take(parameters), grid_x, block_x},
                            gpu = current] { RunKernel(*gpu, call); });
  return 0;
}

}  // extern "C"

}  // namespace acceld::testing::fake
