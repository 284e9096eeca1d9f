#include "server/cache/disk_tier.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/log/log.h"
#include "common/threads/start_thread.h"
#include "server/cache/node_key.h"

namespace acceld::cache {
namespace {

constexpr char kVersion[] = "v2";
constexpr absl::string_view kSuffix = ".exe";
// Temporary files older than this were left behind by a process that died.
constexpr int64_t kStaleTemporaryNs = int64_t{3600} * 1'000'000'000;

// What is read of a file at first. Few records are longer: those of programs with many arguments.
constexpr size_t kUsualRecordBytes = 4 << 10;

constexpr int kLowestPriority = 19;

int64_t NowUnixNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string ShardOf(const Digest& key) { return key.ToHex().substr(0, 2); }
std::string NameOf(const Digest& key) { return absl::StrCat(key.ToHex(), kSuffix); }
// The key of an entry's file; none for other files.
absl::optional<Digest> KeyOf(absl::string_view name) {
  if (!absl::ConsumeSuffix(&name, kSuffix)) return absl::nullopt;
  return Digest::FromHex(name);
}

bool IsFolder(const Folder& in, const std::string& name) {
  const absl::StatusOr<struct stat> info = in.Stat(name);
  return info.ok() && S_ISDIR(info->st_mode);
}

int64_t ModifiedUnixNs(const struct stat& info) {
  return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

// Removes a temporary file that a process which died has left behind.
void RemoveIfStale(const Folder& folder, const std::string& name) {
  const absl::StatusOr<struct stat> info = folder.Stat(name);
  if (info.ok() && S_ISREG(info->st_mode) &&
      ModifiedUnixNs(*info) < NowUnixNs() - kStaleTemporaryNs) {
    (void)folder.Remove(name);
  }
}

}  // namespace

DiskTier::DiskTier(std::string folder, Folder versioned, const TierLimits& limits,
                   SigningKey node_key)
    : folder_(std::move(folder)),
      limits_(limits),
      node_key_(std::move(node_key)),
      versioned_(std::make_shared<const Folder>(std::move(versioned))) {}

absl::StatusOr<std::unique_ptr<DiskTier>> DiskTier::Open(std::string folder,
                                                         const TierLimits& limits) {
  ACCELD_ASSIGN_OR_RETURN(const Folder whole, Folder::OpenOrMake(folder));
  ACCELD_ASSIGN_OR_RETURN(SigningKey node_key, LoadOrCreateNodeKey(whole));
  ACCELD_ASSIGN_OR_RETURN(Folder versioned, whole.OpenOrMakeIn(kVersion));
  std::unique_ptr<DiskTier> tier(
      new DiskTier(std::move(folder), std::move(versioned), limits, std::move(node_key)));
  tier->scanner_ = StartThread("cache-index", [tier = tier.get()] {
    // Of this thread only: the first programs after the start come first.
    (void)setpriority(PRIO_PROCESS, 0, kLowestPriority);
    tier->Scan();
    MutexLock lock(tier->mutex_);
    tier->has_index_ = true;
    tier->has_index_changed_.NotifyAll();
  });
  return tier;
}

DiskTier::~DiskTier() {
  stopping_ = true;
  if (scanner_.joinable()) scanner_.join();
}

bool DiskTier::HasIndex() const {
  MutexLock lock(mutex_);
  return has_index_;
}

void DiskTier::WaitForIndex() const {
  MutexLock lock(mutex_);
  while (!has_index_) has_index_changed_.Wait(mutex_);
}

std::shared_ptr<const Folder> DiskTier::versioned() const {
  MutexLock lock(mutex_);
  return versioned_;
}

absl::StatusOr<Folder> DiskTier::FolderOf(const Digest& key) const {
  return versioned()->OpenIn(ShardOf(key));
}

absl::StatusOr<Folder> DiskTier::MakeFolderOf(const Digest& key) {
  absl::StatusOr<Folder> folder = versioned()->OpenOrMakeIn(ShardOf(key));
  if (!absl::IsNotFound(folder.status())) return folder;
  // The folders have been removed by somebody else.
  ACCELD_ASSIGN_OR_RETURN(const Folder whole, Folder::OpenOrMake(folder_));
  ACCELD_ASSIGN_OR_RETURN(Folder fresh, whole.OpenOrMakeIn(kVersion));
  auto shared = std::make_shared<const Folder>(std::move(fresh));
  {
    MutexLock lock(mutex_);
    versioned_ = shared;
  }
  return shared->OpenOrMakeIn(ShardOf(key));
}

absl::StatusOr<struct stat> DiskTier::StatOf(const Digest& key) const {
  ACCELD_ASSIGN_OR_RETURN(const Folder folder, FolderOf(key));
  return folder.Stat(NameOf(key));
}

absl::Status DiskTier::RemoveFile(const Digest& key) const {
  ACCELD_ASSIGN_OR_RETURN(const Folder folder, FolderOf(key));
  return folder.Remove(NameOf(key));
}

void DiskTier::Scan() {
  absl::flat_hash_set<Digest> vanished;
  for (const Entry& entry : List()) vanished.insert(entry.header.key);
  const std::shared_ptr<const Folder> versioned = this->versioned();
  const absl::StatusOr<std::vector<std::string>> shards = versioned->Names();
  if (!shards.ok()) return Failed(shards.status());
  for (const std::string& shard : *shards) {
    const absl::StatusOr<Folder> folder = versioned->OpenIn(shard);
    if (absl::IsFailedPrecondition(folder.status()) && IsFolder(*versioned, shard)) {
      Failed(folder.status());
    }
    if (!folder.ok()) continue;
    const absl::StatusOr<std::vector<std::string>> names = folder->Names();
    if (!names.ok()) continue;
    for (const std::string& name : *names) {
      if (stopping_) return;
      if (absl::EndsWith(name, ".tmp")) {
        RemoveIfStale(*folder, name);
      } else if (const absl::optional<Digest> key = KeyOf(name); key.has_value()) {
        ScanFile(*folder, *key);
        vanished.erase(*key);
      }
    }
  }
  for (const Digest& key : vanished) {
    MutexLock files_lock(files_mutex_);
    if (!StatOf(key).ok()) Forget(key);
  }
}

void DiskTier::ScanFile(const Folder& folder, const Digest& key) {
  const std::string name = NameOf(key);
  MutexLock files_lock(files_mutex_);
  if (UpdateIndexed(folder, key)) return;
  absl::StatusOr<Folder::Contents> prefix = folder.Read(name, kUsualRecordBytes);
  if (prefix.ok()) {
    const absl::StatusOr<absl::optional<size_t>> record_bytes = RecordBytes(prefix->bytes);
    if (record_bytes.ok() && record_bytes->value_or(0) > prefix->bytes.size()) {
      prefix = folder.Read(name, kMaxRecordBytes);
    }
  }
  if (absl::IsNotFound(prefix.status())) return;
  if (absl::IsFailedPrecondition(prefix.status())) return DropFile(key, prefix.status());
  if (!prefix.ok()) return Failed(prefix.status());
  const absl::StatusOr<Record> parsed = ParseRecord(prefix->bytes, {node_key_});
  if (!parsed.ok()) return DropFile(key, parsed.status());
  MutexLock lock(mutex_);
  Entry& entry = index_[key];
  entry = {parsed->header, static_cast<uint64_t>(prefix->info.st_size),
           ModifiedUnixNs(prefix->info)};
  bytes_ += entry.size_bytes;
}

bool DiskTier::UpdateIndexed(const Folder& folder, const Digest& key) {
  MutexLock lock(mutex_);
  const auto it = index_.find(key);
  if (it == index_.end()) return false;
  if (const absl::StatusOr<struct stat> info = folder.Stat(NameOf(key)); info.ok()) {
    bytes_ += static_cast<uint64_t>(info->st_size) - it->second.size_bytes;
    it->second.size_bytes = static_cast<uint64_t>(info->st_size);
    it->second.last_use_unix_ns = ModifiedUnixNs(*info);
  }
  return true;
}

absl::StatusOr<std::string> DiskTier::ReadVerified(const EntryHeader& wanted, Entry& found) {
  const absl::StatusOr<Folder> folder = FolderOf(wanted.key);
  absl::StatusOr<Folder::Contents> contents =
      folder.ok() ? folder->Read(NameOf(wanted.key), static_cast<uint64_t>(limits_.limit_bytes))
                  : folder.status();
  if (folder.ok() && absl::IsFailedPrecondition(contents.status())) {
    Drop(wanted.key, contents.status());
    return absl::NotFoundError("not in the disk tier");
  }
  if (!contents.ok()) {
    if (!absl::IsNotFound(contents.status())) Failed(contents.status());
    Forget(wanted.key);
    return absl::NotFoundError("not in the disk tier");
  }
  std::string* const file = &contents->bytes;
  const absl::StatusOr<Record> record = ParseRecord(*file, {node_key_});
  absl::Status status = record.status();
  if (status.ok()) status = CheckIsFor(wanted, record->header);
  if (status.ok()) {
    status = CheckPayload(*record, absl::string_view(*file).substr(record->size_bytes));
  }
  if (!status.ok()) {
    Drop(wanted.key, status);
    return absl::NotFoundError("not in the disk tier");
  }
  found.header = record->header;
  found.size_bytes = file->size();
  file->erase(0, record->size_bytes);
  return std::move(*file);
}

absl::StatusOr<std::string> DiskTier::Read(const EntryHeader& wanted) {
  Entry found;
  return ReadVerified(wanted, found);
}

absl::StatusOr<std::string> DiskTier::Load(const EntryHeader& wanted) {
  Entry found;
  ACCELD_ASSIGN_OR_RETURN(std::string payload, ReadVerified(wanted, found));
  if (const absl::StatusOr<Folder> folder = FolderOf(wanted.key); folder.ok()) {
    folder->Touch(NameOf(wanted.key));
  }
  found.last_use_unix_ns = NowUnixNs();
  MutexLock lock(mutex_);
  Entry& entry = index_[wanted.key];
  bytes_ += found.size_bytes - entry.size_bytes;
  found.owner = std::move(entry.owner);
  entry = std::move(found);
  return payload;
}

bool DiskTier::Remove(const Digest& key) {
  MutexLock files_lock(files_mutex_);
  const absl::Status removed = RemoveFile(key);
  if (!removed.ok() && !absl::IsNotFound(removed)) Failed(removed);
  Forget(key);
  return removed.ok();
}

void DiskTier::Store(const EntryHeader& header, absl::string_view payload,
                     const std::string& owner) {
  const std::string record = EncodeRecord(header, payload, node_key_);
  const uint64_t size_bytes = record.size() + payload.size();
  if (size_bytes > static_cast<uint64_t>(limits_.limit_bytes)) return;
  MakeRoom(size_bytes, owner);
  if (absl::Status status = Write(header.key, {record, payload}); !status.ok()) {
    return Failed(status);
  }
  MutexLock lock(mutex_);
  Entry& entry = index_[header.key];
  bytes_ += size_bytes - entry.size_bytes;
  entry = {header, size_bytes, NowUnixNs(), owner};
}

absl::Status DiskTier::Write(const Digest& key, absl::Span<const absl::string_view> pieces) {
  ACCELD_ASSIGN_OR_RETURN(const Folder folder, MakeFolderOf(key));
  ACCELD_ASSIGN_OR_RETURN(const std::string temporary, folder.WriteTemporary(NameOf(key), pieces));
  const absl::Status renamed = [&] {
    MutexLock files_lock(files_mutex_);
    return folder.Rename(temporary, NameOf(key));
  }();
  if (!renamed.ok()) {
    (void)folder.Remove(temporary);
    return renamed;
  }
  return folder.Flush();
}

void DiskTier::MakeRoom(uint64_t bytes, const std::string& owner) {
  const auto is_room = [&] {
    MutexLock lock(mutex_);
    return bytes_ + bytes <= static_cast<uint64_t>(limits_.limit_bytes);
  };
  if (is_room()) return;
  // Other processes may have added, used and removed files: choose from what is there at present.
  Scan();
  if (is_room()) return;
  std::vector<Evictable> candidates;
  BytesByOwner bytes_by_owner{{owner, static_cast<int64_t>(bytes)}};
  int64_t excess_bytes = static_cast<int64_t>(bytes) - limits_.limit_bytes;
  for (Entry& entry : List()) {
    const auto size_bytes = static_cast<int64_t>(entry.size_bytes);
    excess_bytes += size_bytes;
    bytes_by_owner[entry.owner] += size_bytes;
    candidates.push_back(
        {entry.header.key, std::move(entry.owner), entry.last_use_unix_ns, size_bytes});
  }
  for (const Digest& key :
       ChooseEvicted(std::move(candidates), std::move(bytes_by_owner), excess_bytes, limits_)) {
    MutexLock files_lock(files_mutex_);
    const absl::Status removed = RemoveFile(key);
    if (removed.ok()) {
      evictions_.fetch_add(1, std::memory_order_relaxed);
    } else if (!absl::IsNotFound(removed)) {
      Failed(removed);
    }
    Forget(key);
  }
}

void DiskTier::Drop(const Digest& key, const absl::Status& reason) {
  MutexLock files_lock(files_mutex_);
  DropFile(key, reason);
}

void DiskTier::DropFile(const Digest& key, const absl::Status& reason) {
  Forget(key);
  // Somebody else may have found the same.
  if (absl::IsNotFound(StatOf(key).status())) return;
  // It is counted first: whoever finds the file gone sees that in the statistics.
  dropped_.fetch_add(1, std::memory_order_relaxed);
  LogWarning("dropping ", folder_, "/", kVersion, "/", ShardOf(key), "/", NameOf(key), ": ",
             reason.message());
  const absl::Status removed = RemoveFile(key);
  if (!removed.ok() && !absl::IsNotFound(removed)) Failed(removed);
}

void DiskTier::Forget(const Digest& key) {
  MutexLock lock(mutex_);
  const auto it = index_.find(key);
  if (it == index_.end()) return;
  bytes_ -= it->second.size_bytes;
  index_.erase(it);
}

void DiskTier::Failed(const absl::Status& status) {
  failures_.fetch_add(1, std::memory_order_relaxed);
  log_.Warn("executable cache on disk", status);
}

DiskTier::Stats DiskTier::stats() const {
  MutexLock lock(mutex_);
  return {.bytes = bytes_,
          .entries = index_.size(),
          .evictions = evictions_.load(std::memory_order_relaxed),
          .dropped = dropped_.load(std::memory_order_relaxed),
          .failures = failures_.load(std::memory_order_relaxed)};
}

bool DiskTier::Contains(const Digest& key) const {
  {
    MutexLock lock(mutex_);
    if (has_index_ || index_.contains(key)) return index_.contains(key);
  }
  return StatOf(key).ok();
}

std::vector<DiskTier::Entry> DiskTier::List() const {
  MutexLock lock(mutex_);
  std::vector<Entry> entries;
  entries.reserve(index_.size());
  for (const auto& [key, entry] : index_) entries.push_back(entry);
  return entries;
}

}  // namespace acceld::cache
