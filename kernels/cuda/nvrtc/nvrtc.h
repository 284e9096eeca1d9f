#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/status.h"

namespace acceld::kernels::cuda {

// NVIDIA's run-time compiler of CUDA C++, opened when it is first asked for: a program that has it
// as a part starts on machines without it. It needs neither driver nor GPU. Any thread may call.
class Nvrtc {
 public:
  // FAILED_PRECONDITION, always the same, with what was looked for when there is none.
  static const absl::StatusOr<Nvrtc>& Get();

  // "13.0"
  const std::string& version() const { return version_; }
  // 80 for sm_80, ascending.
  const std::vector<int>& architectures() const { return architectures_; }

  struct Cubin {
    std::string bytes;
    std::string log;  // what the assembler says of registers and spills, and warnings
  };
  // Compiles a module's source (`name` is for messages) for one architecture. INTERNAL with the
  // compiler's words for source that it refuses, INVALID_ARGUMENT for an unknown architecture.
  absl::StatusOr<Cubin> Compile(const std::string& source, const std::string& name,
                                int architecture) const;
  // The same to PTX, which the driver compiles.
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
