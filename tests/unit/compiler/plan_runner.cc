#include "tests/unit/compiler/plan_runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::compiler {
namespace {

using kernels::Slice;

constexpr char kGarbage = '\x5a';
constexpr int kMaxIterations = 100'000;

// A run of bytes somewhere.
struct MemoryRange {
  char* data;
  int64_t size;
};

// Numbers the collective steps of a plan.
class Sites {
 public:
  explicit Sites(const kernels::Plan& plan) {
    for (const kernels::PlanFunction& function : plan.functions) Visit(function.steps);
  }

  int64_t Of(const kernels::CollectiveStep& step) const { return sites_.at(&step); }

 private:
  void Visit(const kernels::Steps& steps) {
    for (const kernels::Step& step : steps) {
      if (const auto* exchange = std::get_if<kernels::CollectiveStep>(&step.value)) {
        sites_.try_emplace(exchange, static_cast<int64_t>(sites_.size()));
      } else if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
        Visit(loop->condition);
        Visit(loop->body);
      } else if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
        for (const kernels::Steps& branch : choice->branches) Visit(branch);
      }
    }
  }

  std::map<const kernels::CollectiveStep*, int64_t> sites_;
};

// The spaces of one running function.
struct Frame {
  std::vector<MemoryRange> arguments, results;
  MemoryRange arena, constants;
};

class Runner {
 public:
  Runner(const kernels::Plan& plan, const KernelRunner& run, const AttentionRunner& run_attention,
         absl::Span<const ir::HostCallback> callbacks, kernels::cpu::CollectiveExchange* exchange)
      : plan_(plan),
        run_(run),
        run_attention_(run_attention),
        callbacks_(callbacks),
        exchange_(exchange),
        sites_(plan) {}

  absl::Status RunFunction(const kernels::PlanFunction& function, const Frame& frame) {
    if (frame.arena.size < function.arena_bytes) return absl::InternalError("arena too small");
    return Run(function.steps, frame);
  }

 private:
  static absl::StatusOr<MemoryRange> At(const Slice& slice, const Frame& frame) {
    MemoryRange space{};
    switch (slice.space) {
      case Slice::Space::kArgument:
        space = frame.arguments.at(slice.index);
        break;
      case Slice::Space::kResult:
        space = frame.results.at(slice.index);
        break;
      case Slice::Space::kArena:
        space = frame.arena;
        break;
      case Slice::Space::kConstant:
        space = frame.constants;
        break;
    }
    if (slice.offset_bytes < 0 || slice.offset_bytes % kernels::kBufferAlignment != 0 ||
        slice.offset_bytes + slice.size_bytes > space.size) {
      return absl::InternalError(absl::StrCat("slice out of its space: ", ToString(slice)));
    }
    return MemoryRange{space.data + slice.offset_bytes, slice.size_bytes};
  }

  absl::Status Run(const kernels::Steps& steps, const Frame& frame) {
    for (const kernels::Step& step : steps) {
      const absl::Status status =
          std::visit([&](const auto& value) { return Do(value, frame); }, step.value);
      if (!status.ok()) return Annotate(status, step.comment);
    }
    return absl::OkStatus();
  }

