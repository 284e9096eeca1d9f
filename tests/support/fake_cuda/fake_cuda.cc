#include "tests/support/fake_cuda/fake_cuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "tests/support/fake_cuda/fake_stream.h"
#include "tests/support/fake_cuda/host_code.h"

// The functions of the driver that fake_cuda.h describes, and what they work on.
namespace acceld::testing {
namespace {

using hal::cuda::Driver;
using Result = Driver::Result;

constexpr Result kInvalidValue = 1, kInvalidContext = 201, kNoSuchThing = 500;

struct Gpu {
  int64_t used_bytes = 0;
  Result broken = 0;  // what all calls answer
  std::unique_ptr<FakeStream> default_stream;
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
};

// All there is; guarded by `world.mutex` but for what is atomic or never changes.
struct Machine {
  FakeCuda::Options options;
  FakeStream::World world;
  std::deque<Gpu> gpus;
  std::vector<std::string> calls;
  struct Failure {
    int calls;
    Result result;
  };
  std::map<std::string, Failure, std::less<>> failures;
  std::map<std::string, Result> kernel_failures;
  std::map<hal::cuda::CuPointer, std::pair<Gpu*, int64_t>> allocations;
  int live = 0;
  Mutex kernels;  // The shim runs one at a time.
};

Machine* machine = nullptr;
thread_local Gpu* current = nullptr;

// Notes the call; what it is to answer at once, if not 0.
Result Begin(absl::string_view function) {
  MutexLock lock(machine->world.mutex);
  machine->calls.emplace_back(function);
  if (const auto failure = machine->failures.find(function);
      failure != machine->failures.end() && failure->second.calls-- == 0) {
    const Result result = failure->second.result;
    machine->failures.erase(failure);
    return result;
  }
  return current != nullptr ? current->broken : 0;
}

#define BEGIN(function)                                                   \
  if (const Result begin_ = Begin(#function); begin_ != 0) return begin_; \
  if (current == nullptr) return kInvalidContext

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

Result GetErrorName(Result error, const char** name) {
  *name = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                         : "CUDA_ERROR";
  return 0;
}

Result GetErrorString(Result, const char** text) {
  *text = "an error of the fake driver";
  return 0;
}

Result DeviceGetName(char* name, int size, int device) {
  const std::string text = absl::StrCat("Fake GPU ", device);
  std::strncpy(name, text.c_str(), static_cast<size_t>(size));
  return 0;
}

Result DeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;  // sm_90
  return 0;
}

Result PrimaryCtxRetain(hal::cuda::CuContext* context, int device) {
  if (const Result result = Begin("cuDevicePrimaryCtxRetain"); result != 0) return result;
  Gpu& gpu = machine->gpus[static_cast<size_t>(device)];
  Count(1);
  *context = reinterpret_cast<hal::cuda::CuContext>(&gpu);
  return 0;
}

Result PrimaryCtxRelease(int) {
  Count(-1);
  return 0;
}

Result CtxSetCurrent(hal::cuda::CuContext context) {
  current = reinterpret_cast<Gpu*>(context);
  return 0;
}

Result MemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  BEGIN(cuMemGetInfo_v2);
  MutexLock lock(machine->world.mutex);
  *total_bytes = static_cast<size_t>(machine->options.memory_bytes);
  *free_bytes = *total_bytes - static_cast<size_t>(current->used_bytes);
  return 0;
}

Result MemPoolCreate(hal::cuda::CuMemoryPool* pool,
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

Result MemPoolDestroy(hal::cuda::CuMemoryPool pool) {
  Count(-1);
  delete reinterpret_cast<Pool*>(pool);
  return 0;
}

Result MemAllocFromPoolAsync(hal::cuda::CuPointer* memory, size_t bytes,
                             hal::cuda::CuMemoryPool pool, hal::cuda::CuStream) {
  BEGIN(cuMemAllocFromPoolAsync);
  Gpu& gpu = reinterpret_cast<Pool*>(pool)->gpu;
  MutexLock lock(machine->world.mutex);
  const auto size = static_cast<int64_t>(bytes);
  if (gpu.used_bytes + size > machine->options.memory_bytes) return Driver::kOutOfMemory;
  void* const block = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  std::memset(block, 0xa5, bytes);
  *memory = reinterpret_cast<hal::cuda::CuPointer>(block);
  gpu.used_bytes += size;
  machine->allocations[*memory] = {&gpu, size};
  return 0;
}

Result MemFreeAsync(hal::cuda::CuPointer memory, hal::cuda::CuStream stream) {
  BEGIN(cuMemFreeAsync);
  StreamOf(stream).Enqueue([memory] {
    MutexLock lock(machine->world.mutex);
    const auto it = machine->allocations.find(memory);
    ACCELD_CHECK(it != machine->allocations.end());
    it->second.first->used_bytes -= it->second.second;
    machine->allocations.erase(it);
    std::free(reinterpret_cast<void*>(memory));
  });
  return 0;
}

Result MemHostAlloc(void** memory, size_t bytes, unsigned int) {
  BEGIN(cuMemHostAlloc);
  Count(1);
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return 0;
}

Result MemFreeHost(void* memory) {
  Count(-1);
  std::free(memory);
  return 0;
}

Result MemcpyAsync(hal::cuda::CuPointer to, hal::cuda::CuPointer from, size_t bytes,
                   hal::cuda::CuStream stream) {
  BEGIN(cuMemcpyAsync);
  StreamOf(stream).Enqueue([to, from, bytes, gpu = current] {
    if (IsBroken(*gpu)) return;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  });
  return 0;
}

Result StreamCreateWithPriority(hal::cuda::CuStream* stream, unsigned int, int) {
  BEGIN(cuStreamCreateWithPriority);
  Count(1);
  *stream = reinterpret_cast<hal::cuda::CuStream>(new Stream{*current, FakeStream(machine->world)});
  return 0;
}

Result StreamDestroy(hal::cuda::CuStream stream) {
  Count(-1);
  delete reinterpret_cast<Stream*>(stream);
  return 0;
}

Result StreamSynchronize(hal::cuda::CuStream stream) {
  BEGIN(cuStreamSynchronize);
  StreamOf(stream).Synchronize();
  MutexLock lock(machine->world.mutex);
  return current->broken;
}

Result StreamWaitEvent(hal::cuda::CuStream stream, hal::cuda::CuEvent event, unsigned int) {
  BEGIN(cuStreamWaitEvent);
  StreamOf(stream).WaitFor(reinterpret_cast<Event*>(event)->recorded);
  return 0;
}

Result GetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return 0;
}

Result EventCreate(hal::cuda::CuEvent* event, unsigned int) {
  BEGIN(cuEventCreate);
  Count(1);
  auto recorded = std::make_shared<Recorded>();
  recorded->reached = true;
  *event = reinterpret_cast<hal::cuda::CuEvent>(new Event{std::move(recorded)});
  return 0;
}

Result EventDestroy(hal::cuda::CuEvent event) {
  Count(-1);
  delete reinterpret_cast<Event*>(event);
  return 0;
}

Result EventRecord(hal::cuda::CuEvent event, hal::cuda::CuStream stream) {
  BEGIN(cuEventRecord);
  auto& recorded = reinterpret_cast<Event*>(event)->recorded;
  recorded = std::make_shared<Recorded>();
  StreamOf(stream).Record(recorded);
  return 0;
}

Result EventQuery(hal::cuda::CuEvent event) {
  if (current == nullptr) return kInvalidContext;
  MutexLock lock(machine->world.mutex);
  if (current->broken != 0) return current->broken;
  return reinterpret_cast<Event*>(event)->recorded->reached ? 0 : Driver::kNotReady;
}

Result EventSynchronize(hal::cuda::CuEvent event) {
  if (current == nullptr) return kInvalidContext;
  const std::shared_ptr<Recorded> recorded = reinterpret_cast<Event*>(event)->recorded;
  MutexLock lock(machine->world.mutex);
  while (!recorded->reached) machine->world.changed.Wait(machine->world.mutex);
  return current->broken;
}

Result EventElapsedTime(float* milliseconds, hal::cuda::CuEvent begin, hal::cuda::CuEvent end) {
  BEGIN(cuEventElapsedTime);
  MutexLock lock(machine->world.mutex);
  const std::chrono::duration<float, std::milli> elapsed =
      reinterpret_cast<Event*>(end)->recorded->at - reinterpret_cast<Event*>(begin)->recorded->at;
  *milliseconds = elapsed.count();
  return 0;
}

Result ModuleLoadData(hal::cuda::CuModule* module, const void* image) {
  BEGIN(cuModuleLoadData);
  auto code = HostCode::Compile(static_cast<const char*>(image));
  ACCELD_CHECK(code.ok());
  Count(1);
  *module = reinterpret_cast<hal::cuda::CuModule>(new Module{*std::move(code)});
  return 0;
}

Result ModuleUnload(hal::cuda::CuModule module) {
  Count(-1);
  delete reinterpret_cast<Module*>(module);
  return 0;
}

Result ModuleGetFunction(hal::cuda::CuFunction* function, hal::cuda::CuModule module,
                         const char* name) {
  BEGIN(cuModuleGetFunction);
  const HostCode::Kernel* kernel = reinterpret_cast<Module*>(module)->code->Find(name);
  if (kernel == nullptr) return kNoSuchThing;
  // The code of a module is never unloaded here.
  *function = reinterpret_cast<hal::cuda::CuFunction>(const_cast<HostCode::Kernel*>(kernel));
  return 0;
}

void RunKernel(Gpu& gpu, const HostCode::Kernel& kernel, const std::vector<void*>& parameters,
               unsigned int blocks, unsigned int threads) {
  {
    MutexLock lock(machine->world.mutex);
    if (gpu.broken != 0) return;
    const auto failure = machine->kernel_failures.find(kernel.name);
    if (failure != machine->kernel_failures.end()) {
      gpu.broken = failure->second;
      machine->kernel_failures.erase(failure);
      return;
    }
  }
  MutexLock lock(machine->kernels);
  kernel.run(parameters.data(), blocks, static_cast<int>(threads));
}

Result LaunchKernel(hal::cuda::CuFunction function, unsigned int grid_x, unsigned int grid_y,
                    unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                    unsigned int block_z, unsigned int shared_bytes, hal::cuda::CuStream stream,
                    void** parameters, void** extra) {
  BEGIN(cuLaunchKernel);
  if (grid_x == 0 || grid_y * grid_z * block_y * block_z != 1 || block_x == 0 || block_x > 1024 ||
      shared_bytes != 0 || extra != nullptr) {
    return kInvalidValue;
  }
  const auto& kernel = *reinterpret_cast<const HostCode::Kernel*>(function);
  std::vector<void*> values;
  for (int i = 0; i < kernel.parameters; ++i) values.push_back(*static_cast<void**>(parameters[i]));
  StreamOf(stream).Enqueue([&kernel, grid_x, block_x, values = std::move(values), gpu = current] {
    RunKernel(*gpu, kernel, values, grid_x, block_x);
  });
  return 0;
}

Driver MakeDriver() {
  Driver driver;
  driver.cuInit = [](unsigned int) { return 0; };
  driver.cuGetErrorName = GetErrorName;
  driver.cuGetErrorString = GetErrorString;
  driver.cuDriverGetVersion = [](int* version) { return *version = 13000, 0; };
  driver.cuDeviceGetCount = [](int* count) { return *count = machine->options.devices, 0; };
  driver.cuDeviceGet = [](int* device, int ordinal) { return *device = ordinal, 0; };
  driver.cuDeviceGetName = DeviceGetName;
  driver.cuDeviceGetAttribute = DeviceGetAttribute;
  driver.cuDeviceTotalMem_v2 = [](size_t* bytes, int) {
    return *bytes = static_cast<size_t>(machine->options.memory_bytes), 0;
  };
  driver.cuDevicePrimaryCtxRetain = PrimaryCtxRetain;
  driver.cuDevicePrimaryCtxRelease_v2 = PrimaryCtxRelease;
  driver.cuCtxSetCurrent = CtxSetCurrent;
  driver.cuMemGetInfo_v2 = MemGetInfo;
  driver.cuMemPoolCreate = MemPoolCreate;
  driver.cuMemPoolDestroy = MemPoolDestroy;
  driver.cuMemAllocFromPoolAsync = MemAllocFromPoolAsync;
  driver.cuMemFreeAsync = MemFreeAsync;
  driver.cuMemHostAlloc = MemHostAlloc;
  driver.cuMemFreeHost = MemFreeHost;
  driver.cuMemcpyAsync = MemcpyAsync;
  driver.cuStreamCreateWithPriority = StreamCreateWithPriority;
  driver.cuStreamDestroy_v2 = StreamDestroy;
  driver.cuStreamSynchronize = StreamSynchronize;
  driver.cuStreamWaitEvent = StreamWaitEvent;
  driver.cuCtxGetStreamPriorityRange = GetStreamPriorityRange;
  driver.cuEventCreate = EventCreate;
  driver.cuEventDestroy_v2 = EventDestroy;
  driver.cuEventRecord = EventRecord;
  driver.cuEventQuery = EventQuery;
  driver.cuEventSynchronize = EventSynchronize;
  driver.cuEventElapsedTime = EventElapsedTime;
  driver.cuModuleLoadData = ModuleLoadData;
  driver.cuModuleUnload = ModuleUnload;
  driver.cuModuleGetFunction = ModuleGetFunction;
  driver.cuLaunchKernel = LaunchKernel;
#define ACCELD_CUDA_SYMBOL(name, parameters) ACCELD_CHECK(driver.name != nullptr);
#include "server/hal/cuda/driver_symbols.def"
  return driver;
}

}  // namespace

FakeCuda::FakeCuda(const Options& options) : driver_(MakeDriver()) {
  ACCELD_CHECK(machine == nullptr);
  machine = new Machine{.options = options};
  for (int i = 0; i < options.devices; ++i) {
    machine->gpus.emplace_back().default_stream = std::make_unique<FakeStream>(machine->world);
  }
}

FakeCuda::~FakeCuda() {
  for (Gpu& gpu : machine->gpus) gpu.default_stream.reset();
  for (const auto& [address, allocation] : machine->allocations) {
    std::free(reinterpret_cast<void*>(address));  // What a broken device had.
  }
  delete machine;
  machine = nullptr;
  current = nullptr;
}

std::vector<hal::cuda::CudaDevice> FakeCuda::devices() const {
  return *hal::cuda::FindCudaDevices(driver_);
}

absl::StatusOr<hal::cuda::CudaCompiler> FakeCuda::FindCompiler(int architecture) {
  return hal::cuda::CudaCompiler{
      .name = absl::StrCat("fake-sm_", architecture),
      .compile = [](const std::string& source) -> absl::StatusOr<std::string> { return source; }};
}

std::vector<std::unique_ptr<hal::Device>> FakeCuda::Open(
    const hal::cuda::CudaDeviceOptions& options) {
  auto opened = hal::cuda::OpenCudaDevices(driver_, devices(), options, FindCompiler);
  ACCELD_CHECK(opened.ok());
  return *std::move(opened);
}

std::vector<std::string> FakeCuda::calls() const {
  MutexLock lock(machine->world.mutex);
  return machine->calls;
}

int FakeCuda::CountOf(absl::string_view function) const {
  MutexLock lock(machine->world.mutex);
  return static_cast<int>(std::count(machine->calls.begin(), machine->calls.end(), function));
}

void FakeCuda::ForgetCalls() {
  MutexLock lock(machine->world.mutex);
  machine->calls.clear();
}

void FakeCuda::Fail(absl::string_view function, Result result, int calls) {
  MutexLock lock(machine->world.mutex);
  machine->failures[std::string(function)] = {calls, result};
}

void FakeCuda::FailKernel(absl::string_view name, Result result) {
  MutexLock lock(machine->world.mutex);
  machine->kernel_failures[std::string(name)] = result;
}

void FakeCuda::Pause() {
  MutexLock lock(machine->world.mutex);
  machine->world.paused = true;
}

void FakeCuda::Resume() {
  MutexLock lock(machine->world.mutex);
  machine->world.paused = false;
  machine->world.changed.NotifyAll();
}

bool FakeCuda::IsBroken(int device) const {
  return acceld::testing::IsBroken(machine->gpus[static_cast<size_t>(device)]);
}

int64_t FakeCuda::used_bytes(int device) const {
  MutexLock lock(machine->world.mutex);
  return machine->gpus[static_cast<size_t>(device)].used_bytes;
}

int FakeCuda::live_objects() const {
  MutexLock lock(machine->world.mutex);
  return machine->live;
}

}  // namespace acceld::testing
