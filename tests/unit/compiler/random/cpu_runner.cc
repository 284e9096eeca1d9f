#include "tests/unit/compiler/random/cpu_runner.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "kernels/ir/analysis/input_output_aliases.h"
#include "kernels/ir/plan.h"
#include "server/codegen/cpu/cpu_code_generator.h"
#include "server/compiler/compiler.h"

namespace acceld::compiler {
namespace {

// Random programs are small, but their loops are to alternate between buffers.
class AlternatingGenerator : public codegen::cpu::CpuCodeGenerator {
 public:
  int64_t min_alternating_bytes() const override { return 1; }
};

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, Free>;

// Aligned as the runtime's buffers are; the garbage behind the bytes is none that a result needs.
Memory Place(absl::string_view bytes) {
  constexpr size_t kAlignment = kernels::kBufferAlignment;
  const size_t size = (bytes.size() / kAlignment + 1) * kAlignment;
  Memory memory(static_cast<char*>(std::aligned_alloc(kAlignment, size)));
  std::memset(memory.get(), 0xAB, size);
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  return memory;
}

}  // namespace

absl::StatusOr<CpuProgram> CpuProgram::Compile(const ir::Module& module,
                                               absl::Span<const ir::Literal> arguments) {
  static const AlternatingGenerator generator;
  std::vector<ir::TensorType> types;
  for (const ir::Literal& argument : arguments) types.push_back(argument.type());
  const char* const dump_dir = std::getenv("ACCELD_DUMP_DIR");
  CpuProgram program;
  ACCELD_ASSIGN_OR_RETURN(program.executable_,
                          compiler::Compile(module, "main", types, generator,
                                            {.dump_dir = dump_dir == nullptr ? "" : dump_dir}));
  ACCELD_ASSIGN_OR_RETURN(program.code_, kernels::cpu::CpuModule::Load(program.executable_.code));
  return program;
}

absl::StatusOr<std::vector<ir::Literal>> CpuProgram::Run(
    absl::Span<const ir::Literal> arguments, int num_threads, const Interruption& interruption,
    const std::function<bool(uint32_t argument)>& is_donated) const {
  std::vector<Memory> memory;
  const auto copy_of = [&](absl::string_view bytes) {
    memory.push_back(Place(bytes));
    return memory.back().get();
  };
  std::vector<const void*> argument_addresses;
  std::vector<void*> results;
  for (const ir::Literal& argument : arguments) {
    argument_addresses.push_back(copy_of(argument.DenseBytes()));
  }
  for (const ir::TensorType& type : executable_.results) {
    results.push_back(copy_of(std::string(type.size_bytes(), '\xCD')));
  }
  if (is_donated) {
    for (const kernels::InputOutputAlias& shared :
         kernels::ChooseInputOutputAliases(executable_.may_share, {}, is_donated)) {
      results[shared.result] = memory[shared.argument].get();
    }
  }
  static kernels::cpu::CpuRuntime runtime;
  const kernels::cpu::LaunchContext context = {
      .arguments = argument_addresses.data(),
      .results = results.data(),
      .arena = copy_of(std::string(executable_.arena_bytes, '\xEF')),
      .constants = copy_of(executable_.constants),
      .num_threads = num_threads,
      .interrupted = interruption.interrupted,
      .interrupt_handler = interruption.interrupt_handler,
      .runtime = &runtime,
  };
  if (interruption.run_begins) interruption.run_begins();
  ACCELD_RETURN_IF_ERROR(code_->Run(context));
  std::vector<ir::Literal> literals;
  for (size_t i = 0; i < results.size(); ++i) {
    const ir::TensorType& type = executable_.results[i];
    ACCELD_ASSIGN_OR_RETURN(
        ir::Literal literal,
        ir::Literal::FromBytes(
            type, std::string(static_cast<const char*>(results[i]), type.size_bytes())));
    literals.push_back(std::move(literal));
  }
  return literals;
}

absl::StatusOr<std::vector<ir::Literal>> RunOnCpu(const ir::Module& module,
                                                  absl::Span<const ir::Literal> arguments,
                                                  int num_threads,
                                                  const Interruption& interruption) {
  ACCELD_ASSIGN_OR_RETURN(const CpuProgram program, CpuProgram::Compile(module, arguments));
  return program.Run(arguments, num_threads, interruption);
}

}  // namespace acceld::compiler
