// Sorts of long rows, which are split into parts: as interpreted, on the CPU, and in generated CUDA
// C++ on the host.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "server/compiler/plan/build_plan.h"
#include "tests/support/cuda_host_module.h"
#include "tests/unit/compiler/plan_runner.h"
#include "tests/unit/compiler/random/cpu_runner.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using ir::DType;

struct Target : PlanOnlyGenerator {
  Target(int64_t units, int64_t threads) : units(units), threads(threads) {}
  int64_t parallel_units() const override { return units; }
  int64_t threads_per_unit() const override { return threads; }
  const int64_t units, threads;
};
// A processor's threads; a GPU's teams; such a GPU as if it were small, so that its tiles are
// large.
const Target kProcessor(64, 1), kGpu(1024, 256), kSmallGpu(2, 256);

// Few different values, and all that is special.
ir::Literal Keys(DType dtype, const ir::Dims& dims, uint32_t seed, bool with_nan) {
  const ir::TensorType type{dtype, dims};
  std::string bytes(type.size_bytes(), '\0');
  std::mt19937 dice(seed);
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const int value = static_cast<int>(dice() % 1000) - 500;
    const uint32_t special = dice() % 40;
    if (ir::IsFloat(dtype)) {
      double x = 0.25 * value;
      if (special == 0) x = 0.0;
      if (special == 1) x = -0.0;
      if (special == 2) x = std::numeric_limits<double>::infinity();
      if (special == 3) x = -std::numeric_limits<double>::infinity();
      if (special == 4 && with_nan) x = std::nan("");
      if (special == 5 && with_nan) x = -std::nan("");
      ir::WriteFloat(dtype, bytes.data(), i, x);
    } else if (ir::IsComplex(dtype)) {
      ir::WriteComplex(dtype, bytes.data(), i,
                       {0.25 * (value % 7), special == 0 ? -0.0 : 1.0 * special});
    } else if (dtype == DType::kI1) {
      ir::WriteInt(dtype, bytes.data(), i, value & 1);
    } else {
      const int bits = ir::BitsOf(dtype);
      const bool is_signed = ir::IsSigned(dtype);
      uint64_t x = dice() | uint64_t{dice()} << 32;
      x &= special < 20 ? ~uint64_t{0} : 255;
      int64_t wrapped = static_cast<int64_t>(bits == 64 ? x : x & ((uint64_t{1} << bits) - 1));
      if (is_signed && bits < 64 && wrapped >= int64_t{1} << (bits - 1))
        wrapped -= int64_t{1} << bits;
      ir::WriteInt(dtype, bytes.data(), i, wrapped);
    }
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

ir::Literal Numbers(const ir::Dims& dims) {
  const ir::TensorType type{DType::kI32, dims};
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) ir::WriteInt(DType::kI32, bytes.data(), i, i);
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

// A sort of these operands, of which the first `limit` elements are kept.
struct Case {
  std::vector<DType> dtypes;
  ir::Dims dims;
  int64_t dimension;
  std::string comparator;  // of %a0, %b0, %a1, %b1, ...; its last line defines %less
  bool with_nan = true;
  int64_t limit = 0;  // 0: all

  std::string Text() const {
    std::vector<std::string> arguments, names, types, results, returned, parameters;
    std::string slices;
    ir::Dims kept = dims;
    if (limit != 0) kept[dimension] = limit;
    for (size_t k = 0; k < dtypes.size(); ++k) {
      const std::string type = ir::TensorType{dtypes[k], dims}.ToString();
      const std::string scalar = ir::TensorType{dtypes[k], {}}.ToString();
      results.push_back(ir::TensorType{dtypes[k], kept}.ToString());
      names.push_back(absl::StrCat("%x", k));
      types.push_back(type);
      arguments.push_back(absl::StrCat("%x", k, ": ", type));
      parameters.push_back(absl::StrCat("%a", k, ": ", scalar, ", %b", k, ": ", scalar));
      returned.push_back(limit == 0 ? absl::StrCat("%sorted#", k) : absl::StrCat("%first", k));
      if (limit == 0) continue;
      std::vector<std::string> ranges;
      for (const int64_t size : kept) ranges.push_back(absl::StrCat("0:", size));
      absl::StrAppend(&slices, "%first", k, " = stablehlo.slice %sorted#", k, " [",
                      absl::StrJoin(ranges, ", "), "] : (", type, ") -> ", results.back(), "\n");
    }
    const std::string all = absl::StrJoin(types, ", ");
    return absl::StrCat(
        "func.func @main(", absl::StrJoin(arguments, ", "), ") -> (", absl::StrJoin(results, ", "),
        ") {\n%sorted:", dtypes.size(), " = \"stablehlo.sort\"(", absl::StrJoin(names, ", "),
        ") <{dimension = ", dimension, " : i64, is_stable = true}> ({\n^bb0(",
        absl::StrJoin(parameters, ", "), "):\n", comparator,
        "stablehlo.return %less : tensor<i1>\n}) : (", all, ") -> (", all, ")\n", slices, "return ",
        absl::StrJoin(returned, ", "), " : ", absl::StrJoin(results, ", "), "\n}\n");
  }
  // Operands of i32 that are not the first tell elements apart.
  std::vector<ir::Literal> Arguments(uint32_t seed) const {
    std::vector<ir::Literal> arguments;
    for (size_t k = 0; k < dtypes.size(); ++k) {
      arguments.push_back(k > 0 && dtypes[k] == DType::kI32
                              ? Numbers(dims)
                              : Keys(dtypes[k], dims, seed + static_cast<uint32_t>(k), with_nan));
    }
    return arguments;
  }
};

std::string Compare(absl::string_view direction, DType dtype, absl::string_view type,
                    absl::string_view operands = "%a0, %b0", absl::string_view result = "%less") {
  const std::string scalar = ir::TensorType{dtype, {}}.ToString();
  return absl::StrCat(result, " = stablehlo.compare ", direction, ", ", operands,
                      type.empty() ? "" : absl::StrCat(", ", type), " : (", scalar, ", ", scalar,
                      ") -> tensor<i1>\n");
}

// What JAX compares: zeros are equal, and all NaN, which come last.
std::string JaxLess(DType dtype) {
  const std::string scalar = ir::TensorType{dtype, {}}.ToString();
  std::string text = absl::StrCat("%zero = stablehlo.constant dense<0.0> : ", scalar,
                                  "\n%nan = stablehlo.divide %zero, %zero : ", scalar, "\n");
  for (const char* x : {"a", "b"}) {
    absl::StrAppend(&text, "%z", x, " = stablehlo.compare EQ, %", x, "0, %zero, FLOAT : (", scalar,
                    ", ", scalar, ") -> tensor<i1>\n%y", x, " = stablehlo.select %z", x,
                    ", %zero, %", x, "0 : tensor<i1>, ", scalar, "\n%n", x,
                    " = stablehlo.compare NE, %", x, "0, %", x, "0, FLOAT : (", scalar, ", ",
                    scalar, ") -> tensor<i1>\n%k", x, " = stablehlo.select %n", x, ", %nan, %y", x,
                    " : tensor<i1>, ", scalar, "\n");
  }
  return text + Compare("LT", dtype, "TOTALORDER", "%ka, %kb");
}

// First by operand 0, then by operand 1.
std::string ByTwo(DType first, DType second, absl::string_view type) {
  return absl::StrCat(
      Compare("LT", first, type, "%a0, %b0", "%l0"), Compare("EQ", first, type, "%a0, %b0", "%e0"),
      Compare("GT", second, ir::IsFloat(second) ? "TOTALORDER" : "", "%a1, %b1", "%l1"),
      "%both = stablehlo.and %e0, %l1 : tensor<i1>\n",
      "%less = stablehlo.or %l0, %both : tensor<i1>\n");
}

// An order of magnitudes: of no keys that the compiler knows.
std::string ByMagnitude(DType dtype) {
  const std::string scalar = ir::TensorType{dtype, {}}.ToString();
  return absl::StrCat("%ma = stablehlo.multiply %a0, %a0 : ", scalar,
                      "\n%mb = stablehlo.multiply %b0, %b0 : ", scalar,
                      "\n%same = stablehlo.compare GE, %ma, %mb : (", scalar, ", ", scalar,
                      ") -> tensor<i1>\n%less = stablehlo.not %same : tensor<i1>\n");
}

void ExpectSame(const absl::StatusOr<std::vector<ir::Literal>>& actual,
                const std::vector<ir::Literal>& expected, absl::string_view what) {
  ASSERT_TRUE(actual.ok()) << what << ": " << actual.status();
  ASSERT_EQ(actual->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE((*actual)[i].DenseBytes() == expected[i].DenseBytes()) << what << ", result " << i;
  }
}

// Plans for targets with teams, all of whose kernels are compiled together.
class Shim {
 public:
  void Add(const kernels::Plan* plan) {
    first_[plan] = kernels_.size();
    for (const kernels::Kernel& kernel : plan->kernels) kernels_.push_back(&kernel);
  }
  bool Has(const kernels::Plan& plan) const { return first_.contains(&plan); }
  absl::Status Compile() {
    ACCELD_ASSIGN_OR_RETURN(module_, testing::CudaHostModule::Compile(kernels_, {}));
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<ir::Literal>> Run(const kernels::Plan& plan,
                                               const std::vector<ir::Literal>& arguments) {
    return RunPlan(plan, arguments,
                   [&](const kernels::Kernel& kernel, absl::Span<std::string* const> buffers) {
                     std::vector<char*> addresses;
                     for (std::string* buffer : buffers) addresses.push_back(buffer->data());
                     const auto number = static_cast<size_t>(&kernel - plan.kernels.data());
                     module_->Run(first_[&plan] + number, addresses);
                     return absl::OkStatus();
                   });
  }

 private:
  std::map<const kernels::Plan*, size_t> first_;
  std::vector<const kernels::Kernel*> kernels_;
  std::unique_ptr<testing::CudaHostModule> module_;
};

// The bits that the reference interpreter gives for the program as it is. Those with enough
// elements for several threads of a processor run there, the others as a GPU would.
void ExpectSorted(const std::vector<Case>& cases, uint32_t seed = 1) {
  struct Planned {
    std::string text;
    std::vector<ir::Literal> arguments, expected;
    std::vector<kernels::Plan> plans;
  };
  std::vector<Planned> all(cases.size());
  Shim shim;
  for (size_t i = 0; i < cases.size(); ++i) {
    Planned& one = all[i];
    one.text = cases[i].Text();
    SCOPED_TRACE(one.text);
    const ir::Module module = Parse(one.text);
    ASSERT_FALSE(module.functions.empty());
    one.arguments = cases[i].Arguments(seed + 10 * static_cast<uint32_t>(i));
    const auto expected = ir::Interpret(module, "main", one.arguments);
    ASSERT_TRUE(expected.ok()) << expected.status();
    one.expected = *expected;
    const int64_t elements = one.arguments[0].type().num_elements();
    const bool is_large = elements >= 32'768;
    for (const Target* target : {&kProcessor, &kGpu, &kSmallGpu}) {
      if (is_large != (target == &kProcessor)) continue;
      if (target == &kSmallGpu && elements <= 8192) continue;
      const auto optimized = Optimize(module, {}, *target);
      ASSERT_TRUE(optimized.ok()) << optimized.status();
      ExpectSame(ir::Interpret(*optimized, "main", one.arguments), one.expected,
                 absl::StrCat("optimized for ", target->units));
      const auto plan = BuildPlan(*optimized, *target);
      ASSERT_TRUE(plan.ok()) << plan.status();
      one.plans.push_back(*plan);
    }
    for (const int threads : {1, 3}) {
      if (!is_large) continue;
      ExpectSame(RunOnCpu(module, one.arguments, threads), one.expected,
                 absl::StrCat(threads, " threads"));
    }
    for (const kernels::Plan& plan : one.plans) {
      ExpectSame(RunPlan(plan, one.arguments), one.expected, "kernels interpreted");
      if (!is_large) shim.Add(&plan);
    }
  }
  const absl::Status compiled = shim.Compile();
  ASSERT_TRUE(compiled.ok()) << compiled;
  for (const Planned& one : all) {
    SCOPED_TRACE(one.text);
    for (const kernels::Plan& plan : one.plans) {
      if (shim.Has(plan)) ExpectSame(shim.Run(plan, one.arguments), one.expected, "CUDA");
    }
  }
}

TEST(LargeSorts, ByIntegers) {
  ExpectSorted({
      {{DType::kI1, DType::kI32}, {2500}, 0, Compare("LT", DType::kI1, "")},
      {{DType::kI4, DType::kI32}, {2500}, 0, Compare("GT", DType::kI4, "")},
      {{DType::kUI4}, {2500}, 0, Compare("LT", DType::kUI4, "")},
      {{DType::kI8, DType::kI32}, {33'000}, 0, Compare("LT", DType::kI8, "")},
      {{DType::kUI8}, {2500}, 0, Compare("GT", DType::kUI8, "")},
      {{DType::kI16, DType::kI32}, {2500}, 0, Compare("LT", DType::kI16, "")},
      {{DType::kUI16, DType::kI32}, {2500}, 0, Compare("LT", DType::kUI16, "", "%b0, %a0")},
      {{DType::kI32, DType::kI32}, {33'001}, 0, Compare("GT", DType::kI32, "")},
      {{DType::kI32, DType::kI32}, {9001}, 0, Compare("GT", DType::kI32, "")},
      {{DType::kUI32}, {33'000}, 0, Compare("LT", DType::kUI32, "")},
      {{DType::kI64, DType::kI32}, {9001}, 0, Compare("LT", DType::kI64, "")},
      {{DType::kUI64}, {2500}, 0, Compare("GT", DType::kUI64, "")},
  });
}

TEST(LargeSorts, ByFloatsInTotalOrder) {
  ExpectSorted({
      {{DType::kF16, DType::kI32}, {2500}, 0, Compare("LT", DType::kF16, "TOTALORDER")},
      {{DType::kBF16}, {2500}, 0, Compare("GT", DType::kBF16, "TOTALORDER")},
      {{DType::kF32, DType::kI32}, {33'001}, 0, Compare("GT", DType::kF32, "TOTALORDER")},
      {{DType::kF32}, {33'001}, 0, Compare("LT", DType::kF32, "TOTALORDER")},
      {{DType::kF32}, {2500}, 0, Compare("LT", DType::kF32, "TOTALORDER")},
      {{DType::kF64, DType::kI32}, {2500}, 0, Compare("LT", DType::kF64, "TOTALORDER")},
  });
}

TEST(LargeSorts, AsJaxComparesFloats) {
  ExpectSorted({
      {{DType::kF32, DType::kI32}, {33'001}, 0, JaxLess(DType::kF32)},
      {{DType::kF32}, {2500}, 0, JaxLess(DType::kF32)},
      {{DType::kBF16, DType::kI32}, {2500}, 0, JaxLess(DType::kBF16)},
      {{DType::kF64}, {2500}, 0, JaxLess(DType::kF64)},
  });
}

TEST(LargeSorts, ByValueWithoutNan) {
  ExpectSorted({
      {{DType::kF32, DType::kI32}, {33'001}, 0, Compare("LT", DType::kF32, ""), false},
      {{DType::kF16, DType::kI32}, {2500}, 0, Compare("GT", DType::kF16, "FLOAT"), false},
  });
}

TEST(LargeSorts, BySeveralKeys) {
  ExpectSorted({
      {{DType::kI8, DType::kI32}, {33'001}, 0, ByTwo(DType::kI8, DType::kI32, "")},
      {{DType::kF16, DType::kI16, DType::kI32},
       {2500},
       0,
       ByTwo(DType::kF16, DType::kI16, "TOTALORDER")},
      {{DType::kI32, DType::kF32, DType::kI32}, {2500}, 0, ByTwo(DType::kI32, DType::kF32, "")},
      // More than 64 bits.
      {{DType::kI16, DType::kI64, DType::kI32}, {2500}, 0, ByTwo(DType::kI16, DType::kI64, "")},
      {{DType::kI16, DType::kI64, DType::kI32}, {33'001}, 0, ByTwo(DType::kI16, DType::kI64, "")},
  });
}

TEST(LargeSorts, ByWhatIsNoKey) {
  ExpectSorted({
      {{DType::kI32}, {33'001}, 0, ByMagnitude(DType::kI32)},
      {{DType::kI32, DType::kI32}, {40'000}, 0, ByMagnitude(DType::kI32)},
      {{DType::kF32, DType::kI32}, {7, 5001}, 1, ByMagnitude(DType::kF32), false},
      {{DType::kF32, DType::kI32}, {2, 5001}, 1, ByMagnitude(DType::kF32), false},
      {{DType::kF64, DType::kC128, DType::kI32, DType::kF16},
       {33'001},
       0,
       ByMagnitude(DType::kF64),
       false},
      {{DType::kI8, DType::kI1, DType::kF64}, {2, 2049}, 1, ByMagnitude(DType::kI8)},
  });
}

TEST(LargeSorts, AlongAnyDimension) {
  ExpectSorted({
      {{DType::kF32, DType::kI32}, {11'000, 3}, 0, Compare("LT", DType::kF32, "TOTALORDER")},
      {{DType::kF32, DType::kI32}, {2, 9000, 2}, 1, ByMagnitude(DType::kF32), false},
      {{DType::kI32, DType::kI32}, {2, 1, 3, 6000}, 3, Compare("GT", DType::kI32, "")},
      {{DType::kF32, DType::kI32}, {2500, 3}, 0, Compare("LT", DType::kF32, "TOTALORDER")},
      {{DType::kF32, DType::kI32}, {2, 2100, 2}, 1, ByMagnitude(DType::kF32), false},
      {{DType::kI32, DType::kI32}, {150, 3}, 0, Compare("GT", DType::kI32, "")},
  });
}

TEST(LargeSorts, OfAnyLength) {
  std::vector<Case> cases;
  for (const int64_t length :
       {2, 3, 9, 31, 32, 33, 100, 127, 128, 129, 1024, 2047, 2048, 2049, 4096, 4097, 8193}) {
    const int64_t rows = length < 200 ? 17 : 1;
    cases.push_back(
        {{DType::kI16, DType::kI32}, {rows, length}, 1, Compare("LT", DType::kI16, "")});
    cases.push_back({{DType::kI8, DType::kI32}, {rows, length}, 1, ByMagnitude(DType::kI8)});
  }
  ExpectSorted(cases);
}

TEST(LargeSorts, TheFirstFew) {
  const std::string descending = Compare("GT", DType::kF32, "TOTALORDER");
  ExpectSorted({
      {{DType::kF32, DType::kI32}, {70'000}, 0, descending, true, 1},
      {{DType::kF32, DType::kI32}, {3, 33'001}, 1, descending, true, 8},
      {{DType::kF32, DType::kI32}, {70'001}, 0, JaxLess(DType::kF32), true, 64},
      {{DType::kI8, DType::kI32}, {2, 20'000, 2}, 1, Compare("LT", DType::kI8, ""), true, 5},
      {{DType::kF32, DType::kI32}, {7000}, 0, descending, true, 1},
      {{DType::kF32, DType::kI32}, {3, 5001}, 1, JaxLess(DType::kF32), true, 64},
      {{DType::kI8, DType::kI32}, {9, 100}, 1, Compare("LT", DType::kI8, ""), true, 5},
      {{DType::kF16}, {4, 2100}, 1, Compare("LT", DType::kF16, "TOTALORDER"), true, 60},
  });
}

// The elements of each operand, by the number of the element they came with, which is in the last.
void ExpectElementsOf(const std::vector<ir::Literal>& arguments,
                      const absl::StatusOr<std::vector<ir::Literal>>& results,
                      bool is_permutation) {
  ASSERT_TRUE(results.ok()) << results.status();
  const int64_t length = arguments[0].type().num_elements();
  const std::string numbers = results->back().DenseBytes();
  const std::string keys = (*results)[0].DenseBytes(), before = arguments[0].DenseBytes();
  const auto key_bytes = static_cast<size_t>(ir::StorageBytesOf(arguments[0].type().dtype));
  std::vector<bool> seen(length);
  for (int64_t i = 0; i < length; ++i) {
    const int64_t number = ir::ReadInt(DType::kI32, numbers.data(), i);
    ASSERT_TRUE(number >= 0 && number < length) << "element " << i;
    ASSERT_EQ(keys.substr(i * key_bytes, key_bytes), before.substr(number * key_bytes, key_bytes));
    seen[number] = true;
  }
  if (is_permutation) {
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), length);
  }
}

void ExpectElements(const Case& c, bool is_permutation) {
  const ir::Module module = Parse(c.Text());
  ASSERT_FALSE(module.functions.empty()) << c.Text();
  const std::vector<ir::Literal> arguments = c.Arguments(7);
  for (const Target* target : {&kProcessor, &kGpu}) {
    const auto plan = PlanOf(module, {}, *target);
    ASSERT_TRUE(plan.ok()) << plan.status();
    // It fails at any access out of bounds.
    ExpectElementsOf(arguments, RunPlan(*plan, arguments), is_permutation);
    Shim shim;
    shim.Add(&*plan);
    const absl::Status compiled = shim.Compile();
    ASSERT_TRUE(compiled.ok()) << compiled;
    ExpectElementsOf(arguments, shim.Run(*plan, arguments), is_permutation);
  }
  ExpectElementsOf(arguments, RunOnCpu(module, arguments, 2), is_permutation);
}

TEST(LargeSorts, ByValueWithNanLosesNothing) {
  ExpectElements({{DType::kF32, DType::kI32}, {33'001}, 0, Compare("LT", DType::kF32, "")}, true);
  // In one run; in several, because the keys have too many digits.
  ExpectElements({{DType::kF32, DType::kI32}, {1000}, 0, Compare("GT", DType::kF32, "")}, true);
  ExpectElements(
      {{DType::kF32, DType::kI64, DType::kI32}, {33'001}, 0, ByTwo(DType::kF32, DType::kI64, "")},
      true);
}

TEST(LargeSorts, ComparatorsWithoutOrderGiveElementsAllTheSame) {
  // As good as random; always; never.
  const std::string hash = absl::StrCat(
      "%h = stablehlo.constant dense<2654435769> : tensor<ui32>\n"
      "%s = stablehlo.constant dense<13> : tensor<ui32>\n"
      "%m = stablehlo.multiply %a0, %h : tensor<ui32>\n"
      "%x = stablehlo.xor %m, %b0 : tensor<ui32>\n%y = stablehlo.multiply %x, %h : tensor<ui32>\n"
      "%z = stablehlo.shift_right_logical %y, %s : tensor<ui32>\n"
      "%w = stablehlo.xor %z, %y : tensor<ui32>\n%c = stablehlo.and %w, %s : tensor<ui32>\n",
      Compare("LT", DType::kUI32, "", "%c, %s"));
  const std::string nan = ByMagnitude(DType::kF32);
  ExpectElements({{DType::kUI32, DType::kI32}, {33'001}, 0, hash}, false);
  ExpectElements({{DType::kF32, DType::kI32}, {33'001}, 0, nan}, false);
  for (const char* constant : {"true", "false"}) {
    ExpectElements(
        {{DType::kUI32, DType::kI32},
         {40'000},
         0,
         absl::StrCat("%less = stablehlo.constant dense<", constant, "> : tensor<i1>\n")},
        false);
  }
}

}  // namespace
}  // namespace acceld::compiler
