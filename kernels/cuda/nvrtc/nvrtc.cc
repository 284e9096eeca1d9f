#include "kernels/cuda/nvrtc/nvrtc.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/cuda/shared_library.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first: names for the loader's search path, then the toolkit's default locations.
constexpr const char* kLibraries[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                      "/usr/local/cuda/lib64/libnvrtc.so",
                                      "/usr/local/cuda/lib/libnvrtc.so"};

}  // namespace

const absl::StatusOr<Nvrtc>& Nvrtc::Get() {
  static const auto* const nvrtc = new absl::StatusOr<Nvrtc>(Open());  // Never closed.
  return *nvrtc;
}

absl::StatusOr<Nvrtc> Nvrtc::Open() {
  ACCELD_ASSIGN_OR_RETURN(const SharedLibrary library,
                          SharedLibrary::Open("CUDA run-time compiler", kLibraries));
  Nvrtc nvrtc;
#define ACCELD_NVRTC_SYMBOL(name, parameters) \
  ACCELD_RETURN_IF_ERROR(library.Find(#name, nvrtc.name));
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

struct Nvrtc::Compiled {
  Compiled(const Nvrtc& owner, Program made) : nvrtc(owner), program(made) {}
  Compiled(Compiled&& other) noexcept
      : nvrtc(other.nvrtc),
        program(std::exchange(other.program, nullptr)),
        log(std::move(other.log)) {}
  Compiled& operator=(Compiled&&) = delete;
  ~Compiled() {
    if (program != nullptr) (void)nvrtc.nvrtcDestroyProgram(&program);
  }

  const Nvrtc& nvrtc;
  Program program;
  std::string log;
};

absl::StatusOr<Nvrtc::Compiled> Nvrtc::Run(const std::string& source, const std::string& name,
                                           int architecture,
                                           const std::vector<std::string>& options) const {
  if (!std::binary_search(architectures_.begin(), architectures_.end(), architecture)) {
    return absl::InvalidArgumentError(absl::StrCat("sm_", architecture, ": CUDA's compiler ",
                                                   version_, " knows ",
                                                   absl::StrJoin(architectures_, ", ")));
  }
  Program program = nullptr;
  if (nvrtcCreateProgram(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr) != 0) {
    return absl::ResourceExhaustedError("CUDA's compiler makes no program");
  }
  Compiled compiled(*this, program);
  // No automatic contraction: the source has explicit fused multiply-adds (emit/contraction.h).
  // Warning 177 is about unused variables.
  std::vector<const char*> all = {"--std=c++17", "--fmad=false", "--diag-suppress=177"};
  for (const std::string& option : options) all.push_back(option.c_str());
  const Result result = nvrtcCompileProgram(program, static_cast<int>(all.size()), all.data());
  size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) == 0 && size > 1) {
    compiled.log.resize(size - 1);
    (void)nvrtcGetProgramLog(program, compiled.log.data());
  }
  if (result != 0) {
    return absl::InternalError(absl::StrCat("CUDA's compiler refuses ", name, ": ", compiled.log));
  }
  return compiled;
}

absl::StatusOr<Nvrtc::Cubin> Nvrtc::Compile(const std::string& source, const std::string& name,
                                            int architecture) const {
  ACCELD_ASSIGN_OR_RETURN(
      Compiled compiled,
      Run(source, name, architecture,
          {absl::StrCat("--gpu-architecture=sm_", architecture), "--ptxas-options=-v"}));
  size_t size = 0;
  if (nvrtcGetCUBINSize(compiled.program, &size) != 0) {
    return absl::InternalError(absl::StrCat("CUDA's compiler has no code for ", name));
  }
  Cubin cubin{.bytes = std::string(size, '\0'), .log = std::move(compiled.log)};
  (void)nvrtcGetCUBIN(compiled.program, cubin.bytes.data());
  return cubin;
}

absl::StatusOr<std::string> Nvrtc::CompileToPtx(const std::string& source, const std::string& name,
                                                int architecture) const {
  ACCELD_ASSIGN_OR_RETURN(const Compiled compiled,
                          Run(source, name, architecture,
                              {absl::StrCat("--gpu-architecture=compute_", architecture),
                               "--relocatable-device-code=true"}));
  size_t size = 0;
  if (nvrtcGetPTXSize(compiled.program, &size) != 0) {
    return absl::InternalError(absl::StrCat("CUDA's compiler has no PTX for ", name));
  }
  std::string ptx(size, '\0');  // The size includes the final zero byte, which the driver expects.
  (void)nvrtcGetPTX(compiled.program, ptx.data());
  return ptx;
}

}  // namespace acceld::kernels::cuda
