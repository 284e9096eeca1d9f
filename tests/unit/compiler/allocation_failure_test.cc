#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/text.h"
#include "common/ir/wire/wire.h"
#include "common/memory/allocation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/codegen/cpu/cpu_code_generator.h"
#include "server/compiler/compiler.h"
#include "server/compiler/dump.h"
#include "server/compiler/pipeline.h"
#include "tests/support/counted_heap.h"

// Memory that runs out while a request is served ends that request and nothing else: whichever
// allocation fails, the answer is a result or RESOURCE_EXHAUSTED, and what was taken is given back.
namespace acceld::compiler {
namespace {

using testing::FailingHeap;

// A little of everything that has a path of its own.
constexpr char kProgram[] = R"(
#a = [1, "b", {c = unit}]
!t = tuple<tensor<4xf32>, tensor<i32>>
module @m {
func.func @main(%x: tensor<?x4xf32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = chlo.erf_inv %c : tensor<4xf32> -> tensor<4xf32>
  %d = stablehlo.add %c, %c : tensor<4xf32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
  %s = stablehlo.composite "a.b" %r {composite_attributes = {a = #a}, decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  %w:2 = stablehlo.while(%p = %i, %q = %s) : tensor<i32>, tensor<4xf32> cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %l = stablehlo.compare LT, %p, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %p1 = stablehlo.add %p, %o : tensor<i32>
    %q1 = stablehlo.add %q, %d : tensor<4xf32>
    stablehlo.return %p1, %q1 : tensor<i32>, tensor<4xf32>
  }
  %t = stablehlo.tuple %w#1, %w#0 : !t
  %u = stablehlo.get_tuple_element %t[0] : (!t) -> tensor<4xf32>
  %v = stablehlo.multiply %u, %e : tensor<4xf32>
  return %v, %w#0 : tensor<4xf32>, tensor<i32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.exponential %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
})";

std::vector<ir::TensorType> Arguments() {
  return {{ir::DType::kF32, {8, 4}}, {ir::DType::kI32, {}}};
}

// Runs `work`, which gives a Status, with one failing allocation after the other: each of the first
// `dense` ones, then some, until it gets by without meeting one.
template <typename Work>
void ExpectContained(int64_t dense, const Work& work) {
  ASSERT_TRUE(work().ok()) << work();
  int64_t failures = 0, refusals = 0;
  for (int64_t n = 0;; n += n < dense ? 1 : 1 + n / 50) {
    absl::Status status;
    bool has_failed = false;
    {
      const FailingHeap heap(n);
      status = work();
      has_failed = heap.HasFailed();
    }
    if (!has_failed) break;
    ++failures;
    // What failed was tried again. Near the end of the work nobody asks any more.
    if (status.ok()) continue;
    ++refusals;
    ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted)
        << "allocation " << n << ": " << status;
    ASSERT_THAT(std::string(status.message()), ::testing::HasSubstr("memory ran out"));
  }
  EXPECT_GT(failures, 0);
  EXPECT_GT(refusals, failures / 4);
}

TEST(AllocationFailureTest, ReadingTextIsContained) {
  ExpectContained(200, [] { return ir::ParseModule(kProgram, "m").status(); });
}

TEST(AllocationFailureTest, ReadingTheWireIsContained) {
  const auto module = ir::ParseModule(kProgram, "m");
  ASSERT_TRUE(module.ok()) << module.status();
  const v1::Module proto = ir::ToProto(*module);
  ExpectContained(200, [&] { return ir::FromProto(proto).status(); });
}

// So many that a pass looks at each op many times.
std::string ManyReductions(int count) {
  std::string text = R"(func.func @main(%v0: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>)";
  for (int i = 0; i < count; ++i) {
    absl::SubstituteAndAppend(&text, R"(
  %r$0 = stablehlo.reduce(%v$0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %b$0 = stablehlo.broadcast_in_dim %r$0, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %v$1 = stablehlo.subtract %v$0, %b$0 : tensor<64x64xf32>)",
                              i, i + 1);
  }
  return absl::StrCat(text, "\n  return %v", count, " : tensor<64x64xf32>\n}\n");
}

TEST(AllocationFailureTest, ACompileThatTakesMoreMemoryThanItMayFails) {
  const auto module = ir::ParseModule(ManyReductions(1000), "m");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<ir::TensorType> arguments = {{ir::DType::kF32, {64, 64}}};
  const codegen::cpu::CpuCodeGenerator generator;
  SetHeapCounter(&testing::HeapBytes);
  const auto compile = [&](int64_t memory_bytes) {
    const ContainedWork bounded({.memory_bytes = memory_bytes});
    return Compile(*module, "main", arguments, generator, CompileOptions()).status();
  };
  for (const int64_t bytes : {int64_t{1} << 18, int64_t{1} << 20, int64_t{1} << 21}) {
    const absl::Status status = compile(bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << bytes;
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr(absl::StrCat("the limit of ", bytes, " bytes")));
  }
  EXPECT_TRUE(compile(int64_t{1} << 30).ok());
  SetHeapCounter(nullptr);
}

TEST(AllocationFailureTest, FusingEndsWithinAPassWhenNobodyWantsItsResult) {
  const auto module = ir::ParseModule(ManyReductions(10), "m");
  ASSERT_TRUE(module.ok()) << module.status();
  const codegen::cpu::CpuCodeGenerator generator;
  const auto num_ops_after = [&](absl::string_view pass, const StopFlag& stop) {
    const ContainedWork work({.stop = &stop});
    const absl::StatusOr<ir::Module> result = (*FindPass(pass))(*module, generator);
    return result.ok() ? result->functions[0].body.ops.size() : 0;
  };
  StopFlag wanted, unwanted;
  unwanted.Stop();
  for (const absl::string_view pass : {"fuse", "fuse-rows"}) {
    EXPECT_LT(num_ops_after(pass, wanted), module->functions[0].body.ops.size()) << pass;
    EXPECT_EQ(num_ops_after(pass, unwanted), module->functions[0].body.ops.size()) << pass;
  }
}

TEST(AllocationFailureTest, SpecializingIsContained) {
  const auto module = ir::ParseModule(kProgram, "m");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<ir::TensorType> arguments = Arguments();
  ExpectContained(200, [&] { return ir::Specialize(*module, "main", arguments).status(); });
}

TEST(AllocationFailureTest, CompilingIsContained) {
  const auto module = ir::ParseModule(kProgram, "m");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<ir::TensorType> arguments = Arguments();
  const codegen::cpu::CpuCodeGenerator generator;
  ExpectContained(20, [&] {
    return Compile(*module, "main", arguments, generator, CompileOptions()).status();
  });
}

#if !defined(ACCELD_ADDRESS_SANITIZER) && !defined(ACCELD_THREAD_SANITIZER)
// Sanitizers take memory of their own.

// What the limit RLIMIT_DATA is on: the sixth number there.
int64_t DataBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  for (int i = 0; i < 6; ++i) statm >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// How a child process ends that has this much more memory than now for `work`: 0 for OK, 1 for
// RESOURCE_EXHAUSTED, 2 for another Status, 3 when it was killed.
int EndWithin(int64_t more_bytes, const std::function<absl::Status()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    // The reserve is made before.
    ContainAllocationFailure("", [] { return absl::OkStatus(); }).IgnoreError();
    const auto limit = static_cast<rlim_t>(DataBytes() + more_bytes);
    const rlimit limits = {limit, limit};
    setrlimit(RLIMIT_DATA, &limits);
    const absl::Status status = work();
    _exit(status.ok() ? 0 : absl::IsResourceExhausted(status) ? 1 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

TEST(AllocationFailureTest, AProcessWithoutMemoryGoesOn) {
  std::string long_program = "func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {\n";
  constexpr int kOps = 30'000;
  for (int i = 1; i <= kOps; ++i) {
    absl::StrAppend(&long_program, "%", i, " = stablehlo.sine %", i - 1, " : tensor<4xf32>\n");
  }
  absl::StrAppend(&long_program, "return %", kOps, " : tensor<4xf32>\n}");
  const codegen::cpu::CpuCodeGenerator generator;
  const auto compile_small = [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(const ir::Module module, ir::ParseModule(kProgram, "m"));
    return Compile(module, "main", Arguments(), generator, CompileOptions()).status();
  };
  const auto read_long = [&]() -> absl::Status {
    const absl::Status status = ir::ParseModule(long_program, "m").status();
    // Afterwards there is memory again.
    ACCELD_RETURN_IF_ERROR(ir::ParseModule(kProgram, "m").status());
    return status;
  };
  const auto optimize_long = [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(ir::Module module, ir::ParseModule(long_program, "m"));
    Dump dump("", "", "");
    return ContainAllocationFailure("passes", [&] {
      return RunPipeline(std::move(module), generator, {}, dump, nullptr).status();
    });
  };
  int refusals = 0;
  for (const int64_t more_mib : {0, 4, 32}) {
    const int64_t more_bytes = more_mib << 20;
    EXPECT_LE(EndWithin(more_bytes, compile_small), 1) << more_mib << " MiB";
    const int read = EndWithin(more_bytes, read_long);
    EXPECT_LE(read, 1) << more_mib << " MiB";
    refusals += read == 1 ? 1 : 0;
    EXPECT_LE(EndWithin(more_bytes, optimize_long), 1) << more_mib << " MiB";
  }
  EXPECT_GT(refusals, 0);
}
#endif

}  // namespace
}  // namespace acceld::compiler
