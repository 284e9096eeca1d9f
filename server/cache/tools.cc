#include "server/cache/tools.h"

#include <utility>

#include "server/hal/executable.h"

namespace acceld::cache {
namespace {

absl::Status NoRemoteCache() {
  return absl::FailedPreconditionError("this daemon has no remote cache (remote-cache-url)");
}

}  // namespace

absl::StatusOr<std::vector<SigningKey>> Tools::Keys() const {
  std::vector<SigningKey> keys = keys_.keys();
  if (!keys.empty()) return keys;
  return absl::FailedPreconditionError(
      "entries that are carried elsewhere are signed with a team's key: set remote-cache-key-file");
}

absl::StatusOr<EntryStore::Page> Tools::ListRemote(absl::string_view from, size_t count) {
  if (remote_ == nullptr) return NoRemoteCache();
  return remote_->List(from, count);
}

absl::StatusOr<std::vector<Tools::Check>> Tools::Verify(bool remote) {
  if (remote && remote_ == nullptr) return NoRemoteCache();
  std::vector<Check> checks;
  if (disk_ != nullptr) {
    Check check{.tier = "disk"};
    disk_->WaitForIndex();
    for (const DiskTier::Entry& entry : disk_->List()) {
      const absl::StatusOr<std::string> payload = disk_->Read(entry.header);
      ++(payload.ok() ? check.entries : check.bad);
      if (payload.ok()) check.bytes += entry.size_bytes;
    }
    checks.push_back(std::move(check));
  }
  if (remote) {
    Check check{.tier = "remote"};
    ACCELD_ASSIGN_OR_RETURN(const RemoteTier::Audit audit, remote_->Verify());
    check.entries = audit.entries;
    check.bytes = audit.bytes;
    check.bad = audit.bad;
    checks.push_back(std::move(check));
  }
  return checks;
}

absl::StatusOr<Tools::Removed> Tools::Purge(absl::Span<const Digest> keys, bool remote) {
  if (remote && remote_ == nullptr) return NoRemoteCache();
  Removed removed;
  std::vector<Digest> in_memory(keys.begin(), keys.end()), on_disk = in_memory;
  if (keys.empty()) {
    for (const MemoryTier::Entry& entry : memory_.List()) in_memory.push_back(entry.key);
    if (disk_ != nullptr) {
      disk_->WaitForIndex();
      for (const DiskTier::Entry& entry : disk_->List()) on_disk.push_back(entry.header.key);
    }
  }
  for (const Digest& key : in_memory) removed.memory += memory_.Remove(key);
  if (disk_ != nullptr) {
    for (const Digest& key : on_disk) removed.disk += disk_->Remove(key);
  }
  if (remote) {
    ACCELD_ASSIGN_OR_RETURN(removed.remote, remote_->Remove(keys));
  }
  return removed;
}

absl::StatusOr<std::string> Tools::Export(const Digest& key) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<SigningKey> keys, Keys());
  if (disk_ != nullptr) {
    disk_->WaitForIndex();
    for (const DiskTier::Entry& entry : disk_->List()) {
      if (entry.header.key != key) continue;
      ACCELD_ASSIGN_OR_RETURN(const std::string payload, disk_->Read(entry.header));
      return EncodeBundleEntry(entry.header, payload, keys[0]);
    }
  }
  return absl::NotFoundError("there is no entry " + key.ToHex() + " on disk");
}

absl::StatusOr<BundleReader> Tools::BeginImport() const {
  ACCELD_ASSIGN_OR_RETURN(std::vector<SigningKey> keys, Keys());
  if (disk_ == nullptr && remote_ == nullptr) {
    return absl::FailedPreconditionError("this daemon keeps executables in memory only");
  }
  return BundleReader(std::move(keys));
}

absl::StatusOr<bool> Tools::Import(BundleReader entry) {
  ACCELD_ASSIGN_OR_RETURN(Entry opened, entry.Take());
  ACCELD_ASSIGN_OR_RETURN(const hal::Executable executable, hal::Deserialize(opened.payload));
  if (executable.architecture != opened.header.architecture) {
    return absl::DataLossError("cache entry: its code is for another architecture than it says");
  }
  const bool is_new = disk_ == nullptr || !disk_->Read(opened.header).ok();
  if (!is_new) return false;
  if (disk_ != nullptr) disk_->Store(opened.header, opened.payload, /*owner=*/"");
  if (remote_ != nullptr) {
    remote_->Publish(std::move(opened.header), std::move(opened.payload), nullptr);
  }
  return true;
}

void Tools::ReplaceKeys(std::vector<SigningKey> keys) {
  if (remote_ != nullptr) remote_->ReplaceKeys(keys);
  keys_.Replace(std::move(keys));
}

}  // namespace acceld::cache
