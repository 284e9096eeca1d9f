#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "client/tensor.h"
#include "client/tracing/traced_callable.h"

// Loops and branches in traced functions, as in JAX's lax. The functions are traced once, as parts
// of the trace around them, whose tensors they may use. Values that a loop carries keep their
// types.
//
// A wrong call becomes the error of the trace (tensor.h); messages begin with the name below. At
// least one of the values must be a tensor of a trace.
namespace acceld::client {

// Repeats `body`, from values to their next values, as long as `condition` of the values, a scalar
// of type i1, is true.
std::vector<Tensor> WhileLoop(const TracedFunction& condition, const TracedFunction& body,
                              const std::vector<Tensor>& initial);

// The values after body(i, values) for each i, a scalar of type i32, from `lower` to `upper`
// (exclusive). In reverse mode it is differentiated as a loop that counts.
std::vector<Tensor> ForiLoop(
    int32_t lower, int32_t upper,
    const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& initial);

// What a step of a scan gives: the next carried values, and a part of each output.
struct ScanStep {
  std::vector<Tensor> carried, outputs;
};
struct ScanOptions {
  // The number of steps; needed only if there are no inputs.
  std::optional<int64_t> length;
  // From the last step to the first.
  bool reverse = false;
};
// Goes through the first dimension of the inputs: a step takes the carried values and a slice of
// each input. Returns the last carried values, and the outputs of all steps along a new first
// dimension.
ScanStep Scan(const std::function<ScanStep(const std::vector<Tensor>& carried,
                                           const std::vector<Tensor>& inputs)>& step,
              const std::vector<Tensor>& initial, const std::vector<Tensor>& inputs,
              const ScanOptions& options = {});
// The same for one carried value, one input and one output.
std::pair<Tensor, Tensor> Scan(
    const std::function<std::pair<Tensor, Tensor>(const Tensor& carried, const Tensor& input)>&
        step,
    const Tensor& initial, const Tensor& input, const ScanOptions& options = {});

// The results of one of two functions of `operands`, by a scalar of type i1.
std::vector<Tensor> Cond(const Tensor& predicate, const TracedFunction& if_true,
                         const TracedFunction& if_false, const std::vector<Tensor>& operands);
// The results of one of several functions of `operands`, by a scalar of type i32; an index beyond
// the functions is moved to the nearest.
std::vector<Tensor> Switch(const Tensor& index, const std::vector<TracedFunction>& branches,
                           const std::vector<Tensor>& operands);

}  // namespace acceld::client
