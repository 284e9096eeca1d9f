#include "server/cache/redis/connection.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace acceld::cache::redis {
namespace {

constexpr size_t kReadBytes = 64 << 10;
// Longer arguments are sent without being copied.
constexpr size_t kCopiedBytes = 4096;
// The longest prefix of an error that is shown, as "WRONGPASS" or "ERR".
constexpr size_t kMaxKindBytes = 16;

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const Endpoint& endpoint,
                                                             const ConnectionOptions& options,
                                                             Clock::time_point deadline) {
  ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport,
                          Transport::Connect(endpoint, options.tls, deadline, options.interrupt));
  std::unique_ptr<Connection> connection(
      new Connection(endpoint, std::move(transport), options.max_reply_bytes));
  ACCELD_RETURN_IF_ERROR(connection->SendHello(options, deadline));
  return connection;
}

absl::Status Connection::SendHello(const ConnectionOptions& options, Clock::time_point deadline) {
  std::vector<std::vector<absl::string_view>> commands;
  if (!options.user.empty()) {
    commands.push_back({"AUTH", options.user, options.password});
  } else if (!options.password.empty()) {
    commands.push_back({"AUTH", options.password});
  }
  const std::string database = absl::StrCat(options.database);
  if (options.database != 0) commands.push_back({"SELECT", database});
  for (const std::vector<absl::string_view>& command : commands) {
    ACCELD_ASSIGN_OR_RETURN(const Reply reply, Call(command, deadline));
    if (!reply.is_error()) continue;
    // Only the kind of error is shown: the text may repeat the command, whose arguments are secret.
    const std::pair<absl::string_view, absl::string_view> words =
        absl::StrSplit(reply.text, absl::MaxSplits(' ', 1));
    const std::string text = absl::StrCat("Redis at ", ToString(endpoint_), ": ", command[0],
                                          " is refused: ", words.first.substr(0, kMaxKindBytes));
    return command[0] == "AUTH" ? absl::PermissionDeniedError(text)
                                : absl::FailedPreconditionError(text);
  }
  return absl::OkStatus();
}

absl::StatusOr<Reply> Connection::Call(absl::Span<const absl::string_view> command,
                                       Clock::time_point deadline) {
  if (!is_usable_) return absl::UnavailableError("a Redis connection that has failed before");
  absl::StatusOr<Reply> reply = Exchange(command, deadline);
  is_usable_ = reply.ok();
  return reply;
}

absl::StatusOr<Reply> Connection::Exchange(absl::Span<const absl::string_view> command,
                                           Clock::time_point deadline) {
  std::string out = absl::StrCat("*", command.size(), "\r\n");
  for (const absl::string_view argument : command) {
    absl::StrAppend(&out, "$", argument.size(), "\r\n");
    if (argument.size() <= kCopiedBytes) {
      absl::StrAppend(&out, argument, "\r\n");
      continue;
    }
    ACCELD_RETURN_IF_ERROR(transport_->Write(out, deadline));
    ACCELD_RETURN_IF_ERROR(transport_->Write(argument, deadline));
    out = "\r\n";
  }
  ACCELD_RETURN_IF_ERROR(transport_->Write(out, deadline));
  const auto buffer = std::make_unique<char[]>(kReadBytes);
  while (true) {
    ACCELD_ASSIGN_OR_RETURN(const size_t size,
                            transport_->Read(buffer.get(), kReadBytes, deadline));
    absl::StatusOr<absl::optional<Reply>> reply =
        reader_.Add(absl::string_view(buffer.get(), size));
    if (!reply.ok()) {
      return Annotate(reply.status(), absl::StrCat("Redis at ", ToString(endpoint_)));
    }
    if (reply->has_value()) return **std::move(reply);
  }
}

}  // namespace acceld::cache::redis
