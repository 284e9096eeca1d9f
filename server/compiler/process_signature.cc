#include "server/compiler/process_signature.h"

#include "absl/strings/str_cat.h"
#include "common/ir/specialize/specialize.h"
#include "common/memory/allocation.h"
#include "server/compiler/specialize_processes.h"
#include "server/compiler/spmd/partition.h"

namespace acceld::compiler {
namespace {

absl::StatusOr<ir::ProcessSignature> Find(const ir::Module& module, absl::string_view entry) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Module specialized, SpecializeForProcesses(module, entry));
  ACCELD_ASSIGN_OR_RETURN(spmd::PartitionedProgram program, spmd::Partition(specialized));
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
