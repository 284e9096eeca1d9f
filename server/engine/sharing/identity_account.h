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
#include "server/runtime/memory/memory_account.h"
#include "server/runtime/memory/meter.h"
#include "server/runtime/schedule/device_share.h"

namespace acceld::engine {

// The meters of resources that all identities share. Parents of the meters of each identity.
struct PoolMeters {
  std::shared_ptr<runtime::MemoryAccount> device_memory;
  std::shared_ptr<runtime::Meter> receive_memory, program_memory, descriptors, handles, queued;
};

// The account of what the sessions of one identity use, limited by the identity's quota. Charges
// keep the account alive. Thread-safe.
//
// Refusals are RESOURCE_EXHAUSTED and name the identity, the limit, its use and the request: "quota
// of ann: handles: 1 do not fit, 10 of 10 are in use". If the limit is the identity's share of a
// pool, they add which one: "(25 % of max-sessions, 40, is an identity's share)".
class IdentityAccount : public std::enable_shared_from_this<IdentityAccount> {
 public:
  // What the account counts, the meters in `totals` count too.
  IdentityAccount(std::string identity, std::shared_ptr<const Pools> pools,
                  const PoolMeters& totals);

  const std::string& identity() const { return identity_; }
  // Sets the limits. Where `limits` has none, an identity with shares is limited to its share of
  // the pool, if there is one.
  void SetLimits(const QuotaLimits& limits, bool has_shares);
  // As set by SetLimits.
  bool has_shares() const { return has_shares_.load(std::memory_order_relaxed); }
  // Returns the use and the limit of every quota.
  QuotaUses Uses();
  // Returns whether nothing is in use and no compile time is owed.
  bool IsIdle();

  // Returns the parent of the sessions' accounts of device memory.
  std::shared_ptr<runtime::MemoryAccount> device_memory();
  // Returns the meter of a quota. Only for quotas of resources in use, not for those of time and of
  // device shares.
  std::shared_ptr<runtime::Meter> meter(QuotaId id);
  // Returns the share of a device that all queues of the identity have together.
  std::shared_ptr<runtime::DeviceShare> device_share(uint32_t device);
  // The longest time that one execution may have a device, and the error of an execution that takes
  // longer. Zero: no limit.
  std::chrono::milliseconds max_execution() const {
    return std::chrono::milliseconds(max_execution_ms_.load(std::memory_order_relaxed));
  }
  absl::Status RefusalOfExecution(std::chrono::milliseconds limit) const;
  // Like meter, for callers outside of the engine. The memory for received data and for programs
  // counts as host memory, too.
  std::shared_ptr<Allowance> allowance(QuotaId id);
  // Charges an amount until the returned charge is destroyed. A refusal names the share of the pool
  // that is exhausted, if any.
  absl::StatusOr<runtime::Charge> Take(QuotaId id, int64_t amount);
  // See HeldPrograms::Hold: the memory of the program is charged as long as a copy of the returned
  // pointer exists. RESOURCE_EXHAUSTED.
  absl::StatusOr<std::shared_ptr<const Program>> Hold(std::shared_ptr<const Program> program);
  // Adds to a refusal which share of which pool the limit is, if it is one.
  absl::Status Explain(QuotaId id, const absl::Status& refusal) const;

  // Returns RESOURCE_EXHAUSTED when the quota of compile time is exhausted.
  absl::Status CheckCompile();
  // Returns whether `status` is a refusal by CheckCompile of another identity's account.
  bool IsRefusalOfAnother(const absl::Status& status) const;
  // Counts where a session found an executable.
  void CountLookup(CacheVerdict verdict) {
    lookups_[static_cast<size_t>(verdict)].fetch_add(1, std::memory_order_relaxed);
  }
  // Returns the counts of CountLookup.
  CacheLookups lookups() const;
  // Charges the quota of compile time.
  void SpendOnCompile(std::chrono::nanoseconds time);

 private:
  runtime::Meter& Find(QuotaId id);

  const std::string identity_;
  const std::shared_ptr<const Pools> pools_;  // shared by all accounts
  runtime::MemoryAccount device_memory_;
  runtime::Meter host_memory_, handles_, sessions_, queued_, named_arrays_, receive_memory_,
      program_memory_, descriptors_;
  // Shared with the programs that it holds.
  const std::shared_ptr<HeldPrograms> programs_ = std::make_shared<HeldPrograms>();
  CompileBudget compile_time_;
  std::atomic<int64_t> max_execution_ms_{0}, device_share_percent_{0};
  Mutex shares_mutex_;
  // By device; shared with the queues.
  std::vector<std::shared_ptr<runtime::DeviceShare>> device_shares_ ABSL_GUARDED_BY(shares_mutex_);
  std::array<std::atomic<uint64_t>, kNumCacheVerdicts> lookups_{};
  std::atomic<bool> has_shares_{false};
  // Whether the limit is a share of a pool.
  std::array<std::atomic<bool>, kNumQuotas> is_share_{};
};

// The accounts of all identities that use anything or have recently. Thread-safe.
class IdentityAccounts {
 public:
  // `device_memory` counts the device memory of all identities together.
  IdentityAccounts(Quotas quotas, std::shared_ptr<const Pools> pools,
                   std::shared_ptr<runtime::MemoryAccount> device_memory);

  // Returns the account of an identity, and creates it if necessary. Whether the account has shares
  // follows from the role that the identity had in the last call: admins have none.
  std::shared_ptr<IdentityAccount> Of(const Identity& identity);
  // Replaces the quotas. They apply to later requests; resources in use are kept.
  void SetQuotas(Quotas quotas);
  // Returns the accounts by name.
  std::vector<std::shared_ptr<IdentityAccount>> List() const;

 private:
  const std::shared_ptr<const Pools> pools_;  // shared with the accounts
  const PoolMeters totals_;                   // the parents of all accounts' meters
  mutable Mutex mutex_;
  Quotas quotas_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<IdentityAccount>> accounts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
