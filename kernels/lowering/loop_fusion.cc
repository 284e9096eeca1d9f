// Lowers single elementwise and indexing ops and loop fusions to one loop nest, which computes and
// stores all outputs element by element.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {
namespace {

// How the dimensions of a shape are distributed over loops: the number of adjacent dimensions that
// each loop iterates over.
using Grouping = std::vector<int>;

// Groups adjacent dimensions of `shape` that no broadcast inside the computation separates. A
// broadcast keeps two dimensions together if it copies both in order from its operand, or neither.
Grouping GroupByBroadcasts(const Computation& computation, const ir::Dims& shape) {
  const size_t rank = shape.size();
  std::vector<bool> splits(rank + 1, false);  // splits[d]: whether a group ends between d - 1 and d
  for (const ir::Op* op : computation.ops) {
    if (op->kind != ir::OpKind::kBroadcastInDim) continue;
    if (computation.function.TensorOf(op->results[0]).dims != shape) continue;
    const ir::TensorType& operand = computation.function.TensorOf(op->operands[0]);
    const auto& mapping = op->As<ir::BroadcastInDimAttributes>().broadcast_dimensions;
    std::vector<int> read(rank, -1);  // the operand dimension that a result dimension reads
    for (size_t i = 0; i < mapping.size(); ++i) {
      if (operand.dims[i] != 1) read[mapping[i]] = static_cast<int>(i);
    }
    int previous = -1;  // the last dimension before d that has more than one element
    for (size_t d = 0; d < rank; ++d) {
      if (shape[d] == 1) continue;
      if (previous >= 0) {
        const bool both_dropped = read[d] < 0 && read[previous] < 0;
        const bool both_in_order = read[d] >= 0 && read[previous] >= 0 && read[d] > read[previous];
        if (!both_dropped && !both_in_order) splits[d] = true;
      }
      previous = static_cast<int>(d);
    }
  }
  Grouping grouping;
  for (size_t d = 0; d < rank; ++d) {
    if (d == 0 || splits[d]) grouping.push_back(0);
    ++grouping.back();
  }
  return grouping;
}

absl::StatusOr<Kernel> BuildLoops(const Computation& computation, const Grouping& grouping,
                                  bool* needed_division) {
  OpKernel kernel(computation, computation.name);
  KernelBuilder& b = kernel.builder();
  const ir::Dims& shape = computation.OutputType().dims;
  std::vector<int64_t> extents;
  size_t dim = 0;
  for (int num_dims : grouping) {
    int64_t extent = 1;
    for (int i = 0; i < num_dims; ++i) extent *= shape[dim++];
    extents.push_back(extent);
  }
  StatusSink sink;
  b.ForEach(ForStatement::Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
    std::vector<ElementIndex::Group> groups;
    for (size_t g = 0; g < vars.size(); ++g) groups.push_back({vars[g], grouping[g]});
    const ElementIndex index = ElementIndex::FromGroups(groups, shape);
    for (size_t i = 0; i < computation.outputs.size(); ++i) {
      const ir::Dims& own_shape = computation.OutputType(i).dims;
      // Outputs of other shapes have the same number of elements.
      sink.Note(kernel.StoreOutput(
          i, own_shape == shape ? index : ElementIndex::FromLinear(index.Linear(b), own_shape)));
    }
  });
  ACCELD_RETURN_IF_ERROR(sink.status());
  *needed_division = kernel.emitter().needed_division();
  return kernel.Finish();
}

// Lowers a concatenation that is not fused with other ops: each operand is copied by its own loops,
// which need no branch for each element. Very many operands are distributed over several kernels.
LoweredOp LowerLoneConcatenate(const Computation& computation) {
  const int64_t dimension = computation.op.As<ir::DimensionAttributes>().dimension;
  const ir::TensorType& result = computation.OutputType();
  const int64_t parts = ir::IsComplex(result.dtype) ? 2 : 1;
  int64_t outer = 1;
  int64_t inner = parts;
  for (int64_t d = 0; d < result.rank(); ++d) {
    if (d < dimension) outer *= result.dims[d];
    if (d > dimension) inner *= result.dims[d];
  }
  LoweredOp lowered;
  int64_t start = 0;
  const size_t num_inputs = computation.inputs.size();
  for (size_t begin = 0; begin < num_inputs; begin += kMaxConcatenatedPieces) {
    const size_t end = std::min(begin + kMaxConcatenatedPieces, num_inputs);
    KernelBuilder b(begin == 0 ? computation.name
                               : absl::StrCat(computation.name, "_from_", begin));
    for (size_t i = begin; i < end; ++i) {
      b.AddBuffer(BufferFor(absl::StrCat("in", i - begin),
                            computation.function.TensorOf(computation.inputs[i]),
                            BufferParameter::Access::kRead));
    }
    const uint32_t out = b.AddBuffer(BufferFor("out0", result, BufferParameter::Access::kWrite));
    for (size_t i = begin; i < end; ++i) {
      const auto in = static_cast<uint32_t>(i - begin);
      const int64_t size = computation.function.TensorOf(computation.inputs[i]).dims[dimension];
      b.ForEach(ForStatement::Kind::kParallel, {outer, size * inner}, [&](absl::Span<const Var> v) {
        const Var from = b.Linearize(v, {size * inner, 1});
        const Var to = b.Linearize(v, {result.dims[dimension] * inner, 1}, start * inner);
        b.Store(out, to, b.Load(in, from));
      });
      start += size;
    }
    lowered.kernels.push_back(b.Finish());
    lowered.operands.push_back({begin, end});
  }
  return lowered;
}

}  // namespace

absl::StatusOr<LoweredOp> LowerLoops(const Computation& computation) {
  const ir::TensorType& type = computation.OutputType();
  for (size_t i = 1; i < computation.outputs.size(); ++i) {
    if (computation.OutputType(i).num_elements() != type.num_elements()) {
      return absl::UnimplementedError(absl::StrCat(computation.name, ": a loop fusion of outputs ",
                                                   type.ToString(), " and ",
                                                   computation.OutputType(i).ToString()));
    }
  }
  if (computation.op.kind == ir::OpKind::kConcatenate) return LowerLoneConcatenate(computation);
  const int rank = static_cast<int>(type.rank());
  // Ordered from the fewest loops to the most. The first grouping that needs no divisions to
  // compute the indices of single dimensions is used.
  const Grouping candidates[] = {rank == 0 ? Grouping{} : Grouping{rank},
                                 GroupByBroadcasts(computation, type.dims), Grouping(rank, 1)};
  LoweredOp lowered;
  for (const Grouping& grouping : candidates) {
    bool needed_division = false;
    ACCELD_ASSIGN_OR_RETURN(Kernel kernel, BuildLoops(computation, grouping, &needed_division));
    if (needed_division && grouping != candidates[2]) continue;
    lowered.kernels.push_back(std::move(kernel));
    break;
  }
  return lowered;
}

}  // namespace acceld::kernels
