#include "tests/unit/compiler/test_support.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "gtest/gtest.h"
#include "kernels/cuda/attention/attention.h"
#include "kernels/cuda/cublas/matmul.h"
#include "kernels/ir/analysis/input_output_aliases.h"
#include "server/compiler/dump.h"
#include "server/compiler/pipeline.h"
#include "server/compiler/plan/build_plan.h"
#include "tests/unit/compiler/plan_runner.h"

namespace acceld::compiler {
namespace {

std::vector<ir::TensorType> ParametersOf(const ir::Module& module) {
  std::vector<ir::TensorType> types;
  for (const ir::Type& type : module.Find("main")->ParameterTypes()) {
    types.push_back(type.tensor());
  }
  return types;
}

void ExpectClose(const ir::Literal& expected, const ir::Literal& actual, size_t number) {
  ASSERT_EQ(expected.type(), actual.type());
  const ir::DType dtype = expected.type().dtype;
  const std::string a = expected.DenseBytes(), b = actual.DenseBytes();
  if (!ir::IsFloat(dtype)) {
    EXPECT_EQ(a, b) << "result " << number;
    return;
  }
  for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
    const double x = ir::ReadFloat(dtype, a.data(), i), y = ir::ReadFloat(dtype, b.data(), i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) continue;
    ASSERT_LE(std::abs(x - y), 1e-4 * std::max(1.0, std::abs(x)))
        << "result " << number << " element " << i << ": " << x << " and " << y;
  }
}

}  // namespace

absl::StatusOr<std::string> PlanOnlyGenerator::Generate(const kernels::Plan& plan,
                                                        std::vector<Dump>*, const StopFlag*) const {
  return kernels::ToString(plan);
}

bool CublasLtPlanGenerator::SupportsMatmul(const kernels::MatmulStep& matmul) const {
  return kernels::cuda::CanMatmul(matmul);
}

bool CublasLtPlanGenerator::SupportsAttention(const kernels::AttentionShape& attention) const {
  return kernels::cuda::CanAttend(attention) && kernels::cuda::IsAttentionParallel(attention);
}

ir::Module Parse(absl::string_view text) {
  absl::StatusOr<ir::Module> module = ir::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : ir::Module();
}

absl::StatusOr<ir::Module> Optimize(const ir::Module& module,
                                    const std::vector<std::string>& disabled,
                                    const codegen::CodeGenerator& target) {
  ACCELD_ASSIGN_OR_RETURN(ir::Module specialized,
                          ir::Specialize(module, "main", ParametersOf(module)));
  ACCELD_RETURN_IF_ERROR(ir::Verify(specialized));
  Dump dump("", "", "");
  return RunPipeline(std::move(specialized), target, disabled, dump, nullptr);
}

absl::StatusOr<kernels::Plan> PlanOf(const ir::Module& module,
                                     const std::vector<std::string>& disabled,
                                     const codegen::CodeGenerator& target) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Module optimized, Optimize(module, disabled, target));
  return BuildPlan(optimized, target);
}

ir::Literal SomeValues(const ir::TensorType& type, int seed) {
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const int64_t value = (i * 7 + seed * 3 + 1) % 11;
    if (ir::IsFloat(type.dtype)) {
      ir::WriteFloat(type.dtype, bytes.data(), i, 0.25 * static_cast<double>(value) - 1);
    } else if (ir::IsComplex(type.dtype)) {
      ir::WriteComplex(type.dtype, bytes.data(), i, {0.5 * static_cast<double>(value), -1});
    } else {
      ir::WriteInt(type.dtype, bytes.data(), i, type.dtype == ir::DType::kI1 ? value % 2 : value);
    }
  }
  return ir::Literal::FromBytes(type, bytes).value();
}

void ExpectPlanMatchesInterpreter(absl::string_view text, const std::vector<std::string>& disabled,
                                  const codegen::CodeGenerator& target) {
  const ir::Module module = Parse(text);
  if (module.functions.empty()) return;
  absl::StatusOr<kernels::Plan> plan = PlanOf(module, disabled, target);
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (int seed = 0; seed < 3; ++seed) {
    std::vector<ir::Literal> arguments;
    for (const ir::TensorType& type : ParametersOf(module)) {
      arguments.push_back(SomeValues(type, seed + static_cast<int>(arguments.size())));
    }
    auto expected = ir::Interpret(module, "main", arguments);
    ASSERT_TRUE(expected.ok()) << expected.status();
    // All that a plan may be given in one place is, some of it, or nothing.
    for (const uint32_t kept : {0u, 1u, 2u}) {
      const auto shared = kernels::ChooseInputOutputAliases(
          plan->may_share, {},
          [&](uint32_t argument) { return kept == 0 || argument % 2 == kept; });
      auto actual = RunPlan(*plan, arguments, kernels::RunKernel, nullptr, shared);
      ASSERT_TRUE(actual.ok()) << actual.status() << "\n" << kernels::ToString(*plan);
      ASSERT_EQ(expected->size(), actual->size());
      for (size_t i = 0; i < expected->size(); ++i) ExpectClose((*expected)[i], (*actual)[i], i);
    }
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << kernels::ToString(*plan);
      return;
    }
  }
}

}  // namespace acceld::compiler
