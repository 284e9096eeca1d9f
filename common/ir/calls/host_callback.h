#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// Host callbacks: custom calls by which a running program asks its client for values and goes on
// with the answer.
//
//   %y, %t1 = stablehlo.custom_call @acceld.host_callback(%x, %t0)
//       {api_version = 4 : i32, backend_config = {callback = 0 : i64}, has_side_effect = true}
//
// `callback` says which of the client's callbacks it is, within the program; several calls may name
// the same. Portable artifacts keep a dictionary in backend_config, which is therefore the normal
// form. Two other spellings are read and become that: the attribute `acceld.callback = 0 : i64`,
// which not all artifacts keep, and the string "callback=0" as backend_config.
//
// Operands and results, up to 4096 of each, are tensors, whose results are of static type, and
// tokens in any places, which the callback does not see. A call that has_side_effect takes place as
// often as the program says, and in the order of the program among all such calls; one without may
// be left out when nobody needs its results, and two that are equal may become one.
namespace acceld::ir {

struct ImportedOp;

inline constexpr char kHostCallbackTarget[] = "acceld.host_callback";
// Callbacks of one program have numbers below this.
inline constexpr int64_t kMaxHostCallbacks = 4096;

// What the host computes: from the tensors among the call's operands those among its results.
using HostCallback =
    std::function<absl::StatusOr<std::vector<Literal>>(absl::Span<const Literal> operands)>;

bool IsHostCallback(const Op& op);
// The attributes, in the normal form, of a call of the callback with this number.
CustomCallAttributes HostCallbackAttributes(int64_t callback, bool has_side_effect);
// The number of the callback. INVALID_ARGUMENT for attributes that such a call does not have.
absl::StatusOr<int64_t> HostCallbackOf(const CustomCallAttributes& attributes);
// Brings an op that is about to be imported, and is such a call, into the normal form.
absl::Status NormalizeHostCallback(ImportedOp& op);
// Checks the types of a call's operands and results.
absl::Status CheckHostCallbackTypes(absl::Span<const Type> operands,
                                    absl::Span<const Type> results);

// The numbers that `entry` of a verified module may call, ascending, once each. Empty also when
// there is no such function.
std::vector<int64_t> HostCallbacksOf(const Module& module, absl::string_view entry);

// INVALID_ARGUMENT unless a callback has given as many results as the program expects, and of these
// types.
absl::Status CheckHostResults(int64_t callback, absl::Span<const TensorType> expected,
                              absl::Span<const Literal> results);

}  // namespace acceld::ir
