#include "tests/unit/compiler/spmd/sharded_run.h"

#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/builder.h"
#include "common/ir/interpreter.h"
#include "common/ir/processes/sharding.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/spmd/collectives/gather_again.h"

namespace acceld::compiler::spmd {
namespace {

// Calls `visit` with the position of each element of the shard and that of the same element in the
// whole value, both row-major.
template <typename Visit>
void ForEachElement(const ir::TensorType& type, const ir::Sharding& sharding, const ir::Mesh& mesh,
                    int64_t partition, const Visit& visit) {
  const ir::TensorType shard = *ir::ShardType(type, sharding, mesh);
  const int64_t count = shard.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    int64_t whole = 0;
    int64_t stride = 1;
    for (size_t d = shard.dims.size(); d-- > 0;) {
      const int64_t offset = ir::ShardOf(sharding.dimensions[d], mesh, partition) * shard.dims[d];
      whole += (offset + rest % shard.dims[d]) * stride;
      rest /= shard.dims[d];
      stride *= type.dims[d];
    }
    visit(i, whole);
  }
}

// Which part of a sum the partition has.
int64_t PartOf(const ir::Sharding& sharding, const ir::Mesh& mesh, int64_t partition) {
  return ir::ShardOf(ir::DimensionSharding{.axes = sharding.unreduced}, mesh, partition);
}

// Adds `amount` to element i; to i1 nothing but false can be added.
void AddTo(ir::DType dtype, std::string& bytes, int64_t i, ir::Complex amount) {
  if (ir::IsFloat(dtype)) {
    ir::WriteFloat(dtype, bytes.data(), i, ir::ReadFloat(dtype, bytes.data(), i) + amount.real());
  } else if (ir::IsComplex(dtype)) {
    ir::WriteComplex(dtype, bytes.data(), i, ir::ReadComplex(dtype, bytes.data(), i) + amount);
  } else if (dtype == ir::DType::kI1) {
    if (amount.real() > 0) ir::WriteInt(dtype, bytes.data(), i, 1);
  } else {
    ir::WriteInt(dtype, bytes.data(), i,
                 ir::ReadInt(dtype, bytes.data(), i) + static_cast<int64_t>(amount.real()));
  }
}

// A part of a sum: the first one is the value minus what the others have, which are all ones. The
// parts of maxima and minima are all the value.
void MakePart(ir::Reduction reduction, ir::DType dtype, int64_t part, int64_t num_parts,
              std::string& bytes, int64_t i) {
  // A value that is in one part stays what it is; adding 0 would change a negative zero.
  if (reduction != ir::Reduction::kSum || num_parts == 1) return;
  if (part == 0) {
    if (dtype != ir::DType::kI1) AddTo(dtype, bytes, i, static_cast<double>(1 - num_parts));
    return;
  }
  const auto size = static_cast<size_t>(ir::StorageBytesOf(dtype));
  std::memset(&bytes[static_cast<size_t>(i) * size], 0, size);
  if (dtype != ir::DType::kI1) AddTo(dtype, bytes, i, 1);
}

// Combines two parts: by a program for one process, which the interpreter runs.
ir::Literal Combined(ir::Reduction reduction, const ir::Literal& a, const ir::Literal& b) {
  static constexpr ir::OpKind kKinds[] = {ir::OpKind::kAdd, ir::OpKind::kMaximum,
                                          ir::OpKind::kMinimum};
  ir::FunctionBuilder builder("main", /*is_public=*/true);
  const ir::ValueId x = builder.AddParameter(a.type());
  const ir::ValueId y = builder.AddParameter(b.type());
  const ir::ValueId both = *builder.AddOne(kKinds[static_cast<size_t>(reduction)], {x, y});
  ir::Module module;
  module.functions.push_back(builder.Finish({both}));
  return (*ir::Interpret(module, "main", {a, b}))[0];
}

}  // namespace

