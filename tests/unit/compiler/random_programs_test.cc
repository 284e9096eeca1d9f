// Random programs, compiled for the CPU and run, against the reference interpreter.
// ACCELD_RANDOM_PROGRAMS="first:count" runs other seeds than the usual ones and logs each; a single
// one that fails is printed. ACCELD_DUMP_DIR=DIR keeps all stages of compilation as text.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/ir/plan.h"
#include "server/compiler/compiler.h"
#include "server/hal/cpu/cpu_code_generator.h"
#include "tests/unit/compiler/random_program.h"

namespace acceld::compiler {
namespace {

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, Free>;

// Aligned as the runtime's buffers are; the garbage behind the bytes is none that a result needs.
Memory Place(absl::string_view bytes) {
  constexpr size_t kAlignment = kernels::kBufferAlignment;
  const size_t size = (bytes.size() / kAlignment + 1) * kAlignment;
  Memory memory(static_cast<char*>(std::aligned_alloc(kAlignment, size)));
  std::memset(memory.get(), 0xAB, size);
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  return memory;
}

absl::StatusOr<std::vector<ir::Literal>> RunCompiled(const RandomProgram& program) {
  static const hal::cpu::CpuCodeGenerator generator;
  std::vector<ir::TensorType> types;
  for (const ir::Literal& argument : program.arguments) types.push_back(argument.type());
  const char* const dump_dir = std::getenv("ACCELD_DUMP_DIR");
  ACCELD_ASSIGN_OR_RETURN(const hal::Executable executable,
                          Compile(program.module, "main", types, generator,
                                  {.dump_dir = dump_dir == nullptr ? "" : dump_dir}));
  ACCELD_ASSIGN_OR_RETURN(const auto module, kernels::cpu::CpuModule::Load(executable.code));
  std::vector<Memory> memory;
  const auto place = [&](absl::string_view bytes) {
    memory.push_back(Place(bytes));
    return memory.back().get();
  };
  std::vector<const void*> arguments;
  std::vector<void*> results;
  for (const ir::Literal& argument : program.arguments) {
    arguments.push_back(place(argument.DenseBytes()));
  }
  for (const ir::TensorType& type : executable.results) {
    results.push_back(place(std::string(type.size_bytes(), '\xCD')));
  }
  const kernels::cpu::LaunchContext context = {
      .arguments = arguments.data(),
      .results = results.data(),
      .arena = place(std::string(executable.arena_bytes, '\xEF')),
      .constants = place(executable.constants),
      .num_threads = 2,
      .cancelled = nullptr,
  };
  ACCELD_RETURN_IF_ERROR(module->Run(context));
  std::vector<ir::Literal> literals;
  for (size_t i = 0; i < results.size(); ++i) {
    const ir::TensorType& type = executable.results[i];
    ACCELD_ASSIGN_OR_RETURN(
        ir::Literal literal,
        ir::Literal::FromBytes(
            type, std::string(static_cast<const char*>(results[i]), type.size_bytes())));
    literals.push_back(std::move(literal));
  }
  return literals;
}

// Allowed difference of values within [-8, 8] after a few roundings.
double ToleranceOf(ir::DType dtype) {
  switch (ir::RealPartOf(dtype)) {
    case ir::DType::kF64:
      return 1e-9;
    case ir::DType::kF32:
      return 1e-3;
    case ir::DType::kF16:
      return 0.05;
    case ir::DType::kBF16:
      return 0.3;
    default:
      return 4;  // 8-bit floats: a step near 8, a few times.
  }
}

bool IsClose(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a) / 8);
}

void ExpectClose(const ir::Literal& expected, const ir::Literal& actual, size_t number) {
  ASSERT_EQ(expected.type(), actual.type());
  const ir::DType dtype = expected.type().dtype;
  const std::string a = expected.DenseBytes(), b = actual.DenseBytes();
  if (!ir::IsFloat(dtype) && !ir::IsComplex(dtype)) {
    for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
      ASSERT_EQ(ir::ReadInt(dtype, a.data(), i), ir::ReadInt(dtype, b.data(), i))
          << "result " << number << " element " << i;
    }
    return;
  }
  const double tolerance = ToleranceOf(dtype);
  double scale = 1;  // of complex numbers: the parts of one cancel each other
  if (ir::IsComplex(dtype)) {
    for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
      const double size = std::abs(ir::ReadComplex(dtype, a.data(), i));
      if (std::isfinite(size)) scale = std::max(scale, size);
    }
  }
  for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
    const ir::Complex x = ir::IsComplex(dtype) ? ir::ReadComplex(dtype, a.data(), i)
                                               : ir::ReadFloat(dtype, a.data(), i);
    const ir::Complex y = ir::IsComplex(dtype) ? ir::ReadComplex(dtype, b.data(), i)
                                               : ir::ReadFloat(dtype, b.data(), i);
    ASSERT_TRUE(IsClose(x.real(), y.real(), tolerance * scale) &&
                IsClose(x.imag(), y.imag(), tolerance * scale))
        << "result " << number << " element " << i << ": expected " << x << ", got " << y;
  }
}

void CheckSeed(uint64_t seed) {
  const RandomProgram program = MakeRandomProgram(seed);
  const auto expected = ir::Interpret(program.module, "main", program.arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto actual = RunCompiled(program);
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_EQ(expected->size(), actual->size());
  for (size_t i = 0; i < expected->size(); ++i) ExpectClose((*expected)[i], (*actual)[i], i);
}

TEST(RandomPrograms, CompiledResultsAreThoseOfTheInterpreter) {
  uint64_t first = 0, count = 250;
  const char* const range = std::getenv("ACCELD_RANDOM_PROGRAMS");
  if (range != nullptr) {
    const std::vector<std::string> parts = absl::StrSplit(range, ':');
    ASSERT_TRUE(parts.size() == 2 && absl::SimpleAtoi(parts[0], &first) &&
                absl::SimpleAtoi(parts[1], &count))
        << "ACCELD_RANDOM_PROGRAMS is first:count, not " << range;
  }
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    if (range != nullptr) std::cerr << "seed " << seed << std::endl;
    CheckSeed(seed);
    if (testing::Test::HasFailure() && range != nullptr && count == 1) {
      std::cerr << ir::PrintModule(MakeRandomProgram(seed).module);
    }
  }
}

}  // namespace
}  // namespace acceld::compiler
