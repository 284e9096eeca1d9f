#include "tests/bench/host_program.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "common/status.h"
#include "kernels/ir/plan.h"
#include "server/codegen/cpu/cpu_code_generator.h"
#include "server/compiler/compiler.h"

namespace acceld::bench {

absl::StatusOr<hal::Executable> CompileProgram(const ir::Module& module) {
  static const codegen::cpu::CpuCodeGenerator generator;
  const char* dump_dir = std::getenv("ACCELD_DUMP_DIR");
  ACCELD_ASSIGN_OR_RETURN(const ir::Function* entry, module.Entry("main"));
  std::vector<ir::TensorType> types;
  for (const ir::Type& type : entry->ParameterTypes()) types.push_back(type.tensor());
  return compiler::Compile(module, "main", types, generator,
                           {.dump_dir = dump_dir == nullptr ? "" : dump_dir});
}

void HostProgram::Free::operator()(char* memory) const { std::free(memory); }

// As the daemon's devices have it: large blocks in large pages.
HostProgram::Memory HostProgram::Allocate(int64_t size_bytes) {
  constexpr int64_t kLargePage = int64_t{2} << 20;
  const int64_t alignment = size_bytes < kLargePage ? kernels::kBufferAlignment : kLargePage;
  const int64_t rounded = (size_bytes + alignment) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (alignment == kLargePage) madvise(memory, rounded, MADV_HUGEPAGE);
  return Memory(static_cast<char*>(memory));
}

HostProgram::Memory HostProgram::MakeArgument(const ir::TensorType& type) {
  Memory memory = Allocate(type.size_bytes());
  std::memset(memory.get(), 0, type.size_bytes());
  const bool is_complex = type.dtype == ir::DType::kC64;
  if (type.dtype != ir::DType::kF32 && !is_complex) return memory;
  uint32_t state = 1;
  const int64_t count = type.num_elements() * (is_complex ? 2 : 1);
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
    std::memcpy(memory.get() + 4 * i, &value, 4);
  }
  return memory;
}

absl::StatusOr<std::unique_ptr<HostProgram>> HostProgram::Load(const hal::Executable& executable) {
  auto program = std::unique_ptr<HostProgram>(new HostProgram);
  ACCELD_ASSIGN_OR_RETURN(program->code_, kernels::cpu::CpuModule::Load(executable.code));
  for (const ir::TensorType& type : executable.arguments) {
    program->memory_.push_back(MakeArgument(type));
    program->arguments_.push_back(program->memory_.back().get());
  }
  for (const ir::TensorType& type : executable.results) {
    program->memory_.push_back(Allocate(type.size_bytes()));
    program->results_.push_back(program->memory_.back().get());
  }
  program->arena_ = Allocate(executable.arena_bytes);
  program->constants_ = Allocate(static_cast<int64_t>(executable.constants.size()));
  std::memcpy(program->constants_.get(), executable.constants.data(), executable.constants.size());
  return program;
}

absl::Status HostProgram::Run(int num_threads) {
  return code_->Run({.arguments = arguments_.data(),
                     .results = results_.data(),
                     .arena = arena_.get(),
                     .constants = constants_.get(),
                     .num_threads = num_threads,
                     .interrupted = nullptr,
                     .runtime = &runtime_});
}

}  // namespace acceld::bench
