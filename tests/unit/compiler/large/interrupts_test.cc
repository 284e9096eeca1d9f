// Programs of every kind of loop poll often enough that they can be paused and cancelled.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "common/ir/text.h"
#include "common/threads/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/random/cpu_runner.h"

namespace acceld::compiler {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Interrupts a run again and again, and notes how long it takes to poll; then cancels it.
class Interrupter final : public kernels::cpu::InterruptHandler {
 public:
  static constexpr milliseconds kPeriod{5}, kUntilCancelled{400};

  ~Interrupter() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void Begin() {
    thread_ = std::thread([this] { Interrupt(); });
  }

  bool WaitWhilePaused() override {
    const MutexLock lock(mutex_);
    if (interrupted_.load()) {
      latest_ = std::max(latest_, Clock::now() - since_);
      if (!cancelled_) interrupted_ = false;
    }
    return !cancelled_;
  }
  const volatile bool* flag() const {
    static_assert(sizeof(interrupted_) == sizeof(bool));
    return reinterpret_cast<const volatile bool*>(&interrupted_);
  }
  double latest_ms() {
    const MutexLock lock(mutex_);
    return std::chrono::duration<double, std::milli>(latest_).count();
  }

 private:
  void Interrupt() {
    const Clock::time_point begin = Clock::now();
    while (!done_) {
      std::this_thread::sleep_for(kPeriod);
      const MutexLock lock(mutex_);
      cancelled_ = Clock::now() > begin + kUntilCancelled;
      if (!interrupted_.exchange(true)) since_ = Clock::now();
      if (cancelled_) return;
    }
  }

