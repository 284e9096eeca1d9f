#include "kernels/cpu/support/convolution/direct_convolution.h"

#include <algorithm>
#include <vector>

#include "common/ceil_divide.h"
#include "common/status.h"
#include "kernels/cpu/support/convolution/band.h"
#include "kernels/cpu/support/convolution/band_partition.h"
#include "kernels/cpu/support/convolution/dilation_phases.h"
#include "kernels/cpu/support/matmul/product_tiles.h"
#include "kernels/cpu/support/parallel_for.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support/result.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int kNumDims = ConvolutionShape::kNumDims;
constexpr int32_t kOk = static_cast<int32_t>(CodeStatus::kOk);

// The most elements in the columns of a kernel that one tile reads again and again.
constexpr int64_t kMaxKernelElements = int64_t{64} << 10;
constexpr int64_t kTileColumns = 64;
// Sums are divided into at most kMaxParts parts, each with at least kMinPartWork multiplications.
// kMaxSums sums fit into a cache.
constexpr int64_t kMaxParts = 16;
constexpr double kMinPartWork = 1 << 20;
constexpr int64_t kMaxSums = int64_t{1} << 20;
// Multiplications between two polls: a few milliseconds.
constexpr double kPieceWork = 1 << 28;
// The output positions whose parts one task adds up.
constexpr int64_t kAddedPositions = 64;

BandPartition::Of WhatToDivide(const ConvolutionShape& shape) {
  const bool divides_sums =
      shape.lhs_feature_stride != 1 &&
      shape.num_window_elements() * shape.features > shape.num_output_positions();
  return divides_sums ? BandPartition::Of::kSums : BandPartition::Of::kPositions;
}

// Where the output of one group is: its address, and the distances of neighbouring output
// positions.
struct Output {
  float* data;
  int64_t steps[kNumDims];
};

Output OutputOf(const ConvolutionShape& shape, int64_t group, float* out) {
  Output output{out + group * shape.out_group_stride, {}};
  for (int d = 0; d < kNumDims; ++d) output.steps[d] = shape.dims[d].out_stride;
  return output;
}

// Calls `visit(i, position)` for the output positions of a band in row-major order, with i counting
// from 0. Positions count from the band's first one.
template <typename Visit>
void ForEachPosition(const Band& band, Visit visit) {
  const Band::Range* const p = band.positions;
  int64_t i = 0;
  for (int64_t a = 0; a < p[0].count; ++a) {
    for (int64_t b = 0; b < p[1].count; ++b) {
      for (int64_t c = 0; c < p[2].count; ++c) {
        for (int64_t d = 0; d < p[3].count; ++d) {
          const int64_t position[kNumDims] = {a, b, c, d};
          visit(i++, position);
        }
      }
    }
  }
}

int64_t OffsetOf(const int64_t (&position)[kNumDims], const int64_t (&steps)[kNumDims]) {
  int64_t offset = 0;
  for (int d = 0; d < kNumDims; ++d) offset += position[d] * steps[d];
  return offset;
}

// The loops over the products of a band's sums, in the order of the kernel's memory. Loops that are
// contiguous in both operands are merged.
struct SumLoops {
  SumLoop loops[kNumDims + 1];
  size_t count = 0;

  SumLoops(const ConvolutionShape& shape, const Band& band, const PaddedInput& input) {
    const auto add = [&](SumLoop loop) {
      if (loop.count > 1) loops[count++] = loop;
    };
    for (int d = 0; d < kNumDims; ++d) {
      add({band.cells[d].count, input.cell_steps[d], shape.dims[d].rhs_stride});
    }
    add({band.features.count, input.feature_step, shape.rhs_feature_stride});
    std::stable_sort(loops, loops + count,
                     [](const SumLoop& a, const SumLoop& b) { return a.rhs_step > b.rhs_step; });
    size_t joined = 0;
    for (size_t i = 1; i < count; ++i) {
      SumLoop& outer = loops[joined];
      const SumLoop& inner = loops[i];
      if (outer.lhs_step == inner.lhs_step * inner.count &&
          outer.rhs_step == inner.rhs_step * inner.count) {
        outer = {outer.count * inner.count, inner.lhs_step, inner.rhs_step};
      } else {
        loops[++joined] = inner;
      }
    }
    count = std::min(count, joined + 1);
  }
};

absl::Status NoMemory() {
  return absl::ResourceExhaustedError("convolution: no memory for its working space");
}

