#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "acceld/v1/acceld.grpc.pb.h"
#include "common/memory/allowance.h"
#include "common/threads/fair_pool.h"
#include "server/engine/introspection.h"
#include "server/rpc/session/client_session.h"

namespace acceld::rpc {

// Serves one GetTrace or GetSessionTrace call: reads the trace on the decode pool, because it may
// be large, then writes its spans in chunks. The reactor deletes itself when gRPC calls OnDone.
class TraceReactor : public grpc::ServerWriteReactor<v1::TraceChunk> {
 public:
  // For gRPC. The request is read before this returns.
  static TraceReactor* Start(const engine::Introspection& engine, FairPool& decoders,
                             const engine::Identity& caller, const v1::GetTraceRequest& request);
  // Of a session of the caller, which pays for the spans until they are sent, or the error with
  // which it was not found. RESOURCE_EXHAUSTED when it cannot.
  static TraceReactor* Start(const engine::Introspection& engine, FairPool& decoders,
                             const absl::StatusOr<std::shared_ptr<ClientSession>>& session,
                             const v1::GetSessionTraceRequest& request);

 private:
  using Spans = std::vector<TraceSpan>;

  TraceReactor();
  // Calls `read` on the pool, as work of `caller`, and then writes the spans that it returns.
  void WriteLater(FairPool& decoders, const engine::Identity& caller,
                  std::function<absl::StatusOr<Spans>()> read);
  void OnWriteDone(bool ok) override;
  void OnDone() override { delete this; }
  void WriteNext();

  Taken memory_;  // the charge for spans_; only for GetSessionTrace
  Spans spans_;
  size_t sent_ = 0;
  v1::TraceChunk chunk_;
};

}  // namespace acceld::rpc
