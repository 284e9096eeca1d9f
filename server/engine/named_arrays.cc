#include "server/engine/named_arrays.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace acceld::engine {
namespace {

constexpr size_t kMaxNameBytes = 256;

std::string Quoted(absl::string_view name) { return absl::StrCat("'", absl::CEscape(name), "'"); }

absl::Status CheckName(absl::string_view name) {
  if (name.empty()) return absl::InvalidArgumentError("the name of an array is empty");
  if (name.size() > kMaxNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the name of an array has ", name.size(),
                                                   " bytes; at most ", kMaxNameBytes,
                                                   " are allowed"));
  }
  for (const unsigned char c : name) {
    if (c <= ' ' || c == 0x7f) {
      return absl::InvalidArgumentError(
          absl::StrCat("the name ", Quoted(name), " has a space or a control character"));
    }
  }
  return absl::OkStatus();
}

absl::Status NoSuchName(absl::string_view name) {
  return absl::NotFoundError(absl::StrCat("no array is named ", Quoted(name)));
}

absl::Status NotAllowed(absl::string_view name, absl::string_view owner, const Identity& who) {
  return absl::PermissionDeniedError(
      absl::StrCat("the array ", Quoted(name), " belongs to ", owner, ", not to ", who.name));
}

bool Owns(absl::string_view owner, const Identity& who) {
  return owner == who.name || who.role == Role::kAdmin;
}

}  // namespace

absl::Status NamedArrays::Publish(const Identity& owner, absl::string_view name,
                                  std::shared_ptr<runtime::Array> array,
                                  const PublishOptions& options) {
  ACCELD_RETURN_IF_ERROR(CheckName(name));
  if (options.for_everyone && owner.role == Role::kUser) {
    return absl::PermissionDeniedError(
        absl::StrCat("the array ", Quoted(name), ": ", owner.name,
                     " is no publisher, who alone may name arrays for everyone"));
  }
  Entry entry{std::move(array), owner.name, options.for_everyone, std::chrono::steady_clock::now()};
  MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    if (entries_.size() >= limit_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("named arrays: ", entries_.size(), " of ", limit_, " names are in use"));
    }
    entries_.emplace(name, std::move(entry));
    return absl::OkStatus();
  }
  if (!Owns(found->second.owner, owner)) return NotAllowed(name, found->second.owner, owner);
  if (found->second.array != entry.array && !options.replace) {
    return absl::AlreadyExistsError(absl::StrCat("another array is named ", Quoted(name)));
  }
  std::swap(found->second, entry);  // The old one is let go of below the lock.
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<runtime::Array>> NamedArrays::Open(const Identity& reader,
                                                                  absl::string_view name) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return NoSuchName(name);
  const Entry& entry = found->second;
  if (!entry.for_everyone && !Owns(entry.owner, reader))
    return NotAllowed(name, entry.owner, reader);
  return entry.array;
}

absl::Status NamedArrays::Drop(const Identity& who, absl::string_view name) {
  Entry dropped;
  MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return NoSuchName(name);
  if (!Owns(found->second.owner, who)) return NotAllowed(name, found->second.owner, who);
  dropped = std::move(found->second);
  entries_.erase(found);
  return absl::OkStatus();
}

std::vector<NamedArrayInfo> NamedArrays::List(const Identity& reader) const {
  const auto now = std::chrono::steady_clock::now();
  std::vector<NamedArrayInfo> infos;
  MutexLock lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (!entry.for_everyone && !Owns(entry.owner, reader)) continue;
    infos.push_back({.name = name,
                     .owner = entry.owner,
                     .type = *entry.array->type(),
                     .device = static_cast<uint32_t>(entry.array->device()),
                     .for_everyone = entry.for_everyone,
                     .age_s = std::chrono::duration<double>(now - entry.since).count()});
  }
  return infos;
}

}  // namespace acceld::engine