// Computes the sums of a band and stores them at `output`, or adds them to it.
absl::Status RunBand(const LaunchContext* context, const ConvolutionShape& shape, const Band& band,
                     const float* lhs, const float* rhs, Output output, bool add) {
  thread_local Scratchpad input_memory, start_memory, target_memory;
  const PaddedInput input =
      PadInput(shape, band, lhs + band.group * shape.lhs_group_stride, input_memory);
  const int64_t num_output_positions = band.num_output_positions();
  const size_t address_bytes = num_output_positions * sizeof(void*);
  auto** const starts = static_cast<const float**>(start_memory.Reserve(address_bytes));
  auto** const targets = static_cast<float**>(target_memory.Reserve(address_bytes));
  if (input.data == nullptr || starts == nullptr || targets == nullptr) return NoMemory();
  ForEachPosition(band, [&](int64_t i, const int64_t(&position)[kNumDims]) {
    starts[i] = input.data + OffsetOf(position, input.position_steps);
    targets[i] = output.data + OffsetOf(position, output.steps);
  });
  const float* kernel =
      rhs + band.group * shape.rhs_group_stride + band.features.begin * shape.rhs_feature_stride;
  for (int d = 0; d < kNumDims; ++d) kernel += band.cells[d].begin * shape.dims[d].rhs_stride;
  const SumLoops loops(shape, band, input);
  // Works in pieces of whole tiles, with polls. The columns that remain after the last tile belong
  // to the last piece.
  const ProductTiles& tiles = ProductTilesOf(shape.outputs);
  const double work =
      static_cast<double>(num_output_positions) * static_cast<double>(band.num_products());
  const int64_t unit = tiles.tiles[0].columns;
  const int64_t step = std::max<int64_t>(1, static_cast<int64_t>(kPieceWork / work) / unit) * unit;
  for (int64_t column = 0; column < shape.outputs; column += step) {
    if (Poll(*context) != kOk) return absl::CancelledError("");
    const bool is_last = column + step + tiles.lanes() > shape.outputs;
    const int64_t columns = is_last ? shape.outputs - column : step;
    RunProduct(tiles, absl::MakeConstSpan(loops.loops, loops.count),
               absl::MakeConstSpan(starts, num_output_positions), kernel + column, columns, add,
               targets);
    if (is_last) break;
    for (int64_t i = 0; i < num_output_positions; ++i) targets[i] += step;
  }
  input_memory.Trim();
  return absl::OkStatus();
}

struct PositionsTask {
  struct Phase {
    const ConvolutionPhase* phase;
    BandPartition partition;
  };
  const LaunchContext* context;
  std::vector<Phase> phases;
  const float* lhs;
  const float* rhs;
  float* out;
};

int32_t RunPositions(const void* frame, int64_t index) {
  const auto& task = *static_cast<const PositionsTask*>(frame);
  size_t number = 0;
  while (index >= task.phases[number].partition.count())
    index -= task.phases[number++].partition.count();
  const ConvolutionPhase& phase = *task.phases[number].phase;
  const Band band = task.phases[number].partition[index];
  Output output = OutputOf(phase.shape, band.group, task.out + phase.out_offset);
  for (int d = 0; d < kNumDims; ++d) output.data += band.positions[d].begin * output.steps[d];
  if (!phase.is_zero) {
    return ResultOf(task.context, RunBand(task.context, phase.shape, band, task.lhs,
                                          task.rhs + phase.rhs_offset, output, false));
  }
  ForEachPosition(band, [&](int64_t, const int64_t(&position)[kNumDims]) {
    std::fill_n(output.data + OffsetOf(position, output.steps), phase.shape.outputs, 0.0F);
  });
  return kOk;
}

// Copies a kernel such that its outputs are consecutive, with the rows of all groups one after the
// other, and changes the strides in `shape`.
absl::StatusOr<const float*> PackKernel(const LaunchContext* context, ConvolutionShape& shape,
                                        const float* rhs, Scratchpad& memory) {
  const ConvolutionShape from = shape;
  const int64_t rows = shape.num_window_elements() * shape.features;
  auto* const packed =
      static_cast<float*>(memory.Reserve(shape.groups * rows * shape.outputs * sizeof(float)));
  if (packed == nullptr) return NoMemory();
  float* to = packed;
  for (int64_t row = 0; row < shape.groups * rows; ++row, to += shape.outputs) {
    if (Poll(*context) != kOk) return absl::CancelledError("");
    int64_t rest = row / shape.features;
    const float* source = rhs + row % shape.features * from.rhs_feature_stride;
    for (int d = kNumDims; d-- > 0; rest /= from.dims[d].window) {
      source += rest % from.dims[d].window * from.dims[d].rhs_stride;
    }
    source += rest * from.rhs_group_stride;
    for (int64_t j = 0; j < shape.outputs; ++j) to[j] = source[j * from.rhs_output_stride];
  }
  shape.rhs_output_stride = 1;
  shape.rhs_feature_stride = shape.outputs;
  shape.rhs_group_stride = rows * shape.outputs;
  int64_t step = shape.features * shape.outputs;
  for (int d = kNumDims; d-- > 0; step *= from.dims[d].window) shape.dims[d].rhs_stride = step;
  return packed;
}

int32_t ComputeByPositions(const LaunchContext* context, ConvolutionShape shape, const float* lhs,
                           const float* rhs, float* out) {
  thread_local Scratchpad kernel_memory;
  if (shape.rhs_output_stride != 1) {
    absl::StatusOr<const float*> packed = PackKernel(context, shape, rhs, kernel_memory);
    if (!packed.ok()) return ResultOf(context, std::move(packed).status());
    rhs = *packed;
  }
  const std::vector<ConvolutionPhase> phases = SplitDilation(shape);
  PositionsTask task{context, {}, lhs, rhs, out};
  int64_t bands = 0;
  for (const ConvolutionPhase& phase : phases) {
    task.phases.push_back({&phase, BandPartition(phase.shape, BandPartition::Of::kPositions)});
    bands += task.phases.back().partition.count();
  }
  const int32_t status = ParallelFor(context, RunPositions, &task, bands);
  kernel_memory.Trim();
  return status;
}

