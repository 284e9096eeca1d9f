// Cumulative windows that are long enough to be split into pieces, against a loop over each line.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "tests/support/cuda_host_module.h"
#include "tests/unit/compiler/plan_runner.h"
#include "tests/unit/compiler/random/cpu_runner.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using ir::DType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr absl::string_view kLogAddExp = R"(
  %m = stablehlo.maximum %a, %b : tensor<f32>
  %d = stablehlo.subtract %a, %b : tensor<f32>
  %n = stablehlo.compare NE, %d, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %s = stablehlo.add %a, %b : tensor<f32>
  %p = stablehlo.abs %d : tensor<f32>
  %q = stablehlo.negate %p : tensor<f32>
  %e = stablehlo.exponential %q : tensor<f32>
  %l = stablehlo.log_plus_one %e : tensor<f32>
  %t = stablehlo.add %m, %l : tensor<f32>
  %r = stablehlo.select %n, %s, %t : tensor<i1>, tensor<f32>
)";

struct Scan {
  DType dtype = DType::kF32;
  ir::Dims dims;
  int64_t dimension = 0;
  bool reverse = false;
  std::string op = "add";  // or a reducer of %a and %b that gives %r
  std::string initial;     // zero if empty
  std::function<double(double, double)> combine = [](double a, double b) { return a + b; };

  ir::TensorType type() const { return {dtype, dims}; }

  std::string Text() const {
    const std::string scalar = ir::TensorType{dtype, {}}.ToString(), whole = type().ToString();
    std::vector<int64_t> window(dims.size(), 1);
    std::vector<std::string> padding(dims.size(), "[0, 0]");
    const int64_t size = window[dimension] = dims[dimension];
    padding[dimension] =
        reverse ? absl::StrCat("[0, ", size - 1, "]") : absl::StrCat("[", size - 1, ", 0]");
    const std::string zero = ir::IsFloat(dtype) ? "0.0" : "0";
    const std::string body = op.find('%') != std::string::npos
                                 ? op
                                 : absl::StrCat("%r = stablehlo.", op, " %a, %b : ", scalar, "\n");
    return absl::StrCat(
        "func.func @main(%x: ", whole, ") -> ", whole, " {\n%z = stablehlo.constant dense<",
        initial.empty() ? zero : initial, "> : ", scalar,
        "\n%0 = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = ", "array<i64: ",
        absl::StrJoin(window, ", "), ">, padding = dense<[", absl::StrJoin(padding, ", "),
        "]> : tensor<", dims.size(), "x2xi64>}> ({\n^bb0(%a: ", scalar, ", %b: ", scalar, "):\n",
        body, "stablehlo.return %r : ", scalar, "\n}) : (", whole, ", ", scalar, ") -> ", whole,
        "\nreturn %0 : ", whole, "\n}\n");
  }
};

double ValueAt(const ir::Literal& literal, int64_t i) {
  const std::string bytes = literal.DenseBytes();
  return ir::ReadFloat(literal.type().dtype, bytes.data(), i);
}

// One value after the other, rounded once: the values here have exact sums.
ir::Literal Expected(const Scan& scan, const ir::Literal& x) {
  const std::string from = x.DenseBytes();
  std::string to(from.size(), '\0');
  int64_t rows = 1, columns = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(scan.dims.size()); ++d) {
    if (d < scan.dimension) rows *= scan.dims[d];
    if (d > scan.dimension) columns *= scan.dims[d];
  }
  const int64_t size = scan.dims[scan.dimension];
  for (int64_t line = 0; line < rows * columns; ++line) {
    double sum = 0;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t at =
          (line / columns * size + (scan.reverse ? size - 1 - i : i)) * columns + line % columns;
      const double value = ir::IsFloat(scan.dtype)
                               ? ir::ReadFloat(scan.dtype, from.data(), at)
                               : static_cast<double>(ir::ReadInt(scan.dtype, from.data(), at));
      sum = i == 0 ? value : scan.combine(sum, value);
      if (ir::IsFloat(scan.dtype)) {
        ir::WriteFloat(scan.dtype, to.data(), at, sum);
      } else {
        ir::WriteInt(scan.dtype, to.data(), at, static_cast<int64_t>(sum));
      }
    }
  }
  return ir::Literal::FromBytes(x.type(), std::move(to)).value();
}

