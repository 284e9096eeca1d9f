#pragma once

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/auth/caller.h"

namespace acceld::rpc {

// Counts a refusal and logs it, at most 50 in a second, with the keys reason, rpc, peer, identity,
// code and why. What is not known of the caller is empty.
void NoteRefusal(observability::RpcInstruments& instruments, observability::Refusal reason,
                 absl::string_view rpc, const Caller& caller, const absl::Status& why);

}  // namespace acceld::rpc
