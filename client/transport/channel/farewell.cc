#include "client/transport/channel/farewell.h"

namespace acceld::client {
namespace {

constexpr std::chrono::seconds kPatience{2};
constexpr size_t kTimes = 5;

}  // namespace

Farewell::Farewell(Dialer& dialer, const std::string& session_token)
    : dialer_(dialer), deadline_(std::chrono::system_clock::now() + kPatience) {
  request_.set_session_token(session_token);
  Say();
}

Farewell::~Farewell() { (void)said_.Await(); }

void Farewell::Say() {
  absl::StatusOr<std::shared_ptr<Line>> line = dialer_.Get();
  // No daemon is there to receive the call.
  if (!line.ok()) {
    promise_->Set(Unit{});
    return;
  }
  Time& time = times_.emplace_back();
  time.line = *std::move(line);
  grpc::ClientContext& context = time.context;
  context.set_deadline(deadline_);
  context.set_wait_for_ready(true);
  const auto answered = [this, promise = promise_](const grpc::Status& status) {
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE && times_.size() < kTimes) {
      return Say();
    }
    promise->Set(Unit{});
  };
  time.line->stub.async()->EndSession(&context, &request_, &reply_, answered);
}

}  // namespace acceld::client