// Computes sums in parts, each of which is an array [group][position][output], and then adds up the
// parts.
struct SumsTask {
  const LaunchContext* context;
  const ConvolutionShape* shape;
  BandPartition partition;
  int64_t num_parts;
  const float* lhs;
  const float* rhs;
  float* parts;
  float* out;

  int64_t group_size() const { return shape->num_output_positions() * shape->outputs; }
  int64_t part_size() const { return shape->groups * group_size(); }
};

int32_t RunPart(const void* frame, int64_t index) {
  const auto& task = *static_cast<const SumsTask*>(frame);
  const int64_t group = index / task.num_parts, part = index % task.num_parts;
  Output output{task.parts + part * task.part_size() + group * task.group_size(), {}};
  int64_t step = task.shape->outputs;
  for (int d = kNumDims; d-- > 0; step *= task.shape->dims[d].extent) output.steps[d] = step;
  const int64_t bands = task.partition.per_group();
  const int64_t first = part * bands / task.num_parts, end = (part + 1) * bands / task.num_parts;
  for (int64_t i = first; i < end; ++i) {
    if (const int32_t status = Poll(*task.context); status != kOk) return status;
    absl::Status status = RunBand(task.context, *task.shape, task.partition[group * bands + i],
                                  task.lhs, task.rhs, output, i > first);
    if (!status.ok()) return ResultOf(task.context, std::move(status));
  }
  return kOk;
}

int32_t AddParts(const void* frame, int64_t index) {
  const auto& task = *static_cast<const SumsTask*>(frame);
  const ConvolutionShape& shape = *task.shape;
  const ProductTiles& tiles = ProductTilesOf(shape.outputs);
  const int64_t positions = shape.num_output_positions();
  const int64_t end = std::min((index + 1) * kAddedPositions, shape.groups * positions);
  for (int64_t i = index * kAddedPositions; i < end; ++i) {
    float* to = task.out + i / positions * shape.out_group_stride;
    for (int64_t d = kNumDims, rest = i % positions; d-- > 0; rest /= shape.dims[d].extent) {
      to += rest % shape.dims[d].extent * shape.dims[d].out_stride;
    }
    const float* from = task.parts + i * shape.outputs;
    std::copy_n(from, shape.outputs, to);
    for (int64_t part = 1; part < task.num_parts; ++part) {
      tiles.add(shape.outputs, from += task.part_size(), to);
    }
  }
  return kOk;
}

int32_t ComputeBySums(const LaunchContext* context, const ConvolutionShape& shape, const float* lhs,
                      const float* rhs, float* out) {
  SumsTask task{context, &shape, BandPartition(shape, BandPartition::Of::kSums), 1, lhs, rhs,
                nullptr, out};
  const double work = shape.num_multiplications() / static_cast<double>(shape.groups);
  task.num_parts =
      std::max<int64_t>(1, std::min({kMaxParts, task.partition.per_group(),
                                     static_cast<int64_t>(std::min(work / kMinPartWork, 1e6))}));
  thread_local Scratchpad memory;
  task.parts = static_cast<float*>(memory.Reserve(task.num_parts * task.part_size() * 4));
  if (task.parts == nullptr) return ResultOf(context, NoMemory());
  int32_t status = ParallelFor(context, RunPart, &task, shape.groups * task.num_parts);
  if (status == kOk) {
    const int64_t positions = shape.groups * shape.num_output_positions();
    status = ParallelFor(context, AddParts, &task, CeilDivide(positions, kAddedPositions));
  }
  memory.Trim();
  return status;
}

}  // namespace

bool IsDirectConvolution(const ConvolutionShape& shape) {
  if (shape.outputs < kMinTileColumns || shape.out_feature_stride != 1) return false;
  if (shape.lhs_feature_stride != 1 && shape.dims[kNumDims - 1].lhs_stride != 1) return false;
  if (WhatToDivide(shape) == BandPartition::Of::kSums) {
    return shape.rhs_output_stride == 1 &&
           shape.groups * shape.num_output_positions() * shape.outputs <= kMaxSums &&
           BandPartition(shape, BandPartition::Of::kSums).fits();
  }
  const int64_t products = shape.num_window_elements() * shape.features;
  return products * std::min(shape.outputs, kTileColumns) <= kMaxKernelElements &&
         BandPartition(shape, BandPartition::Of::kPositions).fits();
}

int32_t DirectConvolution(const LaunchContext* context, const ConvolutionShape& shape,
                          const float* lhs, const float* rhs, float* out) {
  return WhatToDivide(shape) == BandPartition::Of::kSums
             ? ComputeBySums(context, shape, lhs, rhs, out)
             : ComputeByPositions(context, shape, lhs, rhs, out);
}

}  // namespace acceld::kernels::cpu
