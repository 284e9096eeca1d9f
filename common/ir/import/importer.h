#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "common/ir/builder.h"
#include "common/ir/import/distribution.h"
#include "common/ir/import/import_op.h"
#include "common/ir/module.h"
#include "common/ir/quantization/quantized_signatures.h"
#include "common/ir/quantization/storage_ops.h"
#include "common/ir/verify/memory_budget.h"
#include "common/status.h"

namespace acceld::ir {

// State that is collected from all functions of a program while it is read.
struct ImportTotals {
  // `input_bytes` is the size of the program's file.
  explicit ImportTotals(int64_t input_bytes) : budget(MemoryBudget::ForReading(input_bytes)) {}

  MemoryBudget budget;
  int64_t constant_bytes = 0;  // of constants, and of scales and zero points of quantized types
  QuantizedSignatures signatures;
  Distribution distribution;

  // Completes a module when all its functions are read: checks that calls fit the quantized types
  // of their functions, and does what Distribution::Finish does.
  absl::StatusOr<Module> Finish(Module module) const;
};

// Builds one function from the ops that a reader reads, independent of the form of the program.
//
// Values have the types that the program declares, including quantized types, while the function is
// read. The function that is built has the stored integers instead. Ops that compute with the real
// numbers that the integers represent are replaced: dequantize, compute, quantize. Source:
// StableHLO specification, "Quantization computations". Thread-compatible.
class Importer {
 public:
  // `totals` must outlive the importer. totals.constant_bytes is bounded by
  // limits::kMaxProgramBytes; the ops and types that are made are charged to totals.budget.
  Importer(std::string name, bool is_public, ImportTotals& totals);

  ValueId AddParameter(const Type& type);
  // As in FunctionBuilder.
  std::vector<ValueId> BeginRegion(absl::Span<const Type> parameter_types);
  Region EndRegion(std::vector<ValueId> results);

  // Return the types that the program declares.
  const Type& TypeOf(ValueId id) const;
  std::vector<Type> TypesOf(absl::Span<const ValueId> ids) const;

  // Checks an op, appends it to the open region with its declared result types, and returns its
  // results. Its attributes may have the names of meshes and axes (Distribution). Returns the
  // errors of ImportOp, and an error for quantized types that do not fit the op. The contents of
  // `op` are moved.
  absl::StatusOr<std::vector<ValueId>> Import(ImportedOp& op);

  // For an op of inlined_ops.h. CheckInlined checks that its region, with these parameters, can
  // take the op's operands. ImportInlined returns the op's results when its region has been read
  // and has returned `returned`.
  absl::Status CheckInlined(const ImportedOp& op, absl::Span<const Type> parameters) const;
  absl::StatusOr<std::vector<ValueId>> ImportInlined(ImportedOp& op, std::vector<ValueId> returned);
  // Charges the types of values to the budget, because each use of a value copies its type.
  absl::Status ChargeUses(absl::Span<const ValueId> ids, absl::string_view what);

  // Returns the function, whose results are `results`. The importer must not be used afterwards.
  Function Finish(std::vector<ValueId> results);

 private:
  // Notes the types of a call for ImportTotals::signatures.
  absl::Status NoteCall(const ImportedOp& op);
  // Appends the op, without charging the ops and types that are made.
  absl::StatusOr<std::vector<ValueId>> Append(ImportedOp& op);
  // The same for an op that Distribution::Prepare has prepared.
  absl::StatusOr<std::vector<ValueId>> AppendPrepared(ImportedOp& op);
  // Returns the elements of the future that async_start has returned.
  absl::StatusOr<std::vector<ValueId>> ImportAsyncDone(const ImportedOp& op);
  absl::StatusOr<std::vector<ValueId>> ImportQuantized(ImportedOp& op);
  absl::StatusOr<std::vector<ValueId>> ImportManualComputation(ImportedOp& op);
  // Imports the op with the stored integers as its values.
  absl::StatusOr<std::vector<ValueId>> ImportOnStorage(ImportedOp& op, const TypedOp& typed);
  // Imports the op with the real numbers that the integers represent.
  absl::StatusOr<std::vector<ValueId>> ImportOnReals(ImportedOp& op);
  absl::StatusOr<std::vector<ValueId>> ImportUniform(const ImportedOp& op);

  // Charges the scales and zero points of quantized types. Each op with such types reads them and
  // may write them as constants, and a small program can refer to a large type many times.
  absl::Status Charge(absl::Span<const Type> types);
  // Whether `ids` is one scalar. A sharding says nothing about it, and JAX writes such constraints
  // into the regions of reductions.
  bool IsScalar(absl::Span<const ValueId> ids) const;
  ValueId Reals(ValueId id, Location location);
  void Declare(ValueId id, const Type& type);
  InferContext::RegionSignature SignatureOf(const Region& region) const;

  FunctionBuilder builder_;
  ImportTotals& totals_;
  absl::flat_hash_map<ValueId, Type>
      quantized_;  // of values whose declared types are, or contain, quantized types
};

// The two ops on quantized types only.
inline constexpr absl::string_view kUniformOps[] = {"stablehlo.uniform_dequantize",
                                                    "stablehlo.uniform_quantize"};

}  // namespace acceld::ir
