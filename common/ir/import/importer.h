#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "common/ir/builder.h"
#include "common/ir/collectives/process_grid.h"
#include "common/ir/import/import_op.h"
#include "common/ir/module.h"
#include "common/ir/quantization/quantized_signatures.h"
#include "common/ir/quantization/storage_ops.h"
#include "common/ir/verify/memory_budget.h"
#include "common/status.h"

namespace acceld::ir {

// What is counted and gathered over all functions of a program while it is read.
struct ImportTotals {
  // `input_bytes` is the size of the program's file.
  explicit ImportTotals(int64_t input_bytes) : budget(MemoryBudget::ForReading(input_bytes)) {}

  MemoryBudget budget;
  int64_t constant_bytes = 0;  // of constants, and of what quantized types bring in
  QuantizedSignatures signatures;
  ProcessGrid grid;

  // What can be said only when all functions are read: that calls fit quantized signatures, and
  // that one process can stand for those that the program is for.
  absl::Status Check() const;
};

// Builds one function from what a reader finds in a program, whatever form that came in.
//
// Values keep the types that the program declares, quantized ones among them, as long as the
// function is read; the function itself has the integers that are stored, and ops that compute with
// the reals they stand for are written out: dequantize, compute, quantize. Source: StableHLO
// specification, "Quantization computations". Thread-compatible.
class Importer {
 public:
  // limits::kMaxProgramBytes bounds totals.constant_bytes, and totals.budget the ops and types that
  // are made. `totals` must outlive the importer.
  Importer(std::string name, bool is_public, ImportTotals& totals);

  ValueId AddParameter(const Type& type);
  // As in FunctionBuilder.
  std::vector<ValueId> BeginRegion(absl::Span<const Type> parameter_types);
  Region EndRegion(std::vector<ValueId> results);

  // The types that the program declares.
  const Type& TypeOf(ValueId id) const;
  std::vector<Type> TypesOf(absl::Span<const ValueId> ids) const;

  // Checks an op and appends it to the open region with the result types that it declares; gives
  // its results. Errors are those of ImportOp, and quantized types that do not fit the op. The op's
  // parts are taken.
  absl::StatusOr<std::vector<ValueId>> Import(ImportedOp& op);

  // For an op of inlined_ops.h: that its region, which takes `parameters`, can take the operands;
  // and its results, once its region was read and returned `returned`.
  absl::Status CheckInlined(const ImportedOp& op, absl::Span<const Type> parameters) const;
  absl::StatusOr<std::vector<ValueId>> ImportInlined(ImportedOp& op, std::vector<ValueId> returned);
  // Notes that an op which one device runs alone names this mesh.
  void NoteMesh(absl::string_view mesh, absl::string_view op);

  // Charges the types of values that something names: whoever looks at it copies them.
  absl::Status ChargeUses(absl::Span<const ValueId> ids, absl::string_view what);

  // Ends the function; the importer is spent.
  Function Finish(std::vector<ValueId> results);

 private:
  // Notes what a call takes and gives.
  absl::Status NoteCall(const ImportedOp& op);
  // Appends the op, without charging what is made.
  absl::StatusOr<std::vector<ValueId>> Append(ImportedOp& op);
  // The parts of the future that async_start gave.
  absl::StatusOr<std::vector<ValueId>> ImportAsyncDone(const ImportedOp& op);
  absl::StatusOr<std::vector<ValueId>> ImportQuantized(ImportedOp& op);
  // The op itself, on what is stored.
  absl::StatusOr<std::vector<ValueId>> ImportOnStorage(ImportedOp& op, const TypedOp& typed);
  // The op on the reals that are meant.
  absl::StatusOr<std::vector<ValueId>> ImportOnReals(ImportedOp& op);
  absl::StatusOr<std::vector<ValueId>> ImportUniform(const ImportedOp& op);

  // Counts the scales and zero points of an axis, which each op that meets them looks at and may
  // write as constants. A small program can refer to a large type from many places.
  absl::Status Charge(absl::Span<const Type> types);
  ValueId Reals(ValueId id, Location location);
  void Declare(ValueId id, const Type& type);
  InferContext::RegionSignature SignatureOf(const Region& region) const;

  FunctionBuilder builder_;
  ImportTotals& totals_;
  absl::flat_hash_map<ValueId, Type> quantized_;  // of values whose types are, or have such parts
};

// The two ops that are only about quantized types, for tables of ops.
inline constexpr absl::string_view kUniformOps[] = {"stablehlo.uniform_dequantize",
                                                    "stablehlo.uniform_quantize"};

}  // namespace acceld::ir