  std::atomic<bool> interrupted_{false}, done_{false};
  Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  Clock::time_point since_ ABSL_GUARDED_BY(mutex_);
  Clock::duration latest_ ABSL_GUARDED_BY(mutex_){0};
  std::thread thread_;
};

struct Case {
  std::string name;
  std::string text;
  // It is over after some tenths of a second, too: only the polls before that count.
  bool ends = false;
};

// Takes one argument that the result depends on, so that nothing is computed by the compiler.
std::string Main(const std::string& type, const std::string& body, const std::string& result) {
  return absl::StrCat("func.func @main(%x: ", type, ") -> ", result, " {\n", body, "\n}\n");
}

std::string CallTree(int depth) {
  std::string text =
      "func.func private @f0(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
  for (int i = 1; i <= depth; ++i) {
    absl::StrAppend(&text, absl::Substitute(R"(
func.func private @f$0(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f$1(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f$1(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
)",
                                            i, i - 1));
  }
  return text + Main("tensor<8xf32>",
                     absl::Substitute("  %0 = call @f$0(%x) : (tensor<8xf32>) -> tensor<8xf32>\n"
                                      "  return %0 : tensor<8xf32>",
                                      depth),
                     "tensor<8xf32>");
}

// Reduces what is computed from indices and never stored.
std::string SumOfIndices(const std::string& dims, const std::string& over,
                         const std::string& result) {
  return Main("tensor<f32>",
              absl::Substitute(R"(
  %i = stablehlo.iota dim = 0 : tensor<$0xf32>
  %b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<$0xf32>
  %s = stablehlo.add %i, %b : tensor<$0xf32>
  %c = stablehlo.sine %s : tensor<$0xf32>
  %r = stablehlo.reduce(%c init: %x) applies stablehlo.add across dimensions = [$1]
    : (tensor<$0xf32>, tensor<f32>) -> $2
  return %r : $2)",
                               dims, over, result),
              result);
}

std::string Window(const std::string& op, int64_t size) {
  return Main("tensor<8xf32>",
              absl::Substitute(R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.$0 %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: $1>, window_strides = array<i64: 1>,
      base_dilations = array<i64: 1>, window_dilations = array<i64: 1>,
      padding = dense<[[$2, 0]]> : tensor<1x2xi64>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>)",
                               op, size, size - 1),
              "tensor<8xf32>");
}

std::vector<Case> Cases() {
  return {
      {"call_tree", CallTree(60)},
      {"sum_of_a_row", SumOfIndices("1099511627776", "0", "tensor<f32>")},
      {"sum_of_rows", SumOfIndices("4x1099511627776", "1", "tensor<4xf32>")},
      {"sum_of_columns", SumOfIndices("1099511627776x4", "0", "tensor<4xf32>")},
      {"sum_of_many_columns", SumOfIndices("17179869184x512", "0", "tensor<512xf32>")},
      {"sum_of_all", SumOfIndices("1048576x16x65536", "0, 1, 2", "tensor<f32>")},
      {"window_max", Window("maximum", int64_t{1} << 46)},
      {"window_sum", Window("add", int64_t{1} << 46)},
      {"window_product", Window("multiply", int64_t{1} << 40)},
      {"endless_loop", Main("tensor<8xf32>", R"(
  %r = stablehlo.while(%a = %x) : tensor<8xf32>
   cond { %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1> }
   do { %c = stablehlo.add %a, %a : tensor<8xf32>
    stablehlo.return %c : tensor<8xf32> }
  return %r : tensor<8xf32>)",
                            "tensor<8xf32>")},
      {"endless_loop_of_large_steps", Main("tensor<4194304xf32>", R"(
  %r = stablehlo.while(%a = %x) : tensor<4194304xf32>
   cond { %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1> }
   do { %c = stablehlo.cosine %a : tensor<4194304xf32>
    %d = stablehlo.reverse %c, dims = [0] : tensor<4194304xf32>
    stablehlo.return %d : tensor<4194304xf32> }
  return %r : tensor<4194304xf32>)",
                                           "tensor<4194304xf32>")},
      {"copies", Main("tensor<33554432xf32>", R"(
  %r = stablehlo.while(%a = %x) : tensor<33554432xf32>
   cond { %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1> }
   do { %d = stablehlo.reverse %a, dims = [0] : tensor<33554432xf32>
    %o = stablehlo.optimization_barrier %d : tensor<33554432xf32>
    stablehlo.return %o : tensor<33554432xf32> }
  return %r : tensor<33554432xf32>)",
                      "tensor<33554432xf32>")},
      {"map_with_endless_loops", Main("tensor<1048576xf32>", R"(
  %0 = "stablehlo.map"(%x) ({
   ^bb0(%e: tensor<f32>):
    %r = stablehlo.while(%a = %e) : tensor<f32>
     cond { %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1> }
     do { %c = stablehlo.cosine %a : tensor<f32>
      stablehlo.return %c : tensor<f32> }
    stablehlo.return %r : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<1048576xf32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>)",
                                      "tensor<1048576xf32>")},
      {"integer_product",
       Main("tensor<3000x3000xi32>", R"(
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<3000x3000xi32>, tensor<3000x3000xi32>) -> tensor<3000x3000xi32>
  return %0 : tensor<3000x3000xi32>)",
            "tensor<3000x3000xi32>"),
       true},
      {"product",
       Main("tensor<5000x5000xf32>", R"(
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<5000x5000xf32>, tensor<5000x5000xf32>) -> tensor<5000x5000xf32>
  return %0 : tensor<5000x5000xf32>)",
            "tensor<5000x5000xf32>"),
       true},
      {"sort",
       Main("tensor<16777216xf32>", R"(
  %0 = "stablehlo.sort"(%x) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<16777216xf32>) -> tensor<16777216xf32>
  return %0 : tensor<16777216xf32>)",
            "tensor<16777216xf32>"),
       true},
      {"sort_by_a_function",
       Main("tensor<4194304xf32>", R"(
  %0 = "stablehlo.sort"(%x) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.sine %a : tensor<f32>
    %t = stablehlo.sine %b : tensor<f32>
    %c = stablehlo.compare LT, %s, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4194304xf32>) -> tensor<4194304xf32>
  return %0 : tensor<4194304xf32>)",
            "tensor<4194304xf32>"),
       true},
      {"scan",
       Main("tensor<16777216xf32>", R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    %c = stablehlo.sine %s : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 16777216>, window_strides = array<i64: 1>,
      base_dilations = array<i64: 1>, window_dilations = array<i64: 1>,
      padding = dense<[[16777215, 0]]> : tensor<1x2xi64>}
      : (tensor<16777216xf32>, tensor<f32>) -> tensor<16777216xf32>
  return %0 : tensor<16777216xf32>)",
            "tensor<16777216xf32>"),
       true},
      {"scatter",
       Main("tensor<16777216xi32>", R"(
  %z = stablehlo.constant dense<0> : tensor<1000xi32>
  %i = stablehlo.reshape %x : (tensor<16777216xi32>) -> tensor<16777216x1xi32>
  %0 = "stablehlo.scatter"(%z, %i, %x) ({
   ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.subtract %b, %a : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
      : (tensor<1000xi32>, tensor<16777216x1xi32>, tensor<16777216xi32>) -> tensor<1000xi32>
  return %0 : tensor<1000xi32>)",
            "tensor<1000xi32>"),
       true},
      {"select_and_scatter",
       Main("tensor<16777216xf32>", R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.slice %x [0:262144] : (tensor<16777216xf32>) -> tensor<262144xf32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 64>, window_strides = array<i64: 64>}
      : (tensor<16777216xf32>, tensor<262144xf32>, tensor<f32>) -> tensor<16777216xf32>
  return %0 : tensor<16777216xf32>)",
            "tensor<16777216xf32>"),
       true},
      {"small_kernels",
       [] {
         std::string body = "  %v0 = stablehlo.sine %x : tensor<4096xf32>\n";
         for (int i = 1; i <= 500; ++i) {
           // Sorts are not fused.
           absl::StrAppend(&body, absl::Substitute(R"(  %v$0 = "stablehlo.sort"(%v$1) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4096xf32>) -> tensor<4096xf32>
)",
                                                   i, i - 1));
         }
         return Main("tensor<4096xf32>", body + "  return %v500 : tensor<4096xf32>",
                     "tensor<4096xf32>");
       }(),
       true},
  };
}