  absl::Status Do(const kernels::LaunchStep& step, const Frame& frame) {
    const kernels::Kernel& kernel = plan_.kernels.at(step.kernel);
    // Buffers that are the same memory share one string.
    std::map<std::pair<char*, int64_t>, std::string> contents;
    std::vector<std::string*> buffers;
    std::vector<MemoryRange> ranges;
    for (const Slice& slice : step.buffers) {
      absl::StatusOr<MemoryRange> range = At(slice, frame);
      if (!range.ok()) return range.status();
      // An empty and a full buffer may have one address.
      const auto [it, is_new] = contents.try_emplace({range->data, range->size});
      if (is_new) it->second.assign(range->data, range->size);
      buffers.push_back(&it->second);
      ranges.push_back(*range);
    }
    ACCELD_RETURN_IF_ERROR(run_(kernel, buffers));
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (kernel.buffers[i].access == kernels::BufferParameter::Access::kRead) continue;
      std::memcpy(ranges[i].data, buffers[i]->data(), ranges[i].size);
    }
    return absl::OkStatus();
  }

  absl::Status Do(const kernels::MatmulStep& step, const Frame& frame) {
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange lhs, At(step.lhs, frame));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange rhs, At(step.rhs, frame));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange out, At(step.out, frame));
    for (int64_t matrix = 0; matrix < step.groups * step.batch; ++matrix) {
      const int64_t group = matrix / step.batch, b = matrix % step.batch;
      const int64_t left = group * step.lhs_group_stride + b * step.lhs_strides[0];
      const int64_t right = group * step.rhs_group_stride + b * step.rhs_strides[0];
      for (int64_t m = 0; m < step.m; ++m) {
        for (int64_t n = 0; n < step.n; ++n) {
          double sum = 0;
          for (int64_t k = 0; k < step.k; ++k) {
            const int64_t l = left + m * step.lhs_strides[1] + k * step.lhs_strides[2];
            const int64_t r = right + k * step.rhs_strides[1] + n * step.rhs_strides[2];
            sum += ir::ReadFloat(step.input_dtype, lhs.data, l) *
                   ir::ReadFloat(step.input_dtype, rhs.data, r);
          }
          const int64_t index = (matrix * step.m + m) * step.n + n;
          ACCELD_ASSIGN_OR_RETURN(sum, AfterEpilogue(step, sum, index, frame));
          ir::WriteFloat(step.output_dtype, out.data, index, sum);
        }
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<double> AfterEpilogue(const kernels::MatmulStep& step, double sum, int64_t index,
                                       const Frame& frame) {
    const kernels::MatmulEpilogue& epilogue = step.epilogue;
    sum *= epilogue.alpha;
    if (epilogue.has_addend()) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange addend, At(epilogue.addend, frame));
      sum += epilogue.beta * ir::ReadFloat(step.output_dtype, addend.data, index);
    }
    if (epilogue.has_bias) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange bias, At(epilogue.bias, frame));
      sum += ir::ReadFloat(step.output_dtype, bias.data, index % step.n);
    }
    switch (epilogue.activation) {
      case kernels::MatmulEpilogue::Activation::kNone:
        return sum;
      case kernels::MatmulEpilogue::Activation::kRelu:
        return std::max(sum, 0.0);
      case kernels::MatmulEpilogue::Activation::kGelu:
        return sum / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (sum + 0.044715 * sum * sum * sum)));
    }
    return absl::InternalError("no such activation");
  }

  absl::Status Do(const kernels::AttentionStep& step, const Frame& frame) {
    return run_attention_ != nullptr ? RunAttention(step, frame) : ComputeAttention(step, frame);
  }

  absl::Status RunAttention(const kernels::AttentionStep& step, const Frame& frame) {
    std::vector<Slice> slices = {step.query, step.key, step.value};
    if (step.shape.bias.has_value()) slices.push_back(step.bias);
    slices.insert(slices.end(), step.masks.begin(), step.masks.end());
    slices.push_back(step.out);
    std::vector<std::string> buffers;
    for (const Slice& slice : slices) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange range, At(slice, frame));
      buffers.emplace_back(range.data, range.size);
    }
    ACCELD_RETURN_IF_ERROR(run_attention_(step.shape, absl::MakeSpan(buffers)));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange out, At(step.out, frame));
    std::memcpy(out.data, buffers.back().data(), out.size);
    return absl::OkStatus();
  }

  // As AttentionShape defines it, in f64 but for scores with a bias.
  absl::Status ComputeAttention(const kernels::AttentionStep& step, const Frame& frame) {
    const kernels::AttentionShape& shape = step.shape;
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange query, At(step.query, frame));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange key, At(step.key, frame));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange value, At(step.value, frame));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange out, At(step.out, frame));
    MemoryRange bias{};
    if (shape.bias.has_value()) {
      ACCELD_ASSIGN_OR_RETURN(bias, At(step.bias, frame));
    }
    std::vector<MemoryRange> masks;
    for (const Slice& slice : step.masks) {
      ACCELD_ASSIGN_OR_RETURN(masks.emplace_back(), At(slice, frame));
    }
    std::vector<double> scores(static_cast<size_t>(shape.keys));
    for (int64_t b = 0; b < shape.batches(); ++b) {
      const auto index = [&](const kernels::AttentionOperand& at, int64_t row, int64_t column) {
        int64_t out_index = at.offset + row * at.row_stride + column * at.column_stride;
        int64_t rest = b;
        for (size_t d = shape.batch.size(); d-- > 0; rest /= shape.batch[d]) {
          out_index += rest % shape.batch[d] * at.batch_strides[d];
        }
        return out_index;
      };
      const auto keeps = [&](int64_t i, int64_t j) {
        for (size_t m = 0; m < masks.size(); ++m) {
          const kernels::AttentionShape::Mask& mask = shape.masks[m];
          if ((masks[m].data[index(mask.at, i, j)] != 0) != mask.keeps_when) return false;
        }
        return (!shape.last_key || j <= shape.last_key->row_step * i + shape.last_key->offset) &&
               (!shape.first_key || j >= shape.first_key->row_step * i + shape.first_key->offset);
      };
      for (int64_t i = 0; i < shape.queries; ++i) {
        double largest = -INFINITY, sum = 0;
        for (int64_t j = 0; j < shape.keys; ++j) {
          double score = 0;
          for (int64_t d = 0; d < shape.depth; ++d) {
            score += ir::ReadFloat(shape.dtype, query.data, index(shape.query, i, d)) *
                     ir::ReadFloat(shape.dtype, key.data, index(shape.key, j, d));
          }
          score *= shape.scale;
          if (shape.bias.has_value()) {
            score += ir::ReadFloat(shape.bias->dtype, bias.data, index(shape.bias->at, i, j));
            char rounded[8];
            ir::WriteFloat(shape.bias->score_dtype, rounded, 0, score);
            score = ir::ReadFloat(shape.bias->score_dtype, rounded, 0);
          }
          if (!keeps(i, j)) score = shape.fill;
          scores[static_cast<size_t>(j)] = score;
          largest = std::isnan(score) ? score : std::max(largest, score);
        }
        for (double& score : scores) sum += score = std::exp(score - largest);
        for (int64_t f = 0; f < shape.features; ++f) {
          double total = 0;
          for (int64_t j = 0; j < shape.keys; ++j) {
            total += scores[static_cast<size_t>(j)] *
                     ir::ReadFloat(shape.dtype, value.data, index(shape.value, j, f));
          }
          ir::WriteFloat(shape.output_dtype, out.data, index(shape.output, i, f), total / sum);
        }
      }
    }
    return absl::OkStatus();
  }

  // The sum as ConvolutionShape defines it.
  absl::Status Do(const kernels::ConvolutionStep& step, const Frame& frame) {
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange lhs, At(step.lhs, frame));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange rhs, At(step.rhs, frame));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange out, At(step.out, frame));
    const kernels::ConvolutionShape& shape = step.shape;
    constexpr int kNumDims = kernels::ConvolutionShape::kNumDims;
    const int64_t cells = shape.num_window_elements();
    for (int64_t i = 0; i < shape.groups * shape.num_output_positions() * shape.outputs; ++i) {
      const int64_t output = i % shape.outputs;
      const int64_t group = i / shape.outputs / shape.num_output_positions();
      int64_t position[kNumDims];
      int64_t to = group * shape.out_group_stride + output * shape.out_feature_stride;
      for (int64_t d = kNumDims, rest = i / shape.outputs % shape.num_output_positions();
           d-- > 0;) {
        position[d] = rest % shape.dims[d].extent;
        rest /= shape.dims[d].extent;
        to += position[d] * shape.dims[d].out_stride;
      }
      double sum = 0;
      for (int64_t cell = 0; cell < cells; ++cell) {
        int64_t from = group * shape.lhs_group_stride;
        bool inside = true;
        for (int64_t d = kNumDims, rest = cell; d-- > 0;) {
          const auto& dim = shape.dims[d];
          const int64_t at = position[d] * dim.stride + rest % dim.window * dim.step + dim.offset;
          rest /= dim.window;
          inside &= at >= 0 && at % dim.dilation == 0 && at / dim.dilation < dim.size;
          from += at / dim.dilation * dim.lhs_stride;
        }
        for (int64_t f = 0; f < shape.features; ++f) {
          const int64_t row =
              shape.features_outermost ? f * cells + cell : cell * shape.features + f;
          const double x = inside ? ir::ReadFloat(step.input_dtype, lhs.data,
                                                  from + f * shape.lhs_feature_stride)
                                  : 0;
          sum += x * ir::ReadFloat(step.input_dtype, rhs.data,
                                   group * shape.rhs_group_stride + row * shape.rhs_row_stride +
                                       output * shape.rhs_output_stride);
        }
      }
      ir::WriteFloat(step.output_dtype, out.data, to, sum);
    }
    return absl::OkStatus();
  }

  absl::Status Do(const kernels::RoutineStep& step, const Frame&) {
    return absl::UnimplementedError(ToString(step.call));
  }

  absl::Status Do(const kernels::HostCallStep& step, const Frame& frame) {
    std::vector<ir::Literal> operands;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange range, At(step.operands[i], frame));
      ACCELD_ASSIGN_OR_RETURN(
          operands.emplace_back(),
          ir::Literal::FromBytes(step.call.operands[i], std::string(range.data, range.size)));
    }
    ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::Literal> results,
                            callbacks_.at(static_cast<size_t>(step.call.callback))(operands));
    ACCELD_RETURN_IF_ERROR(ir::CheckHostResults(step.call.callback, step.call.results, results));
    for (size_t i = 0; i < results.size(); ++i) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange range, At(step.results[i], frame));
      const std::string bytes = results[i].DenseBytes();
      std::memcpy(range.data, bytes.data(), bytes.size());
    }
    return absl::OkStatus();
  }

  absl::Status Do(const kernels::CollectiveStep& step, const Frame& frame) {
    ACCELD_RETURN_IF_ERROR(kernels::CheckCollective(step.collective));
    if (exchange_ == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToString(step.collective), ": the plan runs without other participants"));
    }
    std::vector<const void*> operands;
    std::vector<void*> results;
    for (const Slice& slice : step.operands) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange range, At(slice, frame));
      operands.push_back(range.data);
    }
    for (const Slice& slice : step.results) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange range, At(slice, frame));
      results.push_back(range.data);
    }
    return exchange_->Run(step.collective, sites_.Of(step), operands.data(), results.data());
  }

  absl::Status Do(const kernels::CopyStep& step, const Frame& frame) {
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange from, At(step.from, frame));
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange to, At(step.to, frame));
    if (from.size != to.size) return absl::InternalError("copy of unequal sizes");
    std::memmove(to.data, from.data, from.size);
    return absl::OkStatus();
  }

  absl::Status Do(const kernels::WhileStep& step, const Frame& frame) {
    for (int i = 0; i < kMaxIterations; ++i) {
      ACCELD_RETURN_IF_ERROR(Run(step.condition, frame));
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange predicate, At(step.predicate, frame));
      if (*predicate.data == 0) return absl::OkStatus();
      ACCELD_RETURN_IF_ERROR(Run(step.body, frame));
    }
    return absl::InternalError("endless loop");
  }

  absl::Status Do(const kernels::SwitchStep& step, const Frame& frame) {
    ACCELD_ASSIGN_OR_RETURN(const MemoryRange index, At(step.index, frame));
    const auto last = static_cast<int64_t>(step.branches.size()) - 1;
    int64_t branch = step.index_is_predicate ? (*index.data != 0 ? 0 : 1)
                                             : ir::ReadInt(ir::DType::kI32, index.data, 0);
    if (branch < 0 || branch > last) branch = last;
    return Run(step.branches[branch], frame);
  }

  absl::Status Do(const kernels::CallStep& step, const Frame& frame) {
    Frame callee;
    for (const Slice& slice : step.arguments) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange range, At(slice, frame));
      callee.arguments.push_back(range);
    }
    for (const Slice& slice : step.results) {
      ACCELD_ASSIGN_OR_RETURN(const MemoryRange range, At(slice, frame));
      callee.results.push_back(range);
    }
    ACCELD_ASSIGN_OR_RETURN(callee.arena, At(step.arena, frame));
    callee.constants = frame.constants;
    return RunFunction(plan_.functions.at(step.function), callee);
  }

  const kernels::Plan& plan_;
  const KernelRunner& run_;
  const AttentionRunner& run_attention_;
  const absl::Span<const ir::HostCallback> callbacks_;
  kernels::cpu::CollectiveExchange* const exchange_;
  const Sites sites_;
};

}  // namespace

