#include <string>

#include "common/ir/text.h"
#include "common/ir/transform/transforms.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/transform/batch_check.h"
#include "tests/unit/ir/transform/derivative_check.h"
#include "tests/unit/ir/transform/sample_programs.h"

namespace acceld::ir {
namespace {

constexpr int64_t kExamples = 3;

// The program's reverse mode, with respect to all arguments that have derivatives.
std::string GradientOf(const std::string& text) {
  const absl::StatusOr<Module> module = ParseModule(text, "test");
  EXPECT_TRUE(module.ok()) << module.status() << text;
  if (!module.ok()) return "";
  Mask active;
  for (const Type& type : (*module->Entry("main"))->ParameterTypes()) {
    active.push_back(IsFloat(type.tensor().dtype) || IsComplex(type.tensor().dtype));
  }
  const absl::StatusOr<Module> gradient = Vjp(*module, "main", active);
  EXPECT_TRUE(gradient.ok()) << gradient.status() << text;
  return gradient.ok() ? PrintModule(*gradient) : "";
}

std::string BatchOf(const std::string& text) {
  const absl::StatusOr<Module> module = ParseModule(text, "test");
  EXPECT_TRUE(module.ok()) << module.status() << text;
  if (!module.ok()) return "";
  const Mask all((*module->Entry("main"))->body.parameters.size(), true);
  const absl::StatusOr<Module> batch = Batch(*module, "main", all, kExamples);
  EXPECT_TRUE(batch.ok()) << batch.status() << text;
  return batch.ok() ? PrintModule(*batch) : "";
}

class TransformTest : public ::testing::TestWithParam<SampleFamily> {};

TEST_P(TransformTest, TangentsAreDerivativesAndReverseModeIsTheirTranspose) {
  for (const SampleProgram& program : GetParam().programs) {
    CheckDerivatives(program.text, program.low, program.high);
  }
}

TEST_P(TransformTest, GradientsHaveDerivatives) {
  for (const SampleProgram& program : GetParam().programs) {
    CheckDerivatives(GradientOf(program.text), program.low, program.high);
  }
}

TEST_P(TransformTest, BatchesEqualTheirExamples) {
  for (const SampleProgram& program : GetParam().programs) {
    CheckBatches(program.text, program.low, program.high);
  }
}

TEST_P(TransformTest, BatchesOfGradientsEqualTheirExamples) {
  for (const SampleProgram& program : GetParam().programs) {
    CheckBatches(GradientOf(program.text), program.low, program.high);
  }
}

TEST_P(TransformTest, BatchesHaveDerivatives) {
  for (const SampleProgram& program : GetParam().programs) {
    CheckDerivatives(BatchOf(program.text), program.low, program.high);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, TransformTest, ::testing::ValuesIn(SampleFamilies()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace acceld::ir
