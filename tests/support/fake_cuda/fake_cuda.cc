#include "tests/support/fake_cuda/fake_cuda.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "tests/support/fake_cuda/machine.h"

// Functions of fake_driver.cc and fake_cublas_lt.cc.
extern "C" {
using Result = int;
using namespace acceld::hal::cuda;
#define ACCELD_CUDA_SYMBOL(name, parameters) Result name parameters;
#include "server/hal/cuda/driver_symbols.def"

using acceld::kernels::cuda::CublasLt;
using Handle = CublasLt::Handle;
using Operation = CublasLt::Operation;
using Layout = CublasLt::Layout;
using Preference = CublasLt::Preference;
using Algorithm = CublasLt::Algorithm;
using Heuristic = CublasLt::Heuristic;
using Stream = CublasLt::Stream;
#define ACCELD_CUBLAS_LT_SYMBOL(name, parameters) Result name parameters;
#include "kernels/cuda/cublas/symbols.def"
}

namespace acceld::testing {
namespace {

Driver MakeDriver() {
  Driver driver;
#define ACCELD_CUDA_SYMBOL(name, parameters) driver.name = ::name;
#include "server/hal/cuda/driver_symbols.def"
  return driver;
}

CublasLt MakeCublasLt() {
  CublasLt table;
#define ACCELD_CUBLAS_LT_SYMBOL(name, parameters) table.name = ::name;
#include "kernels/cuda/cublas/symbols.def"
  return table;
}

}  // namespace

FakeCuda::FakeCuda(const Options& options) : driver_(MakeDriver()) {
  ACCELD_CHECK(fake::machine == nullptr);
  fake::machine = fake::NewMachine(options);
}

FakeCuda::~FakeCuda() {
  for (fake::Gpu& gpu : fake::machine->gpus) gpu.default_stream.reset();
  for (const auto& [address, allocation] : fake::machine->allocations) {
    std::free(reinterpret_cast<void*>(address));  // What a broken device had.
  }
  delete fake::machine;
  fake::machine = nullptr;
}

std::vector<hal::cuda::CudaDevice> FakeCuda::devices() const {
  return *hal::cuda::FindCudaDevices(*driver_);
}

absl::StatusOr<hal::cuda::CudaCompiler> FakeCuda::FindCompiler(int architecture) {
  const auto compile = [](const std::string& source) -> absl::StatusOr<std::string> {
    return source;
  };
  return hal::cuda::CudaCompiler{.name = absl::StrCat("fake-sm_", architecture),
                                 .compile = compile,
                                 .compile_to_ptx = compile};
}

hal::cuda::Toolkit FakeCuda::toolkit() {
  static const absl::StatusOr<CublasLt> cublas_lt = MakeCublasLt();
  return {.find_compiler = FindCompiler,
          .find_cublas_lt = []() -> const absl::StatusOr<CublasLt>& { return cublas_lt; }};
}

std::vector<std::unique_ptr<hal::Device>> FakeCuda::Open(
    const hal::cuda::CudaDeviceOptions& options) {
  std::vector<std::unique_ptr<hal::Device>> opened;
  for (auto& device : hal::cuda::OpenCudaDevices(*driver_, devices(), options, toolkit())) {
    ACCELD_CHECK(device.ok());
    opened.push_back(*std::move(device));
  }
  return opened;
}

std::vector<std::string> FakeCuda::calls() const {
  MutexLock lock(fake::machine->world.mutex);
  return fake::machine->calls;
}

int FakeCuda::CountOf(absl::string_view function) const {
  MutexLock lock(fake::machine->world.mutex);
  return static_cast<int>(
      std::count(fake::machine->calls.begin(), fake::machine->calls.end(), function));
}

void FakeCuda::ForgetCalls() {
  MutexLock lock(fake::machine->world.mutex);
  fake::machine->calls.clear();
}

void FakeCuda::Fail(absl::string_view function, Result result, int calls) {
  MutexLock lock(fake::machine->world.mutex);
  fake::machine->failures[std::string(function)] = {calls, result};
}

void FakeCuda::FailKernel(absl::string_view name, Result result) {
  MutexLock lock(fake::machine->world.mutex);
  fake::machine->kernel_failures[std::string(name)] = result;
}

void FakeCuda::Pause() {
  MutexLock lock(fake::machine->world.mutex);
  fake::machine->world.paused = true;
}

void FakeCuda::Resume() {
  MutexLock lock(fake::machine->world.mutex);
  fake::machine->world.paused = false;
  fake::machine->world.changed.NotifyAll();
}

bool FakeCuda::IsBroken(int device) const {
  MutexLock lock(fake::machine->world.mutex);
  return fake::machine->gpus[static_cast<size_t>(device)].broken != 0;
}

int64_t FakeCuda::used_bytes(int device) const {
  MutexLock lock(fake::machine->world.mutex);
  return fake::machine->gpus[static_cast<size_t>(device)].used_bytes;
}

int FakeCuda::live_objects() const {
  MutexLock lock(fake::machine->world.mutex);
  return fake::machine->live;
}

}  // namespace acceld::testing
