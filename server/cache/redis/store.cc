#include "server/cache/redis/store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/cache/redis/slots.h"

namespace acceld::cache::redis {
namespace {

constexpr size_t kMaxIdle = 8;           // idle connections to a server
constexpr size_t kMaxIdleServers = 256;  // bounded, as servers may redirect to any address
// The least bandwidth of a network, for the timeouts of large values.
constexpr uint64_t kMinBytesPerMs = 8 << 10;
// The most redirections that one command follows while a cluster moves its slots.
constexpr int kMaxRedirections = 8;

// A redirection by a node of a cluster, as "MOVED 3999 10.0.0.7:6381".
struct Redirection {
  bool is_for_once = false;  // an ASK redirection, for this command only
  uint16_t slot = 0;
  Endpoint to;
};

// Returns nullopt when the reply is no redirection. An empty host stands for the server that
// replied.
absl::optional<Redirection> RedirectionOf(const Reply& reply, const Endpoint& from) {
  if (!reply.is_error()) return absl::nullopt;
  const std::vector<absl::string_view> words = absl::StrSplit(reply.text, ' ');
  Redirection redirection;
  uint32_t slot = 0;
  if (words.size() != 3 || (words[0] != "MOVED" && words[0] != "ASK") ||
      !absl::SimpleAtoi(words[1], &slot) || slot >= kNumSlots) {
    return absl::nullopt;
  }
  redirection.is_for_once = words[0] == "ASK";
  redirection.slot = static_cast<uint16_t>(slot);
  const std::string address =
      absl::StartsWith(words[2], ":") ? absl::StrCat(from.host, words[2]) : std::string(words[2]);
  absl::StatusOr<Endpoint> to = ParseEndpoint(address, 0);
  if (!to.ok() || to->port == 0) return absl::nullopt;
  redirection.to = *std::move(to);
  return redirection;
}

absl::Status ErrorOf(const Endpoint& endpoint, absl::string_view command, const Reply& reply) {
  const std::string text =
      absl::StrCat("Redis at ", ToString(endpoint), ": ", command, ": ", ToString(reply));
  if (absl::StartsWith(reply.text, "OOM")) return absl::ResourceExhaustedError(text);
  if (absl::StartsWith(reply.text, "NOAUTH") || absl::StartsWith(reply.text, "NOPERM") ||
      absl::StartsWith(reply.text, "WRONGPASS")) {
    return absl::PermissionDeniedError(text);
  }
  for (const absl::string_view later : {"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN",
                                        "TRYAGAIN", "BUSY", "MISCONF", "NOREPLICAS"}) {
    if (absl::StartsWith(reply.text, later)) return absl::UnavailableError(text);
  }
  return absl::InternalError(text);
}

// Whether the error suggests that the topology has changed since it was found out.
bool SaysOtherMaster(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace

Store::Store(Options options) : options_(std::move(options)), breaker_(options_.breaker) {}

absl::StatusOr<Reply> Store::Call(absl::string_view key,
                                  absl::Span<const absl::string_view> command, uint64_t bytes) {
  const std::chrono::milliseconds extra(bytes / kMinBytesPerMs);
  return Guarded(Clock::now() + options_.timeout + extra, key, nullptr, command);
}

absl::StatusOr<Reply> Store::CallNode(const Endpoint& node,
                                      absl::Span<const absl::string_view> command) {
  return Guarded(Clock::now() + options_.timeout, "", &node, command);
}

absl::StatusOr<Reply> Store::Guarded(Clock::time_point deadline, absl::string_view key,
                                     const Endpoint* node,
                                     absl::Span<const absl::string_view> command) {
  if (is_closed()) return absl::CancelledError("Redis is not asked any more");
  if (!breaker_.Allows(Clock::now())) {
    refusals_.fetch_add(1, std::memory_order_relaxed);
    return absl::UnavailableError(
        absl::StrCat("Redis (", ToString(options_.url), ") failed lately and is not asked now"));
  }
  calls_.fetch_add(1, std::memory_order_relaxed);
  absl::StatusOr<Reply> reply =
      node != nullptr ? CallAt(*node, deadline, command) : Follow(deadline, key, command);
  if (node != nullptr && reply.ok() && reply->is_error()) {
    reply = ErrorOf(*node, command[0], *reply);
  }
  if (reply.ok()) {
    breaker_.Succeeded();
    return reply;
  }
  failures_.fetch_add(1, std::memory_order_relaxed);
  // A server that replies with an error is reachable.
  if (absl::IsInternal(reply.status()) || absl::IsResourceExhausted(reply.status())) {
    breaker_.Succeeded();
  } else {
    breaker_.Failed(Clock::now());
  }
  if (SaysOtherMaster(reply.status())) ForgetTopology();
  return reply;
}

absl::StatusOr<Reply> Store::Follow(Clock::time_point deadline, absl::string_view key,
                                    absl::Span<const absl::string_view> command) {
  ACCELD_ASSIGN_OR_RETURN(Endpoint endpoint, EndpointOf(key, deadline));
  bool asking = false;
  for (int i = 0; i < kMaxRedirections; ++i) {
    ACCELD_ASSIGN_OR_RETURN(Reply reply, CallAt(endpoint, deadline, command, asking));
    if (!reply.is_error()) return reply;
    // Only nodes of a cluster may redirect.
    const absl::optional<Redirection> next = options_.url.topology == Url::Topology::kCluster
                                                 ? RedirectionOf(reply, endpoint)
                                                 : absl::nullopt;
    if (!next.has_value()) return ErrorOf(endpoint, command[0], reply);
    asking = next->is_for_once;
    endpoint = next->to;
    if (asking) continue;
    MutexLock lock(mutex_);
    slots_[next->slot] = next->to;
  }
  return absl::UnavailableError(absl::StrCat("Redis cluster: ", kMaxRedirections,
                                             " redirections, at last to ", ToString(endpoint),
                                             ", for one command"));
}

absl::StatusOr<Reply> Store::CallAt(const Endpoint& endpoint, Clock::time_point deadline,
                                    absl::Span<const absl::string_view> command, bool asking) {
  for (bool fresh : {false, true}) {
    ACCELD_ASSIGN_OR_RETURN(AllowanceHold taken, Take(endpoint, deadline, fresh));
    if (asking) {
      const absl::StatusOr<Reply> asked = taken.connection->Call({"ASKING"}, deadline);
      if (!asked.ok() && taken.is_used) continue;
      ACCELD_RETURN_IF_ERROR(asked.status());
    }
    absl::StatusOr<Reply> reply = taken.connection->Call(command, deadline);
    // The server of an idle connection may have been restarted.
    if (absl::IsUnavailable(reply.status()) && taken.is_used) continue;
    ACCELD_RETURN_IF_ERROR(reply.status());
    GiveBack(std::move(taken.connection));
    return reply;
  }
  return absl::InternalError("a fresh connection counts as used");
}

absl::StatusOr<Endpoint> Store::EndpointOf(absl::string_view key, Clock::time_point deadline) {
  switch (options_.url.topology) {
    case Url::Topology::kSingle:
      break;
    case Url::Topology::kSentinel: {
      {
        MutexLock lock(mutex_);
        if (master_.has_value()) return *master_;
      }
      ACCELD_ASSIGN_OR_RETURN(const Endpoint master, AskSentinels(deadline));
      MutexLock lock(mutex_);
      master_ = master;
      return master;
    }
    case Url::Topology::kCluster: {
      MutexLock lock(mutex_);
      const auto found = slots_.find(SlotOf(key));
      if (found != slots_.end()) return found->second;
      // Any node can redirect to the right one. The choice changes with every failure, so that a
      // node that does not answer is avoided next time.
      return options_.url
          .endpoints[static_cast<size_t>(failures_.load()) % options_.url.endpoints.size()];
    }
  }
  return options_.url.endpoints[0];
}

absl::StatusOr<Endpoint> Store::AskSentinels(Clock::time_point deadline) {
  absl::Status last = absl::UnavailableError("no sentinel");
  // Sentinels have no databases; their passwords, if any, differ from the master's.
  const ConnectionOptions connection{
      .tls = options_.tls, .max_reply_bytes = size_t{1} << 20, .interrupt = &closing_};
  // The time is divided between the Sentinels and the master.
  auto left = static_cast<int64_t>(options_.url.endpoints.size()) + 1;
  for (const Endpoint& sentinel : options_.url.endpoints) {
    const Clock::time_point now = Clock::now();
    const Clock::time_point own_deadline = now + (deadline - now) / left--;
    absl::StatusOr<std::unique_ptr<Connection>> opened =
        Connection::Open(sentinel, connection, own_deadline);
    if (!opened.ok()) {
      last = opened.status();
      continue;
    }
    const absl::StatusOr<Reply> reply =
        (*opened)->Call({"SENTINEL", "get-master-addr-by-name", options_.url.master}, own_deadline);
    if (!reply.ok()) {
      last = reply.status();
      continue;
    }
    uint32_t port = 0;
    if (reply->elements.size() == 2 && absl::SimpleAtoi(reply->elements[1].text, &port) &&
        port > 0 && port <= 65535) {
      return Endpoint{reply->elements[0].text, static_cast<uint16_t>(port)};
    }
    last = absl::UnavailableError(absl::StrCat("the sentinel at ", ToString(sentinel),
                                               " does not know the master '", options_.url.master,
                                               "': ", ToString(*reply)));
  }
  return last;
}

absl::StatusOr<std::vector<Endpoint>> Store::Nodes() {
  if (options_.url.topology != Url::Topology::kCluster) {
    ACCELD_ASSIGN_OR_RETURN(const Endpoint endpoint,
                            EndpointOf("", Clock::now() + options_.timeout));
    return std::vector<Endpoint>{endpoint};
  }
  ACCELD_ASSIGN_OR_RETURN(const Reply reply, Call("", {"CLUSTER", "SLOTS"}));
  std::vector<Endpoint> nodes;
  for (const Reply& range : reply.elements) {
    if (range.elements.size() < 3 || range.elements[2].elements.size() < 2) continue;
    const Reply& master = range.elements[2];
    const int64_t port = master.elements[1].integer;
    if (master.elements[0].text.empty() || port <= 0 || port > 65535) continue;
    const Endpoint node{master.elements[0].text, static_cast<uint16_t>(port)};
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }
  return nodes;
}

absl::StatusOr<Store::AllowanceHold> Store::Take(const Endpoint& endpoint,
                                                 Clock::time_point deadline, bool fresh) {
  if (!fresh) {
    MutexLock lock(mutex_);
    const auto idle = idle_.find(ToString(endpoint));
    if (idle != idle_.end() && !idle->second.empty()) {
      AllowanceHold taken{.connection = std::move(idle->second.back()), .is_used = true};
      idle->second.pop_back();
      return taken;
    }
  }
  ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                          Connection::Open(endpoint,
                                           {.tls = options_.tls,
                                            .user = options_.url.user,
                                            .password = options_.url.password,
                                            .database = options_.url.database,
                                            .max_reply_bytes = options_.max_reply_bytes,
                                            .interrupt = &closing_},
                                           deadline));
  return AllowanceHold{.connection = std::move(connection)};
}

void Store::GiveBack(std::unique_ptr<Connection> connection) {
  const std::string server = ToString(connection->endpoint());
  MutexLock lock(mutex_);
  if (idle_.size() >= kMaxIdleServers && !idle_.contains(server)) return;
  std::vector<std::unique_ptr<Connection>>& idle = idle_[server];
  if (idle.size() < kMaxIdle) idle.push_back(std::move(connection));
}

void Store::ForgetTopology() {
  absl::flat_hash_map<std::string, std::vector<std::unique_ptr<Connection>>> closed;
  MutexLock lock(mutex_);
  master_.reset();
  slots_.clear();
  closed.swap(idle_);
}

Store::Stats Store::stats() const {
  return {.calls = calls_.load(),
          .failures = failures_.load(),
          .refusals = refusals_.load(),
          .breaker_openings = breaker_.openings(),
          .breaker_is_open = breaker_.is_open()};
}

}  // namespace acceld::cache::redis