std::vector<ir::Literal> Shards(const ir::Literal& value, const ir::Sharding& sharding,
                                const ir::Mesh& mesh) {
  const std::string from = value.DenseBytes();
  const auto bytes = static_cast<size_t>(ir::StorageBytesOf(value.type().dtype));
  int64_t num_parts = 1;
  for (const ir::AxisRef& axis : sharding.unreduced) num_parts *= ir::SizeOf(axis, mesh);
  std::vector<ir::Literal> shards;
  for (int64_t partition = 0; partition < ir::NumDevices(mesh); ++partition) {
    const ir::TensorType type = *ir::ShardType(value.type(), sharding, mesh);
    std::string to(static_cast<size_t>(type.size_bytes()), '\0');
    ForEachElement(value.type(), sharding, mesh, partition, [&](int64_t shard, int64_t whole) {
      std::memcpy(&to[static_cast<size_t>(shard) * bytes],
                  &from[static_cast<size_t>(whole) * bytes], bytes);
      MakePart(sharding.reduction, type.dtype, PartOf(sharding, mesh, partition), num_parts, to,
               shard);
    });
    shards.push_back(*ir::Literal::FromBytes(type, std::move(to)));
  }
  return shards;
}

namespace {

// Puts a part of a sum together from the shards of those partitions that have it.
absl::StatusOr<ir::Literal> WholePart(absl::Span<const ir::Literal> shards,
                                      const ir::TensorType& type, const ir::Sharding& sharding,
                                      const ir::Mesh& mesh, int64_t part) {
  const auto bytes = static_cast<size_t>(ir::StorageBytesOf(type.dtype));
  std::string to(static_cast<size_t>(type.size_bytes()), '\0');
  std::vector<bool> seen(static_cast<size_t>(type.num_elements()));
  std::string difference;
  for (size_t i = 0; i < shards.size(); ++i) {
    const auto partition = static_cast<int64_t>(i);
    if (PartOf(sharding, mesh, partition) != part) continue;
    const std::string from = shards[i].DenseBytes();
    ForEachElement(type, sharding, mesh, partition, [&](int64_t shard, int64_t whole) {
      char* const target = &to[static_cast<size_t>(whole) * bytes];
      const char* const source = &from[static_cast<size_t>(shard) * bytes];
      if (seen[static_cast<size_t>(whole)] && std::memcmp(target, source, bytes) != 0) {
        difference = absl::StrCat("element ", whole, " is another one in process ", partition);
      }
      std::memcpy(target, source, bytes);
      seen[static_cast<size_t>(whole)] = true;
    });
  }
  if (!difference.empty()) return absl::InvalidArgumentError(difference);
  return ir::Literal::FromBytes(type, std::move(to));
}

}  // namespace

absl::StatusOr<ir::Literal> Whole(absl::Span<const ir::Literal> shards, const ir::TensorType& type,
                                  const ir::Sharding& sharding, const ir::Mesh& mesh) {
  ACCELD_ASSIGN_OR_RETURN(ir::Literal whole, WholePart(shards, type, sharding, mesh, 0));
  int64_t num_parts = 1;
  for (const ir::AxisRef& axis : sharding.unreduced) num_parts *= ir::SizeOf(axis, mesh);
  for (int64_t part = 1; part < num_parts; ++part) {
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal next, WholePart(shards, type, sharding, mesh, part));
    whole = Combined(sharding.reduction, whole, next);
  }
  return whole;
}

absl::StatusOr<std::vector<ir::Literal>> RunPartitioned(
    const PartitionedProgram& program, const std::vector<ir::Literal>& arguments,
    const std::vector<ir::Type>& results, absl::Span<const ir::HostCallback> callbacks) {
  const ir::ProcessGrid& grid = program.module.grid;
  const auto partitions = static_cast<size_t>(grid.num_partitions);
  std::vector<std::vector<ir::Literal>> of_processes(static_cast<size_t>(grid.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<ir::Literal> shards =
        Shards(arguments[i], program.argument_shardings[i], program.mesh);
    for (size_t p = 0; p < of_processes.size(); ++p) {
      of_processes[p].push_back(shards[p % partitions]);
    }
  }
  for (size_t p = 0; p < of_processes.size(); ++p) {
    of_processes[p].push_back(ir::Literal::Filled({ir::DType::kUI32, {}}, static_cast<double>(p)));
  }
  ACCELD_ASSIGN_OR_RETURN(const auto outputs, ir::InterpretProcesses(program.module, "main",
                                                                     of_processes, {}, callbacks));
  std::vector<ir::Literal> whole;
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t first = 0; first < outputs.size(); first += partitions) {
      std::vector<ir::Literal> shards;
      for (size_t p = 0; p < partitions; ++p) shards.push_back(outputs[first + p][i]);
      auto value = Whole(shards, results[i].tensor(), program.result_shardings[i], program.mesh);
      if (!value.ok()) return Annotate(value.status(), absl::StrCat("result ", i));
      if (first == 0) whole.push_back(*value);
      if (!(whole.back() == *value)) {
        return absl::InvalidArgumentError(absl::StrCat("result ", i, " differs between replicas"));
      }
    }
  }
  return whole;
}

