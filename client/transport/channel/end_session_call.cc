#include "client/transport/channel/end_session_call.h"

namespace acceld::client {
namespace {

constexpr std::chrono::seconds kPatience{2};
constexpr size_t kTimes = 5;

}  // namespace

EndSessionCall::EndSessionCall(Dialer& dialer, const std::string& session_token)
    : dialer_(dialer), deadline_(std::chrono::system_clock::now() + kPatience) {
  request_.set_session_token(session_token);
  StartAttempt();
}

EndSessionCall::~EndSessionCall() { (void)said_.Await(); }

void EndSessionCall::StartAttempt() {
  absl::StatusOr<std::shared_ptr<RpcChannel>> line = dialer_.Get();
  // No daemon is there to receive the call.
  if (!line.ok()) {
    promise_->Set(Unit{});
    return;
  }
  CallAttempt& time = times_.emplace_back();
  time.line = *std::move(line);
  grpc::ClientContext& context = time.context;
  context.set_deadline(deadline_);
  context.set_wait_for_ready(true);
  const auto answered = [this, promise = promise_](const grpc::Status& status) {
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE && times_.size() < kTimes) {
      return StartAttempt();
    }
    promise->Set(Unit{});
  };
  time.line->stub.async()->EndSession(&context, &request_, &reply_, answered);
}

}  // namespace acceld::client
