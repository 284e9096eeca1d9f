// Clients that declare sizes, shapes and handles that cannot be, while others work.

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/integration/faults/fault_fixture.h"
#include "tests/integration/raw_client.h"

namespace acceld::testing {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();

class FaultAbsurdTest : public FaultTest {
 protected:
  // Shapes of 2^63 bytes and of more, of less than nothing, and of more dimensions than anybody
  // has.
  static std::vector<std::vector<int64_t>> Shapes() {
    return {{int64_t{1} << 61},
            {kMost},
            {kMost, kMost, kMost},
            {int64_t{1} << 32, int64_t{1} << 32},
            {-1},
            {std::numeric_limits<int64_t>::min()},
            {0, kMost},
            std::vector<int64_t>(10'000, 2),
            std::vector<int64_t>(10'000, 1)};
  }
  static void SetType(const std::vector<int64_t>& dims, v1::TensorType& type) {
    type.set_dtype("f32");
    type.clear_dims();
    for (int64_t dim : dims) type.add_dims(dim);
  }
  // How many of the answers to these commands are errors; each must come.
  size_t Failures(const std::vector<v1::Command>& commands, size_t answers) {
    std::vector<v1::Command> all = {Hello(), Register(kDoubleText), Put(1)};
    all.insert(all.end(), commands.begin(), commands.end());
    const RawClient::Outcome outcome = RawClient(address()).Send(all, answers + 1);
    EXPECT_GT(outcome.events.size(), answers) << outcome.status.error_message();
    size_t failures = 0;
    for (const v1::Event& event : outcome.events) {
      failures += event.ready().code() != 0 || event.compile_done().code() != 0;
    }
    return failures;
  }
};

TEST_F(FaultAbsurdTest, Shapes) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount({"--device-memory", "64MiB"}));
  std::vector<v1::Command> commands;
  uint64_t handle = 10, request = 1;
  for (const std::vector<int64_t>& dims : Shapes()) {
    if (dims == std::vector<int64_t>{0, kMost}) continue;  // Empty, which is fine.
    v1::Command begin;
    begin.mutable_begin_upload()->set_handle(handle);
    SetType(dims, *begin.mutable_begin_upload()->mutable_type());
    v1::Command put = Put(handle + 1);
    SetType(dims, *put.mutable_put()->mutable_literal()->mutable_type());
    v1::Command compile;
    compile.mutable_compile()->set_request_id(request + 2);
    compile.mutable_compile()->set_program_id(1);
    SetType(dims, *compile.mutable_compile()->add_arguments());
    commands.insert(commands.end(),
                    {begin, put, compile, Fetch(request, handle), Fetch(request + 1, handle + 1)});
    handle += 2;
    request += 3;
  }
  EXPECT_EQ(Failures(commands, request - 1), request - 1);
  ExpectServes();
  ExpectNothingLeft();
}

TEST_F(FaultAbsurdTest, Handles) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount());
  v1::Command release;
  for (uint64_t i = 0; i < 100'000; ++i) release.mutable_release()->add_handles(kLast - i);
  v1::Command many = Execute(1, 1, 5);
  for (uint64_t i = 0; i < 50'000; ++i) many.mutable_execute()->add_inputs(i);
  v1::Command twofold = Execute(1, 1, 6);
  for (uint64_t i = 0; i < 50'000; ++i) twofold.mutable_execute()->add_outputs(100 + i);
  v1::Command nowhere = Execute(1, 1, 7);
  nowhere.mutable_execute()->set_device(~0u);
  v1::Command publish;
  publish.mutable_publish()->set_request_id(6);
  publish.mutable_publish()->set_handle(kLast - 1);
  publish.mutable_publish()->set_name(std::string(100'000, 'n'));
  EXPECT_EQ(Failures({release, many, twofold, nowhere, Execute(kLast, 1, 8), Fetch(1, 5),
                      Fetch(2, 6), Fetch(3, 7), Fetch(4, 8), Fetch(5, kLast - 2), publish,
                      Cancel({0, kLast, 9}), Put(kLast), Fetch(7, kLast)},
                     7),
            6u);
  // A handle that is defined twice breaks the protocol.
  const RawClient::Outcome outcome = RawClient(address()).Send({Hello(), Put(1), Put(1)});
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  ExpectServes();
  ExpectNothingLeft();
}

TEST_F(FaultAbsurdTest, UploadsAndDownloadsOfNothing) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount());
  RawClient raw(address());
  RawStream stream(raw);
  stream.Send({Hello(), Put(1)});
  const std::string token = stream.Next().welcome().session_token();
  for (uint64_t target : {uint64_t{0}, uint64_t{1}, uint64_t{77}, kLast}) {
    grpc::ClientContext upload_context, download_context;
    v1::UploadReply reply;
    auto upload = raw.stub().Upload(&upload_context, &reply);
    v1::UploadChunk chunk;
    chunk.set_session_token(token);
    chunk.set_handle(target);
    chunk.set_data(std::string(1 << 20, 'x'));
    upload->Write(chunk);
    upload->WritesDone();
    EXPECT_FALSE(upload->Finish().ok()) << target;
    v1::DownloadRequest request;
    request.set_session_token(token);
    request.set_transfer_id(target);
    auto download = raw.stub().Download(&download_context, request);
    v1::DownloadChunk received;
    EXPECT_FALSE(download->Read(&received));
    EXPECT_FALSE(download->Finish().ok()) << target;
  }
  // And the session still works.
  stream.Send({Fetch(1, 1)});
  EXPECT_EQ(stream.Next().ready().data(), TwoFloats(1, 2).data());
  ExpectServes();
}

}  // namespace
}  // namespace acceld::testing