// Quarters between -4 and 4, or integers, in an order that no piece's length follows.
ir::Literal SomeOf(const ir::TensorType& type) {
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const int64_t value = i * 7919 % 33 - 16;
    if (ir::IsFloat(type.dtype)) {
      ir::WriteFloat(type.dtype, bytes.data(), i, 0.25 * static_cast<double>(value));
    } else {
      ir::WriteInt(type.dtype, bytes.data(), i, value);
    }
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

// On several numbers of threads, which must give the same bits.
ir::Literal OnCpu(const Scan& scan, const ir::Literal& x) {
  const ir::Module module = Parse(scan.Text());
  const auto one = RunOnCpu(module, {x}, 1);
  EXPECT_TRUE(one.ok()) << one.status();
  if (!one.ok()) return x;
  for (int threads : {2, 5}) {
    const auto many = RunOnCpu(module, {x}, threads);
    EXPECT_TRUE(many.ok()) << many.status();
    if (!many.ok()) return x;
    EXPECT_TRUE((*one)[0].DenseBytes() == (*many)[0].DenseBytes()) << threads << " threads";
  }
  return (*one)[0];
}

struct Gpu : PlanOnlyGenerator {
  int64_t parallel_units() const override { return 1024; }
};

ir::Literal OnGpu(const Scan& scan, const ir::Literal& x) {
  const auto plan = PlanOf(Parse(scan.Text()), {}, Gpu());
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return x;
  // The pieces, their totals in one or more steps, and what puts them together.
  EXPECT_GE(plan->kernels.size(), 3u);
  std::vector<const kernels::Kernel*> kernels;
  for (const kernels::Kernel& kernel : plan->kernels) kernels.push_back(&kernel);
  const auto module = testing::CudaHostModule::Compile(kernels);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return x;
  const auto run = [&](const kernels::Kernel& kernel, absl::Span<std::string* const> buffers) {
    std::vector<char*> addresses;
    for (std::string* buffer : buffers) addresses.push_back(buffer->data());
    (*module)->Run(static_cast<size_t>(&kernel - plan->kernels.data()), addresses);
    return absl::OkStatus();
  };
  const auto results = RunPlan(*plan, {x}, run);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0] : x;
}

