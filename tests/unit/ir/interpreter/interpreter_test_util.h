#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/ir/builder.h"
#include "common/ir/interpreter.h"
#include "common/ir/types/element.h"
#include "gtest/gtest.h"

// Short ways to write down tensors and to run one op.
namespace acceld::ir {

inline Literal Ints(DType dtype, Dims dims, const std::vector<int64_t>& values) {
  std::string bytes(values.size() * StorageBytesOf(dtype), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    WriteInt(dtype, bytes.data(), static_cast<int64_t>(i), values[i]);
  }
  return *Literal::FromBytes({dtype, std::move(dims)}, std::move(bytes));
}

inline Literal Floats(DType dtype, Dims dims, const std::vector<double>& values) {
  std::string bytes(values.size() * StorageBytesOf(dtype), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    WriteFloat(dtype, bytes.data(), static_cast<int64_t>(i), values[i]);
  }
  return *Literal::FromBytes({dtype, std::move(dims)}, std::move(bytes));
}

inline Literal Complexes(DType dtype, Dims dims, const std::vector<Complex>& values) {
  std::string bytes(values.size() * StorageBytesOf(dtype), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    WriteComplex(dtype, bytes.data(), static_cast<int64_t>(i), values[i]);
  }
  return *Literal::FromBytes({dtype, std::move(dims)}, std::move(bytes));
}

inline std::vector<int64_t> IntsOf(const Literal& literal) {
  const std::string bytes = literal.DenseBytes();
  std::vector<int64_t> values;
  for (int64_t i = 0; i < literal.type().num_elements(); ++i) {
    values.push_back(ReadInt(literal.type().dtype, bytes.data(), i));
  }
  return values;
}

inline std::vector<double> FloatsOf(const Literal& literal) {
  const std::string bytes = literal.DenseBytes();
  std::vector<double> values;
  for (int64_t i = 0; i < literal.type().num_elements(); ++i) {
    values.push_back(ReadFloat(literal.type().dtype, bytes.data(), i));
  }
  return values;
}

inline std::vector<Complex> ComplexesOf(const Literal& literal) {
  const std::string bytes = literal.DenseBytes();
  std::vector<Complex> values;
  for (int64_t i = 0; i < literal.type().num_elements(); ++i) {
    values.push_back(ReadComplex(literal.type().dtype, bytes.data(), i));
  }
  return values;
}

// A region with parameters of the given types whose results are what `make` adds to the builder.
template <typename Make>
Region MakeRegion(FunctionBuilder& b, const std::vector<Type>& parameters, Make make) {
  const std::vector<ValueId> ids = b.BeginRegion(parameters);
  return b.EndRegion(make(ids));
}

inline Type ScalarType(DType dtype) {
  TensorType type = Literal().type();
  type.dtype = dtype;
  return type;
}

// A region of one op on two scalars of a type, as reduce and scatter take it.
inline Region BinaryRegion(FunctionBuilder& b, OpKind kind, DType dtype) {
  const Type scalar = ScalarType(dtype);
  return MakeRegion(b, {scalar, scalar}, [&](const std::vector<ValueId>& p) {
    return std::vector<ValueId>{b.AddOne(kind, {p[0], p[1]}).value()};
  });
}

// Runs the function that `build` ends, on its parameters in order. `build` takes the builder and
// the parameters' ids and gives the results' ids.
template <typename Build>
absl::StatusOr<std::vector<Literal>> RunProgram(const std::vector<Literal>& arguments, Build build,
                                                const InterpreterLimits& limits = {}) {
  FunctionBuilder b("main");
  std::vector<ValueId> parameters;
  for (const Literal& argument : arguments) parameters.push_back(b.AddParameter(argument.type()));
  const std::vector<ValueId> results = build(b, parameters);
  Module module{.name = "m", .functions = {}};
  module.functions.push_back(b.Finish(results));
  return Interpret(module, "main", arguments, limits);
}

// The result of one op with one result and no regions. `declared` for ops that need it.
inline Literal RunOp(OpKind kind, const std::vector<Literal>& operands,
                     OpAttributes attributes = NoAttributes{},
                     const std::vector<Type>& declared = {}) {
  const auto results =
      RunProgram(operands, [&](FunctionBuilder& b, const std::vector<ValueId>& parameters) {
        const auto id = b.AddOne(kind, parameters, std::move(attributes), declared);
        EXPECT_TRUE(id.ok()) << id.status();
        return id.ok() ? std::vector<ValueId>{*id} : std::vector<ValueId>{};
      });
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() && !results->empty() ? results->front() : Literal();
}

}  // namespace acceld::ir
