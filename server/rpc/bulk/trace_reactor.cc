#include "server/rpc/bulk/trace_reactor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/api/wire.h"
#include "common/utf8.h"
#include "server/engine/sharing/requester.h"
#include "server/observability/instruments/trace_ring.h"
#include "server/rpc/decode/status_codes.h"

namespace acceld::rpc {
namespace {

// A span takes at most some 350 bytes, so a chunk stays far below any limit on messages.
constexpr size_t kSpansPerChunk = 2000;
constexpr double kMaxSeconds = 1e9;

}  // namespace

TraceReactor::TraceReactor() {
  chunk_.set_now_ns(std::chrono::steady_clock::now().time_since_epoch().count());
}

TraceReactor* TraceReactor::Start(const engine::Introspection& engine, FairPool& decoders,
                                  const engine::Identity& caller,
                                  const v1::GetTraceRequest& request) {
  auto* reactor = new TraceReactor;
  const double seconds = request.seconds();
  if (!(seconds >= 0 && seconds <= kMaxSeconds)) {
    reactor->Finish(ToGrpc(absl::InvalidArgumentError(
        absl::StrCat("seconds: ", seconds, " is not in 0 to ", kMaxSeconds))));
    return reactor;
  }
  const std::chrono::nanoseconds last = seconds == 0
                                            ? std::chrono::nanoseconds::max()
                                            : std::chrono::nanoseconds(std::llround(seconds * 1e9));
  reactor->WriteLater(decoders, caller, [&engine, last] { return engine.Trace(last); });
  return reactor;
}

TraceReactor* TraceReactor::Start(const engine::Introspection& engine, FairPool& decoders,
                                  const absl::StatusOr<std::shared_ptr<ClientSession>>& session,
                                  const v1::GetSessionTraceRequest& request) {
  auto* reactor = new TraceReactor;
  if (!session.ok()) {
    reactor->Finish(ToGrpc(session.status()));
    return reactor;
  }
  ClientSession& owner = **session;
  reactor->memory_ = Taken(owner.receive_memory());
  reactor->WriteLater(decoders, owner.owner().identity,
                      [&engine, reactor, id = owner.engine_session().id(),
                       since_ns = request.since_ns()]() -> absl::StatusOr<Spans> {
                        ACCELD_ASSIGN_OR_RETURN(Spans spans, engine.SessionTrace(id, since_ns));
                        const size_t span_bytes =
                            sizeof(TraceSpan) + observability::TraceRing::kMaxNameBytes;
                        ACCELD_RETURN_IF_ERROR(
                            reactor->memory_.Add(static_cast<int64_t>(spans.size() * span_bytes)));
                        return spans;
                      });
  return reactor;
}

void TraceReactor::WriteLater(FairPool& decoders, const engine::Identity& caller,
                              std::function<absl::StatusOr<Spans>()> read) {
  // gRPC keeps the reactor until it is finished, whatever the client does meanwhile.
  const absl::Status queued =
      decoders.Submit(engine::RequesterOf(caller), [this, read = std::move(read)] {
        absl::StatusOr<Spans> spans = read();
        if (!spans.ok()) {
          Finish(ToGrpc(spans.status()));
          return;
        }
        spans_ = *std::move(spans);
        WriteNext();
      });
  if (!queued.ok()) Finish(ToGrpc(queued));
}

void TraceReactor::WriteNext() {
  const size_t end = std::min(spans_.size(), sent_ + kSpansPerChunk);
  for (; sent_ < end; ++sent_) *chunk_.add_spans() = ToProto(spans_[sent_]);
  StartWrite(&chunk_);
}

void TraceReactor::OnWriteDone(bool ok) {
  if (!ok) return Finish(grpc::Status::CANCELLED);
  if (sent_ == spans_.size()) return Finish(grpc::Status::OK);
  chunk_.Clear();
  WriteNext();
}

}  // namespace acceld::rpc
