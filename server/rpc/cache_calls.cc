#include <utility>

#include "common/log.h"
#include "server/rpc/convert.h"
#include "server/rpc/service.h"
#include "server/rpc/status_codes.h"

// What administrators do with the cache. It reads files and waits for other machines, so each is
// answered from a thread of its own pool, in the order in which they came.
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
    ACCELD_ASSIGN_OR_RETURN(const std::vector<engine::CacheCheck> checks,
                            engine_.VerifyCache(request->remote()));
    for (const engine::CacheCheck& check : checks) {
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
        ACCELD_ASSIGN_OR_RETURN(const engine::CacheRemoved removed,
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

grpc::ServerUnaryReactor* Service::OnExportCacheEntry(const Caller&,
                                                      grpc::CallbackServerContext* context,
                                                      const v1::ExportCacheEntryRequest* request,
                                                      v1::CacheBundleEntry* reply) {
  return AnswerLater(context, [this, request, reply]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(engine::CacheBundleEntry entry,
                            engine_.ExportCacheEntry(request->key()));
    reply->set_record(std::move(entry.record));
    reply->set_blob(std::move(entry.blob));
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* Service::OnImportCacheEntry(const Caller& caller,
                                                      grpc::CallbackServerContext* context,
                                                      const v1::CacheBundleEntry* request,
                                                      v1::ImportCacheEntryReply* reply) {
  return AnswerLater(context,
                     [this, name = caller.identity.name, request, reply]() -> absl::Status {
                       const absl::StatusOr<bool> added =
                           engine_.ImportCacheEntry({request->record(), request->blob()});
                       if (!added.ok()) {
                         LogEvent(LogLevel::kWarning, "cache entry refused",
                                  {{"identity", name}, {"reason", added.status().message()}});
                         return added.status();
                       }
                       reply->set_added(*added);
                       return absl::OkStatus();
                     });
}

}  // namespace acceld::rpc
