#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "acceld/v1/acceld.grpc.pb.h"
#include "client/transport/channel/channel_stream.h"
#include "client/transport/channel/command_writer.h"
#include "client/transport/channel/outbox.h"
#include "client/transport/dial/dial.h"
#include "client/transport/dial/trusted_socket.h"
#include "common/status.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// The Channel streams of one session: writes what the outbox holds, hands what the daemon says to a
// handler, and goes on with another stream when one breaks and the session has a lease.
//
// Two threads do this by default. A caller that waits for an answer may do it itself (Serve): it
// writes what is in the outbox and reads until the answer is there, so that a question and its
// answer wake no other thread of the client. One at a time writes and one at a time reads.
//
// Any thread may call.
class SessionLink {
 public:
  class Handler {
   public:
    virtual ~Handler() = default;
    // An event that is neither Welcome nor Goodbye. Must not block.
    virtual void OnEvent(v1::Event& event) = 0;
    // Whether somebody waits for an event. Takes no lock under which the link is called.
    virtual bool ExpectsEvents() const = 0;
    // The session goes on behind `commands_taken` commands. Nothing is written meanwhile.
    virtual void OnResumed(uint64_t commands_taken) = 0;
    // The session is over. The last call.
    virtual void OnEnd(const absl::Status& reason) = 0;
  };

  // The dialer, outbox and handler outlive the link. `local_socket` is the place of the daemon's
  // first socket, if the streams may go past gRPC where the daemon offers that.
  SessionLink(Dialer& dialer, CommandOutbox& outbox, Handler& handler, SocketPlace local_socket);
  ~SessionLink();  // Close, then Join.

  // Blocks until the daemon has welcomed the session; nullptr when `deadline` comes first. Call
  // once, before anything else.
  const absl::StatusOr<v1::Welcome>* Open(v1::Hello hello,
                                          std::chrono::steady_clock::time_point deadline);

  // Writes what is in the outbox, then helps reading until `done`, which the answers to `requests`
  // (ascending) make true, or the end; without requests, or with 0, only writes. Events that may
  // run callbacks of others, which are all but these answers, are left to the link's thread.
  void Serve(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done);
  // The same, but gives up when the answer does not come soon (ChannelStream::PollBriefly), or when
  // another thread reads.
  void ServeBriefly(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done);
  // Ends the stream, and any attempt to go on with another. Does not wait.
  void Close();
  // Waits for the threads of one that is closed. Not from one of them.
  void Join();

 private:
  // Makes the stream and says hello on it. The stream's status if it ends instead of a welcome.
  absl::StatusOr<v1::Welcome> Greet(const v1::Hello& hello);
  absl::StatusOr<v1::Welcome> GreetOn(ChannelStream& stream, const v1::Hello& hello);
  // From now on this is the session's stream. False, and it is cancelled, when the link is closed.
  bool Use(const std::shared_ptr<ChannelStream>& stream);
  bool Read(v1::EventBatch& events);
  void Handle(v1::Event& event);
  enum class Patience : uint8_t { kNone, kForever };
  void ServeWith(Patience patience, absl::Span<const uint64_t> requests,
                 absl::FunctionRef<bool()> done);
  // The caller goes without its answer, which the reader thread is to receive.
  void LeaveToReader() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunReader(const v1::Hello& hello);
  void ReadAndHandle();
  void HandleDeferred();
  // Whether another caller has read an answer to one of these, which the reader thread is yet to
  // hand over.
  bool IsDeferred(absl::Span<const uint64_t> requests) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether another stream goes on with the session; the reason why none does.
  absl::Status Recover();
  // Lets the channel connect until then, or until the link is closed.
  void Pause(std::chrono::steady_clock::time_point until);
  absl::Status EndOf(const absl::Status& status) const;
  std::shared_ptr<ChannelStream> stream() const;
  bool closed() const;

  Dialer& dialer_;
  CommandOutbox& outbox_;
  Handler& handler_;
  const SocketPlace local_socket_;
  Promise<v1::Welcome> welcome_promise_;  // Reader thread.
  const Future<v1::Welcome> welcome_ = welcome_promise_.future();
  std::chrono::milliseconds lease_{0};  // Constant once welcomed.
  v1::Resume resume_;                   // The same.

  // One reads at a time: who has set `reading_`.
  mutable Mutex mutex_;
  CondVar changed_;  // For the reader thread.
  CondVar callers_;  // For those in Serve.
  // Shared with its reader and writer.
  std::shared_ptr<ChannelStream> stream_ ABSL_GUARDED_BY(mutex_);
  bool reading_ ABSL_GUARDED_BY(mutex_) = true;          // The reader thread begins.
  uint64_t callers_so_far_ ABSL_GUARDED_BY(mutex_) = 0;  // that have waited in Serve
  int waiting_callers_ ABSL_GUARDED_BY(mutex_) = 0;
  bool reader_sleeps_ ABSL_GUARDED_BY(mutex_) = false;
  bool left_to_reader_ ABSL_GUARDED_BY(mutex_) = false;  // since the reader thread looked
  bool stream_is_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  // What callers have read for others, and the requests of what the reader thread has taken of it.
  std::vector<v1::Event> deferred_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> in_hand_ ABSL_GUARDED_BY(mutex_);
  absl::Status goodbye_ ABSL_GUARDED_BY(mutex_);

  CommandWriter commands_{outbox_, [this] { return stream(); }};
  std::thread reader_;
};

}  // namespace acceld::client
