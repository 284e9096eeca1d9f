#pragma once

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/auth/caller.h"

namespace acceld::rpc {

// Counts a refused call or connection by its reason, and logs it with the keys reason, rpc, peer,
// identity, code and why; at most 50 lines are logged in a second. Members of `caller` that are not
// known are empty.
void NoteRefusal(observability::RpcInstruments& instruments, observability::Refusal reason,
                 absl::string_view rpc, const Caller& caller, const absl::Status& why);

}  // namespace acceld::rpc
