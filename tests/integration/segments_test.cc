// Bulk bytes through shared memory: clients and a server with a fake engine.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "client/host_buffer.h"
#include "client/transport/bulk/segment_channel.h"
#include "common/memory/memory_segment.h"
#include "common/memory/segment_messages.h"
#include "common/net/packet_socket.h"
#include "tests/integration/raw_client.h"
#include "tests/integration/raw_segments.h"
#include "tests/integration/rpc_fixture.h"
#include "tests/support/daemon/as_user.h"
#include "tests/support/eventually.h"
#include "tests/support/mapped_file.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::ByteSink;
using client::HostBuffer;
using client::SegmentChannel;
using segment::Request;
using segment::RequestKind;

class SegmentsTest : public RpcTest {
 protected:
  std::string socket_path() const { return folder_.path() + "/d.sock"; }

  // A session by hand, so that its token is known.
  void OpenSession(uint32_t lease_ms = 0) {
    raw_ = std::make_unique<RawClient>(address());
    stream_ = std::make_unique<RawStream>(*raw_);
    v1::Command hello = Hello();
    hello.mutable_hello()->set_lease_ms(lease_ms);
    stream_->Send({hello});
    const v1::Event welcome = stream_->Next();
    EXPECT_TRUE(welcome.welcome().local_transport());
    token_ = welcome.welcome().session_token();
  }
  // Names an upload of i32[size] as handle 5.
  void BeginUpload(int64_t size) {
    v1::Command begin;
    begin.mutable_begin_upload()->set_handle(5);
    begin.mutable_begin_upload()->mutable_type()->set_dtype("i32");
    begin.mutable_begin_upload()->mutable_type()->add_dims(size);
    stream_->Send({begin});
    EXPECT_TRUE(stream_->Next().has_credit());
  }

  std::unique_ptr<RawClient> raw_;
  std::unique_ptr<RawStream> stream_;
  std::string token_;
};

TEST_F(SegmentsTest, ArraysGoThereAndBackUnchanged) {
  auto client = Connect();
  // Less than a part, whole parts, a bit more, many rounds of the segment.
  for (int64_t size : {20'000, 65'536, 131'072, 131'073, 3'000'001}) {
    const ir::Literal value = Ramp(size);
    const absl::StatusOr<Array> array = client->Upload(value);
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(*array->Fetch(), value) << size;
    std::string bytes(value.type().size_bytes(), '\0');
    ASSERT_TRUE(array->FetchInto(absl::MakeSpan(bytes.data(), bytes.size())).ok());
    EXPECT_EQ(bytes, value.bytes());
  }
}

