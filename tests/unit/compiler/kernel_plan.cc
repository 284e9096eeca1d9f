#include "tests/unit/compiler/kernel_plan.h"

#include <string>
#include <utility>
#include <vector>

#include "server/compiler/compiler.h"

namespace acceld::compiler {
namespace {

// Keeps the plan.
class PlanKeeper : public codegen::CodeGenerator {
 public:
  std::string architecture() const override { return "kernels alone"; }
  bool SupportsMatmul(const kernels::MatmulStep&) const override { return false; }
  bool SupportsConvolution(const kernels::ConvolutionStep&) const override { return false; }
  int64_t ScratchBytesOf(const kernels::ConvolutionStep&) const override { return 0; }
  bool SupportsAttention(const kernels::AttentionShape&) const override { return false; }
  bool IsMatmulFast(const kernels::MatmulStep&) const override { return false; }
  bool ScalesCollectives() const override { return false; }
  int64_t min_alternating_bytes() const override { return codegen::kNeverAlternates; }
  int64_t parallel_units() const override { return 1024; }
  int64_t threads_per_unit() const override { return 256; }
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>*,
                                       const StopFlag*) const override {
    kept = plan;
    return std::string();
  }
  mutable kernels::Plan kept;
};

}  // namespace

absl::StatusOr<kernels::Plan> PlanOfKernels(const ir::Module& module,
                                            absl::Span<const ir::Literal> arguments) {
  std::vector<ir::TensorType> types;
  for (const ir::Literal& argument : arguments) types.push_back(argument.type());
  const PlanKeeper keeper;
  ACCELD_RETURN_IF_ERROR(Compile(module, "main", types, keeper, {}).status());
  return std::move(keeper.kept);
}

}  // namespace acceld::compiler
