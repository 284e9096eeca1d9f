#include "client/tracing/trace.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/tracing/tracer.h"
#include "client/tracing/tree.h"
#include "common/ir/calls/call_graph.h"
#include "common/ir/transform/composites/custom_rules.h"

namespace acceld::client {

absl::StatusOr<Program> Trace(const std::string& name, const TracedFunction& function,
                              absl::Span<const ir::TensorType> arguments,
                              HostCallbacks* callbacks) {
  const Tracer::Scope tracer("main");
  std::vector<Tensor> parameters;
  for (const ir::TensorType& type : arguments) {
    ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
    if (!type.IsStatic()) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": argument ", parameters.size(), " is ",
                                                     type.ToString(),
                                                     "; functions are traced for static shapes"));
    }
    parameters.push_back(tracer->Parameter(type));
  }
  const std::vector<Tensor> results = function(parameters);
  absl::StatusOr<std::vector<ir::ValueId>> values = tracer->Values(results);
  ACCELD_RETURN_IF_ERROR(Annotate(tracer->status(), name));
  if (!values.ok()) return Annotate(values.status(), name);
  if (callbacks != nullptr) {
    *callbacks = tracer->callbacks();
  } else if (!tracer->callbacks().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": it calls its host, and nobody takes its callbacks"));
  }
  ir::Module module = std::move(tracer->module());
  module.name = name;
  module.functions.push_back(tracer->builder().Finish(*std::move(values)));
  ir::EraseCustomRules(module);
  ir::DropUnreachable(module, "main");
  return Program::FromModule(std::move(module), "main");
}

namespace internal {

bool CheckLeafCounts(absl::Span<const size_t> counts) {
  for (const size_t count : counts) {
    if (count == counts[0]) continue;
    if (const std::shared_ptr<Tracer> tracer = Tracer::Current()) {
      tracer->Fail("MapTree",
                   absl::StrCat("a tree has ", count, " leaves, and the first one ", counts[0]));
    }
    return false;
  }
  return true;
}

}  // namespace internal

}  // namespace acceld::client
