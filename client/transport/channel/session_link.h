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

// Runs the Channel streams of one session: writes the commands of the outbox, passes the daemon's
// events to a handler, and, if the session has a lease, resumes it on another stream when one
// breaks.
//
// By default two threads do this: the writer thread (CommandWriter) and the reader thread. A caller
// that waits for an answer may do both itself (Serve): it writes the commands in the outbox and
// reads until its answer arrives, so that no other thread of the client must be woken. One thread
// at a time writes and one reads.
//
// Thread-safe.
class SessionLink {
 public:
  // Receives what happens to the session. Called by the thread that reads.
  class Handler {
   public:
    virtual ~Handler() = default;
    // Handles an event other than Welcome and Goodbye. Must not block.
    virtual void OnEvent(v1::Event& event) = 0;
    // Returns whether an event is awaited. Must not take a lock that is held during calls of the
    // link.
    virtual bool ExpectsEvents() const = 0;
    // The session was resumed on another stream; the daemon has received the first `commands_taken`
    // commands. Nothing is written during this call.
    virtual void OnResumed(uint64_t commands_taken) = 0;
    // The session has ended. No function is called afterwards.
    virtual void OnEnd(const absl::Status& reason) = 0;
  };

  // The dialer, outbox and handler must outlive the link. `local_socket` is the daemon's first unix
  // socket (on which it serves gRPC) if the streams may bypass gRPC where the daemon offers that;
  // an empty path otherwise.
  SessionLink(Dialer& dialer, CommandOutbox& outbox, Handler& handler, SocketEndpoint local_socket);
  // Calls Close, then Join.
  ~SessionLink();

  // Opens the session. Blocks until the daemon has answered with Welcome, or returns nullptr if
  // `deadline` passes first. Call once, before any other function.
  const absl::StatusOr<v1::Welcome>* Open(v1::Hello hello,
                                          std::chrono::steady_clock::time_point deadline);

  // Writes the commands in the outbox, then reads on the calling thread (or waits while another
  // thread reads) until `done` is true or the session has ended. The answers to `requests`
  // (ascending numbers) must make `done` true. If `requests` is empty or contains 0, only writes.
  // Events other than credits and these answers may run callbacks of other callers, so they are
  // left to the reader thread. Does nothing on a TransportThread.
  void Serve(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done);
  // Like Serve, but gives up if the answer does not arrive soon (ChannelStream::PollBriefly) or
  // another thread is reading.
  void ServeBriefly(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done);
  // Ends the stream and any attempt to resume the session. Does not block.
  void Close();
  // Waits for the threads; call after Close, and not on one of them.
  void Join();

 private:
  // Opens a stream and sends `hello` on it. Returns the daemon's Welcome, or why the stream has
  // ended.
  absl::StatusOr<v1::Welcome> SendHello(const v1::Hello& hello);
  absl::StatusOr<v1::Welcome> SendHelloOn(ChannelStream& stream, const v1::Hello& hello);
  // From now on this is the session's stream. False, and it is cancelled, when the link is closed.
  bool Use(const std::shared_ptr<ChannelStream>& stream);
  bool Read(v1::EventBatch& events);
  void Handle(v1::Event& event);
  // Whether a caller in Serve gives up if its answer does not arrive soon.
  enum class WaitMode : uint8_t { kNone, kForever };
  void ServeWith(WaitMode patience, absl::Span<const uint64_t> requests,
                 absl::FunctionRef<bool()> done);
  // Called when a caller stops waiting for its answer: the reader thread receives it instead.
  void HandOverToReader() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunReader(const v1::Hello& hello);
  void ReadAndHandle();
  void HandleDeferred();
  // Returns whether the answer to one of `requests` was read by another caller and still has to be
  // handled by the reader thread.
  bool IsDeferred(absl::Span<const uint64_t> requests) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Resumes the session on another stream. Returns OK, or why that is not possible.
  absl::Status Recover();
  // Waits until `until` or until the link is closed, and lets the gRPC channel connect meanwhile.
  void Pause(std::chrono::steady_clock::time_point until);
  // Returns the error with which the session ends if its stream has ended with `status`.
  absl::Status EndOf(const absl::Status& status) const;
  std::shared_ptr<ChannelStream> stream() const;
  bool closed() const;

  Dialer& dialer_;
  CommandOutbox& outbox_;
  Handler& handler_;
  const SocketEndpoint local_socket_;
  Promise<v1::Welcome> welcome_promise_;  // Used by the reader thread.
  const Future<v1::Welcome> welcome_ = welcome_promise_.future();
  std::chrono::milliseconds lease_{0};  // Constant after Open.
  v1::Resume resume_;                   // Constant after Open.

  // One thread reads at a time: the one that has set `reading_`.
  mutable Mutex mutex_;
  CondVar changed_;  // Wakes the reader thread.
  CondVar callers_;  // Wakes the callers in Serve.
  // Shared with the threads that read and write it.
  std::shared_ptr<ChannelStream> stream_ ABSL_GUARDED_BY(mutex_);
  bool reading_ ABSL_GUARDED_BY(mutex_) = true;  // The reader thread is the first to read.
  // How many times callers have waited in Serve.
  uint64_t callers_so_far_ ABSL_GUARDED_BY(mutex_) = 0;
  int waiting_callers_ ABSL_GUARDED_BY(mutex_) = 0;
  bool reader_sleeps_ ABSL_GUARDED_BY(mutex_) = false;
  // A caller has left its answer to the reader thread since that thread last checked.
  bool left_to_reader_ ABSL_GUARDED_BY(mutex_) = false;
  bool stream_is_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  // Events that callers have read but the reader thread must handle; and the requests that are
  // answered by those events that it is handling at the moment.
  std::vector<v1::Event> deferred_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> handling_ ABSL_GUARDED_BY(mutex_);
  absl::Status goodbye_ ABSL_GUARDED_BY(mutex_);

  CommandWriter commands_{outbox_, [this] { return stream(); }};
  std::thread reader_;
};

}  // namespace acceld::client
