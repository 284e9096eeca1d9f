#include "server/rpc/bulk/import_reactor.h"

#include <utility>
#include <vector>

#include "common/log/log.h"
#include "common/memory/bytes_field.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "server/rpc/auth/refusal_log.h"
#include "server/rpc/decode/message_size.h"
#include "server/rpc/decode/status_codes.h"

namespace acceld::rpc {

ImportReactor::ImportReactor(const RpcContext& rpc, ThreadPool& maintenance, Caller caller,
                             grpc::CallbackServerContext* context, grpc::ByteBuffer* reply,
                             std::unique_ptr<const CountedCall> call)
    : UploadStream(std::move(call)),
      rpc_(rpc),
      maintenance_(maintenance),
      caller_(std::move(caller)),
      context_(context),
      reply_(reply),
      deadline_(rpc.timers, rpc.options.connection_idle,
                [this](const absl::Status& late) { Refuse(late); }) {
  absl::StatusOr<std::unique_ptr<engine::CacheImport>> entry = rpc_.engine.BeginCacheImport();
  if (!entry.ok()) {
    Refuse(entry.status());
    return;
  }
  entry_ = *std::move(entry);
  ReadNext();
}

void ImportReactor::ReadNext() {
  chunk_.Clear();
  deadline_.Await([this] { StartRead(&chunk_); });
}

void ImportReactor::OnReadDone(bool ok) {
  if (!deadline_.Stop()) return;
  if (!ok) {
    if (context_->IsCancelled()) {
      return Finish(ToGrpc(absl::CancelledError("the import was broken off")));
    }
    return Keep();
  }
  const absl::Status size =
      CheckMessageSize(chunk_.Length(), static_cast<size_t>(rpc_.options.max_message_bytes));
  if (!size.ok()) {
    NoteRefusal(rpc_.instruments, observability::Refusal::kLimit, "ImportCacheEntry", caller_,
                size);
    return Finish(ToGrpc(size));
  }
  if (const absl::Status status = OnChunk(); !status.ok()) return Refuse(status);
  ReadNext();
}

absl::Status ImportReactor::OnChunk() {
  grpc::ProtoBufferReader stream(&chunk_);
  v1::CacheBundleChunk rest;
  std::vector<absl::string_view> pieces;
  if (!ParseExceptBytesField(stream, v1::CacheBundleChunk::kDataFieldNumber, rest, pieces)) {
    return absl::InvalidArgumentError("a message that is no CacheBundleChunk");
  }
  for (const absl::string_view piece : pieces) ACCELD_RETURN_IF_ERROR(entry_->Append(piece));
  return absl::OkStatus();
}

void ImportReactor::Keep() {
  // The reactor lives until it is finished.
  const absl::Status queued = maintenance_.Submit([this] {
    const absl::StatusOr<bool> added = entry_->Finish();
    if (!added.ok()) return Refuse(added.status());
    v1::ImportCacheEntryReply reply;
    reply.set_added(*added);
    const grpc::Slice slice(reply.SerializeAsString());
    *reply_ = grpc::ByteBuffer(&slice, 1);
    Finish(grpc::Status::OK);
  });
  if (!queued.ok()) Finish(ToGrpc(queued));
}

void ImportReactor::Refuse(const absl::Status& reason) {
  LogEvent(LogLevel::kWarning, "cache entry refused",
           {{"identity", caller_.identity.name}, {"reason", reason.message()}});
  Finish(ToGrpc(reason));
}

}  // namespace acceld::rpc
