#include "server/compiler/specialize_processes.h"

#include "absl/strings/str_cat.h"
#include "common/ir/specialize/specialize.h"

namespace acceld::compiler {

absl::StatusOr<ir::Module> SpecializeForProcesses(const ir::Module& module,
                                                  absl::string_view entry) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Function* function, module.Entry(entry));
  std::vector<ir::TensorType> types;
  for (const ir::Type& type : function->ParameterTypes()) {
    if (!type.IsTensor() || !type.tensor().IsStatic()) {
      return absl::UnimplementedError(absl::StrCat("parameter ", types.size(), " of a program for ",
                                                   module.grid.size(), " processes is ",
                                                   type.ToString(), ", expected a static shape"));
    }
    types.push_back(type.tensor());
  }
  return ir::Specialize(module, entry, types);
}

absl::Status CheckProcessArguments(absl::Span<const ir::TensorType> expected,
                                   absl::Span<const ir::TensorType> given) {
  if (expected.size() != given.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a process of the program takes ", expected.size() - 1, " arguments, ",
                     given.empty() ? 0 : given.size() - 1, " are given"));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == given[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat("argument ", i, " of a process is ",
                                                   ir::Type(given[i]).ToString(), ", its shard is ",
                                                   ir::Type(expected[i]).ToString()));
  }
  return absl::OkStatus();
}

}  // namespace acceld::compiler
