#include "tests/unit/ir/transform/batch_check.h"

#include <cmath>
#include <random>
#include <vector>

#include "common/ir/text.h"
#include "common/ir/transform/transforms.h"
#include "common/ir/verify/verifier.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

constexpr int64_t kExamples = 3;
// Programs with more arguments are checked for some choices of those that are batched.
constexpr uint32_t kMostChoices = 8;

Literal Random(const TensorType& type, double low, double high, std::mt19937& random) {
  const auto number = [&] {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  const auto count = static_cast<size_t>(type.num_elements());
  if (IsComplex(type.dtype)) {
    std::vector<Complex> values;
    for (size_t i = 0; i < count; ++i) values.emplace_back(number(), number());
    return Complexes(type.dtype, type.dims, values);
  }
  if (IsFloat(type.dtype)) {
    std::vector<double> values;
    for (size_t i = 0; i < count; ++i) values.push_back(number());
    return Floats(type.dtype, type.dims, values);
  }
  std::vector<int64_t> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(random() % (type.dtype == DType::kI1 ? 2 : 5));
  return Ints(type.dtype, type.dims, values);
}

// One example of a batch.
Literal ExampleOf(const Literal& batch, const TensorType& type, int64_t example) {
  const auto size = static_cast<size_t>(type.size_bytes());
  return *Literal::FromBytes(type,
                             batch.DenseBytes().substr(static_cast<size_t>(example) * size, size));
}

void ExpectNear(const Literal& actual, const Literal& expected) {
  ASSERT_EQ(actual.type().ToString(), expected.type().ToString());
  if (IsComplex(actual.type().dtype)) {
    const std::vector<Complex> a = ComplexesOf(actual), b = ComplexesOf(expected);
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_LE(std::abs(a[i] - b[i]), 1e-12 * (1 + std::abs(b[i]))) << i;
    }
  } else if (IsFloat(actual.type().dtype)) {
    const std::vector<double> a = FloatsOf(actual), b = FloatsOf(expected);
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(a[i], b[i], 1e-12 * (1 + std::fabs(b[i]))) << i;
    }
  } else {
    EXPECT_EQ(IntsOf(actual), IntsOf(expected));
  }
}

void CheckBatch(const Module& module, const Mask& batched, const std::vector<Literal>& batches) {
  const Function& source = **module.Entry("main");
  const std::vector<Type> types = source.ParameterTypes();
  std::vector<Literal> arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    arguments.push_back(batched[i] ? batches[i] : ExampleOf(batches[i], types[i].tensor(), 0));
  }
  const absl::StatusOr<Module> batch = Batch(module, "main", batched, kExamples);
  ASSERT_TRUE(batch.ok()) << batch.status();
  const absl::Status verified = Verify(*batch);
  ASSERT_TRUE(verified.ok()) << verified << PrintModule(*batch);
  const auto results = Interpret(*batch, "main", arguments);
  ASSERT_TRUE(results.ok()) << results.status() << PrintModule(*batch);
  for (int64_t example = 0; example < kExamples; ++example) {
    std::vector<Literal> one;
    for (size_t i = 0; i < types.size(); ++i) {
      one.push_back(ExampleOf(batches[i], types[i].tensor(), batched[i] ? example : 0));
    }
    const auto expected = Interpret(module, "main", one);
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (size_t i = 0; i < expected->size(); ++i) {
      SCOPED_TRACE(i);
      ExpectNear(ExampleOf((*results)[i], (*expected)[i].type(), example), (*expected)[i]);
    }
  }
}

}  // namespace

void CheckBatches(const std::string& text, double low, double high, uint32_t seed) {
  SCOPED_TRACE(text);
  const absl::StatusOr<Module> module = ParseModule(text, "test");
  ASSERT_TRUE(module.ok()) << module.status();
  std::mt19937 random(seed);
  std::vector<Literal> batches;
  for (const Type& type : (*module->Entry("main"))->ParameterTypes()) {
    TensorType batch = type.tensor();
    batch.dims.insert(batch.dims.begin(), kExamples);
    batches.push_back(Random(batch, low, high, random));
  }
  const size_t n = batches.size();
  const uint32_t choices = uint32_t{1} << n;
  for (uint32_t choice = 1; choice < choices; ++choice) {
    if (choices > kMostChoices && choice != choices - 1 && random() % choices >= kMostChoices)
      continue;
    Mask batched;
    for (size_t i = 0; i < n; ++i) batched.push_back((choice >> i & 1) != 0);
    CheckBatch(*module, batched, batches);
  }
}

}  // namespace acceld::ir
