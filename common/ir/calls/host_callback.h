#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// Host callbacks: custom calls by which a running program passes values to its client and continues
// with the values that the client returns.
//
//   %y, %t1 = stablehlo.custom_call @acceld.host_callback(%x, %t0)
//       {api_version = 4 : i32, backend_config = {callback = 0 : i64}, has_side_effect = true}
//
// `callback` is the number of one of the client's callbacks for this program; several calls may
// have the same number. A dictionary in backend_config is the normal form, because portable
// artifacts keep it. Two other spellings are accepted and converted to it: the attribute
// `acceld.callback = 0 : i64`, which not all artifacts keep, and the string "callback=0" as
// backend_config.
//
// backend_config may also have `partitioned = true`, if the call has no results except tokens: in a
// program on whole values that runs as several processes, each process calls with the shards that
// it has, instead of one process with the whole values for all.
//
// There may be up to 4096 operands and 4096 results: tensors, of static type in the results, and
// tokens in any positions, which the callback does not see. A call that has_side_effect is executed
// as often as the program says, and in program order among all calls with side effects. A call
// without side effects may be removed when its results are not used, and two equal calls may become
// one.
namespace acceld::ir {

struct ImportedOp;

inline constexpr char kHostCallbackTarget[] = "acceld.host_callback";
// The numbers of callbacks are below this.
inline constexpr int64_t kMaxHostCallbacks = 4096;

// The function that the host calls: maps the tensors among the call's operands to the tensors among
// its results.
using HostCallback =
    std::function<absl::StatusOr<std::vector<Literal>>(absl::Span<const Literal> operands)>;

bool IsHostCallback(const Op& op);
// Returns the attributes, in normal form, of a call of the callback with this number.
CustomCallAttributes HostCallbackAttributes(int64_t callback, bool has_side_effect);
// Returns the number of the callback. INVALID_ARGUMENT for attributes that such a call cannot have.
absl::StatusOr<int64_t> HostCallbackOf(const CustomCallAttributes& attributes);
// Whether each process calls with its shards. The attributes must be those of a valid call.
bool IsPartitionedHostCallback(const CustomCallAttributes& attributes);
// Converts a host callback that is about to be imported to the normal form.
absl::Status NormalizeHostCallback(ImportedOp& op);
// Checks the types of a call's operands and results.
absl::Status CheckHostCallbackTypes(const CustomCallAttributes& attributes,
                                    absl::Span<const Type> operands,
                                    absl::Span<const Type> results);

// Returns the numbers of the callbacks that `entry` of a verified module may call, directly or
// through other functions, ascending and each once. Empty when there is no such function.
std::vector<int64_t> HostCallbacksOf(const Module& module, absl::string_view entry);

// INVALID_ARGUMENT unless the results of a callback are as many, and of the same types, as the
// program expects.
absl::Status CheckHostResults(int64_t callback, absl::Span<const TensorType> expected,
                              absl::Span<const Literal> results);

}  // namespace acceld::ir
