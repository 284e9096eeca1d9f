#include "tests/support/fake_cuda/fake_cuda.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "server/codegen/cuda/cuda_code_generator.h"
#include "tests/support/fake_cuda/machine.h"

// Functions of fake_driver.cc and of the fakes of libraries.
extern "C" {
using Result = int;
using namespace acceld::hal::cuda;
#define ACCELD_CUDA_SYMBOL(name, parameters) Result name parameters;
#include "server/hal/cuda/driver/driver_symbols.def"

using acceld::kernels::cuda::CublasLt;
using Handle = CublasLt::Handle;
using Operation = CublasLt::Operation;
using Layout = CublasLt::Layout;
using Preference = CublasLt::Preference;
using Algorithm = CublasLt::Algorithm;
using Heuristic = CublasLt::Heuristic;
using Stream = CublasLt::Stream;
#define ACCELD_CUBLAS_LT_SYMBOL(name, parameters) Result name parameters;
#include "kernels/cuda/cublas/cublas_lt_symbols.def"
}

// Each library has types of its own.
namespace fake_cublas {
extern "C" {
using acceld::kernels::cuda::Cublas;
using Handle = Cublas::Handle;
#define ACCELD_CUBLAS_SYMBOL(name, parameters) Result name parameters;
#define ACCELD_CUBLAS_TYPED(name, suffix, parameters) \
  Result cublasS##suffix parameters;                  \
  Result cublasD##suffix parameters;                  \
  Result cublasC##suffix parameters;                  \
  Result cublasZ##suffix parameters;
#include "kernels/cuda/cublas/cublas_symbols.def"
}

Cublas MakeTable() {
  Cublas table;
#define ACCELD_CUBLAS_SYMBOL(name, parameters) table.name = name;
#define ACCELD_CUBLAS_TYPED(name, suffix, parameters) \
  table.name[0] = cublasS##suffix;                    \
  table.name[1] = cublasD##suffix;                    \
  table.name[2] = cublasC##suffix;                    \
  table.name[3] = cublasZ##suffix;
#include "kernels/cuda/cublas/cublas_symbols.def"
  return table;
}
}  // namespace fake_cublas

namespace fake_cudnn {
extern "C" {
using acceld::kernels::cuda::Cudnn;
using Handle = Cudnn::Handle;
using Descriptor = Cudnn::Descriptor;
using Algorithm = Cudnn::Algorithm;
#define ACCELD_CUDNN_SYMBOL(name, parameters) Result name parameters;
#include "kernels/cuda/cudnn/symbols.def"
}

Cudnn MakeTable() {
  Cudnn table;
#define ACCELD_CUDNN_SYMBOL(name, parameters) table.name = name;
#include "kernels/cuda/cudnn/symbols.def"
  return table;
}
}  // namespace fake_cudnn

namespace fake_cufft {
extern "C" {
using acceld::kernels::cuda::Cufft;
using Plan = Cufft::Plan;
using Size = Cufft::Size;
#define ACCELD_CUFFT_SYMBOL(name, parameters) Result name parameters;
#include "kernels/cuda/cufft/symbols.def"
}

Cufft MakeTable() {
  Cufft table;
#define ACCELD_CUFFT_SYMBOL(name, parameters) table.name = name;
#include "kernels/cuda/cufft/symbols.def"
  return table;
}
}  // namespace fake_cufft

