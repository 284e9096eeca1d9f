#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/mutex.h"
#include "common/status.h"
#include "server/engine/cache_verdict.h"
#include "server/engine/compile_budget.h"
#include "server/engine/quota.h"
#include "server/runtime/memory_account.h"
#include "server/runtime/meter.h"

namespace acceld::engine {

// What the sessions of one identity use together, under its quota. Everything that is in use holds
// the account by what it charged. Thread-safe.
//
// Refusals are RESOURCE_EXHAUSTED and name identity, limit, use and what was asked:
// "quota of ann: handles: 1 do not fit, 10 of 10 are in use".
class IdentityAccount : public std::enable_shared_from_this<IdentityAccount> {
 public:
  // Device memory counts in `total` too.
  IdentityAccount(std::string identity, const QuotaLimits& limits,
                  std::shared_ptr<runtime::MemoryAccount> total);

  const std::string& identity() const { return identity_; }
  void SetLimits(const QuotaLimits& limits);
  QuotaUses Uses();
  // Whether nothing is in use, and nothing was lately.
  bool IsIdle();

  // The parent of the sessions' accounts of device memory.
  std::shared_ptr<runtime::MemoryAccount> device_memory();
  // Any but compile time.
  std::shared_ptr<runtime::Meter> meter(QuotaId id);

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
  runtime::MemoryAccount device_memory_;
  runtime::Meter host_memory_, handles_, sessions_, queued_;
  CompileBudget compile_time_;
  std::array<std::atomic<uint64_t>, kNumCacheVerdicts> lookups_{};
};

// The accounts of all identities that use anything or have lately. Thread-safe.
class IdentityAccounts {
 public:
  IdentityAccounts(Quotas quotas, std::shared_ptr<runtime::MemoryAccount> total)
      : total_(std::move(total)), quotas_(std::move(quotas)) {}

  std::shared_ptr<IdentityAccount> Of(const std::string& identity);
  // For what is asked from now on; nothing that is in use goes.
  void SetQuotas(Quotas quotas);
  // By name.
  std::vector<std::shared_ptr<IdentityAccount>> List() const;

 private:
  const std::shared_ptr<runtime::MemoryAccount> total_;  // Parent of all accounts.
  mutable Mutex mutex_;
  Quotas quotas_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<IdentityAccount>> accounts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
