#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "client/tracing.h"
#include "common/ir/interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Traced functions on numbers, by the reference interpreter.
namespace acceld::client {

inline ir::Literal F32(ir::Dims dims, const std::vector<float>& values) {
  return ir::Literal::FromValues<float>({ir::DType::kF32, std::move(dims)}, values);
}
inline ir::Literal I32(ir::Dims dims, const std::vector<int32_t>& values) {
  return ir::Literal::FromValues<int32_t>({ir::DType::kI32, std::move(dims)}, values);
}

// Calls a function of 0 to 5 tensors, or of a vector of tensors, with all of `x`.
template <typename F>
auto CallWith(const F& f, const std::vector<Tensor>& x) {
  using T = const Tensor&;
  if constexpr (std::is_invocable_v<const F&, const std::vector<Tensor>&>) {
    return f(x);
  } else if constexpr (std::is_invocable_v<const F&>) {
    return f();
  } else if constexpr (std::is_invocable_v<const F&, T>) {
    return f(x.at(0));
  } else if constexpr (std::is_invocable_v<const F&, T, T>) {
    return f(x.at(0), x.at(1));
  } else if constexpr (std::is_invocable_v<const F&, T, T, T>) {
    return f(x.at(0), x.at(1), x.at(2));
  } else if constexpr (std::is_invocable_v<const F&, T, T, T, T>) {
    return f(x.at(0), x.at(1), x.at(2), x.at(3));
  } else {
    return f(x.at(0), x.at(1), x.at(2), x.at(3), x.at(4));
  }
}

template <typename F>
absl::StatusOr<Program> TraceOf(const F& function, const std::vector<ir::TensorType>& types) {
  return Trace(
      "f", [&](const std::vector<Tensor>& x) { return Flatten(CallWith(function, x)); }, types);
}

// The results for these arguments.
template <typename F>
std::vector<ir::Literal> Results(const F& function, const std::vector<ir::Literal>& arguments) {
  std::vector<ir::TensorType> types;
  for (const ir::Literal& argument : arguments) types.push_back(argument.type());
  const absl::StatusOr<Program> program = TraceOf(function, types);
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return {};
  const auto results = ir::Interpret(program->module(), "main", arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.value_or(std::vector<ir::Literal>());
}

// All numbers of all results.
template <typename F>
std::vector<float> Eval(const F& function, const std::vector<ir::Literal>& arguments) {
  std::vector<float> numbers;
  for (const ir::Literal& result : Results(function, arguments)) {
    const std::string bytes = result.DenseBytes();
    const ir::DType dtype = result.type().dtype;
    for (int64_t i = 0; i < result.type().num_elements(); ++i) {
      numbers.push_back(ir::IsFloat(dtype)
                            ? static_cast<float>(ir::ReadFloat(dtype, bytes.data(), i))
                            : static_cast<float>(ir::ReadInt(dtype, bytes.data(), i)));
    }
  }
  return numbers;
}

// The error of the trace, without the place of the operation.
template <typename F>
std::string ErrorOf(const F& function, const std::vector<ir::TensorType>& types) {
  const absl::StatusOr<Program> program = TraceOf(function, types);
  if (program.ok()) return "";
  const std::string message(program.status().message());
  return message.substr(0, message.find(" (/"));
}

inline auto Near(std::vector<float> expected) {
  return ::testing::Pointwise(::testing::FloatNear(1e-5f), std::move(expected));
}

// How many ops of a kind a program has, in all of its functions.
inline size_t CountOps(const ir::Region& region, ir::OpKind kind) {
  size_t count = 0;
  for (const ir::Op& op : region.ops) {
    count += op.kind == kind ? 1 : 0;
    for (const ir::Region& nested : op.regions) count += CountOps(nested, kind);
  }
  return count;
}
inline size_t CountOps(const ir::Module& module, ir::OpKind kind) {
  size_t count = 0;
  for (const ir::Function& function : module.functions) count += CountOps(function.body, kind);
  return count;
}

}  // namespace acceld::client
