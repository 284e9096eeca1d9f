#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/tracing.h"
#include "client/tracing/traced_callable.h"
#include "common/ir/interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Traced functions on numbers, by the reference interpreter.
namespace acceld::client {

inline ir::Literal F32(ir::Dims dims, const std::vector<float>& values) {
  return ir::Literal::FromValues<float>({ir::DType::kF32, std::move(dims)}, values);
}

template <typename F>
absl::StatusOr<Program> TraceOf(const F& function, const std::vector<ir::TensorType>& types) {
  return Trace("f", internal::Erase(function), types);
}

// All numbers of all results.
template <typename F>
std::vector<float> Eval(const F& function, const std::vector<ir::Literal>& arguments) {
  std::vector<ir::TensorType> types;
  for (const ir::Literal& argument : arguments) types.push_back(argument.type());
  const absl::StatusOr<Program> program = TraceOf(function, types);
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return {};
  const auto results = ir::Interpret(program->module(), "main", arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  std::vector<float> numbers;
  for (const ir::Literal& result : results.value_or(std::vector<ir::Literal>())) {
    const std::string bytes = result.DenseBytes();
    for (int64_t i = 0; i < result.type().num_elements(); ++i) {
      numbers.push_back(static_cast<float>(ir::ReadFloat(result.type().dtype, bytes.data(), i)));
    }
  }
  return numbers;
}

template <typename F>
std::string ErrorOf(const F& function, const std::vector<ir::TensorType>& types) {
  const absl::StatusOr<Program> program = TraceOf(function, types);
  return program.ok() ? "" : std::string(program.status().message());
}

inline auto Near(std::vector<float> expected) {
  return ::testing::Pointwise(::testing::FloatNear(1e-5f), std::move(expected));
}

}  // namespace acceld::client
