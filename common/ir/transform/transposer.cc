#include "common/ir/transform/transposer.h"

#include "absl/strings/str_cat.h"
#include "common/ir/transform/transposition.h"

namespace acceld::ir {

absl::StatusOr<Function> Transposer::Transpose(const Function& source, const Mask& linear) {
  return FunctionTransposition(*this, source, linear).Run();
}

absl::StatusOr<std::string> Transposer::TransposeOf(const std::string& callee, const Mask& linear) {
  const auto found = transposes_.find({callee, linear});
  if (found != transposes_.end()) return found->second;
  ACCELD_ASSIGN_OR_RETURN(const Function* source, differentiator_.module().Entry(callee));
  const Function copy = *source;  // Adding functions to the module moves the others.
  ACCELD_ASSIGN_OR_RETURN(Function transpose, Transpose(copy, linear));
  const std::string name =
      differentiator_.AddFunction(std::move(transpose), absl::StrCat(callee, ".transpose"));
  transposes_.emplace(std::make_pair(callee, linear), name);
  return name;
}

}  // namespace acceld::ir
