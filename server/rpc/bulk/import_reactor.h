#pragma once

#include <memory>

#include "common/threads/thread_pool.h"
#include "server/engine/cache/cache_admin.h"
#include "server/rpc/bulk/chunk_deadline.h"
#include "server/rpc/gated_service.h"
#include "server/rpc/rpc_context.h"

namespace acceld::rpc {

// Takes in the chunks of one ImportCacheEntry; the entry is kept from a thread of `maintenance`.
// Owns itself until OnDone.
class ImportReactor : public UploadStream {
 public:
  // For gRPC. `reply` is there until OnDone.
  ImportReactor(const RpcContext& rpc, ThreadPool& maintenance, Caller caller,
                grpc::CallbackServerContext* context, grpc::ByteBuffer* reply);

 private:
  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

  void ReadNext();
  absl::Status OnChunk();
  void Keep();
  void Refuse(const absl::Status& reason);

  const RpcContext& rpc_;
  ThreadPool& maintenance_;
  const Caller caller_;
  grpc::CallbackServerContext* const context_;
  grpc::ByteBuffer* const reply_;
  std::unique_ptr<engine::CacheImport> entry_;
  grpc::ByteBuffer chunk_;
  ChunkDeadline deadline_;
};

}  // namespace acceld::rpc
