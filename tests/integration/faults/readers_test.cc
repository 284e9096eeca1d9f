// Clients that read slowly or not at all, while others work at speed.

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/faults/fault_fixture.h"
#include "tests/integration/raw_client.h"

namespace acceld::testing {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kMiB = uint64_t{1} << 20;

// A value of `size` f32, as one element.
v1::Command Splat(uint64_t handle, int64_t size) {
  v1::Command command = Put(handle);
  v1::Literal& literal = *command.mutable_put()->mutable_literal();
  literal.mutable_type()->set_dims(0, size);
  literal.set_data(std::string(4, 'x'));
  return command;
}

class FaultReadersTest : public FaultTest {
 protected:
  // Others are served, and the daemon does not hold all that nobody reads.
  void ExpectUnharmed(uint64_t allowed_growth_bytes) {
    ExpectServes();
    EXPECT_LT(ResidentBytes(daemon_->process.pid()), before_.resident_bytes + allowed_growth_bytes);
  }
};

// What it makes the daemon hold: `channel-event-size` of answers, and `channel-requests` that are
// still being read back.
TEST_F(FaultReadersTest, OneThatReadsNoEventsHoldsUpNobody) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount({"--channel-requests", "1000"}));
  RawClient raw(address());
  grpc::ClientContext context;
  auto stream = raw.stub().Channel(&context);
  v1::CommandBatch hello;
  *hello.add_commands() = Hello();
  *hello.add_commands() = Splat(1, 8192);
  stream->Write(hello);
  // 32 KiB each, 3 GiB in all; the daemon stops reading long before.
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (uint64_t batch = 0; batch < 1000; ++batch) {
      v1::CommandBatch fetches;
      for (uint64_t i = 0; i < 100; ++i) *fetches.add_commands() = Fetch(batch * 100 + i + 1, 1);
      if (!stream->Write(fetches)) return;
      ++written;
    }
  });
  // It gets no further.
  int last = -1;
  EXPECT_TRUE(Eventually([&] {
    std::this_thread::sleep_for(milliseconds(500));
    return written > 0 && std::exchange(last, written.load()) == written;
  }));
  ExpectUnharmed(128 * kMiB);
  context.TryCancel();
  writer.join();
  (void)stream->Finish();
  ExpectNothingLeft();
}

TEST_F(FaultReadersTest, DownloadsThatNobodyReadsHoldUpNobody) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount());
  RawClient raw(address());
  RawStream stream(raw);
  stream.Send({Hello(), Splat(1, 4 << 20)});
  const std::string token = stream.Next().welcome().session_token();
  struct Download {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::DownloadChunk>> reader;
  };
  std::vector<std::unique_ptr<Download>> downloads;
  for (uint64_t i = 1; i <= 8; ++i) {
    stream.Send({Fetch(i, 1)});
    const v1::Event event = stream.Next();
    ASSERT_NE(event.ready().transfer_id(), 0u) << event.ready().message();
    v1::DownloadRequest request;
    request.set_session_token(token);
    request.set_transfer_id(event.ready().transfer_id());
    downloads.push_back(std::make_unique<Download>());
    downloads.back()->reader = raw.stub().Download(&downloads.back()->context, request);
  }
  // One is read, slowly.
  std::thread slow([&] {
    v1::DownloadChunk chunk;
    size_t bytes = 0;
    while (downloads[0]->reader->Read(&chunk)) {
      bytes += chunk.data().size();
      std::this_thread::sleep_for(milliseconds(50));
    }
    EXPECT_EQ(bytes, 16 * kMiB);
    EXPECT_TRUE(downloads[0]->reader->Finish().ok());
  });
  ExpectUnharmed(256 * kMiB);
  slow.join();
  for (size_t i = 1; i < downloads.size(); ++i) {
    downloads[i]->context.TryCancel();
    (void)downloads[i]->reader->Finish();
  }
  stream.Send({Fetch(9, 1)});
  EXPECT_TRUE(stream.Next().has_ready());
}

TEST_F(FaultReadersTest, AnUploadThatTricklesHoldsUpNobody) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount());
  RawClient raw(address());
  {
    RawStream stream(raw);
    v1::Command begin;
    begin.mutable_begin_upload()->set_handle(1);
    begin.mutable_begin_upload()->mutable_type()->set_dtype("f32");
    begin.mutable_begin_upload()->mutable_type()->add_dims(1 << 20);
    stream.Send({Hello(), begin});
    const std::string token = stream.Next().welcome().session_token();
    ASSERT_TRUE(stream.Next().has_credit());
    grpc::ClientContext context;
    v1::UploadReply reply;
    auto upload = raw.stub().Upload(&context, &reply);
    v1::UploadChunk chunk;
    chunk.set_session_token(token);
    chunk.set_handle(1);
    chunk.set_data("one");  // Not even an element.
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(upload->Write(chunk));
      std::this_thread::sleep_for(milliseconds(10));
    }
    ExpectUnharmed(64 * kMiB);
    upload->WritesDone();
    EXPECT_EQ(upload->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  ExpectNothingLeft();
}

}  // namespace
}  // namespace acceld::testing
