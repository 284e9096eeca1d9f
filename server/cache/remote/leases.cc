#include "server/cache/remote/leases.h"

#include "absl/strings/str_cat.h"

namespace acceld::cache {
namespace {

constexpr absl::string_view kRenew =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2])";
constexpr absl::string_view kRelease =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
    "return redis.call('DEL', KEYS[1])";

}  // namespace

absl::StatusOr<bool> Leases::Acquire(const Digest& key, absl::string_view token) {
  const std::string name = names_.Lease(key), duration = absl::StrCat(duration_.count());
  ACCELD_ASSIGN_OR_RETURN(const redis::Reply reply,
                          redis_.Call(name, {"SET", name, token, "PX", duration, "NX"}));
  if (!reply.is_nil()) return true;
  // The command may have been sent twice because its connection broke; the second one then finds
  // the lease taken by the first.
  ACCELD_ASSIGN_OR_RETURN(const redis::Reply holder, redis_.Call(name, {"GET", name}));
  return holder.text == token;
}

absl::StatusOr<bool> Leases::IsTaken(const Digest& key) {
  const std::string name = names_.Lease(key);
  ACCELD_ASSIGN_OR_RETURN(const redis::Reply reply, redis_.Call(name, {"EXISTS", name}));
  return reply.integer != 0;
}

absl::StatusOr<bool> Leases::Renew(const Digest& key, absl::string_view token) {
  const std::string name = names_.Lease(key), duration = absl::StrCat(duration_.count());
  ACCELD_ASSIGN_OR_RETURN(const redis::Reply reply,
                          redis_.Call(name, {"EVAL", kRenew, "1", name, token, duration}));
  return reply.integer != 0;
}

absl::Status Leases::Release(const Digest& key, absl::string_view token) {
  const std::string name = names_.Lease(key);
  return redis_.Call(name, {"EVAL", kRelease, "1", name, token}).status();
}

}  // namespace acceld::cache