TEST(WorkTest, ATreeOfCallsThatWouldNotEndIsRefused) {
  const auto module = ir::ParseModule(CallTree(200));
  ASSERT_TRUE(module.ok()) << module.status();
  const ir::Literal argument =
      ir::Literal::FromBytes({ir::DType::kF32, {8}}, std::string(32, '\0')).value();
  const absl::Status status = RunOnCpu(*module, {argument}, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("more than the limit"));
}

class InterruptsTest : public ::testing::TestWithParam<Case> {};

TEST_P(InterruptsTest, ARunPollsOften) {
  const auto module = ir::ParseModule(GetParam().text);
  ASSERT_TRUE(module.ok()) << module.status() << GetParam().text;
  std::vector<ir::Literal> arguments;
  for (const ir::Type& type : (*module->Entry("main"))->ParameterTypes()) {
    std::string bytes(static_cast<size_t>(type.tensor().size_bytes()), '\0');
    for (int64_t i = 0; i < type.tensor().num_elements(); ++i) {
      const int64_t value = i * 2654435761 % 1009;
      if (ir::IsFloat(type.tensor().dtype)) {
        ir::WriteFloat(type.tensor().dtype, bytes.data(), i, static_cast<double>(value));
      } else {
        ir::WriteInt(type.tensor().dtype, bytes.data(), i, value);
      }
    }
    arguments.push_back(ir::Literal::FromBytes(type.tensor(), std::move(bytes)).value());
  }
  for (const int threads : {1, 2}) {
    Interrupter interrupter;
    const auto result = RunOnCpu(*module, arguments, threads,
                                 {interrupter.flag(), &interrupter, [&] { interrupter.Begin(); }});
    if (!GetParam().ends || !result.ok()) {
      EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled) << result.status();
    }
    // A hundred milliseconds are promised; a busy machine may hold up any thread for longer.
    EXPECT_LT(interrupter.latest_ms(), 1000) << threads << " threads";
    std::cout << GetParam().name << ", " << threads << " threads: polled "
              << interrupter.latest_ms() << " ms late at most\n";
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, InterruptsTest, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace acceld::compiler