PartitionedRun RunBoth(const ir::Module& module, const std::vector<ir::Literal>& arguments) {
  PartitionedRun run;
  run.texts = absl::StrCat("\nthe program:\n", ir::PrintModule(module));
  auto program = Partition(module);
  if (!program.ok()) {
    run.failure = program.status().ToString();
    return run;
  }
  run.collectives = CollectivesOf(program->module);
  absl::StrAppend(&run.texts, "\npartitioned:\n", ir::PrintModule(program->module));
  // The pass at the end of the pipeline, which moves collectives.
  auto gathered_again = GatherAgain(program->module);
  if (!gathered_again.ok()) {
    run.failure = gathered_again.status().ToString();
    return run;
  }
  program->module = *std::move(gathered_again);
  if (const absl::Status valid = ir::Verify(program->module); !valid.ok()) {
    run.failure = valid.ToString();
    return run;
  }
  int64_t num_calls = 0;
  const std::vector<ir::HostCallback> callbacks = {[&](absl::Span<const ir::Literal> operands) {
    ++num_calls;
    return std::vector<ir::Literal>(operands.begin(), operands.end());
  }};
  const auto expected = ir::Interpret(module, "main", arguments, {}, callbacks);
  const int64_t expected_calls = std::exchange(num_calls, 0) * module.grid.num_replicas;
  const auto actual =
      RunPartitioned(*program, arguments, module.functions[0].ResultTypes(), callbacks);
  if (!expected.ok()) {
    run.failure = absl::StrCat("the whole: ", expected.status().ToString());
  } else if (!actual.ok()) {
    run.failure = absl::StrCat("partitioned: ", actual.status().ToString());
  } else if (num_calls != expected_calls) {
    run.failure = absl::StrCat(num_calls, " calls of the host, expected ", expected_calls);
  } else {
    run.expected = *expected;
    run.actual = *actual;
  }
  return run;
}

ir::CheckRule Exact() {
  return {.tolerance = ir::Tolerance::kExact, .bound = 0, .nan_equal = true};
}

ir::CheckRule Rounded(ir::DType dtype) {
  if (ir::IsComplex(dtype)) return {.tolerance = ir::Tolerance::kRelativeToMax, .bound = 1e-5};
  return {.tolerance = ir::Tolerance::kAbsolute, .bound = 1e-4};
}

std::string DifferenceOf(const PartitionedRun& run, const CheckRules& rules) {
  if (!run.failure.empty()) return absl::StrCat(run.failure, run.texts);
  for (size_t i = 0; i < run.expected.size(); ++i) {
    const ir::Comparison comparison = ir::Compare(rules[i], run.actual[i], run.expected[i]);
    if (!comparison.passed) return absl::StrCat("result ", i, ": ", comparison.message, run.texts);
  }
  return "";
}

std::string CollectivesOf(const ir::Module& module) {
  std::map<std::string, int> counts;
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [&](const ir::Op& op) {
      if (ir::FamilyOf(op.kind) != ir::OpFamily::kCollective) return;
      ++counts[std::string(ir::NameOf(op.kind).substr(sizeof("stablehlo.") - 1))];
    });
  }
  std::vector<std::string> words;
  for (const auto& [name, count] : counts) words.push_back(absl::StrCat(count, " ", name));
  return absl::StrJoin(words, ", ");
}

}  // namespace acceld::compiler::spmd
