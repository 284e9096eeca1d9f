#pragma once

#include "absl/strings/string_view.h"
#include "client/tracing/tensor.h"

namespace acceld::client {

// Appends a function of CHLO, such as "chlo.erf"; not part of the public interface.
Tensor ChloFunction(absl::string_view name, const Operand& a);
Tensor ChloFunction(absl::string_view name, const Operand& a, const Operand& b);

}  // namespace acceld::client
