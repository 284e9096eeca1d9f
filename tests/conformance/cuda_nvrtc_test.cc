#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "kernels/cuda/attention/attention.h"
#include "kernels/cuda/collectives/collective_kernels.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/cuda/emit/device_code.h"
#include "kernels/cuda/nvrtc/nvrtc.h"
#include "kernels/cuda/routines/routine_kernels.h"
#include "tests/conformance/planned_programs.h"
#include "tests/support/daemon/eager_sharing.h"
#include "tests/unit/compiler/kernel_plan.h"
#include "tests/unit/kernels/attention_cases.h"

// The public conformance programs in generated CUDA C++, compiled for GPUs by NVIDIA's compiler,
// which needs none. ACCELD_CONFORMANCE_DIR names the folder with stablehlo/ and extra/.
namespace acceld::testing {
namespace {

constexpr size_t kKernelsPerModule = 64;
// What a kernel may keep in memory for want of registers.
constexpr int kMaxSpillBytes = 256;

// The kernels in CUDA C++, with names that differ.
std::vector<std::string> Print(const std::vector<const kernels::Kernel*>& kernels,
                               const kernels::cuda::WorkDivision& sharing) {
  std::vector<std::string> sources;
  for (const kernels::Kernel* kernel : kernels) {
    kernels::Kernel named = *kernel;
    named.name = absl::StrCat("kernel", sources.size());
    sources.push_back(kernels::cuda::PrintKernel(named, sharing).source);
  }
  return sources;
}

// The kernels from number `begin` on, as one module.
std::string ModuleOf(const std::vector<std::string>& kernels, size_t begin) {
  const size_t end = std::min(kernels.size(), begin + kKernelsPerModule);
  return absl::StrCat(kernels::cuda::ModulePrelude(),
                      absl::StrJoin(kernels.begin() + static_cast<ptrdiff_t>(begin),
                                    kernels.begin() + static_cast<ptrdiff_t>(end), ""));
}

int MostSpillBytes(const std::string& log) {
  static const std::regex kSpills("([0-9]+) bytes spill stores");
  int most = 0;
  for (std::sregex_iterator at(log.begin(), log.end(), kSpills), end; at != end; ++at) {
    most = std::max(most, std::stoi((*at)[1]));
  }
  return most;
}

struct Target {
  int architecture;
  bool eager = false;  // shared out as if the programs, which are small, were large

