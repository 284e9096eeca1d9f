#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "acceld/v1/cuda_program.pb.h"
#include "common/ir/wire/wire.h"
#include "google/protobuf/io/coded_stream.h"
#include "kernels/cuda/program/program.h"
#include "kernels/ir/build/inline_calls.h"

// Serialization of CUDA programs as protocol buffers.
namespace acceld::kernels::cuda {
namespace {

constexpr uint32_t kFormat = 3;
// Each level of nested steps adds three levels of nested messages.
constexpr int kMaxMessageDepth = 3 * (kMaxStepDepth + 2);

using StepList = google::protobuf::RepeatedPtrField<v1::CudaStep>;
using TypeList = google::protobuf::RepeatedPtrField<v1::TensorType>;
using SliceList = google::protobuf::RepeatedPtrField<v1::CudaSlice>;

absl::Status ToProto(const Steps& steps, StepList& out);
absl::StatusOr<Steps> FromProto(const StepList& from);

void ToProto(const Slice& slice, v1::CudaSlice& out) {
  out.set_space(static_cast<uint32_t>(slice.space));
  out.set_index(slice.index);
  out.set_offset_bytes(slice.offset_bytes);
  out.set_size_bytes(slice.size_bytes);
}

absl::Status ToProto(const LaunchStep& launch, v1::CudaStep& out) {
  out.mutable_launch()->set_kernel(launch.kernel);
  for (const Slice& slice : launch.buffers) ToProto(slice, *out.mutable_launch()->add_buffers());
  return absl::OkStatus();
}

absl::Status ToProto(const CopyStep& copy, v1::CudaStep& out) {
  ToProto(copy.from, *out.mutable_copy()->mutable_from());
  ToProto(copy.to, *out.mutable_copy()->mutable_to());
  return absl::OkStatus();
}

absl::Status ToProto(const WhileStep& loop, v1::CudaStep& out) {
  ToProto(loop.predicate, *out.mutable_while_()->mutable_predicate());
  ACCELD_RETURN_IF_ERROR(ToProto(loop.condition, *out.mutable_while_()->mutable_condition()));
  return ToProto(loop.body, *out.mutable_while_()->mutable_body());
}

absl::Status ToProto(const SwitchStep& step, v1::CudaStep& out) {
  v1::CudaSwitch& to = *out.mutable_switch_();
  ToProto(step.index, *to.mutable_index());
  to.set_index_is_predicate(step.index_is_predicate);
  for (const Steps& branch : step.branches) {
    ACCELD_RETURN_IF_ERROR(ToProto(branch, *to.add_branches()->mutable_steps()));
  }
  return absl::OkStatus();
}

void ToProto(const MatmulEpilogue& epilogue, v1::CudaEpilogue& out) {
  out.set_alpha(epilogue.alpha);
  out.set_beta(epilogue.beta);
  out.set_activation(static_cast<uint32_t>(epilogue.activation));
  if (epilogue.has_bias) ToProto(epilogue.bias, *out.mutable_bias());
  if (epilogue.has_addend()) ToProto(epilogue.addend, *out.mutable_addend());
}

absl::Status ToProto(const MatmulStep& matmul, v1::CudaStep& out) {
  v1::CudaMatmul& to = *out.mutable_matmul();
  to.set_input_dtype(std::string(ir::DTypeName(matmul.input_dtype)));
  to.set_output_dtype(std::string(ir::DTypeName(matmul.output_dtype)));
  to.set_batch(matmul.batch);
  to.set_m(matmul.m);
  to.set_n(matmul.n);
  to.set_k(matmul.k);
  for (const int64_t stride : matmul.lhs_strides) to.add_lhs_strides(stride);
  for (const int64_t stride : matmul.rhs_strides) to.add_rhs_strides(stride);
  ToProto(matmul.lhs, *to.mutable_lhs());
  ToProto(matmul.rhs, *to.mutable_rhs());
  ToProto(matmul.out, *to.mutable_out());
  to.set_allow_tf32(matmul.allow_tf32);
  to.set_algorithm(matmul.algorithm);
  if (!matmul.epilogue.IsNone()) ToProto(matmul.epilogue, *to.mutable_epilogue());
  return absl::OkStatus();
}

absl::Status ToProto(const ConvolutionStep& convolution, v1::CudaStep& out) {
  v1::CudaConvolution& to = *out.mutable_convolution();
  to.set_input_dtype(std::string(ir::DTypeName(convolution.input_dtype)));
  to.set_output_dtype(std::string(ir::DTypeName(convolution.output_dtype)));
  const auto* const fields = reinterpret_cast<const int64_t*>(&convolution.shape);
  to.mutable_shape()->Assign(fields, fields + kConvolutionShapeFields);
  ToProto(convolution.lhs, *to.mutable_lhs());
  ToProto(convolution.rhs, *to.mutable_rhs());
  ToProto(convolution.out, *to.mutable_out());
  to.set_algorithm(convolution.algorithm);
  return absl::OkStatus();
}

absl::Status ToProto(const AttentionStep&, v1::CudaStep&) {
  return absl::InternalError("cuda program: attention is no kernel");
}

absl::Status ToProto(const RoutineStep& step, v1::CudaStep& out) {
  v1::CudaRoutine& to = *out.mutable_routine();
  to.set_name(std::string(NameOf(step.call.routine)));
  for (const int64_t parameter : step.call.parameters) to.add_parameters(parameter);
  for (const ir::TensorType& type : step.call.operands) *to.add_operand_types() = ir::ToProto(type);
  for (const ir::TensorType& type : step.call.results) *to.add_result_types() = ir::ToProto(type);
  for (const Slice& slice : step.operands) ToProto(slice, *to.add_operands());
  for (const Slice& slice : step.results) ToProto(slice, *to.add_results());
  return absl::OkStatus();
}

absl::Status ToProto(const HostCallStep& step, v1::CudaStep& out) {
  v1::CudaHostCall& to = *out.mutable_host_call();
  to.set_callback(step.call.callback);
  for (const ir::TensorType& type : step.call.operands) *to.add_operand_types() = ir::ToProto(type);
  for (const ir::TensorType& type : step.call.results) *to.add_result_types() = ir::ToProto(type);
  for (const Slice& slice : step.operands) ToProto(slice, *to.add_operands());
  for (const Slice& slice : step.results) ToProto(slice, *to.add_results());
  return absl::OkStatus();
}

absl::Status ToProto(const CallStep&, v1::CudaStep&) {
  return absl::InternalError("cuda program: a call is not inlined");
}

absl::Status ToProto(const CollectiveStep& step, v1::CudaStep& out) {
  const Collective& collective = step.collective;
  if (collective.factor.has_value()) {
    return absl::InternalError("cuda program: a collective with a factor");
  }
  v1::CudaCollective& to = *out.mutable_collective();
  to.set_kind(static_cast<uint32_t>(collective.kind));
  to.set_combiner(static_cast<uint32_t>(collective.combiner));
  to.set_dimension(collective.dimension);
  to.set_concat_dimension(collective.concat_dimension);
  for (const std::vector<int64_t>& group : collective.groups) {
    to.add_groups()->mutable_members()->Assign(group.begin(), group.end());
  }
  for (const ir::TensorType& type : collective.operands) {
    *to.add_operand_types() = ir::ToProto(type);
  }
  for (const ir::TensorType& type : collective.results) *to.add_result_types() = ir::ToProto(type);
  for (const Slice& slice : step.operands) ToProto(slice, *to.add_operands());
  for (const Slice& slice : step.results) ToProto(slice, *to.add_results());
  return absl::OkStatus();
}

absl::Status ToProto(const Steps& steps, StepList& out) {
  for (const Step& step : steps) {
    v1::CudaStep& to = *out.Add();
    to.set_comment(step.comment);
    const absl::Status status =
        std::visit([&to](const auto& value) { return ToProto(value, to); }, step.value);
    if (!status.ok()) return Annotate(status, step.comment);
  }
  return absl::OkStatus();
}

absl::Status Bad(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("cuda program: ", what));
}

absl::StatusOr<Slice> FromProto(const v1::CudaSlice& from) {
  if (from.space() > static_cast<uint32_t>(Slice::Space::kConstant)) {
    return Bad(absl::StrCat("space ", from.space(), " is unknown"));
  }
  return Slice{.space = static_cast<Slice::Space>(from.space()),
               .index = from.index(),
               .offset_bytes = from.offset_bytes(),
               .size_bytes = from.size_bytes()};
}

absl::StatusOr<std::vector<Slice>> FromProto(const SliceList& from) {
  std::vector<Slice> slices;
  for (const v1::CudaSlice& slice : from) {
    ACCELD_ASSIGN_OR_RETURN(Slice read, FromProto(slice));
    slices.push_back(read);
  }
  return slices;
}

absl::StatusOr<Step> FromProto(const v1::CudaLaunch& from) {
  LaunchStep launch{.kernel = from.kernel()};
  ACCELD_ASSIGN_OR_RETURN(launch.buffers, FromProto(from.buffers()));
  return Step{std::move(launch), ""};
}

absl::StatusOr<std::vector<ir::TensorType>> FromProto(const TypeList& from) {
  std::vector<ir::TensorType> types;
  for (const v1::TensorType& type : from) {
    absl::StatusOr<ir::TensorType> read = ir::FromProto(type);
    if (!read.ok()) return Bad(read.status().message());
    types.push_back(*std::move(read));
  }
  return types;
}

absl::StatusOr<Step> FromProto(const v1::CudaRoutine& from) {
  const absl::optional<Routine> routine = ParseRoutine(from.name());
  if (!routine.has_value()) return Bad(absl::StrCat("routine \"", from.name(), "\" is unknown"));
  RoutineStep step{.call = {.routine = *routine}};
  step.call.parameters.assign(from.parameters().begin(), from.parameters().end());
  ACCELD_ASSIGN_OR_RETURN(step.call.operands, FromProto(from.operand_types()));
  ACCELD_ASSIGN_OR_RETURN(step.call.results, FromProto(from.result_types()));
  ACCELD_ASSIGN_OR_RETURN(step.operands, FromProto(from.operands()));
  ACCELD_ASSIGN_OR_RETURN(step.results, FromProto(from.results()));
  return Step{std::move(step), ""};
}

absl::StatusOr<Step> FromProto(const v1::CudaHostCall& from) {
  HostCallStep step{.call = {.callback = from.callback()}};
  ACCELD_ASSIGN_OR_RETURN(step.call.operands, FromProto(from.operand_types()));
  ACCELD_ASSIGN_OR_RETURN(step.call.results, FromProto(from.result_types()));
  ACCELD_ASSIGN_OR_RETURN(step.operands, FromProto(from.operands()));
  ACCELD_ASSIGN_OR_RETURN(step.results, FromProto(from.results()));
  return Step{std::move(step), ""};
}

absl::StatusOr<Step> FromProto(const v1::CudaCollective& from) {
  if (from.kind() > static_cast<uint32_t>(Collective::Kind::kReduceScatter) ||
      from.combiner() > static_cast<uint32_t>(Collective::Combiner::kXor)) {
    return Bad("a collective of an unknown kind");
  }
  CollectiveStep step{.collective = {.kind = static_cast<Collective::Kind>(from.kind()),
                                     .combiner = static_cast<Collective::Combiner>(from.combiner()),
                                     .dimension = from.dimension(),
                                     .concat_dimension = from.concat_dimension()}};
  for (const v1::CudaGroup& group : from.groups()) {
    step.collective.groups.emplace_back(group.members().begin(), group.members().end());
  }
  ACCELD_ASSIGN_OR_RETURN(step.collective.operands, FromProto(from.operand_types()));
  ACCELD_ASSIGN_OR_RETURN(step.collective.results, FromProto(from.result_types()));
  ACCELD_ASSIGN_OR_RETURN(step.operands, FromProto(from.operands()));
  ACCELD_ASSIGN_OR_RETURN(step.results, FromProto(from.results()));
  return Step{std::move(step), ""};
}

absl::StatusOr<MatmulEpilogue> FromProto(const v1::CudaEpilogue& from) {
  if (from.activation() > static_cast<uint32_t>(MatmulEpilogue::Activation::kGelu) ||
      !std::isfinite(from.alpha()) || !std::isfinite(from.beta()) ||
      from.has_addend() != (from.beta() != 0)) {
    return Bad("an epilogue that makes no sense");
  }
  MatmulEpilogue epilogue{.alpha = from.alpha(),
                          .beta = from.beta(),
                          .activation = static_cast<MatmulEpilogue::Activation>(from.activation()),
                          .has_bias = from.has_bias()};
  if (from.has_bias()) {
    ACCELD_ASSIGN_OR_RETURN(epilogue.bias, FromProto(from.bias()));
  }
  if (from.has_addend()) {
    ACCELD_ASSIGN_OR_RETURN(epilogue.addend, FromProto(from.addend()));
  }
  return epilogue;
}

absl::StatusOr<Step> FromProto(const v1::CudaMatmul& from) {
  const absl::optional<ir::DType> input = ir::ParseDType(from.input_dtype());
  const absl::optional<ir::DType> output = ir::ParseDType(from.output_dtype());
  if (!input.has_value() || !output.has_value()) return Bad("a product of unknown types");
  if (from.lhs_strides_size() != 3 || from.rhs_strides_size() != 3) {
    return Bad("a product without its strides");
  }
  MatmulStep matmul{.input_dtype = *input,
                    .output_dtype = *output,
                    .batch = from.batch(),
                    .m = from.m(),
                    .n = from.n(),
                    .k = from.k()};
  std::copy_n(from.lhs_strides().begin(), 3, matmul.lhs_strides);
  std::copy_n(from.rhs_strides().begin(), 3, matmul.rhs_strides);
  ACCELD_ASSIGN_OR_RETURN(matmul.lhs, FromProto(from.lhs()));
  ACCELD_ASSIGN_OR_RETURN(matmul.rhs, FromProto(from.rhs()));
  ACCELD_ASSIGN_OR_RETURN(matmul.out, FromProto(from.out()));
  matmul.allow_tf32 = from.allow_tf32();
  matmul.algorithm = from.algorithm();
  if (from.has_epilogue()) {
    ACCELD_ASSIGN_OR_RETURN(matmul.epilogue, FromProto(from.epilogue()));
  }
  return Step{matmul, ""};
}

absl::StatusOr<Step> FromProto(const v1::CudaConvolution& from) {
  const absl::optional<ir::DType> input = ir::ParseDType(from.input_dtype());
  const absl::optional<ir::DType> output = ir::ParseDType(from.output_dtype());
  if (!input.has_value() || !output.has_value()) return Bad("a convolution of unknown types");
  if (from.shape_size() != kConvolutionShapeFields) return Bad("a convolution without its shape");
  ConvolutionStep convolution{.input_dtype = *input, .output_dtype = *output};
  std::copy(from.shape().begin(), from.shape().end(),
            reinterpret_cast<int64_t*>(&convolution.shape));
  ACCELD_ASSIGN_OR_RETURN(convolution.lhs, FromProto(from.lhs()));
  ACCELD_ASSIGN_OR_RETURN(convolution.rhs, FromProto(from.rhs()));
  ACCELD_ASSIGN_OR_RETURN(convolution.out, FromProto(from.out()));
  convolution.algorithm = from.algorithm();
  return Step{std::move(convolution), ""};
}

absl::StatusOr<Step> FromProto(const v1::CudaCopy& from) {
  CopyStep copy;
  ACCELD_ASSIGN_OR_RETURN(copy.from, FromProto(from.from()));
  ACCELD_ASSIGN_OR_RETURN(copy.to, FromProto(from.to()));
  return Step{copy, ""};
}

absl::StatusOr<Step> FromProto(const v1::CudaWhile& from) {
  WhileStep loop;
  ACCELD_ASSIGN_OR_RETURN(loop.condition, FromProto(from.condition()));
  ACCELD_ASSIGN_OR_RETURN(loop.predicate, FromProto(from.predicate()));
  ACCELD_ASSIGN_OR_RETURN(loop.body, FromProto(from.body()));
  return Step{std::move(loop), ""};
}

absl::StatusOr<Step> FromProto(const v1::CudaSwitch& from) {
  SwitchStep step{.index_is_predicate = from.index_is_predicate()};
  ACCELD_ASSIGN_OR_RETURN(step.index, FromProto(from.index()));
  for (const v1::CudaBranch& branch : from.branches()) {
    ACCELD_ASSIGN_OR_RETURN(Steps steps, FromProto(branch.steps()));
    step.branches.push_back(std::move(steps));
  }
  return Step{std::move(step), ""};
}

absl::StatusOr<Step> FromProto(const v1::CudaStep& from) {
  switch (from.value_case()) {
    case v1::CudaStep::kLaunch:
      return FromProto(from.launch());
    case v1::CudaStep::kCopy:
      return FromProto(from.copy());
    case v1::CudaStep::kWhile:
      return FromProto(from.while_());
    case v1::CudaStep::kSwitch:
      return FromProto(from.switch_());
    case v1::CudaStep::kMatmul:
      return FromProto(from.matmul());
    case v1::CudaStep::kConvolution:
      return FromProto(from.convolution());
    case v1::CudaStep::kRoutine:
      return FromProto(from.routine());
    case v1::CudaStep::kHostCall:
      return FromProto(from.host_call());
    case v1::CudaStep::kCollective:
      return FromProto(from.collective());
    case v1::CudaStep::VALUE_NOT_SET:
      break;
  }
  return Bad("a step of an unknown kind");
}

absl::StatusOr<Steps> FromProto(const StepList& from) {
  Steps steps;
  for (const v1::CudaStep& step : from) {
    ACCELD_ASSIGN_OR_RETURN(Step read, FromProto(step));
    read.comment = step.comment();
    steps.push_back(std::move(read));
  }
  return steps;
}

}  // namespace

