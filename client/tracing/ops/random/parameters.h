#pragma once

#include <optional>

#include "absl/strings/string_view.h"
#include "client/tracing/ops/random.h"
#include "client/tracing/tracer.h"

// What the distributions share.
namespace acceld::client::random {

// Whether a tensor is a key. If not, the trace has the error.
bool IsKey(Tracer& tracer, absl::string_view operation, const Tensor& key);

// The number of bits of a mantissa, and the bits of 1, the smallest positive number and the
// distance of 1 to its neighbours below and above.
struct FloatFormat {
  int mantissa;
  double one_bits, tiny, below, above;
};
// What a distribution needs of its element type; nullopt, and an error, if that is no float.
std::optional<FloatFormat> NeedFloat(absl::string_view operation, ir::DType dtype);

// A parameter of a distribution, as a tensor; nullopt, and an error, if it is not one of floats.
std::optional<Tensor> Parameter(absl::string_view operation, const Operand& key,
                                const Operand& parameter);

}  // namespace acceld::client::random
