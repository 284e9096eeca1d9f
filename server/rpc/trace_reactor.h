#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "acceld/v1/acceld.grpc.pb.h"
#include "common/fair_pool.h"
#include "server/engine/engine.h"

namespace acceld::rpc {

// One GetTrace: has the ring read on the decode pool, for it may be large, then writes the spans in
// chunks. Owns itself until OnDone.
class TraceReactor : public grpc::ServerWriteReactor<v1::TraceChunk> {
 public:
  // For gRPC. The request is read before this returns.
  static TraceReactor* Start(const engine::Engine& engine, FairPool& decoders,
                             const engine::Identity& caller, const v1::GetTraceRequest& request);

 private:
  TraceReactor() = default;
  void OnWriteDone(bool ok) override;
  void OnDone() override { delete this; }
  void WriteNext();

  std::vector<observability::Span> spans_;
  size_t sent_ = 0;
  v1::TraceChunk chunk_;
};

}  // namespace acceld::rpc
