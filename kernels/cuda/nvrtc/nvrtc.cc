#include "kernels/cuda/nvrtc/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first, by the loader's path and where the toolkit is installed by default.
constexpr const char* kLibraries[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                      "/usr/local/cuda/lib64/libnvrtc.so",
                                      "/usr/local/cuda/lib/libnvrtc.so"};

void* OpenLibrary() {
  for (const char* library : kLibraries) {
    if (void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL)) return opened;
  }
  return nullptr;
}

}  // namespace

const absl::StatusOr<Nvrtc>& Nvrtc::Get() {
  static const auto* const nvrtc = new absl::StatusOr<Nvrtc>(Open());  // Never closed.
  return *nvrtc;
}

absl::StatusOr<Nvrtc> Nvrtc::Open() {
  void* const library = OpenLibrary();
  if (library == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("no CUDA run-time compiler: found none of ", absl::StrJoin(kLibraries, ", ")));
  }
  Nvrtc nvrtc;
#define ACCELD_NVRTC_SYMBOL(name, parameters)                                         \
  nvrtc.name = reinterpret_cast<Result(*) parameters>(dlsym(library, #name));         \
  if (nvrtc.name == nullptr) {                                                        \
    return absl::FailedPreconditionError("the CUDA run-time compiler has no " #name); \
  }
#include "kernels/cuda/nvrtc/symbols.def"
  int major = 0, minor = 0, count = 0;
  if (nvrtc.nvrtcVersion(&major, &minor) != 0 || nvrtc.nvrtcGetNumSupportedArchs(&count) != 0) {
    return absl::FailedPreconditionError("the CUDA run-time compiler does not answer");
  }
  nvrtc.version_ = absl::StrCat(major, ".", minor);
  nvrtc.architectures_.resize(static_cast<size_t>(std::max(count, 0)));
  (void)nvrtc.nvrtcGetSupportedArchs(nvrtc.architectures_.data());
  std::sort(nvrtc.architectures_.begin(), nvrtc.architectures_.end());
  return nvrtc;
}

absl::StatusOr<Nvrtc::Cubin> Nvrtc::Compile(const std::string& source, const std::string& name,
                                            int architecture) const {
  if (!std::binary_search(architectures_.begin(), architectures_.end(), architecture)) {
    return absl::InvalidArgumentError(absl::StrCat("sm_", architecture, ": CUDA's compiler ",
                                                   version_, " knows ",
                                                   absl::StrJoin(architectures_, ", ")));
  }
  Program program = nullptr;
  if (nvrtcCreateProgram(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr) != 0) {
    return absl::ResourceExhaustedError("CUDA's compiler makes no program");
  }
  const auto destroy = [this](Program* made) { (void)nvrtcDestroyProgram(made); };
  const std::unique_ptr<Program, decltype(destroy)> owner(&program, destroy);
  const std::string target = absl::StrCat("--gpu-architecture=sm_", architecture);
  // As on the CPU, an operation is rounded by itself. Values that nothing uses are fine.
  const char* const options[] = {target.c_str(), "--std=c++17", "--fmad=false",
                                 "--ptxas-options=-v", "--diag-suppress=177"};
  const Result result = nvrtcCompileProgram(program, std::size(options), options);
  Cubin cubin;
  size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) == 0 && size > 1) {
    cubin.log.resize(size - 1);
    (void)nvrtcGetProgramLog(program, cubin.log.data());
  }
  if (result != 0) {
    return absl::InternalError(absl::StrCat("CUDA's compiler refuses ", name, ": ", cubin.log));
  }
  if (nvrtcGetCUBINSize(program, &size) != 0) {
    return absl::InternalError(absl::StrCat("CUDA's compiler has no code for ", name));
  }
  cubin.bytes.resize(size);
  (void)nvrtcGetCUBIN(program, cubin.bytes.data());
  return cubin;
}

}  // namespace acceld::kernels::cuda
