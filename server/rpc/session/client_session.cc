#include "server/rpc/session/client_session.h"

#include <memory>
#include <utility>
#include <vector>

#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "server/rpc/decode/bounded_message.h"
#include "server/rpc/decode/parse_message.h"
#include "server/rpc/decode/program.h"
#include "server/rpc/session/session_log.h"

namespace acceld::rpc {
namespace {

// Parses a message whose serialized form is the concatenation of the blocks.
bool ParseBlocks(const std::vector<std::string>& blocks, google::protobuf::MessageLite& message) {
  using google::protobuf::io::ArrayInputStream;
  std::vector<std::unique_ptr<ArrayInputStream>> parts;
  std::vector<google::protobuf::io::ZeroCopyInputStream*> streams;
  for (const std::string& block : blocks) {
    parts.push_back(
        std::make_unique<ArrayInputStream>(block.data(), static_cast<int>(block.size())));
    streams.push_back(parts.back().get());
  }
  google::protobuf::io::ConcatenatingInputStream all(streams.data(),
                                                     static_cast<int>(streams.size()));
  return ParseMessage(all, message);
}

}  // namespace

ClientSession::ClientSession(engine::Engine& engine, std::shared_ptr<engine::Session> session,
                             Caller owner, const RpcOptions& options,
                             std::chrono::milliseconds lease)
    : engine_(engine),
      session_(std::move(session)),
      owner_(std::move(owner)),
      lease_(lease),
      transfers_(std::make_shared<SessionTransfers>(options.max_transfer_bytes)),
      host_calls_(std::make_shared<HostCallDelivery>(transfers_, /*repeats=*/lease.count() > 0)),
      receive_memory_(engine.AllowanceOf(owner_.identity, engine::QuotaId::kReceiveMemory)),
      programs_(options.max_program_bytes, receive_memory_),
      renewed_at_(std::chrono::steady_clock::now()),
      handler_(*session_, transfers_, host_calls_, programs_, options) {
  session_->ServeHostCalls(host_calls_);
}

ClientSession::~ClientSession() { Close(absl::CancelledError("nobody holds it any more")); }

absl::StatusOr<uint64_t> ClientSession::Attach(std::shared_ptr<SessionStream> stream) {
  std::shared_ptr<SessionStream> displaced;
  {
    MutexLock lock(mutex_);
    if (ended_) return absl::CancelledError("the session has ended");
    displaced = std::exchange(stream_, stream);
    current_stream_.store(stream_.get());
  }
  RenewLease();
  if (displaced != nullptr) {
    displaced->Displace(absl::AbortedError("another stream has resumed the session"));
  }
  // The client fetches again what it was offered on the stream before.
  transfers_->Clear();
  host_calls_->Use(nullptr);
  MutexLock intake(command_mutex_);
  handler_.ForgetAwaitedProgram();
  return taken_;
}

void ClientSession::OnWelcomeSent(const std::shared_ptr<SessionStream>& stream) {
  {
    MutexLock lock(mutex_);
    if (stream_ != stream) return;
    host_calls_->Use(stream);
  }
  host_calls_->Repeat();
}

absl::Status ClientSession::Replace(std::shared_ptr<SessionStream> stream) {
  if (!command_mutex_.TryLock()) return absl::UnavailableError("a command is being decoded");
  std::shared_ptr<SessionStream> displaced = stream;
  {
    MutexLock lock(mutex_);
    if (!ended_) {
      displaced.swap(stream_);
      current_stream_.store(stream_.get());
      host_calls_->Use(stream_);
    }
  }
  command_mutex_.Unlock();
  if (displaced == stream) return absl::CancelledError("the session has ended");
  if (displaced != nullptr) displaced->Displace(absl::OkStatus());
  // Events on the stream before may not have been read.
  host_calls_->Repeat();
  return absl::OkStatus();
}

bool ClientSession::Detach(const SessionStream& stream) {
  {
    MutexLock lock(mutex_);
    if (stream_.get() != &stream) return true;
    stream_ = nullptr;
    current_stream_.store(nullptr);
    host_calls_->Use(nullptr);
    if (ended_) return false;
  }
  if (lease_.count() > 0) {
    LogStreamLost(session_->info(), lease_);
    return true;
  }
  Close(absl::CancelledError("its stream has ended"));
  return false;
}

bool ClientSession::IsHeavy(const v1::CommandBatch& batch) {
  MutexLock intake(command_mutex_);
  return handler_.IsHeavy(batch);
}

absl::StatusOr<ClientSession::TakeResult> ClientSession::Take(
    v1::Command& command, bool awaited, const std::shared_ptr<SessionStream>& stream) {
  MutexLock intake(command_mutex_);
  if (current_stream_.load() != stream.get()) {
    MutexLock lock(mutex_);
    if (stream_ != stream) return absl::AbortedError("another stream has resumed the session");
    if (ended_) return TakeResult::kEnded;
  }
  const absl::Status status = handler_.Handle(command, awaited, stream);
  if (absl::IsNotFound(status) && handler_.awaits_program()) return TakeResult::kNeedsProgram;
  ACCELD_RETURN_IF_ERROR(status);
  ++taken_;
  return TakeResult::kTaken;
}

absl::Status ClientSession::ProvideProgram(uint64_t program_id, const ChunkedBytes& serialized) {
  return EndProgramWait(program_id, AddProgram(serialized));
}

absl::StatusOr<Digest> ClientSession::AddProgram(const ChunkedBytes& serialized) {
  using Message = BoundedMessage<v1::Program>;
  ACCELD_ASSIGN_OR_RETURN(
      const std::unique_ptr<Message> program,
      Message::Decode(serialized.size_bytes(), [&serialized](v1::Program& message) {
        return ParseBlocks(serialized.blocks(), message);
      }));
  ACCELD_ASSIGN_OR_RETURN(ir::Module module, DecodeProgram(**program));
  return engine_.AddProgram(std::move(module), EntryOf(**program), serialized.size_bytes());
}

absl::Status ClientSession::RefuseProgram(uint64_t program_id, const absl::Status& why) {
  return EndProgramWait(program_id, why);
}

absl::Status ClientSession::EndProgramWait(uint64_t program_id,
                                           const absl::StatusOr<Digest>& fingerprint) {
  {
    MutexLock intake(command_mutex_);
    ACCELD_RETURN_IF_ERROR(handler_.ProvideProgram(program_id, fingerprint));
  }
  std::shared_ptr<SessionStream> stream;
  {
    MutexLock lock(mutex_);
    stream = stream_;
  }
  if (stream != nullptr) stream->ContinueCommands();
  return absl::OkStatus();
}

void ClientSession::RenewLease() { renewed_at_.store(std::chrono::steady_clock::now()); }

bool ClientSession::HasExpired(std::chrono::steady_clock::time_point now) {
  if (lease_.count() == 0 || now - renewed_at_.load() <= lease_) return false;
  std::shared_ptr<SessionStream> stream;
  {
    MutexLock lock(mutex_);
    stream = stream_;
  }
  if (stream == nullptr || !stream->HoldsBackClient()) return true;
  RenewLease();
  return false;
}

void ClientSession::End(const absl::Status& why) {
  std::shared_ptr<SessionStream> stream;
  {
    MutexLock lock(mutex_);
    stream = stream_;
  }
  // Closing the session answers all pending requests, so these answers come before the Goodbye.
  Close(why);
  if (stream != nullptr) stream->SendGoodbye(why);
}

void ClientSession::Close(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    if (std::exchange(ended_, true)) return;
    current_stream_.store(nullptr);
  }
  const SessionInfo held = session_->info();
  const auto start = std::chrono::steady_clock::now();
  session_->Close(why.message());
  host_calls_->Close();
  transfers_->Clear();
  programs_.Forget();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  LogSessionEnded(held, why, took.count());
}

}  // namespace acceld::rpc
