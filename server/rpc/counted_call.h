#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "grpcpp/support/status.h"
#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::rpc {

// The number of RPCs, of all services, that a server has received.
struct CallTally {
  std::atomic<uint64_t> begun{0};  // since the start
  std::atomic<uint64_t> open{0};   // that have not ended
};

// Where the RPCs of a server are counted. What it refers to must outlive the server.
struct CallCounters {
  observability::RpcInstruments& instruments;
  CallTally& tally;
};

// An RPC that is counted: it is open while this object exists.
class CountedCall {
 public:
  // `method` is the name without the service, and must outlive this object.
  CountedCall(const CallCounters& counters, absl::string_view method)
      : instruments_(counters.instruments), open_(&counters.tally), method_(method) {
    ++open_->open;  // before `begun`, so that no reader takes the call for one that has ended
    ++open_->begun;
  }

  // To be called before the status is sent to the client.
  void CountStatus(grpc::StatusCode code) const {
    instruments_.CountRequest(method_, static_cast<absl::StatusCode>(code));
  }

 private:
  struct Leave {
    void operator()(CallTally* tally) const { --tally->open; }
  };

  observability::RpcInstruments& instruments_;
  const std::unique_ptr<CallTally, Leave> open_;
  const absl::string_view method_;
};

// A reactor of gRPC's that counts its own call, so that the call needs no interceptor: with one,
// gRPC passes every message of a stream through its completion queue twice.
template <typename Reactor>
class CountedStream : public Reactor {
 public:
  explicit CountedStream(std::unique_ptr<const CountedCall> call) : call_(std::move(call)) {}

  // As the reactor's Finish, which it hides; counts the status.
  void Finish(const grpc::Status& status) {
    call_->CountStatus(status.error_code());
    Reactor::Finish(status);
  }

 private:
  const std::unique_ptr<const CountedCall> call_;
};

}  // namespace acceld::rpc
