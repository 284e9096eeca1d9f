#include "server/rpc/auth/connections.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "common/files/unique_fd.h"
#include "server/rpc/auth/refusal_log.h"

namespace acceld::rpc {
namespace {

using observability::Refusal;

// How often the connections are checked when all of them are identified.
constexpr std::chrono::milliseconds kCheckInterval{2000};
// The shortest time between two searches for closed connections when there are too many
// unidentified ones.
constexpr std::chrono::milliseconds kMinSweepInterval{20};

// Returns the inode number of the socket; 0 when `fd` is not a socket.
ino_t SocketOf(int fd) {
  struct stat info = {};
  return fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) ? info.st_ino : 0;
}

// Returns the peer's address as gRPC spells it, but without escapes: "ipv6:[::1]:7070".
absl::StatusOr<std::string> AddressOf(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    return absl::ErrnoToStatus(errno, "getpeername");
  }
  char text[INET6_ADDRSTRLEN] = {};
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    return absl::StrCat("ipv4:", text, ":", ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text, sizeof(text));
    return absl::StrCat("ipv4:", text, ":", ntohs(v6.sin6_port));
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  const std::string scope = v6.sin6_scope_id == 0 ? "" : absl::StrCat("%", v6.sin6_scope_id);
  return absl::StrCat("ipv6:[", text, scope, "]:", ntohs(v6.sin6_port));
}

std::string WithoutEscapes(absl::string_view peer) {
  return absl::StrReplaceAll(peer, {{"%5B", "["}, {"%5D", "]"}, {"%25", "%"}});
}

}  // namespace

absl::Status TakeUnlessAdmin(engine::Engine& engine, const engine::Identity& identity,
                             int64_t descriptors, Taken& taken) {
  taken = Taken(engine.AllowanceOf(identity, engine::QuotaId::kDescriptors));
  const absl::Status status = taken.Add(descriptors);
  return identity.role == Role::kAdmin ? absl::OkStatus() : status;
}

Connections::Connections(engine::Engine& engine, observability::RpcInstruments& instruments,
                         Limits limits)
    : engine_(engine), instruments_(instruments), limits_(limits) {}

void Connections::Watch(TimerQueue& timers) {
  MutexLock lock(mutex_);
  timers_ = &timers;
}

absl::Status Connections::CheckReserve(int fd, bool is_admin) const {
  // A new descriptor gets the lowest free number, so at least `fd` descriptors are open.
  const uint64_t rest = limits_.descriptors - std::min(limits_.descriptors, limits_.reserve);
  if (is_admin || limits_.descriptors == 0 || static_cast<uint64_t>(fd) < rest) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrCat("descriptors: ", fd, " of ", limits_.descriptors,
                                                   " are open, and the last ", limits_.reserve,
                                                   " are for admins"));
}

absl::Status Connections::AddUnix(int fd, PeerCredentials peer,
                                  const absl::optional<engine::Identity>& identity) {
  Connection connection{.peer = std::move(peer), .is_identified = identity.has_value()};
  if (identity.has_value()) {
    ACCELD_RETURN_IF_ERROR(TakeUnlessAdmin(engine_, *identity, 1, connection.descriptors));
  }
  Add(fd, std::move(connection));
  return absl::OkStatus();
}

absl::Status Connections::AddTcp(int fd) {
  ACCELD_RETURN_IF_ERROR(CheckReserve(fd, /*is_admin=*/false));
  ACCELD_ASSIGN_OR_RETURN(std::string address, AddressOf(fd));
  Add(fd, {.address = std::move(address)});
  return absl::OkStatus();
}

void Connections::Add(int fd, Connection connection) {
  connection.socket = SocketOf(fd);
  connection.since = Clock::now();
  std::vector<Ended> ended;
  {
    MutexLock lock(mutex_);
    // The descriptor is new, so an older connection with its number has been closed.
    if (const auto old = connections_.find(fd); old != connections_.end()) Remove(old);
    if (!connection.is_identified) {
      MakeRoom(ended);
      ++unidentified_;
    }
    if (!connection.address.empty()) by_address_[connection.address] = fd;
    connections_.insert_or_assign(fd, std::move(connection));
    ScheduleCheck();
  }
  Note(ended);
}

void Connections::Remove(Table::iterator connection) {
  if (!connection->second.is_identified) --unidentified_;
  const auto address = by_address_.find(connection->second.address);
  if (address != by_address_.end() && address->second == connection->first) {
    by_address_.erase(address);
  }
  connections_.erase(connection);
}

