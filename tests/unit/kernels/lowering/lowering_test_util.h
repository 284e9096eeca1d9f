#pragma once

#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/conformance/checks.h"
#include "kernels/ir/interpreter/run_kernel.h"
#include "kernels/lowering/lower.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

// Compares kernels, run by the kernel interpreter, with the reference interpreter.
namespace acceld::kernels {

inline std::vector<ir::Literal> RunByKernels(const ir::Function& function,
                                             const std::vector<ir::Literal>& arguments) {
  absl::flat_hash_map<ir::ValueId, std::string> bytes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    bytes[function.body.parameters[i]] = arguments[i].DenseBytes();
  }
  int number = 0;
  for (const ir::Op& op : function.body.ops) {
    const auto lowered = Lower(function, op, "k" + std::to_string(number++));
    EXPECT_TRUE(lowered.ok()) << lowered.status();
    if (!lowered.ok()) return {};
    std::vector<std::string> memory;
    for (ir::ValueId operand : op.operands) memory.push_back(bytes[operand]);
    for (ir::ValueId result : op.results) {
      memory.push_back(std::string(function.TensorOf(result).size_bytes(), '\x77'));
    }
    std::vector<std::string*> buffers;
    for (std::string& buffer : memory) buffers.push_back(&buffer);
    for (const Kernel& kernel : lowered->kernels) {
      const absl::Status status = RunKernel(kernel, buffers);
      EXPECT_TRUE(status.ok()) << status << "\n" << ToString(kernel);
      if (!status.ok()) return {};
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      bytes[op.results[i]] = memory[op.operands.size() + i];
    }
  }
  std::vector<ir::Literal> results;
  for (ir::ValueId result : function.body.results) {
    auto literal = ir::Literal::FromBytes(function.TensorOf(result), bytes[result]);
    EXPECT_TRUE(literal.ok()) << literal.status();
    results.push_back(literal.ok() ? *literal : ir::Literal());
  }
  return results;
}

// `build` takes a builder and the parameters' ids and gives the results' ids. All results of the
// kernels must agree with the reference interpreter's by `rule`.
template <typename Build>
void ExpectAgreement(const std::vector<ir::Literal>& arguments, Build build,
                     ir::CheckRule rule = {ir::Tolerance::kExact, 0, true}) {
  ir::FunctionBuilder b("main");
  std::vector<ir::ValueId> parameters;
  for (const ir::Literal& argument : arguments) {
    parameters.push_back(b.AddParameter(argument.type()));
  }
  const std::vector<ir::ValueId> outputs = build(b, parameters);
  ir::Module module{.name = "m", .functions = {}};
  module.functions.push_back(b.Finish(outputs));
  const auto expected = ir::Interpret(module, "main", arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const std::vector<ir::Literal> actual = RunByKernels(module.functions[0], arguments);
  ASSERT_EQ(actual.size(), expected->size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const ir::Comparison comparison = ir::Compare(rule, actual[i], (*expected)[i]);
    EXPECT_TRUE(comparison.passed) << "result " << i << ": " << comparison.message;
  }
}

// The same for one op with one result.
inline void ExpectOpAgrees(ir::OpKind kind, const std::vector<ir::Literal>& operands,
                           ir::OpAttributes attributes = ir::NoAttributes{},
                           const std::vector<ir::Type>& declared = {},
                           ir::CheckRule rule = {ir::Tolerance::kExact, 0, true}) {
  ExpectAgreement(
      operands,
      [&](ir::FunctionBuilder& b, const std::vector<ir::ValueId>& p) {
        const auto id = b.AddOne(kind, p, attributes, declared);
        EXPECT_TRUE(id.ok()) << ir::NameOf(kind) << ": " << id.status();
        return id.ok() ? std::vector<ir::ValueId>{*id} : std::vector<ir::ValueId>{};
      },
      rule);
}

// Ordinary values: floats within [-3, 3], small integers of both signs, i1 of both values.
inline ir::Literal RandomTensor(ir::DType dtype, ir::Dims dims, int seed) {
  std::mt19937 random(seed);
  const ir::TensorType type{dtype, dims};
  std::string bytes(type.size_bytes(), '\0');
  std::uniform_real_distribution<double> real(-3, 3);
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    if (ir::IsComplex(dtype)) {
      ir::WriteComplex(dtype, bytes.data(), i, {real(random), real(random)});
    } else if (ir::IsFloat(dtype)) {
      ir::WriteFloat(dtype, bytes.data(), i, real(random));
    } else if (dtype == ir::DType::kI1) {
      ir::WriteInt(dtype, bytes.data(), i, random() & 1);
    } else {
      ir::WriteInt(dtype, bytes.data(), i, static_cast<int64_t>(random() % 25) - 12);
    }
  }
  return *ir::Literal::FromBytes(type, std::move(bytes));
}

// Halves (or integers) from -1 to 1, as far as the type has them: small sums of products of these
// are exact in any float type of more than a few bits.
inline ir::Literal SmallNumbers(ir::DType dtype, ir::Dims dims) {
  const ir::TensorType type{dtype, dims};
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const double value = static_cast<double>(i * 7 % 5 - 2) / 2;
    if (ir::IsComplex(dtype)) {
      ir::WriteComplex(dtype, bytes.data(), i, {value, 0.5});
    } else if (ir::IsFloat(dtype)) {
      ir::WriteFloat(dtype, bytes.data(), i, value);
    } else {
      ir::WriteInt(dtype, bytes.data(), i, static_cast<int64_t>(value));
    }
  }
  return *ir::Literal::FromBytes(type, std::move(bytes));
}

inline std::vector<ir::DType> AllDTypes() {
  return {
#define ACCELD_DTYPE(Enum, text, Class, bits, storage_bytes) ir::DType::k##Enum,
#include "common/ir/types/dtypes.def"
  };
}

}  // namespace acceld::kernels
