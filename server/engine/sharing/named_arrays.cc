#include "server/engine/sharing/named_arrays.h"

#include <iterator>
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

absl::Status AlreadyNamed(absl::string_view name) {
  return absl::AlreadyExistsError(absl::StrCat("another array is named ", Quoted(name)));
}

std::pair<std::string, std::string> Key(absl::string_view name, absl::string_view owner) {
  return {std::string(name), std::string(owner)};
}

bool Owns(absl::string_view owner, const Identity& who) {
  return owner == who.name || who.role == Role::kAdmin;
}

}  // namespace

absl::Status NamedArrays::Publish(const Identity& owner, IdentityAccount& account,
                                  absl::string_view name, std::shared_ptr<runtime::Array> array,
                                  const PublishOptions& options) {
  ACCELD_RETURN_IF_ERROR(CheckName(name));
  if (options.for_everyone && owner.role == Role::kUser) {
    return absl::PermissionDeniedError(
        absl::StrCat("the array ", Quoted(name), ": ", owner.name,
                     " is no publisher, who alone may name arrays for everyone"));
  }
  Entry entry{std::move(array), owner.name, options.for_everyone, std::chrono::steady_clock::now(),
              runtime::Charge()};
  Entry replaced;  // declared before the lock, to be released after the unlock
  MutexLock lock(mutex_);
  const auto own = entries_.find(Key(name, owner.name));
  const auto shared = FindShared(name);
  const bool takes_shared =
      shared != entries_.end() && shared != own && (own == entries_.end() || options.for_everyone);
  if (takes_shared) {
    if (!Owns(shared->second.owner, owner)) return NotAllowed(name, shared->second.owner, owner);
    if (shared->second.array != entry.array && !options.replace) return AlreadyNamed(name);
  }
  if (own != entries_.end()) {
    if (own->second.array != entry.array && !options.replace) return AlreadyNamed(name);
    entry.charge = std::move(own->second.charge);
    replaced = std::exchange(own->second, std::move(entry));
  } else {
    if (entries_.size() >= limit_ && !takes_shared) {
      return absl::ResourceExhaustedError(
          absl::StrCat("named arrays: ", entries_.size(), " of ", limit_, " names are in use"));
    }
    ACCELD_ASSIGN_OR_RETURN(entry.charge, account.Take(QuotaId::kNamedArrays, 1));
    entries_.emplace(Key(name, owner.name), std::move(entry));
  }
  if (!takes_shared) return absl::OkStatus();
  std::swap(replaced, shared->second);
  entries_.erase(shared);
  return absl::OkStatus();
}

NamedArrays::Entries::iterator NamedArrays::FindShared(absl::string_view name) {
  auto it = entries_.lower_bound(Key(name, ""));
  while (it != entries_.end() && it->first.first == name) {
    if (it->second.for_everyone) return it;
    ++it;
  }
  return entries_.end();
}

absl::StatusOr<NamedArrays::Entries::iterator> NamedArrays::FindFor(const Identity& who,
                                                                    absl::string_view name) {
  if (const auto own = entries_.find(Key(name, who.name)); own != entries_.end()) return own;
  if (const auto shared = FindShared(name); shared != entries_.end()) return shared;
  if (who.role != Role::kAdmin) return NoSuchName(name);
  const auto first = entries_.lower_bound(Key(name, ""));
  if (first == entries_.end() || first->first.first != name) return NoSuchName(name);
  const auto second = std::next(first);
  if (second == entries_.end() || second->first.first != name) return first;
  return absl::FailedPreconditionError(absl::StrCat("several identities have an array named ",
                                                    Quoted(name), ": ", first->second.owner, ", ",
                                                    second->second.owner));
}

absl::StatusOr<std::shared_ptr<runtime::Array>> NamedArrays::Open(const Identity& reader,
                                                                  absl::string_view name) {
  MutexLock lock(mutex_);
  ACCELD_ASSIGN_OR_RETURN(const auto found, FindFor(reader, name));
  return found->second.array;
}

absl::Status NamedArrays::Drop(const Identity& who, absl::string_view name) {
  Entry dropped;
  MutexLock lock(mutex_);
  ACCELD_ASSIGN_OR_RETURN(const auto found, FindFor(who, name));
  if (!Owns(found->second.owner, who)) return NotAllowed(name, found->second.owner, who);
  dropped = std::move(found->second);
  entries_.erase(found);
  return absl::OkStatus();
}

std::vector<NamedArrayInfo> NamedArrays::List(const Identity& reader) const {
  const auto now = std::chrono::steady_clock::now();
  std::vector<NamedArrayInfo> infos;
  MutexLock lock(mutex_);
  for (const auto& [key, entry] : entries_) {
    if (!entry.for_everyone && !Owns(entry.owner, reader)) continue;
    infos.push_back({.name = key.first,
                     .owner = entry.owner,
                     .type = *entry.array->type(),
                     .device = static_cast<uint32_t>(entry.array->device()),
                     .for_everyone = entry.for_everyone,
                     .age_s = std::chrono::duration<double>(now - entry.since).count()});
  }
  return infos;
}

}  // namespace acceld::engine
