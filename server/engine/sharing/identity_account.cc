#include "server/engine/sharing/identity_account.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::engine {
namespace {

using runtime::Meter;

// The payload of a refusal; it names the identity that was refused.
constexpr char kRefusedCompile[] = "acceld/refused-compile";

const QuotaInfo& InfoOf(QuotaId id) { return QuotaInfos()[static_cast<size_t>(id)]; }

std::string What(const std::string& identity, QuotaId id) {
  return absl::StrCat("quota of ", identity.empty() ? "(none)" : identity, ": ", InfoOf(id).name);
}

Meter MeterOf(const std::string& identity, QuotaId id, std::shared_ptr<Meter> total = nullptr) {
  const absl::string_view unit = InfoOf(id).unit;
  return {What(identity, id), std::string(unit), Meter::kUnlimited, std::move(total)};
}

// The meter of a pool as a whole.
std::shared_ptr<Meter> TotalOf(const Pools& pools, QuotaId id) {
  const int64_t size = pools.size(id);
  return std::make_shared<Meter>(std::string(Pools::SettingOf(id)), std::string(InfoOf(id).unit),
                                 size == 0 ? Meter::kUnlimited : size);
}

class MeterAllowance final : public Allowance {
 public:
  // `also` may be nullptr.
  MeterAllowance(std::shared_ptr<IdentityAccount> account, QuotaId id, std::shared_ptr<Meter> meter,
                 std::shared_ptr<Meter> also)
      : account_(std::move(account)), id_(id), meter_(std::move(meter)), also_(std::move(also)) {}

  absl::Status Take(int64_t amount) override {
    const absl::Status status = meter_->Charge(amount);
    if (!status.ok()) return account_->Explain(id_, status);
    if (also_ == nullptr) return absl::OkStatus();
    const absl::Status other = also_->Charge(amount);
    if (!other.ok()) meter_->Refund(amount);
    return other;
  }
  void GiveBack(int64_t amount) override {
    meter_->Refund(amount);
    if (also_ != nullptr) also_->Refund(amount);
  }

 private:
  const std::shared_ptr<IdentityAccount> account_;  // shared by everything that charges it
  const QuotaId id_;
  const std::shared_ptr<Meter> meter_, also_;  // owned by the account
};

// The weight of a device share in percent.
double WeightOf(int64_t percent) { return percent == 0 ? 1 : static_cast<double>(percent) / 100; }

}  // namespace

IdentityAccount::IdentityAccount(std::string identity, std::shared_ptr<const Pools> pools,
                                 const PoolMeters& totals)
    : identity_(std::move(identity)),
      pools_(std::move(pools)),
      device_memory_(Meter::kUnlimited, totals.device_memory,
                     What(identity_, QuotaId::kDeviceMemory)),
      host_memory_(MeterOf(identity_, QuotaId::kHostMemory)),
      handles_(MeterOf(identity_, QuotaId::kHandles, totals.handles)),
      sessions_(MeterOf(identity_, QuotaId::kSessions)),
      queued_(MeterOf(identity_, QuotaId::kQueued, totals.queued)),
      named_arrays_(MeterOf(identity_, QuotaId::kNamedArrays)),
      receive_memory_(MeterOf(identity_, QuotaId::kReceiveMemory, totals.receive_memory)),
      program_memory_(MeterOf(identity_, QuotaId::kProgramMemory, totals.program_memory)),
      descriptors_(MeterOf(identity_, QuotaId::kDescriptors, totals.descriptors)) {}

void IdentityAccount::SetLimits(const QuotaLimits& limits, bool has_shares) {
  has_shares_.store(has_shares, std::memory_order_relaxed);
  for (const QuotaInfo& info : QuotaInfos()) {
    const auto index = static_cast<size_t>(info.id);
    const bool is_share = has_shares && limits[index] == 0 && pools_->shares()[index] != 0;
    is_share_[index].store(is_share, std::memory_order_relaxed);
    const int64_t limit = is_share ? pools_->shares()[index] : limits[index];
    switch (info.id) {
      case QuotaId::kCompileTime:
        compile_time_.SetLimit(limit);
        break;
      case QuotaId::kMaxExecution:
        max_execution_ms_.store(limit, std::memory_order_relaxed);
        break;
      case QuotaId::kDeviceShare: {
        device_share_percent_.store(limit, std::memory_order_relaxed);
        const MutexLock lock(shares_mutex_);
        for (const auto& share : device_shares_) share->SetWeight(WeightOf(limit));
        break;
      }
      case QuotaId::kDescriptors:
      case QuotaId::kDeviceMemory:
      case QuotaId::kHandles:
      case QuotaId::kHostMemory:
      case QuotaId::kReceiveMemory:
      case QuotaId::kNamedArrays:
      case QuotaId::kProgramMemory:
      case QuotaId::kQueued:
      case QuotaId::kSessions:
        Find(info.id).SetLimit(limit == 0 ? Meter::kUnlimited : limit);
        break;
    }
  }
}

