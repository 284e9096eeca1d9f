#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

// Texts of programs for several processes, and a short way to run them.
namespace acceld::ir {

// A module of these functions and meshes.
inline std::string ProgramFor(const ProcessGrid& grid, absl::string_view items) {
  return absl::StrCat("module @m attributes {mhlo.num_replicas = ", grid.num_replicas,
                      " : i32, mhlo.num_partitions = ", grid.num_partitions, " : i32} {\n", items,
                      "\n}\n");
}

// An attribute of collectives between partitions.
inline constexpr char kChannel[] =
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

// A region that combines two scalars with a binary op.
inline std::string Combining(absl::string_view op, absl::string_view type) {
  return absl::StrCat("({\n^bb0(%u: tensor<", type, ">, %v: tensor<", type,
                      ">):\n  %w = stablehlo.", op, " %u, %v : tensor<", type,
                      ">\n  stablehlo.return %w : tensor<", type, ">\n})");
}

// The sum of %`operand` over all partitions, a tensor<i64>.
inline std::string SumOverPartitions(absl::string_view operand) {
  return absl::StrCat("\"stablehlo.all_reduce\"(%", operand,
                      ") <{replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids, ",
                      kChannel, "}> ", Combining("add", "i64"), " : (tensor<i64>) -> tensor<i64>");
}

// Runs @main of a text as processes, of which process p has arguments[p].
inline absl::StatusOr<std::vector<std::vector<Literal>>> RunProcessesOf(
    absl::string_view text, const std::vector<std::vector<Literal>>& arguments,
    const InterpreterLimits& limits = {}, absl::Span<const HostCallback> callbacks = {}) {
  ACCELD_ASSIGN_OR_RETURN(const Module module, ParseModule(text, "test.mlir"));
  return InterpretProcesses(module, "main", arguments, limits, callbacks);
}

// A scalar i64 for each process.
inline std::vector<std::vector<Literal>> ScalarFor(const std::vector<int64_t>& values) {
  std::vector<std::vector<Literal>> arguments;
  for (const int64_t value : values) arguments.push_back({Ints(DType::kI64, {}, {value})});
  return arguments;
}

// The elements of the first result of each process.
inline std::vector<std::vector<int64_t>> FirstOf(
    const absl::StatusOr<std::vector<std::vector<Literal>>>& results) {
  EXPECT_TRUE(results.ok()) << results.status();
  std::vector<std::vector<int64_t>> values;
  if (!results.ok()) return values;
  for (const std::vector<Literal>& of_process : *results) values.push_back(IntsOf(of_process[0]));
  return values;
}

}  // namespace acceld::ir
