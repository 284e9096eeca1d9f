#include "common/ir/transform/batcher.h"

#include "absl/strings/str_cat.h"
#include "common/ir/transform/batching.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::ir {

absl::StatusOr<BatchedFunction> Batcher::Batch(const Function& source, const Mask& batched) {
  return FunctionBatching(*this, source, batched).Run();
}

absl::StatusOr<Batcher::Callee> Batcher::BatchOf(const std::string& callee, const Mask& batched) {
  const auto found = callees_.find({callee, batched});
  if (found != callees_.end()) return found->second;
  ACCELD_ASSIGN_OR_RETURN(const Function* source, module_.Entry(callee));
  const Function copy = *source;  // Adding functions to the module moves the others.
  ACCELD_ASSIGN_OR_RETURN(BatchedFunction function, Batch(copy, batched));
  Callee result{
      AddFunction(module_, std::move(function.function), absl::StrCat(callee, ".batched")),
      std::move(function.batched_results)};
  callees_.emplace(std::make_pair(callee, batched), result);
  return result;
}

}  // namespace acceld::ir
