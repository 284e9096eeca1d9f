#include "server/rpc/auth/refusal_log.h"

#include "common/log/log.h"
#include "common/rate_limit.h"

namespace acceld::rpc {
namespace {

constexpr int64_t kMaxPerSecond = 50;
constexpr size_t kMaxMethodBytes = 200;
constexpr size_t kMaxMessageBytes = 500;

}  // namespace

void NoteRefusal(observability::RpcInstruments& instruments, observability::Refusal reason,
                 absl::string_view rpc, const Caller& caller, const absl::Status& why) {
  instruments.CountRefusal(reason);
  static RateLimit limit("refused", kMaxPerSecond);
  if (!limit.Take()) return;
  LogEvent(LogLevel::kWarning, "refused",
           {{"reason", observability::NameOf(reason)},
            {"rpc", rpc.substr(0, kMaxMethodBytes)},
            {"peer", caller.peer},
            {"identity", caller.identity.name},
            {"code", absl::StatusCodeToString(why.code())},
            {"why", why.message().substr(0, kMaxMessageBytes)}});
}

}  // namespace acceld::rpc
