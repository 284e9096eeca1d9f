#include "tests/unit/compiler/random/check_program.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "tests/unit/compiler/random/cpu_runner.h"

namespace acceld::compiler {
namespace {

// Allowed difference of values within [-8, 8] after a few roundings.
double ToleranceOf(ir::DType dtype) {
  // These cannot hold more than a few values: what a sum is depends on its order.
  if (ir::BitsOf(dtype) < 8) return 16;
  switch (ir::RealPartOf(dtype)) {
    case ir::DType::kF64:
      return 1e-13;
    case ir::DType::kF32:
      return 2e-5;
    case ir::DType::kF16:
      return 0.01;
    case ir::DType::kBF16:
      return 0.08;
    default:
      return 4;  // 8-bit floats: a step near 8, a few times.
  }
}

bool IsClose(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a) / 8);
}

bool IsClose(ir::Complex a, ir::Complex b, double tolerance) {
  return IsClose(a.real(), b.real(), tolerance) && IsClose(a.imag(), b.imag(), tolerance);
}

std::string ToString(ir::Complex value) {
  return value.imag() == 0 ? absl::StrCat(value.real())
                           : absl::StrCat("(", value.real(), ", ", value.imag(), ")");
}

// The first difference in words; empty if there is none.
std::string DifferenceOf(const ir::Literal& expected, const ir::Literal& actual) {
  const ir::DType dtype = expected.type().dtype;
  const std::string a = expected.DenseBytes(), b = actual.DenseBytes();
  const auto at = [](int64_t i, const auto& x, const auto& y) {
    return absl::StrCat("element ", i, ": expected ", x, ", got ", y);
  };
  if (!ir::IsFloat(dtype) && !ir::IsComplex(dtype)) {
    for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
      const auto x = ir::ReadInt(dtype, a.data(), i), y = ir::ReadInt(dtype, b.data(), i);
      if (x != y) return at(i, x, y);
    }
    return "";
  }
  double tolerance = ToleranceOf(dtype);
  if (ir::IsComplex(dtype)) {
    double scale = 1;  // The parts of a complex number cancel each other.
    for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
      const double size = std::abs(ir::ReadComplex(dtype, a.data(), i));
      if (std::isfinite(size)) scale = std::max(scale, size);
    }
    tolerance *= scale;
  }
  const auto read = [&](const std::string& bytes, int64_t i) -> ir::Complex {
    if (ir::IsComplex(dtype)) return ir::ReadComplex(dtype, bytes.data(), i);
    return ir::ReadFloat(dtype, bytes.data(), i);
  };
  for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
    const ir::Complex x = read(a, i), y = read(b, i);
    if (!IsClose(x, y, tolerance)) return at(i, ToString(x), ToString(y));
  }
  return "";
}

// A smaller program names other values, so only what stands before the first number counts.
ProgramFailure Refused(std::string who, const absl::Status& status) {
  const absl::string_view message = status.message();
  return {absl::StrCat(who, ": ", absl::StatusCodeToString(status.code()), " ",
                       message.substr(0, message.find_first_of("0123456789"))),
          absl::StrCat(who, ": ", status.ToString())};
}

}  // namespace

std::optional<ProgramFailure> CheckProgram(const RandomProgram& program) {
  const absl::StatusOr<CpuProgram> compiled =
      CpuProgram::Compile(program.module, program.arguments);
  if (!compiled.ok()) return CheckResults(program, compiled.status());
  constexpr int kThreads = 2;
  auto failure = CheckResults(program, compiled->Run(program.arguments, kThreads));
  // What may be in one place is: all, or every other argument.
  for (const uint32_t step : {1u, 2u}) {
    if (failure.has_value()) break;
    failure = CheckResults(program, compiled->Run(program.arguments, kThreads, {}, [&](uint32_t i) {
      return i % step == step - 1;
    }));
    if (failure.has_value()) failure->kind = absl::StrCat("donated: ", failure->kind);
  }
  return failure;
}

std::optional<ProgramFailure> CheckResults(const RandomProgram& program,
                                           const absl::StatusOr<std::vector<ir::Literal>>& actual) {
  const auto expected = ir::Interpret(program.module, "main", program.arguments);
  if (!expected.ok()) return Refused("interpreter", expected.status());
  if (!actual.ok()) return Refused("compiled", actual.status());
  if (expected->size() != actual->size()) {
    return ProgramFailure{"number of results", absl::StrCat("expected ", expected->size(),
                                                            " results, got ", actual->size())};
  }
  for (size_t i = 0; i < expected->size(); ++i) {
    if ((*expected)[i].type() != (*actual)[i].type()) {
      return ProgramFailure{"type", absl::StrCat("result ", i, " has another type")};
    }
    const std::string difference = DifferenceOf((*expected)[i], (*actual)[i]);
    if (!difference.empty()) {
      return ProgramFailure{"values", absl::StrCat("result ", i, " ", difference)};
    }
  }
  return std::nullopt;
}

}  // namespace acceld::compiler
