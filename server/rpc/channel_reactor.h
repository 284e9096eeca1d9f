#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "acceld/v1/acceld.grpc.pb.h"
#include "common/mutex.h"
#include "common/thread_pool.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/command_handler.h"
#include "server/rpc/options.h"

namespace acceld::rpc {

// Messages are taken as bytes: only so can a message that does not decode be told from the end of
// the stream.
using ChannelStream = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// One Channel stream: reads a batch, hands it to the CommandHandler (on the decode pool when that
// may take long), reads the next; collects events and writes them in batches, one write in flight.
//
// Reading pauses while too many events, requests or executions of the session are under way, so a
// client that runs ahead is held by HTTP/2 flow control and by its command window. No thread of
// gRPC waits here. gRPC owns the object from its creation to OnDone; callbacks of the engine and
// the decode pool share it.
class ChannelReactor : public ChannelStream,
                       public SessionEvents,
                       public std::enable_shared_from_this<ChannelReactor> {
 public:
  static std::shared_ptr<ChannelReactor> Start(engine::Engine& engine, TransferTable& transfers,
                                               const RpcOptions& options,
                                               observability::RpcInstruments& instruments,
                                               ThreadPool& decoders);

  // Ends the stream with `status` (once; later calls do nothing) and closes the session.
  void End(const grpc::Status& status);
  // The same, but the events that are there by then are sent first. A client that does not take
  // them holds the end up until the call is cancelled.
  void EndWhenWritten(const grpc::Status& status);

  // SessionEvents. Events after the end are dropped.
  void Send(v1::Event event) override;
  void Begin(Work work) override;
  void End(Work work) override;

 private:
  struct Outgoing {
    v1::EventBatch message;
    size_t size_bytes = 0;
  };

  ChannelReactor(engine::Engine& engine, TransferTable& transfers, const RpcOptions& options,
                 observability::RpcInstruments& instruments, ThreadPool& decoders);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // Goes on with the batch on a decoding thread, in turns with other sessions.
  void QueueTurn();
  // Handles what is left of the batch, then reads on; queues another turn when this one is over.
  void TakeTurn();
  void Credit();
  void ReadNext();
  bool MayRead() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartReadIfPaused() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartWriteIfIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FinishIfWritten() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const RpcOptions& options_;
  observability::RpcInstruments& instruments_;
  ThreadPool& decoders_;
  CommandHandler handler_;
  std::shared_ptr<ChannelReactor> self_;  // gRPC's share: from Start to OnDone.

  // Owned by the reading side: a read in flight, or the one thread that takes the batch in.
  grpc::ByteBuffer incoming_;
  v1::CommandBatch batch_;
  int next_command_ = 0;
  uint64_t uncredited_ = 0;

  // The mutex also orders StartRead, StartWrite and Finish; gRPC calls nobody back from inside
  // them.
  Mutex mutex_;
  std::deque<Outgoing> outgoing_ ABSL_GUARDED_BY(mutex_);
  grpc::ByteBuffer writing_;
  uint64_t event_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t requests_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t executions_ ABSL_GUARDED_BY(mutex_) = 0;
  bool write_in_flight_ ABSL_GUARDED_BY(mutex_) = false;
  bool paused_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<grpc::Status> last_words_ ABSL_GUARDED_BY(mutex_);  // of EndWhenWritten
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