absl::StatusOr<std::vector<ir::Literal>> RunPlan(
    const kernels::Plan& plan, absl::Span<const ir::Literal> arguments, const KernelRunner& run,
    const AttentionRunner& run_attention, absl::Span<const kernels::InputOutputAlias> shared,
    absl::Span<const ir::HostCallback> callbacks, kernels::cpu::CollectiveExchange* exchange) {
  std::vector<std::string> argument_bytes, result_bytes;
  for (const ir::Literal& argument : arguments) argument_bytes.push_back(argument.DenseBytes());
  const std::vector<std::string> originals = argument_bytes;
  for (const ir::TensorType& type : plan.entry().results) {
    result_bytes.emplace_back(type.size_bytes(), kGarbage);
  }
  std::string arena(plan.entry().arena_bytes, kGarbage), constants = plan.constants;
  const auto range = [](std::string& bytes) {
    return MemoryRange{bytes.data(), static_cast<int64_t>(bytes.size())};
  };
  Frame frame;
  for (std::string& bytes : argument_bytes) frame.arguments.push_back(range(bytes));
  for (std::string& bytes : result_bytes) frame.results.push_back(range(bytes));
  for (const kernels::InputOutputAlias& one : shared) {
    frame.results.at(one.result) = frame.arguments.at(one.argument);
  }
  frame.arena = range(arena);
  frame.constants = range(constants);
  ACCELD_RETURN_IF_ERROR(
      Runner(plan, run, run_attention, callbacks, exchange).RunFunction(plan.entry(), frame));
  for (const kernels::InputOutputAlias& one : shared) {
    result_bytes[one.result] = std::exchange(argument_bytes[one.argument], originals[one.argument]);
  }
  if (argument_bytes != originals) return absl::InternalError("an argument was written");
  if (constants != plan.constants) return absl::InternalError("the constants were written");
  std::vector<ir::Literal> results;
  for (size_t i = 0; i < result_bytes.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(ir::Literal result, ir::Literal::FromBytes(plan.entry().results[i],
                                                                       std::move(result_bytes[i])));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace acceld::compiler
