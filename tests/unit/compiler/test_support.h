#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "kernels/ir/plan.h"
#include "server/codegen/code_generator.h"

namespace acceld::compiler {

// A target without code: plans are run by RunPlan. Takes every matrix product of f32 and f64
// and every convolution of f32 that is a product of matrices.
class PlanOnlyGenerator : public codegen::CodeGenerator {
 public:
  std::string architecture() const override { return "plan-only"; }
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const override {
    return matmul.epilogue.IsNone() &&
           (matmul.input_dtype == ir::DType::kF32 || matmul.input_dtype == ir::DType::kF64);
  }
  bool SupportsConvolution(const kernels::ConvolutionStep& convolution) const override {
    return convolution.input_dtype == ir::DType::kF32 && convolution.shape.IsProduct();
  }
  int64_t ScratchBytesOf(const kernels::ConvolutionStep&) const override { return 0; }
  bool SupportsAttention(const kernels::AttentionShape&) const override { return false; }
  bool IsMatmulFast(const kernels::MatmulStep&) const override { return false; }
  bool ScalesCollectives() const override { return true; }
  int64_t min_alternating_bytes() const override { return 8; }
  int64_t parallel_units() const override { return 64; }
  int64_t threads_per_unit() const override { return 1; }
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                       const StopFlag* stop) const override;
};

// The same for a GPU, with the matrix products of cuBLASLt, what it does behind them, and
// attention.
class CublasLtPlanGenerator : public PlanOnlyGenerator {
 public:
  bool ScalesCollectives() const override { return false; }
  int64_t min_alternating_bytes() const override { return codegen::kNeverAlternates; }
  int64_t parallel_units() const override { return 1024; }
  int64_t threads_per_unit() const override { return 256; }
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const override;
  bool SupportsAttention(const kernels::AttentionShape& attention) const override;
  bool IsMatmulFast(const kernels::MatmulStep& matmul) const override {
    return SupportsMatmul(matmul);
  }
};

// Parses, or fails the test.
ir::Module Parse(absl::string_view text);

// Specialized for its own parameter types and through the whole pipeline.
absl::StatusOr<ir::Module> Optimize(const ir::Module& module,
                                    const std::vector<std::string>& disabled = {},
                                    const codegen::CodeGenerator& target = PlanOnlyGenerator());
absl::StatusOr<kernels::Plan> PlanOf(const ir::Module& module,
                                     const std::vector<std::string>& disabled = {},
                                     const codegen::CodeGenerator& target = PlanOnlyGenerator());

// Small values that differ from element to element; in range for any dtype.
ir::Literal SomeValues(const ir::TensorType& type, int seed);

// Runs the program by the reference interpreter and as an optimized plan, with arguments and
// results in one place where they may be and without, and compares the results:
// floats up to a relative 1e-4.
void ExpectPlanMatchesInterpreter(absl::string_view text,
                                  const std::vector<std::string>& disabled = {},
                                  const codegen::CodeGenerator& target = PlanOnlyGenerator());

}  // namespace acceld::compiler
