#include "common/ir/transform/transforms.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/emitter.h"
#include "common/ir/transform/batching.h"
#include "common/ir/transform/composites/check_composites.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/reverse.h"
#include "common/ir/transform/transposer.h"

namespace acceld::ir {
namespace {

absl::Status CheckMask(const Function& function, const Mask& mask) {
  const size_t count = function.body.parameters.size();
  if (mask.size() == count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("@", function.name, " has ", count, " arguments, and the mask ", mask.size()));
}

// Returns the function after it has checked that the mask fits, that what is in it has derivatives,
// and that the module's composites are what their rules expect.
absl::StatusOr<Function> CheckedEntry(const Module& module, absl::string_view entry,
                                      const Mask& mask) {
  ACCELD_ASSIGN_OR_RETURN(const Function* function, module.Entry(entry));
  ACCELD_RETURN_IF_ERROR(CheckMask(*function, mask));
  ACCELD_RETURN_IF_ERROR(CheckComposites(module));
  const std::vector<Type> types = function->ParameterTypes();
  for (size_t i = 0; i < types.size(); ++i) {
    if (mask[i] && !HasTangents(types[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("@", entry, ": argument ", i, " is ", types[i].ToString(),
                       "; only floats and complex numbers have derivatives"));
    }
  }
  return *function;
}

// Puts `function` where the one named `entry` was.
Module Replace(Module module, absl::string_view entry, Function function) {
  for (Function& old : module.functions) {
    if (old.name != entry) continue;
    function.name = old.name;
    function.is_public = old.is_public;
    old = std::move(function);
    break;
  }
  return module;
}

}  // namespace

absl::StatusOr<Module> Jvp(const Module& module, absl::string_view entry, const Mask& active) {
  ACCELD_ASSIGN_OR_RETURN(const Function source, CheckedEntry(module, entry, active));
  Module result = module;
  ACCELD_ASSIGN_OR_RETURN(JvpFunction jvp, Differentiator(result).Jvp(source, active));
  FunctionBuilder builder(source.name);
  Emitter e(builder);
  std::vector<ValueId> arguments;
  for (const Type& type : jvp.function.ParameterTypes()) {
    arguments.push_back(builder.AddParameter(type));
  }
  const std::vector<ValueId> values = CopyBody(builder, jvp.function, arguments);
  const size_t n = jvp.active_results.size();
  std::vector<ValueId> results(values.begin(), values.begin() + n);
  size_t next = n;
  for (size_t i = 0; i < n; ++i) {
    const Type& type = source.TypeOf(source.body.results[i]);
    if (!HasTangents(type)) continue;
    results.push_back(jvp.active_results[i] ? values[next++] : e.Constant(type.tensor(), 0));
  }
  ACCELD_RETURN_IF_ERROR(e.status());
  return Replace(std::move(result), entry, builder.Finish(std::move(results)));
}

absl::StatusOr<Module> Vjp(const Module& module, absl::string_view entry, const Mask& active) {
  ACCELD_ASSIGN_OR_RETURN(const Function source, CheckedEntry(module, entry, active));
  Module result = module;
  Differentiator differentiator(result);
  ACCELD_ASSIGN_OR_RETURN(const ReverseFunction reverse, Reverse(differentiator, source, active));

  FunctionBuilder builder(source.name);
  std::vector<ValueId> arguments;
  for (const Type& type : source.ParameterTypes()) arguments.push_back(builder.AddParameter(type));
  const std::vector<ValueId> known = CopyBody(builder, reverse.known, arguments);
  std::vector<ValueId> inputs = reverse.ResidualsOf(arguments, known);
  const size_t n = source.body.results.size();
  for (size_t i = 0; i < n; ++i) {
    const Type& type = source.TypeOf(source.body.results[i]);
    if (!HasTangents(type)) continue;
    const ValueId cotangent = builder.AddParameter(type);
    if (reverse.active_results[i]) inputs.push_back(cotangent);
  }
  const std::vector<ValueId> cotangents = CopyBody(builder, reverse.pullback, inputs);
  std::vector<ValueId> results(known.begin(), known.begin() + n);
  results.insert(results.end(), cotangents.begin(), cotangents.end());
  return Replace(std::move(result), entry, builder.Finish(std::move(results)));
}

absl::StatusOr<Module> TransposeLinear(const Module& module, absl::string_view entry,
                                       const Mask& linear) {
  ACCELD_ASSIGN_OR_RETURN(const Function source, CheckedEntry(module, entry, linear));
  Module result = module;
  Differentiator differentiator(result);
  ACCELD_ASSIGN_OR_RETURN(Function transpose, Transposer(differentiator).Transpose(source, linear));
  return Replace(std::move(result), entry, std::move(transpose));
}

absl::StatusOr<Module> Batch(const Module& module, absl::string_view entry, const Mask& batched,
                             int64_t size) {
  ACCELD_ASSIGN_OR_RETURN(const Function* source, module.Entry(entry));
  ACCELD_RETURN_IF_ERROR(CheckMask(*source, batched));
  ACCELD_RETURN_IF_ERROR(CheckComposites(module));
  const Function copy = *source;
  Module result = module;
  Batcher batcher(result, size);
  ACCELD_ASSIGN_OR_RETURN(const BatchedFunction function, batcher.Batch(copy, batched));
  FunctionBuilder builder(copy.name);
  Emitter e(builder);
  std::vector<ValueId> arguments;
  for (const Type& type : function.function.ParameterTypes()) {
    arguments.push_back(builder.AddParameter(type));
  }
  std::vector<ValueId> results = CopyBody(builder, function.function, arguments);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!function.batched_results[i]) results[i] = ForAll(e, results[i], size);
  }
  ACCELD_RETURN_IF_ERROR(e.status());
  return Replace(std::move(result), entry, builder.Finish(std::move(results)));
}

}  // namespace acceld::ir