QuotaUses IdentityAccount::Uses() {
  QuotaUses uses;
  for (const QuotaInfo& info : QuotaInfos()) {
    QuotaUse& use = uses[static_cast<size_t>(info.id)];
    if (info.id == QuotaId::kMaxExecution) {
      use = {0, max_execution_ms_.load(std::memory_order_relaxed)};
    } else if (info.id == QuotaId::kDeviceShare) {
      use = {0, device_share_percent_.load(std::memory_order_relaxed)};
    } else if (info.id == QuotaId::kCompileTime) {
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

std::shared_ptr<Allowance> IdentityAccount::allowance(QuotaId id) {
  const bool is_host_memory = id == QuotaId::kReceiveMemory || id == QuotaId::kProgramMemory;
  return std::make_shared<MeterAllowance>(shared_from_this(), id, meter(id),
                                          is_host_memory ? meter(QuotaId::kHostMemory) : nullptr);
}

absl::StatusOr<runtime::Charge> IdentityAccount::Take(QuotaId id, int64_t amount) {
  absl::StatusOr<runtime::Charge> charge = runtime::Charge::Take(meter(id), amount);
  if (!charge.ok()) return Explain(id, charge.status());
  return charge;
}

absl::StatusOr<std::shared_ptr<const Program>> IdentityAccount::Hold(
    std::shared_ptr<const Program> program) {
  return programs_->Hold(std::move(program), allowance(QuotaId::kProgramMemory));
}

absl::Status IdentityAccount::Explain(QuotaId id, const absl::Status& refusal) const {
  if (!is_share_[static_cast<size_t>(id)].load(std::memory_order_relaxed)) return refusal;
  return {refusal.code(),
          absl::StrCat(refusal.message(), " (", pools_->share_percent(), " % of ",
                       Pools::SettingOf(id), ", ", pools_->size(id), ", is an identity's share)")};
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
    case QuotaId::kNamedArrays:
      return named_arrays_;
    case QuotaId::kReceiveMemory:
      return receive_memory_;
    case QuotaId::kProgramMemory:
      return program_memory_;
    case QuotaId::kDescriptors:
      return descriptors_;
    case QuotaId::kCompileTime:
    case QuotaId::kDeviceShare:
    case QuotaId::kMaxExecution:
      break;
  }
  ACCELD_CHECK(false);  // this quota has no meter
  return host_memory_;
}

std::shared_ptr<runtime::DeviceShare> IdentityAccount::device_share(uint32_t device) {
  const MutexLock lock(shares_mutex_);
  while (device_shares_.size() <= device) {
    device_shares_.push_back(std::make_shared<runtime::DeviceShare>(identity_));
    device_shares_.back()->SetWeight(
        WeightOf(device_share_percent_.load(std::memory_order_relaxed)));
  }
  return device_shares_[device];
}

absl::Status IdentityAccount::RefusalOfExecution(std::chrono::milliseconds limit) const {
  return absl::ResourceExhaustedError(absl::StrCat(
      What(identity_, QuotaId::kMaxExecution), ": the execution has had the device for ",
      static_cast<double>(limit.count()) / 1000, " s"));
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

IdentityAccounts::IdentityAccounts(Quotas quotas, std::shared_ptr<const Pools> pools,
                                   std::shared_ptr<runtime::MemoryAccount> device_memory)
    : pools_(std::move(pools)),
      totals_{.device_memory = std::move(device_memory),
              .receive_memory = TotalOf(*pools_, QuotaId::kReceiveMemory),
              .program_memory = TotalOf(*pools_, QuotaId::kProgramMemory),
              .descriptors = TotalOf(*pools_, QuotaId::kDescriptors),
              .handles = TotalOf(*pools_, QuotaId::kHandles),
              .queued = TotalOf(*pools_, QuotaId::kQueued)},
      quotas_(std::move(quotas)) {}

std::shared_ptr<IdentityAccount> IdentityAccounts::Of(const Identity& identity) {
  const bool has_shares = identity.role != Role::kAdmin;
  // Declared before the lock, to be destroyed after the unlock.
  std::vector<std::shared_ptr<IdentityAccount>> dropped;
  MutexLock lock(mutex_);
  if (const auto known = accounts_.find(identity.name); known != accounts_.end()) {
    if (known->second->has_shares() != has_shares) {
      known->second->SetLimits(quotas_.Of(identity.name), has_shares);
    }
    return known->second;
  }
  for (auto it = accounts_.begin(); it != accounts_.end();) {
    // Nobody can get the account without the lock, so it stays unused.
    if (it->second.use_count() == 1 && it->second->IsIdle()) {
      dropped.push_back(std::move(it->second));
      it = accounts_.erase(it);
    } else {
      ++it;
    }
  }
  auto account = std::make_shared<IdentityAccount>(identity.name, pools_, totals_);
  account->SetLimits(quotas_.Of(identity.name), has_shares);
  accounts_.emplace(identity.name, account);
  return account;
}

void IdentityAccounts::SetQuotas(Quotas quotas) {
  MutexLock lock(mutex_);
  quotas_ = std::move(quotas);
  for (const auto& [identity, account] : accounts_) {
    account->SetLimits(quotas_.Of(identity), account->has_shares());
  }
}

std::vector<std::shared_ptr<IdentityAccount>> IdentityAccounts::List() const {
  std::vector<std::shared_ptr<IdentityAccount>> accounts;
  MutexLock lock(mutex_);
  for (const auto& [identity, account] : accounts_) accounts.push_back(account);
  return accounts;
}

}  // namespace acceld::engine
