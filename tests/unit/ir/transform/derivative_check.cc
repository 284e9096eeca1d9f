#include "tests/unit/ir/transform/derivative_check.h"

#include <cmath>
#include <random>
#include <vector>

#include "common/ir/text.h"
#include "common/ir/transform/transforms.h"
#include "common/ir/verify/verifier.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

constexpr double kStep = 1e-6;

bool IsActive(const TensorType& type) {
  return type.dtype == DType::kF64 || type.dtype == DType::kC128;
}

// The numbers of a literal: two for each complex one.
std::vector<double> NumbersOf(const Literal& literal) {
  if (literal.type().dtype == DType::kF64) return FloatsOf(literal);
  std::vector<double> numbers;
  for (const Complex& value : ComplexesOf(literal)) {
    numbers.insert(numbers.end(), {value.real(), value.imag()});
  }
  return numbers;
}

Literal FromNumbers(const TensorType& type, const std::vector<double>& numbers) {
  if (type.dtype == DType::kF64) return Floats(type.dtype, type.dims, numbers);
  std::vector<Complex> values;
  for (size_t i = 0; i < numbers.size(); i += 2) values.emplace_back(numbers[i], numbers[i + 1]);
  return Complexes(type.dtype, type.dims, values);
}

Literal Random(const TensorType& type, double low, double high, std::mt19937& random) {
  if (!IsActive(type)) return Literal::Zeros(type);
  const int64_t count = type.num_elements() * (type.dtype == DType::kC128 ? 2 : 1);
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) {
    numbers.push_back(low + (high - low) * static_cast<double>(random()) / 4294967296.0);
  }
  return FromNumbers(type, numbers);
}

Literal Moved(const Literal& x, const Literal& tangent, double step) {
  std::vector<double> numbers = NumbersOf(x);
  const std::vector<double> by = NumbersOf(tangent);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += step * by[i];
  return FromNumbers(x.type(), numbers);
}

// The real part of the sum of the products of elements.
double Product(const Literal& a, const Literal& b) {
  const std::vector<double> x = NumbersOf(a), y = NumbersOf(b);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool is_imaginary = a.type().dtype == DType::kC128 && i % 2 != 0;
    sum += is_imaginary ? -x[i] * y[i] : x[i] * y[i];
  }
  return sum;
}

std::vector<Literal> Run(const absl::StatusOr<Module>& module,
                         const std::vector<Literal>& arguments) {
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  const absl::Status verified = Verify(*module);
  EXPECT_TRUE(verified.ok()) << verified << "\n" << PrintModule(*module);
  if (!verified.ok()) return {};
  const auto results = Interpret(*module, "main", arguments);
  EXPECT_TRUE(results.ok()) << results.status() << "\n" << PrintModule(*module);
  return results.ok() ? *results : std::vector<Literal>();
}

// A program with random arguments and tangents, and what forward mode gives for them.
struct Checked {
  Mask active;
  std::vector<Literal> arguments, tangents, values, result_tangents;
};

void CheckForward(const Module& module, double low, double high, std::mt19937& random,
                  Checked& checked) {
  std::vector<Literal> before, after;
  for (const Type& type : (*module.Entry("main"))->ParameterTypes()) {
    const Literal argument = Random(type.tensor(), low, high, random);
    checked.arguments.push_back(argument);
    checked.active.push_back(IsActive(type.tensor()));
    if (checked.active.back()) {
      const Literal tangent = Random(type.tensor(), -1, 1, random);
      before.push_back(Moved(argument, tangent, -kStep));
      after.push_back(Moved(argument, tangent, kStep));
      checked.tangents.push_back(tangent);
    } else {
      before.push_back(argument);
      after.push_back(argument);
    }
  }
  checked.values = Run(module, checked.arguments);
  const std::vector<Literal> low_values = Run(module, before), high_values = Run(module, after);
  std::vector<Literal> inputs = checked.arguments;
  inputs.insert(inputs.end(), checked.tangents.begin(), checked.tangents.end());
  const std::vector<Literal> forward = Run(Jvp(module, "main", checked.active), inputs);
  ASSERT_GE(forward.size(), checked.values.size());
  size_t next = checked.values.size();
  for (size_t i = 0; i < checked.values.size(); ++i) {
    EXPECT_TRUE(forward[i] == checked.values[i]) << "result " << i << " of the jvp is another";
    if (!IsActive(checked.values[i].type())) continue;
    ASSERT_LT(next, forward.size());
    const std::vector<double> actual = NumbersOf(forward[next]), a = NumbersOf(low_values[i]),
                              b = NumbersOf(high_values[i]);
    for (size_t j = 0; j < actual.size(); ++j) {
      const double expected = (b[j] - a[j]) / (2 * kStep);
      EXPECT_NEAR(actual[j], expected, 1e-6 * (1 + std::fabs(expected)))
          << "tangent of result " << i << ", element " << j;
    }
    checked.result_tangents.push_back(forward[next++]);
  }
  EXPECT_EQ(next, forward.size());
}

}  // namespace

void CheckTangents(const std::string& text, double low, double high, uint32_t seed) {
  SCOPED_TRACE(text);
  const absl::StatusOr<Module> module = ParseModule(text, "test");
  ASSERT_TRUE(module.ok()) << module.status();
  std::mt19937 random(seed);
  Checked checked;
  CheckForward(*module, low, high, random, checked);
}

void CheckDerivatives(const std::string& text, double low, double high, uint32_t seed) {
  SCOPED_TRACE(text);
  const absl::StatusOr<Module> module = ParseModule(text, "test");
  ASSERT_TRUE(module.ok()) << module.status();
  std::mt19937 random(seed);
  Checked checked;
  ASSERT_NO_FATAL_FAILURE(CheckForward(*module, low, high, random, checked));
  const std::vector<Literal>& values = checked.values;

  std::vector<Literal> inputs = checked.arguments;
  double by_forward = 0;
  for (const Literal& tangent : checked.result_tangents) {
    inputs.push_back(Random(tangent.type(), -1, 1, random));
    by_forward += Product(inputs.back(), tangent);
  }
  const std::vector<Literal> backward = Run(Vjp(*module, "main", checked.active), inputs);
  ASSERT_EQ(backward.size(), values.size() + checked.tangents.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(backward[i] == values[i]) << "result " << i << " of the vjp is another";
  }
  double by_backward = 0;
  for (size_t i = 0; i < checked.tangents.size(); ++i) {
    by_backward += Product(backward[values.size() + i], checked.tangents[i]);
  }
  EXPECT_NEAR(by_backward, by_forward, 1e-10 * (1 + std::fabs(by_forward)));
}

}  // namespace acceld::ir
