#include <memory>
#include <string>
#include <utility>

#include "common/log/log.h"
#include "server/rpc/bulk/bulk_reactors.h"
#include "server/rpc/bulk/import_reactor.h"
#include "server/rpc/decode/parse_request.h"
#include "server/rpc/decode/status_codes.h"
#include "server/rpc/service.h"

// The RPCs with which administrators manage the cache. They read files and wait for other machines,
// so a separate pool with one thread serves them, in the order in which they arrive.
namespace acceld::rpc {

grpc::ServerUnaryReactor* Service::AnswerLater(grpc::CallbackServerContext* context,
                                               std::function<absl::Status()> work) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  const absl::Status status =
      maintenance_.Submit([reactor, work = std::move(work)] { reactor->Finish(ToGrpc(work())); });
  if (!status.ok()) reactor->Finish(ToGrpc(status));
  return reactor;
}

grpc::ServerUnaryReactor* Service::OnVerifyCache(const Caller&,
                                                 grpc::CallbackServerContext* context,
                                                 const v1::VerifyCacheRequest* request,
                                                 v1::VerifyCacheReply* reply) {
  return AnswerLater(context, [this, request, reply]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<CacheCheck> checks,
                            engine_.VerifyCache(request->remote()));
    for (const CacheCheck& check : checks) {
      v1::CacheCheck& proto = *reply->add_checks();
      proto.set_tier(check.tier);
      proto.set_entries(check.entries);
      proto.set_bytes(check.bytes);
      proto.set_bad(check.bad);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* Service::OnPurgeCache(const Caller& caller,
                                                grpc::CallbackServerContext* context,
                                                const v1::PurgeCacheRequest* request,
                                                v1::PurgeCacheReply* reply) {
  return AnswerLater(
      context, [this, name = caller.identity.name, request, reply]() -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const CacheRemoved removed,
                                engine_.PurgeCache({request->keys().begin(), request->keys().end()},
                                                   request->remote()));
        LogEvent(LogLevel::kInfo, "cache purged",
                 {{"identity", name},
                  {"memory", removed.memory},
                  {"disk", removed.disk},
                  {"remote", removed.remote}});
        reply->set_memory(removed.memory);
        reply->set_disk(removed.disk);
        reply->set_remote(removed.remote);
        return absl::OkStatus();
      });
}

DownloadStream* Service::OnExportCacheEntry(const Caller&, grpc::CallbackServerContext*,
                                            const grpc::ByteBuffer* bytes, Call call) {
  static_assert(int{v1::CacheBundleChunk::kDataFieldNumber} ==
                int{v1::DownloadChunk::kDataFieldNumber});
  // gRPC keeps the reactor until it is finished, whatever the client does meanwhile.
  auto* const reactor = new DownloadReactor(instruments_, std::move(call));
  const auto request = ParseRequest<v1::ExportCacheEntryRequest>(*bytes);
  if (!request.ok()) {
    reactor->Send(request.status());
    return reactor;
  }
  const absl::Status queued = maintenance_.Submit([this, reactor, key = request->key()] {
    absl::StatusOr<std::string> entry = engine_.ExportCacheEntry(key);
    if (!entry.ok()) return reactor->Send(entry.status());
    const auto owner = std::make_shared<const std::string>(*std::move(entry));
    reactor->Send(SharedBytes{*owner, owner});
  });
  if (!queued.ok()) reactor->Send(queued);
  return reactor;
}

UploadStream* Service::OnImportCacheEntry(const Caller& caller,
                                          grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* reply, Call call) {
  return new ImportReactor(context_, maintenance_, caller, context, reply, std::move(call));
}

}  // namespace acceld::rpc