namespace fake_cusolver {
extern "C" {
using acceld::kernels::cuda::Cusolver;
using Handle = Cusolver::Handle;
#define ACCELD_CUSOLVER_SYMBOL(name, parameters) Result name parameters;
#define ACCELD_CUSOLVER_TYPED(name, real, complex, parameters) \
  Result cusolverDnS##real parameters;                         \
  Result cusolverDnD##real parameters;                         \
  Result cusolverDnC##complex parameters;                      \
  Result cusolverDnZ##complex parameters;
#include "kernels/cuda/cusolver/symbols.def"
}

Cusolver MakeTable() {
  Cusolver table;
#define ACCELD_CUSOLVER_SYMBOL(name, parameters) table.name = name;
#define ACCELD_CUSOLVER_TYPED(name, real, complex, parameters) \
  table.name[0] = cusolverDnS##real;                           \
  table.name[1] = cusolverDnD##real;                           \
  table.name[2] = cusolverDnC##complex;                        \
  table.name[3] = cusolverDnZ##complex;
#include "kernels/cuda/cusolver/symbols.def"
  return table;
}
}  // namespace fake_cusolver

namespace fake_nccl {
extern "C" {
using acceld::hal::cuda::Nccl;
using Comm = Nccl::Comm;
using UniqueId = Nccl::UniqueId;
using Config = Nccl::Config;
using Stream = Nccl::Stream;
#define ACCELD_NCCL_SYMBOL(name, parameters) Result name parameters;
#include "server/hal/cuda/nccl/nccl_symbols.def"
}

Nccl MakeTable() {
  Nccl table;
#define ACCELD_NCCL_SYMBOL(name, parameters) table.name = name;
#include "server/hal/cuda/nccl/nccl_symbols.def"
  return table;
}
}  // namespace fake_nccl

namespace acceld::testing {
namespace {

Driver MakeDriver() {
  Driver driver;
#define ACCELD_CUDA_SYMBOL(name, parameters) driver.name = ::name;
#include "server/hal/cuda/driver/driver_symbols.def"
  return driver;
}

CublasLt MakeCublasLt() {
  CublasLt table;
#define ACCELD_CUBLAS_LT_SYMBOL(name, parameters) table.name = ::name;
#include "kernels/cuda/cublas/cublas_lt_symbols.def"
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
                                 .architecture = architecture,
                                 .compile = compile,
                                 .compile_to_ptx = compile};
}

hal::cuda::Toolkit FakeCuda::toolkit() {
  using kernels::cuda::Cublas, kernels::cuda::Cudnn, kernels::cuda::Cufft;
  using kernels::cuda::Cusolver;
  static const absl::StatusOr<CublasLt> cublas_lt = MakeCublasLt();
  static const absl::StatusOr<Cublas> cublas = fake_cublas::MakeTable();
  static const absl::StatusOr<Cudnn> cudnn = fake_cudnn::MakeTable();
  static const absl::StatusOr<Cufft> cufft = fake_cufft::MakeTable();
  static const absl::StatusOr<Cusolver> cusolver = fake_cusolver::MakeTable();
  static const absl::StatusOr<hal::cuda::Nccl> nccl = fake_nccl::MakeTable();
  return {.find_compiler = FindCompiler,
          .find_cublas_lt = []() -> const absl::StatusOr<CublasLt>& { return cublas_lt; },
          .find_cudnn = []() -> const absl::StatusOr<Cudnn>& { return cudnn; },
          .find_cublas = []() -> const absl::StatusOr<Cublas>& { return cublas; },
          .find_cufft = []() -> const absl::StatusOr<Cufft>& { return cufft; },
          .find_cusolver = []() -> const absl::StatusOr<Cusolver>& { return cusolver; },
          .find_nccl = []() -> const absl::StatusOr<hal::cuda::Nccl>& { return nccl; }};
}

std::vector<codegen::TargetDevice> FakeCuda::Open(const hal::cuda::CudaDeviceOptions& options,
                                                  const hal::cuda::Toolkit& toolkit) {
  std::vector<codegen::TargetDevice> opened;
  for (auto& device : hal::cuda::OpenCudaDevices(*driver_, devices(), options, toolkit)) {
    ACCELD_CHECK(device.ok());
    auto generator = std::make_unique<codegen::cuda::CudaCodeGenerator>(*device);
    opened.push_back({std::move(device->device), std::move(generator)});
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
