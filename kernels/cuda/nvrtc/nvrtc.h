#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/status.h"

namespace acceld::kernels::cuda {

// NVRTC, NVIDIA's run-time compiler for CUDA C++. The library is loaded at run time, so that
// programs also start on machines without it. It needs neither a driver nor a GPU. Thread-safe.
class Nvrtc {
 public:
  // Loads the library on the first call. Returns FAILED_PRECONDITION, with the paths that were
  // tried, if it cannot be loaded; every call has the same outcome.
  static const absl::StatusOr<Nvrtc>& Get();

  // For example "13.0".
  const std::string& version() const { return version_; }
  // The supported architectures in ascending order; 80 stands for sm_80.
  const std::vector<int>& architectures() const { return architectures_; }

  struct Cubin {
    std::string bytes;
    std::string log;  // the assembler's register and spill counts, and warnings
  };
  // Compiles the source of a module for one architecture; `name` is for messages. Blocks. Returns
  // INTERNAL, with the compiler's messages, for invalid source, INVALID_ARGUMENT for an unsupported
  // architecture.
  absl::StatusOr<Cubin> Compile(const std::string& source, const std::string& name,
                                int architecture) const;
  // Compiles to PTX, which the driver compiles further; the result ends with a zero byte.
  absl::StatusOr<std::string> CompileToPtx(const std::string& source, const std::string& name,
                                           int architecture) const;

 private:
  using Program = void*;
  using Result = int;

  static absl::StatusOr<Nvrtc> Open();
  struct Compiled;
  absl::StatusOr<Compiled> Run(const std::string& source, const std::string& name, int architecture,
                               const std::vector<std::string>& options) const;

#define ACCELD_NVRTC_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "kernels/cuda/nvrtc/symbols.def"
  std::string version_;
  std::vector<int> architectures_;
};

}  // namespace acceld::kernels::cuda
