#include "server/rpc/grpc_log.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "common/log/log.h"
#include "common/rate_limit.h"
#include "common/threads/mutex.h"
#include "grpc/support/log.h"

namespace acceld::rpc {
namespace {

constexpr int64_t kMaxPerSecond = 5;

// The state of the log function. It is global because gRPC accepts only a plain function.
struct Destination {
  Mutex mutex;
  std::weak_ptr<observability::RpcInstruments> instruments ABSL_GUARDED_BY(mutex);
};
Destination& TheDestination() {
  static auto* const destination = new Destination;
  return *destination;
}

void Handle(gpr_log_func_args* args) {
  if (args->severity != GPR_LOG_SEVERITY_ERROR) return;
  static RateLimit limit("gRPC", kMaxPerSecond);
  const absl::string_view message = args->message;
  if (absl::StartsWith(message, "Handshake failed")) {
    std::shared_ptr<observability::RpcInstruments> instruments;
    {
      MutexLock lock(TheDestination().mutex);
      instruments = TheDestination().instruments.lock();
    }
    if (instruments != nullptr) instruments->CountRefusal(observability::Refusal::kTls);
  }
  if (limit.Take()) LogWarning("gRPC: ", message);
}

}  // namespace

void RedirectGrpcLog(std::weak_ptr<observability::RpcInstruments> instruments) {
  {
    MutexLock lock(TheDestination().mutex);
    TheDestination().instruments = std::move(instruments);
  }
  gpr_set_log_function(&Handle);
}

}  // namespace acceld::rpc
