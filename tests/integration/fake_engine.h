#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"
#include "server/engine/engine.h"

namespace acceld::testing {

class FakeSession;

// An engine for tests of the transport: values are literals, programs run in the reference
// interpreter on the thread that makes their last input ready. Deadlines are only noted. Any thread
// may call.
class FakeEngine : public engine::Engine {
 public:
  FakeEngine();
  ~FakeEngine() override;

  // Executions from now on wait for Resume.
  void Hold();
  void Resume();
  // Blocks until that many sessions are open.
  void AwaitSessions(size_t count);
  void SetIncarnation(uint64_t incarnation) { incarnation_ = incarnation; }
  // Programs that came by AddProgram so far.
  int programs_added() const { return programs_added_; }
  // Calls of Session::Cancel so far, and the deadline of the last execution.
  int cancels() const { return cancels_; }
  // Is called in each of them from now on, with the name of the session's client.
  void OnCancel(std::function<void(const std::string&)> on_cancel);
  // Calls of Session::Await so far.
  int awaits() const { return awaits_; }
  using Deadline = absl::optional<std::chrono::steady_clock::time_point>;
  Deadline last_deadline() const;
  struct NotedExecution {
    bool awaited;            // Its client was said to wait for it.
    std::thread::id thread;  // It was submitted there.
    std::vector<uint32_t> donated;
  };
  std::vector<NotedExecution> executions() const;
  // From now on the submission of an execution takes so long.
  void DelayExecutions(std::chrono::milliseconds delay);
  // What was taken of such an allowance, by all identities; and the limit of each.
  int64_t taken(engine::QuotaId quota) const;
  void SetAllowance(engine::QuotaId quota, int64_t limit);
  // Arrays that clients hold, over all sessions.
  size_t live_arrays() const { return Stats().arrays; }

  absl::StatusOr<std::shared_ptr<engine::Session>> OpenSession(
      engine::SessionOptions options) override;
  absl::StatusOr<Digest> AddProgram(ir::Module module, std::string entry,
                                    int64_t size_bytes) override;
  std::vector<DeviceInfo> Devices() const override;
  std::vector<MissingDevices> Missing() const override {
    return {{"real", "this engine is fake", ""}};
  }
  EngineStats Stats() const override;
  std::vector<SessionInfo> Sessions() const override;
  std::vector<EndedSessionInfo> EndedSessions() const override { return {}; }
  std::vector<RunningExecution> Running() const override { return {}; }
  absl::Status CloseSession(uint64_t id, absl::string_view reason) override;
  std::shared_ptr<Allowance> AllowanceOf(const engine::Identity& identity,
                                         engine::QuotaId quota) override;
  std::vector<engine::IdentityInfo> Identities() const override { return {}; }
  void SetQuotas(engine::Quotas) override {}
  engine::EngineMetrics Metrics() const override { return {}; }
  void ReadActivity(engine::EngineActivity&) const override {}
  std::vector<NamedArrayInfo> NamedArrays(const engine::Identity&) const override { return {}; }
  absl::StatusOr<std::vector<TraceSpan>> Trace(std::chrono::nanoseconds) const override {
    return std::vector<TraceSpan>(5000);
  }
  absl::StatusOr<std::vector<TraceSpan>> SessionTrace(uint64_t session,
                                                      int64_t since_ns) const override {
    if (since_ns > 5000) return std::vector<TraceSpan>();
    return std::vector<TraceSpan>(5000, {.session = session, .end_ns = 5000});
  }
  bool KnowsCacheEntries() const override { return true; }
  std::vector<CacheEntryInfo> CacheEntries(size_t offset, size_t limit) const override;
  absl::StatusOr<engine::RemoteCachePage> RemoteCacheEntries(absl::string_view, size_t) override {
    return absl::FailedPreconditionError("there is no cache");
  }
  absl::StatusOr<std::vector<CacheCheck>> VerifyCache(bool) override {
    return std::vector<CacheCheck>();
  }
  absl::StatusOr<CacheRemoved> PurgeCache(const std::vector<std::string>&, bool) override {
    return CacheRemoved();
  }
  absl::StatusOr<std::string> ExportCacheEntry(const std::string&) override {
    return absl::NotFoundError("there is no cache");
  }
  absl::StatusOr<std::unique_ptr<engine::CacheImport>> BeginCacheImport() override {
    return absl::FailedPreconditionError("there is no cache");
  }
  absl::Status ReloadTeamKeys() override { return absl::OkStatus(); }
  uint64_t incarnation() const override { return incarnation_; }
  void Shutdown(std::chrono::milliseconds) override {}

 private:
  friend class FakeSession;
  struct KnownProgram {
    ir::Module module;
    std::string entry;
  };
  absl::optional<KnownProgram> FindProgram(const Digest& fingerprint) const;
  void Forget(const FakeSession* session);
  Event gate() const;
  void NoteCancel(const std::string& client_name);
  void Note(const engine::ExecuteOptions& options);

  std::atomic<uint64_t> incarnation_{7};
  std::atomic<int> programs_added_{0}, cancels_{0}, awaits_{0};
  mutable Mutex mutex_;
  CondVar changed_;
  std::map<std::string, std::shared_ptr<FakeSession>> sessions_ ABSL_GUARDED_BY(mutex_);
  std::map<Digest, KnownProgram> programs_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_session_ ABSL_GUARDED_BY(mutex_) = 1;
  std::unique_ptr<Promise<Unit>> held_ ABSL_GUARDED_BY(mutex_);
  Event gate_ ABSL_GUARDED_BY(mutex_) = Event(Unit{});
  std::function<void(const std::string&)> on_cancel_ ABSL_GUARDED_BY(mutex_);
  Deadline last_deadline_ ABSL_GUARDED_BY(mutex_);
  std::vector<NotedExecution> executions_ ABSL_GUARDED_BY(mutex_);
  std::chrono::milliseconds delay_ ABSL_GUARDED_BY(mutex_){0};
  class FakeAllowance;
  std::map<std::pair<std::string, engine::QuotaId>, std::shared_ptr<FakeAllowance>> allowances_
      ABSL_GUARDED_BY(mutex_);
  std::map<engine::QuotaId, int64_t> allowance_limits_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::testing