int Connections::DescriptorOf(absl::string_view peer) const {
  int fd = -1;
  if (absl::string_view number = peer; absl::ConsumePrefix(&number, "fd:")) {
    return absl::SimpleAtoi(number, &fd) ? fd : -1;
  }
  const auto found = by_address_.find(WithoutEscapes(peer));
  return found == by_address_.end() ? -1 : found->second;
}

Connections::Found Connections::Find(absl::string_view peer) const {
  MutexLock lock(mutex_);
  const auto found = connections_.find(DescriptorOf(peer));
  if (found == connections_.end()) return {.is_identified = true};
  return {found->second.peer, found->second.is_identified};
}

absl::Status Connections::Identify(absl::string_view peer, const engine::Identity& identity) {
  Taken descriptors;
  ACCELD_RETURN_IF_ERROR(TakeUnlessAdmin(engine_, identity, 1, descriptors));
  MutexLock lock(mutex_);
  const auto found = connections_.find(DescriptorOf(peer));
  if (found == connections_.end() || found->second.is_identified) return absl::OkStatus();
  found->second.is_identified = true;
  found->second.descriptors = std::move(descriptors);
  --unidentified_;
  return absl::OkStatus();
}

void Connections::NoteOpenCall(absl::string_view peer) {
  MutexLock lock(mutex_);
  const auto found = connections_.find(DescriptorOf(peer));
  if (found != connections_.end()) found->second.has_open_calls = true;
}

void Connections::Sweep(bool all) {
  swept_at_ = Clock::now();
  std::vector<int> over;
  for (const auto& [fd, connection] : connections_) {
    if (!all && connection.is_identified) continue;
    if (SocketOf(fd) != connection.socket) over.push_back(fd);
  }
  for (const int fd : over) Remove(connections_.find(fd));
}

void Connections::MakeRoom(std::vector<Ended>& ended) {
  if (unidentified_ < limits_.unidentified) return;
  if (Clock::now() - swept_at_ >= kMinSweepInterval) Sweep(/*all=*/false);
  if (unidentified_ < limits_.unidentified) return;
  auto oldest = connections_.end();
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->second.is_identified) continue;
    if (oldest == connections_.end() || it->second.since < oldest->second.since) oldest = it;
  }
  if (oldest == connections_.end()) return;
  EndUnidentified(oldest,
                  absl::ResourceExhaustedError(absl::StrCat(
                      unidentified_, " of ", limits_.unidentified,
                      " connections have not said whose they are; this is the oldest")),
                  ended);
}

void Connections::EndUnidentified(Table::iterator silent, absl::Status why,
                                  std::vector<Ended>& ended) {
  const auto& [fd, connection] = *silent;
  // gRPC may close the descriptor at any time, so that its number means another file. A duplicate
  // keeps referring to the same file between the check and the shutdown.
  const UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (copy.valid() && SocketOf(copy.get()) == connection.socket) {
    shutdown(copy.get(), SHUT_RDWR);
    ended.push_back(
        {{.peer = connection.peer.has_value() ? TextOf(*connection.peer) : connection.address},
         std::move(why)});
  }
  Remove(silent);
}

void Connections::Note(const std::vector<Ended>& ended) {
  for (const auto& [caller, why] : ended) {
    NoteRefusal(instruments_, Refusal::kSilence, "connection", caller, why);
  }
}

void Connections::CheckConnections() {
  std::vector<Ended> ended;
  {
    MutexLock lock(mutex_);
    check_is_scheduled_ = false;
    Sweep(/*all=*/true);
    const auto now = Clock::now();
    std::vector<int> late;
    for (const auto& [fd, connection] : connections_) {
      if (connection.is_identified || connection.has_open_calls) continue;
      if (now - connection.since >= limits_.patience) late.push_back(fd);
    }
    for (const int fd : late) {
      EndUnidentified(connections_.find(fd),
                      absl::DeadlineExceededError(absl::StrCat("it did not say whose it is for ",
                                                               limits_.patience.count(), " ms")),
                      ended);
    }
    ScheduleCheck();
  }
  Note(ended);
}

void Connections::ScheduleCheck() {
  if (check_is_scheduled_ || timers_ == nullptr || connections_.empty()) return;
  const auto pause = unidentified_ > 0 ? std::clamp(limits_.patience / 4,
                                                    std::chrono::milliseconds(10), kCheckInterval)
                                       : kCheckInterval;
  check_is_scheduled_ = timers_->At(Clock::now() + pause, [this] { CheckConnections(); }) != 0;
}

}  // namespace acceld::rpc