absl::StatusOr<std::string> Serialize(const CudaProgram& program) {
  v1::CudaProgram proto;
  proto.set_format(kFormat);
  proto.set_cubin(program.cubin);
  proto.set_measured_on(program.measured_on);
  for (const CudaEntry& kernel : program.kernels) {
    v1::CudaKernel& to = *proto.add_kernels();
    to.set_name(kernel.name);
    to.set_buffers(static_cast<uint32_t>(kernel.buffers));
    to.set_blocks(kernel.blocks);
    to.set_threads(static_cast<uint32_t>(kernel.threads));
    to.set_polls(kernel.polls);
    to.mutable_written()->Assign(kernel.written.begin(), kernel.written.end());
  }
  for (const InputOutputAlias& alias : program.may_share) {
    v1::InputOutputAlias& to = *proto.add_may_share();
    to.set_argument(alias.argument);
    to.set_result(alias.result);
  }
  ACCELD_RETURN_IF_ERROR(ToProto(program.steps, *proto.mutable_steps()));
  return proto.SerializeAsString();
}

absl::StatusOr<CudaProgram> Deserialize(absl::string_view bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return Bad(absl::StrCat(bytes.size(), " bytes are too many"));
  }
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMaxMessageDepth);
  v1::CudaProgram proto;
  if (!proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return Bad(absl::StrCat(bytes.size(), " bytes are not a well-formed message"));
  }
  if (proto.format() != kFormat) {
    return Bad(absl::StrCat("format ", proto.format(), ", not ", kFormat));
  }
  CudaProgram program;
  program.cubin = std::move(*proto.mutable_cubin());
  for (const v1::CudaKernel& kernel : proto.kernels()) {
    program.kernels.push_back({.name = kernel.name(),
                               .buffers = static_cast<int>(kernel.buffers()),
                               .blocks = kernel.blocks(),
                               .threads = static_cast<int>(kernel.threads()),
                               .polls = kernel.polls(),
                               .written = {kernel.written().begin(), kernel.written().end()}});
  }
  program.measured_on = proto.measured_on();
  for (const v1::InputOutputAlias& alias : proto.may_share()) {
    program.may_share.push_back({alias.argument(), alias.result()});
  }
  ACCELD_ASSIGN_OR_RETURN(program.steps, FromProto(proto.steps()));
  return program;
}

}  // namespace acceld::kernels::cuda
