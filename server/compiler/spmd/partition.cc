#include "server/compiler/spmd/partition.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/processes/verify_processes.h"
#include "server/compiler/decompose/decompose.h"
#include "server/compiler/passes/cleanup/dce.h"
#include "server/compiler/passes/structure/expand_composites.h"
#include "server/compiler/passes/structure/flatten_values.h"
#include "server/compiler/passes/structure/inline.h"
#include "server/compiler/spmd/collectives/combine_collectives.h"
#include "server/compiler/spmd/manual_region.h"
#include "server/compiler/spmd/partitioner.h"
#include "server/compiler/spmd/parts/choose_parts.h"
#include "server/compiler/spmd/propagate.h"

namespace acceld::compiler::spmd {
namespace {

using ir::ValueId;

// The number of the process, and what follows from it.
struct ProcessNumbers {
  ValueId process, replica, partition;  // scalars ui32

  static ProcessNumbers Add(ir::FunctionBuilder& builder, const ir::ProcessGrid& grid) {
    const ir::TensorType type{ir::DType::kUI32, {}};
    const ValueId process = builder.AddParameter(type);
    ir::Emitter emit(builder);
    const ValueId count = emit.Constant(type, static_cast<double>(grid.num_partitions));
    return {process, emit.Div(process, count), emit.Op(ir::OpKind::kRemainder, {process, count})};
  }
};

// Copies a program that computes on the values of one process already.
absl::StatusOr<PartitionedProgram> CopyLocal(const ir::Module& module) {
  const ir::Function& source = module.functions[0];
  ACCELD_ASSIGN_OR_RETURN(const CanonicalMesh mesh, CanonicalMesh::Of(module));
  ir::FunctionBuilder builder(source.name, source.is_public);
  absl::flat_hash_map<ValueId, ValueId> values;
  for (const ValueId id : source.body.parameters) {
    values[id] = builder.AddParameter(source.TypeOf(id));
  }
  const ProcessNumbers numbers = ProcessNumbers::Add(builder, module.grid);
  Exchange exchange(builder, mesh, module.grid, numbers.process);
  ManualRegion copy(module, source, mesh, builder, exchange, numbers.replica, numbers.partition,
                    values);
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, copy.Copy(source.body));
  ACCELD_RETURN_IF_ERROR(exchange.status());
  PartitionedProgram program;
  program.module = module.WithoutFunctions();
  program.module.functions.push_back(builder.Finish(std::move(results)));
  program.module.functions[0].donations = source.donations;
  return program;
}

// Replaces what the partitioner does not handle.
absl::StatusOr<ir::Module> Prepare(const ir::Module& module) {
  ACCELD_ASSIGN_OR_RETURN(ir::Module expanded, ExpandComposites(module));
  ACCELD_ASSIGN_OR_RETURN(ir::Module flat, FlattenValues(expanded));
  ACCELD_ASSIGN_OR_RETURN(ir::Module inlined, InlineAllCalls(flat));
  return Decompose(inlined);
}

}  // namespace

absl::StatusOr<PartitionedProgram> Partition(const ir::Module& module) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Module prepared, Prepare(module));
  auto program = ir::IsLocal(prepared) ? CopyLocal(prepared) : PartitionGlobal(prepared);
  if (!program.ok()) return Annotate(program.status(), "partition");
  program->module.meshes.clear();
  ACCELD_ASSIGN_OR_RETURN(program->module, EliminateDeadCode(program->module));
  program->module = CombineCollectives(std::move(program->module));
  return program;
}

absl::StatusOr<PartitionedProgram> PartitionGlobal(const ir::Module& module) {
  const ir::Function& source = module.functions[0];
  ACCELD_ASSIGN_OR_RETURN(const CanonicalMesh mesh, CanonicalMesh::Of(module));
  const FactorRules rules(source);
  std::vector<Layout> layouts = Propagate(module, source, mesh, rules);
  ChooseParts(module, source, mesh, rules, layouts);
  ir::FunctionBuilder builder(source.name, source.is_public);
  Partitioner partitioner(module, mesh, layouts, rules, builder);
  PartitionedProgram program;
  for (size_t i = 0; i < source.body.parameters.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(program.argument_shardings.emplace_back(), partitioner.AddParameter(i));
  }
  const ProcessNumbers numbers = ProcessNumbers::Add(builder, module.grid);
  Exchange exchange(builder, mesh, module.grid, numbers.process);
  ACCELD_RETURN_IF_ERROR(partitioner.Run(exchange, numbers.replica, numbers.partition));
  std::vector<ValueId> results;
  for (size_t i = 0; i < source.body.results.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(program.result_shardings.emplace_back(),
                            partitioner.AddResult(i, results));
  }
  ACCELD_RETURN_IF_ERROR(exchange.status());
  program.mesh = mesh.ToMesh();
  program.module = module.WithoutFunctions();
  program.module.functions.push_back(builder.Finish(std::move(results)));
  program.module.functions[0].donations = source.donations;
  return program;
}

}  // namespace acceld::compiler::spmd
