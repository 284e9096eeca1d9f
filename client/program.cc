#include "client/program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/program_locations.h"
#include "client/serialized_program.h"
#include "client/state/program_state.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/fingerprint.h"
#include "common/ir/op_numbers.h"
#include "common/ir/program.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "common/memory/allocation.h"
#include "common/op_origin.h"

namespace acceld::client {
namespace {

// For how many combinations of argument types the result types of one program are remembered.
constexpr size_t kMaxKnownShapes = 1024;

absl::StatusOr<std::vector<ir::TensorType>> Tensors(const std::vector<ir::Type>& types,
                                                    absl::string_view function,
                                                    absl::string_view role) {
  std::vector<ir::TensorType> tensors;
  tensors.reserve(types.size());
  for (const ir::Type& type : types) {
    if (!type.IsTensor()) {
      return absl::InvalidArgumentError(absl::StrCat("function '", function, "': ", role, " ",
                                                     tensors.size(), " is a ", type.ToString(),
                                                     "; only tensors can be passed to a program"));
    }
    tensors.push_back(type.tensor());
  }
  return tensors;
}

}  // namespace

absl::StatusOr<Program> Program::FromText(absl::string_view text, absl::string_view file_name,
                                          absl::string_view entry) {
  ACCELD_ASSIGN_OR_RETURN(ir::Module module, ir::ParseModule(text, file_name));
  return FromVerified(std::move(module), entry);
}

absl::StatusOr<Program> Program::FromBytes(absl::string_view bytes, absl::string_view file_name,
                                           absl::string_view entry) {
  if (IsSerializedProgram(bytes)) {
    ACCELD_ASSIGN_OR_RETURN(DeserializedProgram program, DeserializeProgram(bytes));
    return FromVerified(std::move(program.module), program.entry);
  }
  ACCELD_ASSIGN_OR_RETURN(ir::Module module, ir::ReadProgram(bytes, file_name));
  return FromVerified(std::move(module), entry);
}

absl::StatusOr<Program> Program::FromModule(ir::Module module, absl::string_view entry) {
  ACCELD_RETURN_IF_ERROR(
      ContainAllocationFailure("verifying a program", [&] { return ir::Verify(module); }));
  return FromVerified(std::move(module), entry);
}

absl::StatusOr<Program> Program::FromVerified(ir::Module module, absl::string_view entry) {
  return ContainAllocationFailure(
      "a program", [&] { return FromVerifiedUncontained(std::move(module), entry); });
}

absl::StatusOr<Program> Program::FromVerifiedUncontained(ir::Module module,
                                                         absl::string_view entry) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Function* function, module.Entry(entry));
  auto state = std::make_shared<State>();
  ACCELD_ASSIGN_OR_RETURN(state->parameter_types,
                          Tensors(function->ParameterTypes(), entry, "parameter"));
  ACCELD_ASSIGN_OR_RETURN(state->result_types, Tensors(function->ResultTypes(), entry, "result"));
  state->has_static_results = ir::HasStaticResults(*function);
  state->host_callbacks = ir::HostCallbacksOf(module, entry);
  state->fingerprint = ir::Fingerprint(module, entry);
  state->source_locations = std::make_shared<const ir::OpLocations>(ir::NumberOps(module, entry));
  state->entry = std::string(entry);
  state->module = std::move(module);
  return Program(std::move(state));
}

const ir::Module& Program::module() const { return state_->module; }
const std::string& Program::entry() const { return state_->entry; }
const Digest& Program::fingerprint() const { return state_->fingerprint; }
absl::Span<const ir::TensorType> Program::parameter_types() const {
  return state_->parameter_types;
}
std::string Program::ToText() const { return ir::PrintModule(module()); }

std::vector<uint32_t> Program::DonatedArguments() const {
  std::vector<uint32_t> numbers;
  const absl::StatusOr<const ir::Function*> function = module().Entry(entry());
  if (!function.ok()) return numbers;
  for (const ir::Donation& donation : (*function)->donations) numbers.push_back(donation.parameter);
  return numbers;
}
absl::Span<const ir::TensorType> Program::result_types() const { return state_->result_types; }

absl::Span<const int64_t> Program::host_callbacks() const { return state_->host_callbacks; }

absl::Status Program::CheckArguments(absl::Span<const ir::TensorType> arguments) const {
  ACCELD_RETURN_IF_ERROR(CheckNumArguments(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    ACCELD_RETURN_IF_ERROR(CheckArgument(i, arguments[i]));
  }
  return absl::OkStatus();
}

absl::Status Program::CheckNumArguments(size_t count) const {
  const size_t expected = state_->parameter_types.size();
  if (count == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", entry(), "' takes ", expected, " arguments and was given ", count));
}

absl::Status Program::CheckArgument(size_t number, const ir::TensorType& type) const {
  const ir::TensorType& expected = state_->parameter_types[number];
  if (type.IsStatic() && (type == expected || ir::IsCompatible(expected, type))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", entry(), "': argument ", number, " is ", type.ToString(), "; expected ",
                   expected.IsStatic() ? "" : "static sizes of ", expected.ToString()));
}

absl::StatusOr<std::vector<ir::TensorType>> Program::ResultTypesFor(
    absl::Span<const ir::TensorType> arguments) const {
  ACCELD_RETURN_IF_ERROR(CheckArguments(arguments));
  if (state_->has_static_results) return state_->result_types;
  const std::vector<ir::TensorType> key(arguments.begin(), arguments.end());
  {
    MutexLock lock(state_->mutex);
    const auto found = state_->results_by_arguments.find(key);
    if (found != state_->results_by_arguments.end()) return found->second;
  }
  absl::StatusOr<std::vector<ir::TensorType>> results =
      ir::ResultTypesOf(module(), entry(), arguments);
  if (!results.ok())
    return Locate(InProgram(results.status(), fingerprint()), *state_->source_locations);
  MutexLock lock(state_->mutex);
  if (state_->results_by_arguments.size() >= kMaxKnownShapes) state_->results_by_arguments.clear();
  state_->results_by_arguments.emplace(key, *results);
  return results;
}

absl::StatusOr<ir::Cost> Program::CostFor(absl::Span<const ir::TensorType> arguments) const {
  ACCELD_RETURN_IF_ERROR(CheckArguments(arguments));
  return ContainAllocationFailure("the cost of a program", [&]() -> absl::StatusOr<ir::Cost> {
    ACCELD_ASSIGN_OR_RETURN(const ir::Module specialized,
                            ir::Specialize(module(), entry(), arguments));
    return ir::CostOf(specialized, "main");
  });
}

}  // namespace acceld::client
