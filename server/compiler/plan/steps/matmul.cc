#include "server/compiler/plan/steps/matmul.h"

#include <algorithm>

namespace acceld::compiler {
namespace {

struct Collapsed {
  int64_t size = 1;
  int64_t stride = 0;  // 0 when size is 1: it does not matter
};

// Returns the dimensions `dims`, outermost first, as one dimension; nullopt if they cannot be read
// as one.
absl::optional<Collapsed> Collapse(const ir::TensorType& type, const ir::Dims& strides,
                                   const std::vector<int64_t>& dims) {
  Collapsed out;
  for (size_t i = dims.size(); i-- > 0;) {
    const int64_t size = type.dims[dims[i]];
    if (size == 1) continue;
    if (out.size == 1) {
      out.stride = strides[dims[i]];
    } else if (strides[dims[i]] != out.stride * out.size) {
      return absl::nullopt;
    }
    out.size *= size;
  }
  return out;
}

struct CollapsedBatch {
  Collapsed lhs_groups, rhs_groups;  // of size 1 if the whole batch is one dimension
  Collapsed lhs, rhs;
};

// Returns the batch dimensions as one dimension, or as groups of one dimension, of as many matrices
// as possible; nullopt if they cannot be read as these.
absl::optional<CollapsedBatch> CollapseBatch(const ir::TensorType& lhs, const ir::Dims& lhs_strides,
                                             const std::vector<int64_t>& lhs_dims,
                                             const ir::TensorType& rhs, const ir::Dims& rhs_strides,
                                             const std::vector<int64_t>& rhs_dims) {
  for (size_t outer = 0; outer <= lhs_dims.size(); ++outer) {
    const auto part = [&](const ir::TensorType& type, const ir::Dims& strides,
                          const std::vector<int64_t>& dims, bool is_outer) {
      const auto middle = dims.begin() + static_cast<int64_t>(outer);
      return Collapse(type, strides,
                      is_outer ? std::vector<int64_t>(dims.begin(), middle)
                               : std::vector<int64_t>(middle, dims.end()));
    };
    const auto lhs_groups = part(lhs, lhs_strides, lhs_dims, true);
    const auto rhs_groups = part(rhs, rhs_strides, rhs_dims, true);
    const auto lhs_batch = part(lhs, lhs_strides, lhs_dims, false);
    const auto rhs_batch = part(rhs, rhs_strides, rhs_dims, false);
    if (lhs_groups && rhs_groups && lhs_batch && rhs_batch) {
      return CollapsedBatch{*lhs_groups, *rhs_groups, *lhs_batch, *rhs_batch};
    }
  }
  return absl::nullopt;
}

// Chooses strides that a library accepts for dimensions of size 1. Returns false unless one of the
// two inner strides is 1, which libraries require.
bool FinishStrides(Collapsed batch, Collapsed outer, Collapsed inner, int64_t out[3]) {
  if (outer.size == 1 && inner.size == 1) {
    outer.stride = inner.stride = 1;
  } else if (outer.size == 1) {
    outer.stride = inner.stride == 1 ? inner.size : 1;
  } else if (inner.size == 1) {
    inner.stride = outer.stride == 1 ? outer.size : 1;
  }
  if (batch.size == 1) batch.stride = outer.size * inner.size;
  out[0] = batch.stride;
  out[1] = outer.stride;
  out[2] = inner.stride;
  return outer.stride == 1 || inner.stride == 1;
}

bool IsWithinTf32(ir::PrecisionType type) {
  return type.is_tf32 || (ir::IsFloat(type.dtype) && ir::BitsOf(type.dtype) <= 16);
}

}  // namespace

bool AllowsTf32(const std::optional<ir::DotAlgorithm>& algorithm) {
  return algorithm.has_value() && IsWithinTf32(algorithm->lhs_precision_type) &&
         IsWithinTf32(algorithm->rhs_precision_type) && algorithm->lhs_component_count == 1 &&
         algorithm->rhs_component_count == 1 && algorithm->num_primitive_operations == 1;
}

std::vector<int64_t> FreeDimensions(const ir::TensorType& type,
                                    const std::vector<int64_t>& batching,
                                    const std::vector<int64_t>& contracting) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < type.rank(); ++d) {
    if (std::find(batching.begin(), batching.end(), d) == batching.end() &&
        std::find(contracting.begin(), contracting.end(), d) == contracting.end()) {
      out.push_back(d);
    }
  }
  return out;
}

