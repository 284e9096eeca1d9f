#include "server/engine/identity_account.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::engine {
namespace {

using runtime::Meter;

// Of a refusal: whose it is.
constexpr char kRefusedCompile[] = "acceld/refused-compile";

const QuotaInfo& InfoOf(QuotaId id) { return QuotaInfos()[static_cast<size_t>(id)]; }

std::string What(const std::string& identity, QuotaId id) {
  return absl::StrCat("quota of ", identity.empty() ? "(none)" : identity, ": ", InfoOf(id).name);
}

Meter MeterOf(const std::string& identity, QuotaId id) {
  const absl::string_view unit = InfoOf(id).unit;
  return {What(identity, id), std::string(unit), Meter::kUnlimited};
}

}  // namespace

IdentityAccount::IdentityAccount(std::string identity, const QuotaLimits& limits,
                                 std::shared_ptr<runtime::MemoryAccount> total)
    : identity_(std::move(identity)),
      device_memory_(Meter::kUnlimited, std::move(total), What(identity_, QuotaId::kDeviceMemory)),
      host_memory_(MeterOf(identity_, QuotaId::kHostMemory)),
      handles_(MeterOf(identity_, QuotaId::kHandles)),
      sessions_(MeterOf(identity_, QuotaId::kSessions)),
      queued_(MeterOf(identity_, QuotaId::kQueued)) {
  SetLimits(limits);
}

void IdentityAccount::SetLimits(const QuotaLimits& limits) {
  for (const QuotaInfo& info : QuotaInfos()) {
    const int64_t limit = limits[static_cast<size_t>(info.id)];
    if (info.id == QuotaId::kCompileTime) {
      compile_time_.SetLimit(limit);
    } else {
      Find(info.id).SetLimit(limit == 0 ? Meter::kUnlimited : limit);
    }
  }
}

QuotaUses IdentityAccount::Uses() {
  QuotaUses uses;
  for (const QuotaInfo& info : QuotaInfos()) {
    QuotaUse& use = uses[static_cast<size_t>(info.id)];
    if (info.id == QuotaId::kCompileTime) {
      use = {compile_time_.SpentMs(std::chrono::steady_clock::now()), compile_time_.limit_ms()};
    } else {
      const Meter& meter = Find(info.id);
      use = {meter.used(), meter.limit() == Meter::kUnlimited ? 0 : meter.limit()};
    }
  }
  return uses;
}

bool IdentityAccount::IsIdle() {
  for (const QuotaUse& use : Uses()) {
    if (use.used != 0) return false;
  }
  return true;
}

std::shared_ptr<runtime::MemoryAccount> IdentityAccount::device_memory() {
  return {shared_from_this(), &device_memory_};
}

std::shared_ptr<Meter> IdentityAccount::meter(QuotaId id) {
  return {shared_from_this(), &Find(id)};
}

Meter& IdentityAccount::Find(QuotaId id) {
  switch (id) {
    case QuotaId::kDeviceMemory:
      return device_memory_.meter();
    case QuotaId::kHostMemory:
      return host_memory_;
    case QuotaId::kHandles:
      return handles_;
    case QuotaId::kSessions:
      return sessions_;
    case QuotaId::kQueued:
      return queued_;
    case QuotaId::kCompileTime:
      break;
  }
  ACCELD_CHECK(false);  // It has no meter.
  return host_memory_;
}

absl::Status IdentityAccount::CheckCompile() {
  const auto now = std::chrono::steady_clock::now();
  if (compile_time_.IsOpen(now)) return absl::OkStatus();
  absl::Status refusal = absl::ResourceExhaustedError(absl::StrCat(
      What(identity_, QuotaId::kCompileTime), ": one more compile does not fit, ",
      compile_time_.SpentMs(now), " of ", compile_time_.limit_ms(), " ms a minute are spent"));
  refusal.SetPayload(kRefusedCompile, absl::Cord(identity_));
  return refusal;
}

bool IdentityAccount::IsRefusalOfAnother(const absl::Status& status) const {
  const absl::optional<absl::Cord> refused = status.GetPayload(kRefusedCompile);
  return refused.has_value() && *refused != identity_;
}

CacheLookups IdentityAccount::lookups() const {
  CacheLookups counts{};
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = lookups_[i].load();
  return counts;
}

void IdentityAccount::SpendOnCompile(std::chrono::nanoseconds time) {
  compile_time_.Spend(time, std::chrono::steady_clock::now());
}

std::shared_ptr<IdentityAccount> IdentityAccounts::Of(const std::string& identity) {
  std::vector<std::shared_ptr<IdentityAccount>> dropped;  // Destroyed without the lock.
  MutexLock lock(mutex_);
  if (const auto known = accounts_.find(identity); known != accounts_.end()) return known->second;
  for (auto it = accounts_.begin(); it != accounts_.end();) {
    // Nobody gets hold of it meanwhile without the lock.
    if (it->second.use_count() == 1 && it->second->IsIdle()) {
      dropped.push_back(std::move(it->second));
      it = accounts_.erase(it);
    } else {
      ++it;
    }
  }
  auto account = std::make_shared<IdentityAccount>(identity, quotas_.Of(identity), total_);
  accounts_.emplace(identity, account);
  return account;
}

void IdentityAccounts::SetQuotas(Quotas quotas) {
  MutexLock lock(mutex_);
  quotas_ = std::move(quotas);
  for (const auto& [identity, account] : accounts_) account->SetLimits(quotas_.Of(identity));
}

std::vector<std::shared_ptr<IdentityAccount>> IdentityAccounts::List() const {
  std::vector<std::shared_ptr<IdentityAccount>> accounts;
  MutexLock lock(mutex_);
  for (const auto& [identity, account] : accounts_) accounts.push_back(account);
  return accounts;
}

}  // namespace acceld::engine