  kernels::cuda::WorkDivision sharing() const {
    return eager ? kEagerSharing : kernels::cuda::WorkDivision{};
  }
};

class CudaNvrtc : public ::testing::TestWithParam<Target> {};

TEST_P(CudaNvrtc, CompilesEveryKernelWithFewSpills) {
  const char* folder = std::getenv("ACCELD_CONFORMANCE_DIR");
  if (folder == nullptr) GTEST_SKIP() << "ACCELD_CONFORMANCE_DIR is not set";
  using kernels::cuda::Nvrtc;
  const absl::StatusOr<Nvrtc>& nvrtc = Nvrtc::Get();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  const absl::StatusOr<PlannedPrograms> planned = PlanConformancePrograms(folder);
  ASSERT_TRUE(planned.ok()) << planned.status();
  std::vector<std::string> kernels = Print(planned->kernels, GetParam().sharing());
  if (GetParam().eager) {
    // The others are compiled without eager sharing, too.
    const std::vector<std::string> others = Print(planned->kernels, kernels::cuda::WorkDivision{});
    const std::set<std::string> known(others.begin(), others.end());
    std::erase_if(kernels, [&](const std::string& kernel) { return known.contains(kernel); });
  }
  int spill_bytes = 0;
  size_t cubin_bytes = 0;
  for (size_t begin = 0; begin < kernels.size(); begin += kKernelsPerModule) {
    const absl::StatusOr<Nvrtc::Cubin> cubin = nvrtc->Compile(
        ModuleOf(kernels, begin), absl::StrCat("kernels", begin), GetParam().architecture);
    ASSERT_TRUE(cubin.ok()) << cubin.status();
    EXPECT_LE(MostSpillBytes(cubin->log), kMaxSpillBytes) << cubin->log.substr(0, 4000);
    spill_bytes = std::max(spill_bytes, MostSpillBytes(cubin->log));
    cubin_bytes += cubin->bytes.size();
  }
  std::printf("%zu kernels, NVRTC %s: %zu bytes of cubins, at most %d bytes of spills\n",
              kernels.size(), nvrtc->version().c_str(), cubin_bytes, spill_bytes);
}

TEST_P(CudaNvrtc, CompilesTheKernelsOfRoutines) {
  using kernels::cuda::Nvrtc;
  const absl::StatusOr<Nvrtc>& nvrtc = Nvrtc::Get();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  const absl::StatusOr<Nvrtc::Cubin> cubin = nvrtc->Compile(
      std::string(kernels::cuda::RoutineKernelsSource()), "routines", GetParam().architecture);
  ASSERT_TRUE(cubin.ok()) << cubin.status();
  EXPECT_EQ(MostSpillBytes(cubin->log), 0) << cubin->log;
}

TEST_P(CudaNvrtc, CompilesTheKernelsOfCollectivesWithoutSpills) {
  using kernels::Collective, kernels::cuda::Nvrtc;
  const absl::StatusOr<Nvrtc>& nvrtc = Nvrtc::Get();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  if (GetParam().eager) GTEST_SKIP() << "the kernels are the same";
  // All for one architecture, and sums for the others.
  const bool is_all = GetParam().architecture == 90;
  const auto last =
      static_cast<int>(is_all ? Collective::Combiner::kXor : Collective::Combiner::kAdd);
  kernels::cuda::CudaProgram program;
  for (int combiner = 0; combiner <= last; ++combiner) {
    Collective collective{.kind = Collective::Kind::kReduceScatter,
                          .combiner = static_cast<Collective::Combiner>(combiner)};
    for (int dtype = 0; dtype <= static_cast<int>(ir::DType::kC128); ++dtype) {
      const ir::TensorType type{static_cast<ir::DType>(dtype), {}};
      if (CanCombine(collective.combiner, type.dtype)) collective.operands.push_back(type);
    }
    program.steps.push_back({kernels::CollectiveStep{.collective = collective}, ""});
  }
  std::string source(kernels::cuda::ModulePrelude());
  kernels::cuda::LowerCollectives(program, source);
  EXPECT_GT(program.kernels.size(), is_all ? 100u : 30u);
  const absl::StatusOr<Nvrtc::Cubin> cubin =
      nvrtc->Compile(source, "collectives.cu", GetParam().architecture);
  ASSERT_TRUE(cubin.ok()) << cubin.status();
  EXPECT_EQ(MostSpillBytes(cubin->log), 0) << cubin->log;
}

// All kernels of these programs, as modules. No kernel spills.
void ExpectNoSpills(const std::vector<std::string>& programs, const Target& target) {
  using kernels::cuda::Nvrtc;
  const absl::StatusOr<Nvrtc>& nvrtc = Nvrtc::Get();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  std::vector<kernels::Plan> plans;
  for (const std::string& program : programs) {
    const auto module = ir::ParseModule(program);
    ASSERT_TRUE(module.ok()) << module.status();
    std::vector<ir::Literal> arguments;
    for (const ir::Type& type : module->functions[0].ParameterTypes()) {
      arguments.push_back(ir::Literal::Zeros(type.tensor()));
    }
    const auto plan = compiler::PlanOfKernels(*module, arguments);
    ASSERT_TRUE(plan.ok()) << plan.status();
    plans.push_back(*plan);
  }
  std::vector<const kernels::Kernel*> kernels;
  for (const kernels::Plan& plan : plans) {
    for (const kernels::Kernel& kernel : plan.kernels) kernels.push_back(&kernel);
  }
  const std::vector<std::string> sources = Print(kernels, target.sharing());
  for (size_t begin = 0; begin < sources.size(); begin += kKernelsPerModule) {
    const absl::StatusOr<Nvrtc::Cubin> cubin =
        nvrtc->Compile(ModuleOf(sources, begin), "programs.cu", target.architecture);
    ASSERT_TRUE(cubin.ok()) << cubin.status();
    EXPECT_EQ(MostSpillBytes(cubin->log), 0) << cubin->log;
  }
}

// Of rows too long for one team; by what they compare: bits of keys, or what is no key.
std::string LargeSort(const std::string& element, bool by_key) {
  const std::string one = absl::StrCat("tensor<", element, ">"),
                    row = absl::StrCat("tensor<9000x", element, ">");
  const bool is_float = element[0] == 'f' || element[0] == 'b';
  return absl::StrCat(
      "func.func @main(%x: ", row, ", %y: tensor<9000xf64>) -> (", row, ", tensor<9000xf64>) {\n",
      "%0:2 = \"stablehlo.sort\"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({\n^bb0(%a: ",
      one, ", %b: ", one, ", %c: tensor<f64>, %d: tensor<f64>):\n",
      by_key ? "" : absl::StrCat("%p = stablehlo.multiply %a, %a : ", one, "\n"),
      "%less = stablehlo.compare LT, ", by_key ? "%a" : "%p", ", %b",
      is_float ? ", TOTALORDER" : "", " : (", one, ", ", one,
      ") -> tensor<i1>\nstablehlo.return %less : tensor<i1>\n}) : (", row,
      ", tensor<9000xf64>) -> (", row, ", tensor<9000xf64>)\n", "return %0#0, %0#1 : ", row,
      ", tensor<9000xf64>\n}\n");
}

TEST_P(CudaNvrtc, CompilesLargeSortsWithoutSpills) {
  std::vector<std::string> programs;
  for (const std::string element : {"i8", "i16", "f32", "f64"}) {
    for (const bool by_key : {true, false}) programs.push_back(LargeSort(element, by_key));
  }
  ExpectNoSpills(programs, GetParam());
}

// The sum of a product that is stored nowhere, along its first or last dimension.
std::string EndlessSum(int64_t kept, bool along_last) {
  const int64_t many = (int64_t{1} << 43) / kept;
  const std::string whole = absl::StrCat(
      "tensor<", along_last ? absl::StrCat(kept, "x", many) : absl::StrCat(many, "x", kept),
      "xf32>");
  const std::string row = absl::StrCat("tensor<", kept, "xf32>");
  const int kept_dim = along_last ? 0 : 1;
  return absl::StrCat(
      "func.func @main(%x: ", row, ") -> ", row, " {\n",
      "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n",
      "%i = stablehlo.iota dim = ", 1 - kept_dim, " : ", whole, "\n",
      "%b = stablehlo.broadcast_in_dim %x, dims = [", kept_dim, "] : (", row, ") -> ", whole,
      "\n%p = stablehlo.multiply %i, %b : ", whole, "\n",
      "%0 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [",
      1 - kept_dim, "] : (", whole, ", tensor<f32>) -> ", row, "\nreturn %0 : ", row, "\n}\n");
}

TEST_P(CudaNvrtc, CompilesWhatCanBeCancelledWithoutSpills) {
  std::vector<std::string> programs;
  for (const int64_t kept : {1, 4, 100, 100'000}) {
    for (const bool along_last : {true, false}) programs.push_back(EndlessSum(kept, along_last));
  }
  ExpectNoSpills(programs, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Architectures, CudaNvrtc,
                         ::testing::Values(Target{80}, Target{90}, Target{90, /*eager=*/true},
                                           Target{100}),
                         [](const ::testing::TestParamInfo<Target>& info) {
                           return absl::StrCat("Sm", info.param.architecture,
                                               info.param.eager ? "Eager" : "");
                         });

TEST(CudaNvrtcTest, CompilesTheKernelsOfAttentionWithFewSpills) {
  const absl::StatusOr<kernels::cuda::Nvrtc>& nvrtc = kernels::cuda::Nvrtc::Get();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  std::string source =
      absl::StrCat(kernels::cuda::ModulePrelude(), kernels::cuda::AttentionPrelude());
  std::set<std::string> known;
  for (const kernels::AttentionCase& test_case : kernels::AttentionCases()) {
    // The kernels of f16 differ from those of bf16 in one instruction.
    const bool is_f16 = test_case.shape.dtype == ir::DType::kF16;
    if (is_f16 && test_case.name != "f16 width 128") continue;
    // Some cases differ in their values alone.
    if (!known.insert(kernels::cuda::PrintAttention(test_case.shape, "same").source).second)
      continue;
    const std::string name = absl::StrCat("attention_", known.size());
    source += kernels::cuda::PrintAttention(test_case.shape, name).source;
  }
  for (const int architecture : {80, 90, 100}) {
    const auto cubin = nvrtc->Compile(source, "attention", architecture);
    ASSERT_TRUE(cubin.ok()) << cubin.status();
    EXPECT_LE(MostSpillBytes(cubin->log), kMaxSpillBytes) << cubin->log;
  }
}

TEST(CudaNvrtcTest, CompilesAttentionThatAsksWhetherItIsCancelled) {
  const absl::StatusOr<kernels::cuda::Nvrtc>& nvrtc = kernels::cuda::Nvrtc::Get();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  std::string source =
      absl::StrCat(kernels::cuda::ModulePrelude(), kernels::cuda::AttentionPrelude());
  kernels::AttentionShape shape = kernels::AttentionCases()[0].shape;
  shape.batch[0] = 1 << 28;
  for (const ir::DType dtype : {ir::DType::kF32, ir::DType::kBF16}) {
    shape.dtype = dtype;
    const kernels::cuda::AttentionKernel printed =
        kernels::cuda::PrintAttention(shape, absl::StrCat("attention_", ir::DTypeName(dtype)));
    EXPECT_TRUE(printed.polls);
    source += printed.source;
  }
  const auto cubin = nvrtc->Compile(source, "attention", 90);
  ASSERT_TRUE(cubin.ok()) << cubin.status();
  EXPECT_LE(MostSpillBytes(cubin->log), kMaxSpillBytes) << cubin->log;
}

TEST(CudaNvrtcTest, WhatGraphsLaunchIsMachineCodeOrPtx) {
  const absl::StatusOr<kernels::cuda::Nvrtc>& nvrtc = kernels::cuda::Nvrtc::Get();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  for (const int architecture : nvrtc->architectures()) {
    const absl::StatusOr<std::string> ptx =
        nvrtc->CompileToPtx(std::string(kernels::cuda::GraphSource()), "graph.cu", architecture);
    const auto cubin =
        nvrtc->Compile(std::string(kernels::cuda::GraphSource()), "graph.cu", architecture);
    ASSERT_TRUE(cubin.ok()) << cubin.status();
    // An executable, which the driver gives what it asks for when it is loaded.
    constexpr size_t kElfType = 16;
    ASSERT_GT(cubin->bytes.size(), kElfType);
    EXPECT_EQ(cubin->bytes[kElfType], 2);
    EXPECT_NE(cubin->bytes.find("cudaGraphSetConditional"), std::string::npos);
    ASSERT_TRUE(ptx.ok()) << ptx.status();
    EXPECT_NE(ptx->find(".extern .func cudaGraphSetConditional"), std::string::npos);
    EXPECT_NE(ptx->find(".entry set_loop"), std::string::npos);
    EXPECT_NE(ptx->find("%globaltimer"), std::string::npos);
  }
}

}  // namespace
}  // namespace acceld::testing
