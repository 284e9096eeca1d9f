#include "common/ir/quantization/quantized_signatures.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/ir/quantization/quantized_types.h"

namespace acceld::ir {
namespace {

bool Agree(absl::Span<const Type> a, absl::Span<const Type> b) {
  const size_t count = std::min(a.size(), b.size());
  return std::equal(a.begin(), a.begin() + count, b.begin(), [](const Type& x, const Type& y) {
    if (x.IsQuantized() != y.IsQuantized()) return false;
    if (x.IsQuantized()) return x.quantization() == y.quantization();
    return Agree(x.elements(), y.elements());
  });
}

}  // namespace

void QuantizedSignatures::Declare(const std::string& function, absl::Span<const Type> parameters,
                                  absl::Span<const Type> results) {
  if (!HasQuantized(parameters) && !HasQuantized(results)) return;
  functions_[function] = {{parameters.begin(), parameters.end()}, {results.begin(), results.end()}};
}

void QuantizedSignatures::Use(const std::string& function, absl::Span<const Type> operands,
                              absl::Span<const Type> results) {
  if (!HasQuantized(operands) && !HasQuantized(results)) {
    other_callees_.insert(function);
    return;
  }
  calls_.push_back(
      {function, {{operands.begin(), operands.end()}, {results.begin(), results.end()}}});
}

absl::Status QuantizedSignatures::Check() const {
  for (const auto& [name, call] : calls_) {
    const auto found = functions_.find(name);
    const bool agrees = found != functions_.end() &&
                        Agree(call.parameters, found->second.parameters) &&
                        Agree(call.results, found->second.results);
    if (agrees) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("a call of function @", name, " passes (", ToString(call.parameters),
                     ") and gets (", ToString(call.results), "), ",
                     found == functions_.end()
                         ? "which has no quantized types"
                         : absl::StrCat("which takes (", ToString(found->second.parameters),
                                        ") and gives (", ToString(found->second.results), ")")));
  }
  for (const auto& [name, function] : functions_) {
    if (!other_callees_.contains(name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("a call of function @", name, ", which takes (", ToString(function.parameters),
                     ") and gives (", ToString(function.results), "), has no quantized types"));
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir
