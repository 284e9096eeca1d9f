#include "server/cache/remote/remote_tier.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/random_bytes.h"
#include "common/log/log.h"

namespace acceld::cache {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The number of searches that may use Redis at the same time.
constexpr size_t kCallThreads = 4;
constexpr size_t kMaxQueued = 200'000;
// The most queued background tasks, which may be dropped: extensions of expiry times, listings.
constexpr size_t kMaxInBackground = 10'000;
constexpr std::chrono::seconds kMaxListTime{5};
// The interval between two checks whether another daemon's compile has ended, doubled each time.
constexpr milliseconds kFirstPause{20}, kLongestPause{500};

std::string NewToken() { return absl::BytesToHexString(RandomBytes(16)); }

}  // namespace

class RemoteTier::Lease {
 public:
  Lease(RemoteTier& tier, const Digest& key, std::string token)
      : tier_(tier), key_(key), token_(std::move(token)) {}
  ~Lease() {
    EndCompile();
    tier_.Release(key_, std::move(token_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Frees the slot of the lease, so that the holder may compile something else.
  void EndCompile() {
    if (!std::exchange(ended_, true)) tier_.GiveSlotBack();
  }
  const Digest& key() const { return key_; }
  const std::string& token() const { return token_; }

 private:
  RemoteTier& tier_;
  const Digest key_;
  std::string token_;
  bool ended_ = false;
};

struct RemoteTier::Search {
  EntryHeader wanted;
  Done done;
  // Whether the search holds a slot for a compile.
  bool has_slot = false;
  // Whether LookUp found no entry after the last wait: no entry was stored before that.
  bool is_up_to_date = false;
  // Of a search that waits for another daemon's compile: when it gives up.
  absl::optional<Clock::time_point> deadline;
  milliseconds pause = kFirstPause;
};

RemoteTier::RemoteTier(Options options)
    : options_(std::move(options)),
      redis_(options_.redis),
      entries_(options_.entries, redis_),
      leases_(options_.entries.salt, options_.lease, redis_),
      free_slots_(std::max(1, options_.max_leases)),
      calls_("remote-find", kCallThreads, kMaxQueued),
      lease_calls_("remote-lease", 1, kMaxQueued),
      uploads_("remote-upload", 1, kMaxQueued),
      background_("remote-rest", 1, kMaxInBackground),
      timers_("remote-timers", kMaxQueued) {}

RemoteTier::~RemoteTier() {
  Stop();
  const uint64_t before = uploads_dropped_.load();
  // Redis may hang during a call.
  const uint64_t timer =
      timers_.At(Clock::now() + options_.shutdown_wait, [this] { redis_.Close(); });
  if (timer == 0) redis_.Close();
  uploads_.Stop();
  if (const uint64_t dropped = uploads_dropped_.load() - before; dropped > 0) {
    LogWarning("remote cache: ", dropped, " executables were not sent before the end");
  }
  calls_.Stop();
  background_.Stop();
  lease_calls_.Stop();  // runs the queued releases of leases
}

void RemoteTier::Stop() {
  std::vector<SearchPtr> ended;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    ended.assign(queue_.begin(), queue_.end());
    queue_.clear();
    for (auto& [id, search] : waiting_) ended.push_back(std::move(search));
    waiting_.clear();
  }
  for (const SearchPtr& search : ended) Finish(search, {});
}

bool RemoteTier::is_stopping() const {
  MutexLock lock(mutex_);
  return stopping_;
}

void RemoteTier::Find(EntryHeader wanted, Done done) {
  auto search = std::make_shared<Search>();
  search->wanted = std::move(wanted);
  search->done = std::move(done);
  Run(std::move(search), &RemoteTier::LookUp);
}

void RemoteTier::Run(SearchPtr search, void (RemoteTier::*step)(SearchPtr)) {
  const absl::Status status = calls_.Submit([this, search, step] {
    if (is_stopping()) return Finish(search, {});
    (this->*step)(search);
  });
  if (!status.ok()) Finish(search, {});
}

void RemoteTier::LookUp(SearchPtr search) {
  absl::StatusOr<Entry> entry = entries_.Load(search->wanted);
  if (entry.ok()) {
    (void)background_.Submit([this, key = search->wanted.key] {
      if (!is_stopping()) entries_.Touch(key);
    });
    return Finish(search, {.entry = *std::move(entry)});
  }
  if (!absl::IsNotFound(entry.status())) {
    log_.Warn("remote cache", entry.status());
    return Finish(search, {});
  }
  search->is_up_to_date = true;
  if (entries_.read_only()) return Poll(std::move(search));
  if (TakeSlot(search)) TryToLead(std::move(search));
}

void RemoteTier::TryToLead(SearchPtr search) {
  std::string token = NewToken();
  const absl::StatusOr<bool> acquired = leases_.Acquire(search->wanted.key, token);
  if (!acquired.ok()) return Finish(search, {});
  if (!*acquired) return Wait(std::move(search));
  search->has_slot = false;  // owned by the lease
  auto lease = std::make_shared<Lease>(*this, search->wanted.key, std::move(token));
  // The previous holder may have saved the entry since LookUp.
  absl::StatusOr<Entry> entry = entries_.Load(search->wanted);
  if (entry.ok()) return Finish(search, {.entry = *std::move(entry)});
  leases_taken_.fetch_add(1, std::memory_order_relaxed);
  KeepAlive(lease);
  Finish(search, {.lease = std::move(lease)});
}

void RemoteTier::Poll(SearchPtr search) {
  const absl::StatusOr<bool> taken = leases_.IsTaken(search->wanted.key);
  if (!taken.ok()) return Finish(search, {});
  if (*taken) return Wait(std::move(search));
  if (entries_.read_only() && search->is_up_to_date) return Finish(search, {});
  LookUp(std::move(search));
}

void RemoteTier::Wait(SearchPtr search) {
  if (std::exchange(search->has_slot, false)) GiveSlotBack();
  search->is_up_to_date = false;
  const Clock::time_point now = Clock::now();
  if (!search->deadline.has_value()) {
    waits_.fetch_add(1, std::memory_order_relaxed);
    search->deadline = now + options_.max_wait;
  }
  if (now >= *search->deadline) {
    waits_given_up_.fetch_add(1, std::memory_order_relaxed);
    LogInfo("remote cache: another daemon has been compiling ", search->wanted.key.ToHex(), " for ",
            options_.max_wait.count(), " ms; this one does it, too");
    return Finish(search, {});
  }
  const Clock::time_point next = std::min(now + search->pause, *search->deadline);
  search->pause = std::min(2 * search->pause, kLongestPause);
  uint64_t id = 0;
  {
    MutexLock lock(mutex_);
    if (!stopping_) {
      id = ++last_wait_;
      waiting_[id] = search;
    }
  }
  if (id == 0) return Finish(search, {});
  auto take = [this, id]() -> SearchPtr {
    MutexLock lock(mutex_);
    auto node = waiting_.extract(id);
    return node.empty() ? nullptr : std::move(node.mapped());
  };
  const uint64_t timer = timers_.At(next, [this, take] {
    if (SearchPtr found = take(); found != nullptr) Run(std::move(found), &RemoteTier::Poll);
  });
  if (timer == 0 && take() != nullptr) Finish(search, {});
}

void RemoteTier::Finish(const SearchPtr& search, Outcome outcome) {
  if (std::exchange(search->has_slot, false)) GiveSlotBack();
  (outcome.entry.has_value() ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  std::exchange(search->done, nullptr)(std::move(outcome));
}

bool RemoteTier::TakeSlot(const SearchPtr& search) {
  if (search->has_slot) return true;
  {
    MutexLock lock(mutex_);
    if (free_slots_ > 0) {
      --free_slots_;
      return search->has_slot = true;
    }
    if (!stopping_) {
      queue_.push_back(search);
      return false;
    }
  }
  Finish(search, {});
  return false;
}

void RemoteTier::GiveSlotBack() {
  SearchPtr next;
  {
    MutexLock lock(mutex_);
    if (queue_.empty()) {
      ++free_slots_;
      return;
    }
    next = std::move(queue_.front());
    queue_.pop_front();
  }
  next->has_slot = true;
  // The search starts over, as another daemon may have compiled the entry since.
  Run(std::move(next), &RemoteTier::LookUp);
}

void RemoteTier::KeepAlive(std::weak_ptr<Lease> lease) {
  // Renewed three times per lease duration: two renewals may fail before the lease is lost.
  (void)timers_.At(Clock::now() + options_.lease / 3, [this, lease] {
    (void)lease_calls_.Submit([this, lease] {
      const std::shared_ptr<Lease> held = lease.lock();
      if (held == nullptr) return;
      const absl::StatusOr<bool> renewed = leases_.Renew(held->key(), held->token());
      if (!renewed.ok() || *renewed) return KeepAlive(lease);
      leases_lost_.fetch_add(1, std::memory_order_relaxed);
    });
  });
}

void RemoteTier::Release(const Digest& key, std::string token) {
  (void)lease_calls_.Submit(
      [this, key, token = std::move(token)] { (void)leases_.Release(key, token); });
}

void RemoteTier::Publish(EntryHeader header, std::string payload, std::shared_ptr<Lease> lease) {
  if (lease != nullptr) lease->EndCompile();
  if (entries_.read_only()) return;
  const auto bytes = static_cast<int64_t>(payload.size());
  {
    MutexLock lock(mutex_);
    if (upload_bytes_ > 0 && upload_bytes_ + bytes > options_.max_upload_bytes) {
      uploads_dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    upload_bytes_ += bytes;
  }
  auto upload = [this, header = std::move(header), payload = std::move(payload),
                 lease = std::move(lease), bytes] {
    Upload(header, payload);
    MutexLock lock(mutex_);
    upload_bytes_ -= bytes;
  };
  if (const absl::Status status = uploads_.Submit(std::move(upload)); !status.ok()) {
    uploads_dropped_.fetch_add(1, std::memory_order_relaxed);
    MutexLock lock(mutex_);
    upload_bytes_ -= bytes;
  }
}

void RemoteTier::Upload(const EntryHeader& header, absl::string_view payload) {
  const absl::StatusOr<bool> saved =
      redis_.is_closed() ? absl::CancelledError("closing") : entries_.Save(header, payload);
  if (saved.ok()) return;
  if (redis_.is_closed()) {
    uploads_dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  uploads_failed_.fetch_add(1, std::memory_order_relaxed);
  log_.Warn("remote cache, sending", saved.status());
}

void RemoteTier::List(size_t limit,
                      std::function<void(absl::StatusOr<std::vector<EntryHeader>>)> done) {
  const absl::Status status = background_.Submit([this, limit, done] {
    done(is_stopping() ? absl::CancelledError("closing")
                       : entries_.List(limit, Clock::now() + kMaxListTime));
  });
  if (!status.ok()) done(status);
}

absl::StatusOr<RemoteTier::Audit> RemoteTier::Verify() {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Digest> keys, entries_.Keys());
  Audit audit;
  for (const Digest& key : keys) {
    const absl::StatusOr<uint64_t> bytes = entries_.Verify(key);
    if (!bytes.ok() && !absl::IsNotFound(bytes.status())) return bytes.status();
    ++(bytes.ok() ? audit.entries : audit.bad);
    audit.bytes += bytes.value_or(0);
  }
  return audit;
}

absl::StatusOr<uint64_t> RemoteTier::Remove(absl::Span<const Digest> keys) {
  std::vector<Digest> wanted(keys.begin(), keys.end());
  if (keys.empty()) {
    ACCELD_ASSIGN_OR_RETURN(wanted, entries_.Keys());
  }
  uint64_t removed = 0;
  for (const Digest& key : wanted) {
    ACCELD_ASSIGN_OR_RETURN(const bool was_there, entries_.Remove(key));
    removed += was_there;
  }
  return removed;
}

void RemoteTier::Refuse(const Digest& key, const absl::Status& reason) {
  (void)background_.Submit([this, key, reason] { entries_.Refuse(key, reason); });
}

RemoteTier::Stats RemoteTier::stats() const {
  return {.hits = hits_.load(),
          .misses = misses_.load(),
          .leases = leases_taken_.load(),
          .waits = waits_.load(),
          .waits_given_up = waits_given_up_.load(),
          .leases_lost = leases_lost_.load(),
          .uploads_failed = uploads_failed_.load(),
          .uploads_dropped = uploads_dropped_.load(),
          .entries = entries_.stats(),
          .redis = redis_.stats()};
}

}  // namespace acceld::cache
