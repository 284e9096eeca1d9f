#include "client/transport/bulk/bulk_stream.h"

#include <utility>

#include "acceld/v1/acceld.grpc.pb.h"
#include "client/transport/dial/call_status.h"

namespace acceld::client {

BulkStream::BulkStream(std::shared_ptr<RpcChannel> line, const std::string& peer,
                       const std::string& method, WhenDown when_down)
    : line_(std::move(line)), peer_(peer) {
  context_.set_wait_for_ready(when_down == WhenDown::kWait);
  call_ = line_->generic.PrepareCall(
      &context_, std::string("/") + v1::Acceld::service_full_name() + "/" + method, &queue_);
}

void BulkStream::Start() {
  call_->StartCall(this);
  (void)Wait();
}

BulkStream::~BulkStream() {
  if (!finished_) {
    Cancel();
    (void)Finish();
  }
  queue_.Shutdown();
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) {
  }
}

void BulkStream::Cancel() {
  cancelled_ = true;
  context_.TryCancel();
}

bool BulkStream::Wait() {
  void* tag;
  bool ok = false;
  return queue_.Next(&tag, &ok) && ok;
}

bool BulkStream::Write(const grpc::ByteBuffer& message) {
  call_->Write(message, this);
  return Wait();
}

bool BulkStream::WritesDone() {
  call_->WritesDone(this);
  return Wait();
}

bool BulkStream::Read(grpc::ByteBuffer& message) {
  call_->Read(&message, this);
  return Wait();
}

absl::Status BulkStream::Finish() {
  grpc::Status status;
  call_->Finish(&status, this);
  (void)Wait();
  finished_ = true;
  return StatusOfCall(status, peer_, cancelled_);
}

}  // namespace acceld::client
