#include "server/cache/disk_tier.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "server/cache/files.h"
#include "server/cache/node_key.h"

namespace acceld::cache {
namespace {

namespace fs = std::filesystem;

// Temporary files older than this were left behind by a process that died.
constexpr int64_t kStaleTemporaryNs = int64_t{3600} * 1'000'000'000;

int64_t NowUnixNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int64_t ModifiedUnixNs(const struct stat& info) {
  return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace

DiskTier::DiskTier(std::string folder, int64_t limit_bytes, SigningKey node_key)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes), node_key_(std::move(node_key)) {}

absl::StatusOr<std::unique_ptr<DiskTier>> DiskTier::Open(std::string folder, int64_t limit_bytes) {
  ACCELD_RETURN_IF_ERROR(MakeFolder(folder));
  ACCELD_ASSIGN_OR_RETURN(SigningKey node_key, LoadOrCreateNodeKey(folder));
  std::string versioned = absl::StrCat(folder, "/v2");
  ACCELD_RETURN_IF_ERROR(MakeFolder(versioned));
  std::unique_ptr<DiskTier> tier(
      new DiskTier(std::move(versioned), limit_bytes, std::move(node_key)));
  tier->Scan();
  return tier;
}

std::string DiskTier::FolderOf(const Digest& key) const {
  return absl::StrCat(folder_, "/", key.ToHex().substr(0, 2));
}

std::string DiskTier::PathOf(const Digest& key) const {
  return absl::StrCat(FolderOf(key), "/", key.ToHex(), ".exe");
}

void DiskTier::Scan() {
  {
    MutexLock lock(mutex_);
    index_.clear();
    bytes_ = 0;
  }
  std::error_code error;
  for (fs::directory_iterator folders(folder_, error), none; !error && folders != none;
       folders.increment(error)) {
    std::error_code inner;
    for (fs::directory_iterator files(folders->path(), inner); !inner && files != none;
         files.increment(inner)) {
      ScanFile(files->path().string());
    }
  }
}

void DiskTier::ScanFile(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (absl::EndsWith(path, ".tmp")) {
    if (ModifiedUnixNs(info) < NowUnixNs() - kStaleTemporaryNs) unlink(path.c_str());
    return;
  }
  const absl::optional<Digest> key = Digest::FromHex(fs::path(path).stem().string());
  if (!key.has_value() || !absl::EndsWith(path, ".exe")) return;
  absl::StatusOr<std::string> prefix = ReadFile(path, kMaxRecordBytes);
  if (absl::IsNotFound(prefix.status())) return;
  if (!prefix.ok()) return Failed(prefix.status());
  const absl::StatusOr<Record> parsed = ParseRecord(*prefix, {node_key_});
  if (!parsed.ok()) return Drop(*key, parsed.status());
  MutexLock lock(mutex_);
  const auto [it, inserted] = index_.try_emplace(*key);
  if (!inserted) return;
  it->second = {parsed->header, static_cast<uint64_t>(info.st_size), ModifiedUnixNs(info)};
  bytes_ += it->second.size_bytes;
}

absl::StatusOr<std::string> DiskTier::ReadVerified(const EntryHeader& wanted, Entry& found) {
  absl::StatusOr<std::string> file =
      ReadFile(PathOf(wanted.key), static_cast<uint64_t>(limit_bytes_));
  if (!file.ok()) {
    if (!absl::IsNotFound(file.status())) Failed(file.status());
    Forget(wanted.key);
    return absl::NotFoundError("not in the disk tier");
  }
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
  return file;
}

absl::StatusOr<std::string> DiskTier::Read(const EntryHeader& wanted) {
  Entry found;
  return ReadVerified(wanted, found);
}

absl::StatusOr<std::string> DiskTier::Load(const EntryHeader& wanted) {
  Entry found;
  ACCELD_ASSIGN_OR_RETURN(std::string payload, ReadVerified(wanted, found));
  utimensat(AT_FDCWD, PathOf(wanted.key).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  found.last_use_unix_ns = NowUnixNs();
  MutexLock lock(mutex_);
  Entry& entry = index_[wanted.key];
  bytes_ += found.size_bytes - entry.size_bytes;
  entry = std::move(found);
  return payload;
}

bool DiskTier::Remove(const Digest& key) {
  const std::string path = PathOf(key);
  const bool removed = unlink(path.c_str()) == 0;
  if (!removed && errno != ENOENT) Failed(ErrnoStatus(errno, "remove", path));
  Forget(key);
  return removed;
}

void DiskTier::Store(const EntryHeader& header, absl::string_view payload) {
  std::string file = EncodeRecord(header, payload, node_key_);
  file.append(payload.data(), payload.size());
  if (file.size() > static_cast<uint64_t>(limit_bytes_)) return;
  MakeRoom(file.size());
  if (absl::Status status = Write(header.key, file); !status.ok()) return Failed(status);
  MutexLock lock(mutex_);
  Entry& entry = index_[header.key];
  bytes_ += file.size() - entry.size_bytes;
  entry = {header, file.size(), NowUnixNs()};
}

absl::Status DiskTier::Write(const Digest& key, absl::string_view file) {
  const std::string folder = FolderOf(key);
  ACCELD_RETURN_IF_ERROR(MakeFolder(folder));
  const std::string path = PathOf(key);
  ACCELD_ASSIGN_OR_RETURN(const std::string temporary, WriteTemporaryFile(path, file));
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    return ErrnoStatus(error, "rename to", path);
  }
  return FlushFolder(folder);
}

void DiskTier::MakeRoom(uint64_t bytes) {
  const uint64_t limit = static_cast<uint64_t>(limit_bytes_);
  {
    MutexLock lock(mutex_);
    if (bytes_ + bytes <= limit) return;
  }
  // Others may have added, used and removed files: what to remove is decided on what is there.
  Scan();
  std::vector<Entry> entries = List();
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.last_use_unix_ns < b.last_use_unix_ns; });
  for (const Entry& entry : entries) {
    {
      MutexLock lock(mutex_);
      if (bytes_ + bytes <= limit) return;
    }
    if (unlink(PathOf(entry.header.key).c_str()) == 0) {
      evictions_.fetch_add(1, std::memory_order_relaxed);
    } else if (errno != ENOENT) {
      Failed(ErrnoStatus(errno, "remove", PathOf(entry.header.key)));
    }
    Forget(entry.header.key);
  }
}

void DiskTier::Drop(const Digest& key, const absl::Status& reason) {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  const std::string path = PathOf(key);
  LogWarning("dropping ", path, ": ", reason.message());
  if (unlink(path.c_str()) != 0 && errno != ENOENT) Failed(ErrnoStatus(errno, "remove", path));
  Forget(key);
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

std::vector<DiskTier::Entry> DiskTier::List() const {
  MutexLock lock(mutex_);
  std::vector<Entry> entries;
  entries.reserve(index_.size());
  for (const auto& [key, entry] : index_) entries.push_back(entry);
  return entries;
}

}  // namespace acceld::cache
