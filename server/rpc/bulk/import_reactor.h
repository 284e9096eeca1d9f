#pragma once

#include <memory>

#include "common/threads/thread_pool.h"
#include "server/engine/cache/cache_admin.h"
#include "server/rpc/bulk/chunk_deadline.h"
#include "server/rpc/gated_service.h"
#include "server/rpc/rpc_context.h"

namespace acceld::rpc {

// Receives the chunks of one ImportCacheEntry call. When the entry is complete, a thread of
// `maintenance` stores it in the cache, because that blocks. The reactor deletes itself when gRPC
// calls OnDone.
class ImportReactor : public UploadStream {
 public:
  // `reply` receives a serialized ImportCacheEntryReply; it must live until OnDone.
  ImportReactor(const RpcContext& rpc, ThreadPool& maintenance, Caller caller,
                grpc::CallbackServerContext* context, grpc::ByteBuffer* reply,
                std::unique_ptr<const CountedCall> call);

 private:
  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

  void ReadNext();
  absl::Status OnChunk();
  // Has the complete entry stored, then ends the call.
  void Keep();
  // Logs the reason and ends the call with it.
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
