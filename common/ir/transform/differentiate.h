#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"
#include "common/status.h"

// Derivatives of functions in forward mode.
//
// A function's arguments are active if it is differentiated with respect to them; only tensors of
// floats and complex numbers are. A result is active if it depends on an active argument in a way
// that has a derivative. The tangent of a value has the value's type. A rule for each kind of op
// (derivation.h) says what the tangents of its results are; the rules are those of JAX's lax, so
// that values at corners, such as the derivative of a maximum of equal numbers, are JAX's.
//
// Source: Radul et al., "You Only Linearize Once: Tangents Transpose to Gradients" (2022).
namespace acceld::ir {

// Says of each argument, or of each result, whether it is active.
using Mask = std::vector<bool>;

// Whether values of the type have tangents: tensors of floats and of complex numbers do.
inline bool HasTangents(const Type& type) {
  return type.IsTensor() && (IsFloat(type.tensor().dtype) || IsComplex(type.tensor().dtype));
}

// A function that computes values and tangents together.
struct JvpFunction {
  // From all arguments, then the tangents of the active ones, to all results, then the tangents of
  // the active ones.
  Function function;
  Mask active_results;
};

// A function that is split into what is computed without tangents, and a linear function of them.
struct LinearizedFunction {
  // A value that `linear` needs: an argument of the source, or a result of `known`.
  struct Residual {
    bool is_argument = false;
    size_t index = 0;
  };

  // From all arguments to all results, followed by residuals.
  Function known;
  // From the tangents of the active arguments, followed by the residuals, to the tangents of the
  // active results.
  Function linear;
  Mask active_results;
  std::vector<Residual> residuals;
};

// Differentiates functions of one module, and adds to it what they call: the derivatives of
// callees, each of which is made once for each mask. Not thread-safe.
class Differentiator {
 public:
  // `module` must be verified and static, and outlive this object.
  explicit Differentiator(Module& module) : module_(module) {}

  // `active` has an entry for each argument of `source`, which need not be a function of the
  // module. INVALID_ARGUMENT, with the op, if the function has an op without a derivative between
  // an active argument and a result. Linearize also refuses loops whose number of iterations
  // depends on data.
  absl::StatusOr<JvpFunction> Jvp(const Function& source, const Mask& active);
  absl::StatusOr<LinearizedFunction> Linearize(const Function& source, const Mask& active);

  // The derivative of a function of the module, which is added to the module: its name instead of
  // the function itself. References are valid until the next call.
  struct JvpCallee {
    std::string name;
    Mask active_results;
  };
  struct LinearizedCallee {
    std::string known, linear;
    Mask active_results;
    std::vector<LinearizedFunction::Residual> residuals;
  };
  absl::StatusOr<JvpCallee> JvpOf(const std::string& callee, const Mask& active);
  absl::StatusOr<LinearizedCallee> LinearizationOf(const std::string& callee, const Mask& active);

  Module& module() { return module_; }
  // Adds a function to the module; returns its name, which begins with `name` and was not taken.
  std::string AddFunction(Function function, const std::string& name);

 private:
  Module& module_;
  absl::flat_hash_map<std::pair<std::string, Mask>, JvpCallee> jvps_;
  absl::flat_hash_map<std::pair<std::string, Mask>, LinearizedCallee> linearizations_;
};

}  // namespace acceld::ir