TEST_F(SegmentsTest, ManyTransfersGoOnAtTheSameTime) {
  auto client = Connect();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const ir::Literal value = Ramp(200'000 + i);
        EXPECT_EQ(*client->Upload(value)->Fetch(), value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SegmentsTest, ASegmentSmallerThanAPartServes) {
  StartServer({.segment_bytes = 4096});
  const ir::Literal value = Ramp(50'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
}

TEST_F(SegmentsTest, WithoutSegmentsBytesGoOverGrpc) {
  StartServer({.segment_bytes = 0});
  const ir::Literal value = Ramp(500'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
  EXPECT_FALSE(ConnectPacketSocket(socket_path() + segment::kSocketSuffix).ok());
}

TEST_F(SegmentsTest, ClientsBeyondTheLimitUseGrpc) {
  StartServer({.max_segment_connections = 1});
  RawSegments first(socket_path());
  OpenSession();
  ASSERT_EQ(first.Attach(token_), absl::StatusCode::kOk);
  EXPECT_EQ(RawSegments(socket_path()).Attach(token_), absl::StatusCode::kCancelled);
  const ir::Literal value = Ramp(500'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
}

TEST_F(SegmentsTest, ConnectionsThatSayNothingMakeRoomForThoseThatDo) {
  StartServer({.max_segment_connections = 2});
  OpenSession();
  std::vector<std::unique_ptr<RawSegments>> silent;
  for (int i = 0; i < 5; ++i) silent.push_back(std::make_unique<RawSegments>(socket_path()));
  RawSegments speaks(socket_path());
  EXPECT_EQ(speaks.Attach(token_), absl::StatusCode::kOk);
  EXPECT_EQ(silent[0]->Attach(token_), absl::StatusCode::kCancelled);
}

TEST_F(SegmentsTest, WhoHasSaidWhoseItIsMakesNoRoom) {
  StartServer({.max_segment_connections = 1});
  for (int i = 0; i < 200; ++i) {
    OpenSession();
    std::unique_ptr<RawSegments> attached;
    ASSERT_TRUE(Eventually([&] {  // The one before has to be gone.
      attached = std::make_unique<RawSegments>(socket_path());
      return attached->Attach(token_) == absl::StatusCode::kOk;
    }));
    const RawSegments newcomer(socket_path());
    ASSERT_TRUE(Eventually([&] { return IsClosed(newcomer.fd()); }));
    ASSERT_EQ(attached->Ask({.kind = RequestKind::kMap}), absl::StatusCode::kOk) << i;
  }
}

TEST_F(SegmentsTest, OnlyASessionsTokenOpensIt) {
  OpenSession();
  EXPECT_EQ(RawSegments(socket_path()).Attach("0123456789abcdef"), absl::StatusCode::kNotFound);
  RawSegments silent(socket_path());
  EXPECT_EQ(silent.Ask({.kind = RequestKind::kMap}), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(silent.Ask({.kind = RequestKind::kUpload, .target = 5}),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(silent.Attach(token_), absl::StatusCode::kOk);
  EXPECT_EQ(silent.Attach(token_), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SegmentsTest, RequestsOutsideOfTheirBoundsAreRefused) {
  OpenSession();
  BeginUpload(1000);
  RawSegments segments(socket_path());
  ASSERT_EQ(segments.Attach(token_), absl::StatusCode::kOk);
  const auto ask = [&](uint64_t segment_offset, uint64_t size, uint64_t array_offset = 0) {
    return segments.Ask({.kind = RequestKind::kUpload,
                         .target = 5,
                         .array_offset = array_offset,
                         .segment_offset = segment_offset,
                         .size_bytes = size});
  };
  EXPECT_EQ(ask(0, 1), absl::StatusCode::kInvalidArgument);  // No segment yet.
  ASSERT_EQ(segments.Ask({.kind = RequestKind::kMap}), absl::StatusCode::kOk);
  EXPECT_EQ(segments.Ask({.kind = RequestKind::kMap}), absl::StatusCode::kFailedPrecondition);
  const uint64_t size = segments.segment().size_bytes();
  EXPECT_EQ(ask(size, 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ask(0, size + 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ask(1, ~uint64_t{0}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ask(~uint64_t{0}, 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ask(0, 4, ~uint64_t{0}), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(segments.Ask({.kind = RequestKind::kUpload, .target = 6}), absl::StatusCode::kNotFound);
  EXPECT_EQ(segments.Ask({.kind = RequestKind::kDownload, .target = 77}),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(segments.Ask({.kind = static_cast<RequestKind>(99)}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(segments.Ask({.kind = RequestKind::kMap, .version = 9}),
            absl::StatusCode::kFailedPrecondition);
  // And none of it was the end of the daemon, the session or the upload.
  std::memset(segments.segment().data(), 1, 4000);
  EXPECT_EQ(
      segments.Ask({.kind = RequestKind::kUpload, .target = 5, .size_bytes = 4000, .last = 1}),
      absl::StatusCode::kOk);
  stream_->Send({Fetch(1, 5)});
  EXPECT_EQ(stream_->Next().ready().data(), std::string(4000, '\1'));
}

TEST_F(SegmentsTest, TheDaemonReadsHostBuffersByItself) {
  auto client = Connect();
  HostBuffer buffer = *HostBuffer::Allocate(3'000'001 * sizeof(int32_t));
  const ir::Literal value = Ramp(3'000'001);
  std::memcpy(buffer.data(), value.bytes().data(), buffer.size_bytes());
  // All of it, and what lies somewhere in it; twice, so that connections are used again.
  for (const size_t begin : {size_t{0}, size_t{4}, size_t{2'000'000}, size_t{0}}) {
    const absl::string_view bytes = buffer.bytes().substr(begin);
    const auto released = std::make_shared<std::promise<void>>();
    const absl::StatusOr<Array> array = client->UploadShared(
        {ir::DType::kI32, {static_cast<int64_t>(bytes.size() / sizeof(int32_t))}}, buffer, begin,
        [released] { released->set_value(); });
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->Fetch()->bytes(), bytes) << begin;
    released->get_future().wait();
  }
  EXPECT_EQ(*client->Upload(value)->Fetch(), value);
}

TEST_F(SegmentsTest, WhatCannotBeLentIsCopied) {
  auto client = Connect();
  const ir::Literal value = Ramp(1 << 18);
  // From now on there is a segment, which is idle.
  const auto idle = std::make_shared<std::promise<void>>();
  ASSERT_TRUE(client->UploadShared(value.type(), value.bytes(), [idle] { idle->set_value(); })
                  ->Await()
                  .ok());
  idle->get_future().wait();
  HostBuffer buffer = *HostBuffer::Allocate(value.bytes().size());
  std::memcpy(buffer.data(), value.bytes().data(), buffer.size_bytes());
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none_new = before;
  none_new.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none_new), 0);
  const auto released = std::make_shared<std::promise<void>>();
  const Array array =
      *client->UploadShared(value.type(), buffer, 0, [released] { released->set_value(); });
  const absl::Status arrived = array.Await();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(arrived.ok()) << arrived;
  released->get_future().wait();
  EXPECT_EQ(*array.Fetch(), value);
}

TEST_F(SegmentsTest, HostBuffersServeWithoutSharedMemoryToo) {
  StartServer({.segment_bytes = 0});
  HostBuffer buffer = *HostBuffer::Allocate(1 << 20);
  std::memset(buffer.data(), 7, buffer.size_bytes());
  const auto released = std::make_shared<std::promise<void>>();
  auto client = Connect();
  const Array array = *client->UploadShared({ir::DType::kI32, {1 << 18}}, buffer, 0,
                                            [released] { released->set_value(); });
  EXPECT_EQ(array.Fetch()->bytes(), buffer.bytes());
  released->get_future().wait();
  EXPECT_EQ(HostBuffer::Allocate(0).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(SegmentsTest, AnUploadThatDoesNotLieInItsHostBufferIsRefused) {
  const HostBuffer buffer = *HostBuffer::Allocate(1 << 20);
  auto client = Connect();
  for (const size_t offset : {size_t{4}, size_t{1 << 20}, size_t{1 << 21}, SIZE_MAX}) {
    bool is_released = false;
    const absl::StatusOr<Array> array = client->UploadShared({ir::DType::kI32, {1 << 18}}, buffer,
                                                             offset, [&] { is_released = true; });
    EXPECT_EQ(array.status().code(), absl::StatusCode::kInvalidArgument) << offset;
    EXPECT_TRUE(is_released) << offset;
  }
}

TEST_F(SegmentsTest, WhatIsLentIsReadWithinItsBoundsOnly) {
  OpenSession();
  BeginUpload(1000);
  RawSegments segments(socket_path());
  ASSERT_EQ(segments.Attach(token_), absl::StatusCode::kOk);
  const auto upload = [&](uint64_t offset, uint64_t size, uint32_t last = 0) {
    return segments.Ask({.kind = RequestKind::kUploadFromClientMemory,
                         .target = 5,
                         .segment_offset = offset,
                         .size_bytes = size,
                         .last = last});
  };
  const auto lend = [&](int fd) {
    return segments.Ask({.kind = RequestKind::kShareClientMemory}, fd);
  };
  EXPECT_EQ(upload(0, 4), absl::StatusCode::kFailedPrecondition);  // Nothing is lent.
  EXPECT_EQ(lend(-1), absl::StatusCode::kInvalidArgument);
  // What could keep the daemon waiting, or is none of the client's memory.
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const UniqueFd read_end(pipe_ends[0]), write_end(pipe_ends[1]);
  EXPECT_EQ(lend(read_end.get()), absl::StatusCode::kInvalidArgument);
  const UniqueFd file(open("/proc/self/exe", O_RDONLY));
  EXPECT_EQ(lend(file.get()), absl::StatusCode::kInvalidArgument);

  const UniqueFd memory(memfd_create("lent", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(memory.get(), 6000), 0);
  ASSERT_EQ(lend(memory.get()), absl::StatusCode::kOk);
  EXPECT_EQ(upload(0, segment::kMaxClientMemoryUploadBytes + 1),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(upload(~uint64_t{0}, 4), absl::StatusCode::kInvalidArgument);

  // Memory that shrinks while it is lent fails that upload alone.
  ASSERT_EQ(upload(4000, 1000), absl::StatusCode::kOk);
  ASSERT_EQ(ftruncate(memory.get(), 100), 0);
  EXPECT_EQ(segments.Ask({.kind = RequestKind::kUploadFromClientMemory,
                          .target = 5,
                          .array_offset = 1000,
                          .segment_offset = 5000,
                          .size_bytes = 1000}),
            absl::StatusCode::kInvalidArgument);
  const ir::Literal value = Ramp(100'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
}

TEST_F(SegmentsTest, WhoMapsAnArrayReadsTheSameMemory) {
  auto client = Connect();
  const ir::Literal value = Ramp(3'000'001);
  absl::optional<SharedBytes> first, second;
  {
    const Array array = *client->Upload(value);
    first = *array.Map();
    second = *array.Map();
  }
  EXPECT_EQ(first->view, value.bytes());
  EXPECT_EQ(second->view, value.bytes());
  EXPECT_NE(first->view.data(), second->view.data());
  EXPECT_EQ(MappedFileAt(first->view.data()), MappedFileAt(second->view.data()));
  // Not another array's, though it has the same bytes.
  const SharedBytes other = *client->Upload(value)->Map();
  EXPECT_NE(MappedFileAt(other.view.data()), MappedFileAt(first->view.data()));
  // And nobody's end is its end.
  client.reset();
  server_.reset();
  EXPECT_EQ(first->view, value.bytes());
}

TEST_F(SegmentsTest, MappedMemoryCannotBeChanged) {
  OpenSession();
  BeginUpload(50'000);
  RawSegments segments(socket_path());
  ASSERT_EQ(segments.Attach(token_), absl::StatusCode::kOk);
  const UniqueFd zeros(memfd_create("zeros", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(zeros.get(), 200'000), 0);
  ASSERT_EQ(segments.Ask({.kind = RequestKind::kShareClientMemory}, zeros.get()),
            absl::StatusCode::kOk);
  ASSERT_EQ(segments.Ask({.kind = RequestKind::kUploadFromClientMemory,
                          .target = 5,
                          .size_bytes = 200'000,
                          .last = 1}),
            absl::StatusCode::kOk);
  stream_->Send({Fetch(1, 5)});
  const uint64_t transfer = stream_->Next().ready().transfer_id();
  ASSERT_EQ(segments.Ask({.kind = RequestKind::kShare, .target = transfer}), absl::StatusCode::kOk);
  const UniqueFd shared = segments.TakePassed();
  ASSERT_TRUE(shared.valid());
  // Not even by who opens the file anew, as its owner may.
  const UniqueFd anew(open(absl::StrCat("/proc/self/fd/", shared.get()).c_str(), O_RDWR));
  ASSERT_TRUE(anew.valid());
  EXPECT_LT(pwrite(anew.get(), "x", 1, 0), 0);
  EXPECT_NE(ftruncate(anew.get(), 0), 0);
  EXPECT_EQ(mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, anew.get(), 0), MAP_FAILED);
  EXPECT_EQ(MapImmutable(shared)->view, std::string(200'000, '\0'));
  EXPECT_FALSE(MapImmutable(zeros).ok());
  // A transfer is given once.
  EXPECT_EQ(segments.Ask({.kind = RequestKind::kShare, .target = transfer}),
            absl::StatusCode::kNotFound);
}

TEST_F(SegmentsTest, ArraysBeyondTheLimitsAreCopied) {
  const ir::Literal value = Ramp(1'000'000);
  for (const rpc::RpcOptions& limits :
       {rpc::RpcOptions{.shared_array_bytes = 5'000'000}, rpc::RpcOptions{.max_shared_arrays = 1},
        rpc::RpcOptions{.shared_array_bytes = 0}}) {
    StartServer(limits);
    auto client = Connect();
    const Array one = *client->Upload(value), two = *client->Upload(value);
    const SharedBytes first = *one.Map(), second = *two.Map();
    EXPECT_EQ(first.view, value.bytes());
    EXPECT_EQ(second.view, value.bytes());
    EXPECT_EQ(MappedFileAt(second.view.data()), 0u);  // Memory of this process.
  }
}

TEST_F(SegmentsTest, RoomIsThereAgainWhenNobodyMapsAnArray) {
  StartServer({.shared_array_bytes = 5'000'000});
  auto client = Connect();
  const ir::Literal value = Ramp(1'000'000);
  const Array one = *client->Upload(value);
  {
    const SharedBytes first = *one.Map();
    EXPECT_NE(MappedFileAt(first.view.data()), 0u);
  }
  // The server hears of it on another socket than that of the next request.
  EXPECT_TRUE(Eventually([&] {
    const Array two = *client->Upload(value);
    const SharedBytes second = *two.Map();
    EXPECT_EQ(second.view, value.bytes());
    return MappedFileAt(second.view.data()) != 0;
  }));
}

TEST_F(SegmentsTest, WithoutSharedMemoryArraysAreFetched) {
  const ir::Literal value = Ramp(1'000'000);
  StartServer({.segment_bytes = 0});
  auto client = Connect();
  const Array large = *client->Upload(value), small = *client->Upload(Ramp(3));
  EXPECT_EQ(large.Map()->view, value.bytes());
  EXPECT_EQ(small.Map()->view, Ramp(3).bytes());
  EXPECT_EQ(Array().Map().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SegmentsTest, GarbageEndsItsConnectionAlone) {
  RawSegments garbage(socket_path());
  ASSERT_TRUE(SendPacket(garbage.fd(), "garbage").ok());
  char answer[8];
  EXPECT_EQ(ReceivePacket(garbage.fd(), {answer, sizeof(answer)}, Blocking::kYes)->size_bytes, 0u);
  const ir::Literal value = Ramp(100'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
}

TEST_F(SegmentsTest, AClientThatDoesNotReadItsAnswersIsCutOff) {
  RawSegments deaf(socket_path());
  const Request request{.kind = RequestKind::kMap};
  absl::Status sent;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (sent.ok() && std::chrono::steady_clock::now() < deadline) {
    sent = SendPacket(deaf.fd(), {reinterpret_cast<const char*>(&request), sizeof(request)});
  }
  EXPECT_FALSE(sent.ok());
  const ir::Literal value = Ramp(100'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
}

TEST_F(SegmentsTest, AnUploadWhoseClientGoesFails) {
  OpenSession();
  BeginUpload(1000);
  {
    RawSegments segments(socket_path());
    ASSERT_EQ(segments.Attach(token_), absl::StatusCode::kOk);
    ASSERT_EQ(segments.Ask({.kind = RequestKind::kMap}), absl::StatusCode::kOk);
    ASSERT_EQ(segments.Ask({.kind = RequestKind::kUpload, .target = 5, .size_bytes = 400}),
              absl::StatusCode::kOk);
    ASSERT_EQ(segments.Ask({.kind = RequestKind::kDetach}), absl::StatusCode::kOk);
  }
  stream_->Send({Fetch(1, 5)});
  EXPECT_EQ(stream_->Next().ready().code(), static_cast<uint32_t>(absl::StatusCode::kCancelled));
}

TEST_F(SegmentsTest, ASessionWithALeaseEndsWithItsProcess) {
  OpenSession(/*lease_ms=*/60'000);
  {
    RawSegments watch(socket_path());
    ASSERT_EQ(watch.Attach(token_), absl::StatusCode::kOk);
    ASSERT_EQ(watch.Ask({.kind = RequestKind::kDetach}), absl::StatusCode::kOk);
  }
  {
    RawSegments watch(socket_path());
    ASSERT_EQ(watch.Attach(token_), absl::StatusCode::kOk);
    EXPECT_EQ(engine_.Sessions().size(), 1u);
  }
  // As if the process were killed: the connection ends without a word.
  EXPECT_TRUE(Eventually([&] { return engine_.Sessions().empty(); }));
}

}  // namespace
}  // namespace acceld::testing