absl::optional<kernels::MatmulStep> MatchMatmul(const ir::TensorType& lhs,
                                                const ir::TensorType& rhs,
                                                const ir::TensorType& result,
                                                const ir::DotGeneralAttributes& attributes) {
  const ir::DotDimensionNumbers& numbers = attributes.dot_dimension_numbers;
  if (lhs.dtype != rhs.dtype || lhs.num_elements() == 0 || rhs.num_elements() == 0) {
    return absl::nullopt;
  }
  const ir::Dims lhs_strides = ir::RowMajorStrides(lhs.dims);
  const ir::Dims rhs_strides = ir::RowMajorStrides(rhs.dims);
  // Contracting dimensions may be summed in any order: take the order in which lhs stores them.
  std::vector<size_t> order(numbers.lhs_contracting_dimensions.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return numbers.lhs_contracting_dimensions[a] < numbers.lhs_contracting_dimensions[b];
  });
  std::vector<int64_t> lhs_k, rhs_k;
  for (size_t i : order) {
    lhs_k.push_back(numbers.lhs_contracting_dimensions[i]);
    rhs_k.push_back(numbers.rhs_contracting_dimensions[i]);
  }
  const auto batches = CollapseBatch(lhs, lhs_strides, numbers.lhs_batching_dimensions, rhs,
                                     rhs_strides, numbers.rhs_batching_dimensions);
  const auto m =
      Collapse(lhs, lhs_strides, FreeDimensions(lhs, numbers.lhs_batching_dimensions, lhs_k));
  const auto n =
      Collapse(rhs, rhs_strides, FreeDimensions(rhs, numbers.rhs_batching_dimensions, rhs_k));
  const auto lk = Collapse(lhs, lhs_strides, lhs_k);
  const auto rk = Collapse(rhs, rhs_strides, rhs_k);
  if (!batches || !m || !n || !lk || !rk) return absl::nullopt;
  kernels::MatmulStep step{};
  step.input_dtype = lhs.dtype;
  step.output_dtype = result.dtype;
  step.groups = batches->lhs_groups.size;
  step.lhs_group_stride = batches->lhs_groups.stride;
  step.rhs_group_stride = batches->rhs_groups.stride;
  step.batch = batches->lhs.size;
  step.m = m->size;
  step.n = n->size;
  step.k = lk->size;
  step.allow_tf32 = lhs.dtype == ir::DType::kF32 && AllowsTf32(attributes.algorithm);
  if (!FinishStrides(batches->lhs, *m, *lk, step.lhs_strides) ||
      !FinishStrides(batches->rhs, *rk, *n, step.rhs_strides)) {
    return absl::nullopt;
  }
  return step;
}

absl::optional<kernels::MatmulStep> ContiguousMatmul(const ir::TensorType& lhs,
                                                     const ir::TensorType& rhs,
                                                     const ir::TensorType& result,
                                                     const ir::DotGeneralAttributes& attributes) {
  const ir::DotDimensionNumbers& numbers = attributes.dot_dimension_numbers;
  const auto transposed = [](const ir::TensorType& type, const std::vector<int64_t>& batching,
                             const std::vector<int64_t>& contracting) {
    ir::TensorType out{type.dtype, {}};
    for (const int64_t dim : batching) out.dims.push_back(type.dims[dim]);
    for (const int64_t dim : FreeDimensions(type, batching, contracting)) {
      out.dims.push_back(type.dims[dim]);
    }
    for (const int64_t dim : contracting) out.dims.push_back(type.dims[dim]);
    return out;
  };
  ir::DotGeneralAttributes moved = attributes;
  const auto renumber = [](std::vector<int64_t>& dims, int64_t first) {
    for (int64_t& dim : dims) dim = first++;
  };
  ir::DotDimensionNumbers& to = moved.dot_dimension_numbers;
  renumber(to.lhs_batching_dimensions, 0);
  renumber(to.rhs_batching_dimensions, 0);
  const auto contractions = static_cast<int64_t>(to.lhs_contracting_dimensions.size());
  renumber(to.lhs_contracting_dimensions, lhs.rank() - contractions);
  renumber(to.rhs_contracting_dimensions, rhs.rank() - contractions);
  return MatchMatmul(
      transposed(lhs, numbers.lhs_batching_dimensions, numbers.lhs_contracting_dimensions),
      transposed(rhs, numbers.rhs_batching_dimensions, numbers.rhs_contracting_dimensions), result,
      moved);
}

}  // namespace acceld::compiler
