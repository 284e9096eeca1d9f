#include "server/compiler/process_signature.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ir/builder.h"
#include "common/ir/emitter.h"
#include "common/ir/specialize/specialize.h"
#include "common/memory/allocation.h"
#include "server/compiler/passes/cleanup/dce.h"
#include "server/compiler/specialize_processes.h"
#include "server/compiler/spmd/partition.h"

namespace acceld::compiler {
namespace {

absl::StatusOr<spmd::PartitionedProgram> Partition(const ir::Module& module,
                                                   absl::string_view entry) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Module specialized, SpecializeForProcesses(module, entry));
  return spmd::Partition(specialized);
}

// Replaces the last parameter, the number of the process, by ops that ask for it.
absl::StatusOr<ir::Function> AskingForNumber(const ir::Function& source,
                                             const ir::ProcessGrid& grid) {
  ir::FunctionBuilder builder(source.name, source.is_public);
  absl::flat_hash_map<ir::ValueId, ir::ValueId> values;
  const std::vector<ir::ValueId>& parameters = source.body.parameters;
  for (size_t i = 0; i + 1 < parameters.size(); ++i) {
    values[parameters[i]] = builder.AddParameter(source.TypeOf(parameters[i]));
  }
  const ir::TensorType type{ir::DType::kUI32, {}};
  ir::Emitter emit(builder);
  ir::ValueId number = emit.Op(ir::OpKind::kPartitionId, {}, ir::NoAttributes{}, &type);
  if (grid.num_replicas > 1) {
    const ir::ValueId replica = emit.Op(ir::OpKind::kReplicaId, {}, ir::NoAttributes{}, &type);
    const ir::ValueId partitions = emit.Constant(type, static_cast<double>(grid.num_partitions));
    number = emit.Add(emit.Mul(replica, partitions), number);
  }
  ACCELD_RETURN_IF_ERROR(emit.status());
  values[parameters.back()] = number;
  for (const ir::Op& op : source.body.ops) builder.Clone(op, source, values);
  std::vector<ir::ValueId> results;
  for (const ir::ValueId id : source.body.results) results.push_back(values.at(id));
  ir::Function function = builder.Finish(std::move(results));
  function.donations = source.donations;
  return function;
}

absl::StatusOr<ir::Module> Localize(const ir::Module& module, absl::string_view entry) {
  ACCELD_ASSIGN_OR_RETURN(const spmd::PartitionedProgram program, Partition(module, entry));
  ir::Module local = program.module.WithoutFunctions();
  ACCELD_ASSIGN_OR_RETURN(local.functions.emplace_back(),
                          AskingForNumber(program.module.functions[0], local.grid));
  return EliminateDeadCode(local);
}

absl::StatusOr<ir::ProcessSignature> Find(const ir::Module& module, absl::string_view entry) {
  ACCELD_ASSIGN_OR_RETURN(spmd::PartitionedProgram program, Partition(module, entry));
  const ir::Function& function = program.module.functions[0];
  ir::ProcessSignature signature;
  for (const ir::Type& type : function.ParameterTypes()) {
    signature.arguments.push_back(type.tensor());
  }
  signature.arguments.pop_back();  // the number of the process
  for (const ir::Type& type : function.ResultTypes()) signature.results.push_back(type.tensor());
  signature.argument_shardings = std::move(program.argument_shardings);
  signature.result_shardings = std::move(program.result_shardings);
  signature.mesh = std::move(program.mesh);
  return signature;
}

}  // namespace

absl::StatusOr<ir::ProcessSignature> SignatureOfProcess(const ir::Module& module,
                                                        absl::string_view entry) {
  return ContainAllocationFailure("partitioning a program", [&] { return Find(module, entry); });
}

absl::StatusOr<ir::Module> ProgramOfProcess(const ir::Module& module, absl::string_view entry) {
  return ContainAllocationFailure("partitioning a program",
                                  [&] { return Localize(module, entry); });
}

absl::StatusOr<std::vector<ir::TensorType>> ResultTypesOfRun(
    const ir::Module& module, absl::string_view entry,
    absl::Span<const ir::TensorType> argument_types) {
  if (module.grid.size() == 1) return ir::ResultTypesOf(module, entry, argument_types);
  ACCELD_ASSIGN_OR_RETURN(ir::ProcessSignature signature, SignatureOfProcess(module, entry));
  signature.arguments.push_back({ir::DType::kUI32, {}});
  ACCELD_RETURN_IF_ERROR(CheckProcessArguments(signature.arguments, argument_types));
  return std::move(signature.results);
}

}  // namespace acceld::compiler
