#include "client/transport/farewell.h"

namespace acceld::client {
namespace {

constexpr std::chrono::seconds kPatience{2};
constexpr size_t kTimes = 5;

}  // namespace

Farewell::Farewell(v1::Acceld::Stub& stub, const std::string& session_token)
    : stub_(stub), deadline_(std::chrono::system_clock::now() + kPatience) {
  request_.set_session_token(session_token);
  Say();
}

Farewell::~Farewell() { (void)said_.Await(); }

void Farewell::Say() {
  grpc::ClientContext& context = contexts_.emplace_back();
  context.set_deadline(deadline_);
  context.set_wait_for_ready(true);
  const auto answered = [this, promise = promise_](const grpc::Status& status) {
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE && contexts_.size() < kTimes) {
      return Say();
    }
    promise->Set(Unit{});
  };
  stub_.async()->EndSession(&context, &request_, &reply_, answered);
}

}  // namespace acceld::client