double Maximum(double a, double b) { return std::max(a, b); }
double Minimum(double a, double b) { return std::min(a, b); }
double LogAddExp(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

TEST(LargeScans, AreAsLoopsOverEachLineOnCpus) {
  for (const Scan& scan : std::vector<Scan>{
           {.dtype = DType::kI32, .dims = {1 << 18}, .reverse = true},
           {.dtype = DType::kF32, .dims = {1'000'000}},
           {.dtype = DType::kI64, .dims = {3, 100'003}, .dimension = 1},
           {.dtype = DType::kF64, .dims = {100'003, 3}, .reverse = true},
           {.dtype = DType::kF32, .dims = {2, 2'048, 130}, .dimension = 1, .reverse = true},
           {.dtype = DType::kBF16, .dims = {2, 150'001}, .dimension = 1},
           {.dims = {300'001}, .op = "maximum", .initial = "0xFF800000", .combine = &Maximum},
       }) {
    SCOPED_TRACE(scan.Text());
    const ir::Literal x = SomeOf(scan.type());
    EXPECT_TRUE(OnCpu(scan, x).DenseBytes() == Expected(scan, x).DenseBytes());
  }
}

TEST(LargeScans, AreAsLoopsOverEachLineOnGpus) {
  for (const Scan& scan : std::vector<Scan>{
           {.dtype = DType::kI64, .dims = {70'001}},
           {.dims = {3, 22'000}, .dimension = 1, .reverse = true},
           {.dtype = DType::kF16, .dims = {22'003, 3}},
           {.dtype = DType::kI32, .dims = {2, 520, 70}, .dimension = 1, .reverse = true},
           {.dtype = DType::kUI8,
            .dims = {1 << 16},
            .op = "minimum",
            .initial = "255",
            .combine = &Minimum},
       }) {
    SCOPED_TRACE(scan.Text());
    const ir::Literal x = SomeOf(scan.type());
    EXPECT_TRUE(OnGpu(scan, x).DenseBytes() == Expected(scan, x).DenseBytes());
  }
}

TEST(LargeScans, IntegersWrap) {
  // The sums are past 16 bits again and again.
  const Scan scan{.dtype = DType::kUI16, .dims = {1 << 18}};
  std::string bytes(scan.type().size_bytes(), '\0');
  std::string expected = bytes;
  for (int64_t i = 0, sum = 0; i < scan.dims[0]; ++i) {
    ir::WriteInt(DType::kUI16, bytes.data(), i, i % 7);
    sum += i % 7;
    ir::WriteInt(DType::kUI16, expected.data(), i, sum & 0xFFFF);
  }
  const ir::Literal x = ir::Literal::FromBytes(scan.type(), bytes).value();
  EXPECT_TRUE(OnCpu(scan, x).DenseBytes() == expected);
}

TEST(LargeScans, InfinitiesAndNaNReachWhatComesAfterThem) {
  const auto with_infinities = [](const Scan& scan) {
    std::string bytes = SomeOf(scan.type()).DenseBytes();
    ir::WriteFloat(DType::kF32, bytes.data(), 1'000, kInfinity);
    ir::WriteFloat(DType::kF32, bytes.data(), 50'000, -kInfinity);
    return ir::Literal::FromBytes(scan.type(), bytes).value();
  };
  const Scan on_cpu{.dims = {300'001}}, on_gpu{.dims = {70'001}};
  for (const ir::Literal& y :
       {OnCpu(on_cpu, with_infinities(on_cpu)), OnGpu(on_gpu, with_infinities(on_gpu))}) {
    EXPECT_TRUE(std::isfinite(ValueAt(y, 999)));
    for (int64_t i : {1'000, 1'001, 5'000, 49'999}) EXPECT_EQ(ValueAt(y, i), kInfinity) << i;
    for (int64_t i : {50'000, 50'001, 70'000}) EXPECT_TRUE(std::isnan(ValueAt(y, i))) << i;
  }
}

TEST(LargeScans, LogarithmsOfSumsOfExponentialsAreScansToo) {
  const auto scan_of = [](int64_t size, bool reverse) {
    return Scan{.dims = {size},
                .reverse = reverse,
                .op = std::string(kLogAddExp),
                .initial = "0xFF800000",
                .combine = &LogAddExp};
  };
  const auto expect_near = [](const ir::Literal& found, const ir::Literal& expected) {
    const std::string a = found.DenseBytes(), b = expected.DenseBytes();
    for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
      const double wanted = ir::ReadFloat(DType::kF32, b.data(), i);
      ASSERT_NEAR(ir::ReadFloat(DType::kF32, a.data(), i), wanted, 1e-5 * (1 + std::abs(wanted)))
          << i;
    }
  };
  const Scan on_cpu = scan_of(300'001, true), on_gpu = scan_of(70'001, false);
  const ir::Literal x = SomeOf(on_cpu.type()), y = SomeOf(on_gpu.type());
  expect_near(OnCpu(on_cpu, x), Expected(on_cpu, x));
  expect_near(OnGpu(on_gpu, y), Expected(on_gpu, y));
}

}  // namespace
}  // namespace acceld::compiler
