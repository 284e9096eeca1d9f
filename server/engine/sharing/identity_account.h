#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/api/cache_verdict.h"
#include "common/memory/allowance.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/cache/compile_budget.h"
#include "server/engine/identity.h"
#include "server/engine/sharing/held_programs.h"
#include "server/engine/sharing/pools.h"
#include "server/engine/sharing/quota.h"
#include "server/runtime/device_share.h"
#include "server/runtime/memory/memory_account.h"
#include "server/runtime/memory/meter.h"

namespace acceld::engine {

// What all identities use together of what they share.
struct PoolMeters {
  std::shared_ptr<runtime::MemoryAccount> device_memory;
  std::shared_ptr<runtime::Meter> intake_memory, program_memory, descriptors, handles, queued;
};

// What the sessions of one identity use together, under its quota. Everything that is in use holds
// the account by what it charged. Thread-safe.
//
// Refusals are RESOURCE_EXHAUSTED and name identity, limit, use and what was asked:
// "quota of ann: handles: 1 do not fit, 10 of 10 are in use". Where the limit is the identity's
// share of a pool, they say of which: "(25 % of max-sessions, 40, is an identity's share)".
class IdentityAccount : public std::enable_shared_from_this<IdentityAccount> {
 public:
  // Device memory counts in `totals.device_memory` too, and so do others in theirs.
  IdentityAccount(std::string identity, std::shared_ptr<const Pools> pools,
                  const PoolMeters& totals);

  const std::string& identity() const { return identity_; }
  // Where `limits` has none, an identity with shares may have its share of a pool.
  void SetLimits(const QuotaLimits& limits, bool has_shares);
  // As it was set.
  bool has_shares() const { return has_shares_.load(std::memory_order_relaxed); }
  QuotaUses Uses();
  // Whether nothing is in use, and nothing was lately.
  bool IsIdle();

  // The parent of the sessions' accounts of device memory.
  std::shared_ptr<runtime::MemoryAccount> device_memory();
  // Of quotas of what is in use at a time: not of times and shares.
  std::shared_ptr<runtime::Meter> meter(QuotaId id);
  // What its queues of this device share.
  std::shared_ptr<runtime::DeviceShare> device_share(uint32_t device);
  // How long one of its executions may have a device, and what becomes of one that takes longer.
  // Zero: any time.
  std::chrono::milliseconds max_execution() const {
    return std::chrono::milliseconds(max_execution_ms_.load(std::memory_order_relaxed));
  }
  absl::Status RefusalOfExecution(std::chrono::milliseconds limit) const;
  // The same for callers outside of the engine. Memory for intake and programs is host memory too.
  std::shared_ptr<Allowance> allowance(QuotaId id);
  // Takes from a meter until the charge goes, or says whose share that would be too much for.
  absl::StatusOr<runtime::Charge> Take(QuotaId id, int64_t amount);
  // The same program, whose memory is taken as long as anybody has the pointer; equal ones count
  // once. RESOURCE_EXHAUSTED.
  absl::StatusOr<std::shared_ptr<const Program>> Hold(std::shared_ptr<const Program> program);
  // Adds to a refusal what share of which pool the limit is, if it is one.
  absl::Status Explain(QuotaId id, const absl::Status& refusal) const;

  // Whether a compile may begin now.
  absl::Status CheckCompile();
  // Whether CheckCompile of another account has answered this.
  bool IsRefusalOfAnother(const absl::Status& status) const;
  // An execution or compile of a session found its executable so.
  void CountLookup(CacheVerdict verdict) {
    lookups_[static_cast<size_t>(verdict)].fetch_add(1, std::memory_order_relaxed);
  }
  CacheLookups lookups() const;
  // A compile took so long.
  void SpendOnCompile(std::chrono::nanoseconds time);

 private:
  runtime::Meter& Find(QuotaId id);

  const std::string identity_;
  const std::shared_ptr<const Pools> pools_;  // Shared by all accounts.
  runtime::MemoryAccount device_memory_;
  runtime::Meter host_memory_, handles_, sessions_, queued_, named_arrays_, intake_memory_,
      program_memory_, descriptors_;
  // Shared with what it holds.
  const std::shared_ptr<HeldPrograms> programs_ = std::make_shared<HeldPrograms>();
  CompileBudget compile_time_;
  std::atomic<int64_t> max_execution_ms_{0}, device_share_percent_{0};
  Mutex shares_mutex_;
  // By device; shared with the queues.
  std::vector<std::shared_ptr<runtime::DeviceShare>> device_shares_ ABSL_GUARDED_BY(shares_mutex_);
  std::array<std::atomic<uint64_t>, kNumCacheVerdicts> lookups_{};
  std::atomic<bool> has_shares_{false};
  std::array<std::atomic<bool>, kNumQuotas> is_share_{};  // The limit is a share of a pool.
};

// The accounts of all identities that use anything or have lately. Thread-safe.
class IdentityAccounts {
 public:
  IdentityAccounts(Quotas quotas, std::shared_ptr<const Pools> pools,
                   std::shared_ptr<runtime::MemoryAccount> device_memory);

  // Admins have no shares: the role is the one that the identity was last seen with.
  std::shared_ptr<IdentityAccount> Of(const Identity& identity);
  // For what is asked from now on; nothing that is in use goes.
  void SetQuotas(Quotas quotas);
  // By name.
  std::vector<std::shared_ptr<IdentityAccount>> List() const;

 private:
  const std::shared_ptr<const Pools> pools_;  // Shared with the accounts.
  const PoolMeters totals_;                   // Parents of all accounts' meters.
  mutable Mutex mutex_;
  Quotas quotas_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<IdentityAccount>> accounts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
