// A session is its identity's own: to others its token, and what it holds,
// means nothing.

#include "absl/strings/str_cat.h"
#include "tests/integration/security/access_fixture.h"

namespace acceld::testing {
namespace {

using grpc::StatusCode;

class SessionsTest : public AccessTest {
 protected:
  // A session of ann with a lease, and an upload that waits for its bytes.
  void OpenSession() {
    ann_ = As("ann");
    stream_ = ann_->stub().Channel(&context_);
    v1::CommandBatch batch;
    v1::Command hello = Hello();
    hello.mutable_hello()->set_lease_ms(60'000);
    v1::Command begin;
    begin.mutable_begin_upload()->set_handle(kUpload);
    begin.mutable_begin_upload()->mutable_type()->set_dtype("f32");
    for (const v1::Command& command : {hello, begin}) *batch.add_commands() = command;
    ASSERT_TRUE(stream_->Write(batch));
    v1::EventBatch events;
    while (!credited_ && stream_->Read(&events)) {
      for (const v1::Event& event : events.events()) {
        if (event.has_welcome()) welcome_ = event.welcome();
        credited_ |= event.has_credit();
      }
    }
    ASSERT_TRUE(credited_);
  }
  grpc::Status Resume(RawClient& raw, const std::string& token) {
    v1::Command command = Hello();
    command.mutable_hello()->mutable_resume()->set_session_token(token);
    command.mutable_hello()->mutable_resume()->set_incarnation(welcome_.incarnation());
    return raw.Send({command}, 1).status;
  }
  static grpc::Status Upload(RawClient& raw, const std::string& token, uint64_t handle) {
    grpc::ClientContext context;
    v1::UploadReply reply;
    auto upload = raw.stub().Upload(&context, &reply);
    v1::UploadChunk chunk;
    chunk.set_session_token(token);
    chunk.set_handle(handle);
    chunk.set_data("1234");
    upload->Write(chunk);
    upload->WritesDone();
    return upload->Finish();
  }
  static grpc::Status Download(RawClient& raw, const std::string& token) {
    grpc::ClientContext context;
    v1::DownloadRequest request;
    request.set_session_token(token);
    request.set_transfer_id(1);
    return raw.stub().Download(&context, request)->Finish();
  }
  static grpc::Status Trace(RawClient& raw, const std::string& token) {
    grpc::ClientContext context;
    v1::GetSessionTraceRequest request;
    request.set_session_token(token);
    v1::TraceChunk chunk;
    const auto stream = raw.stub().GetSessionTrace(&context, request);
    while (stream->Read(&chunk)) continue;
    return stream->Finish();
  }
  static grpc::Status EndSession(RawClient& raw, const std::string& token) {
    grpc::ClientContext context;
    v1::EndSessionRequest request;
    request.set_session_token(token);
    v1::EndSessionReply reply;
    return raw.stub().EndSession(&context, request, &reply);
  }

  static constexpr uint64_t kUpload = 7;
  std::unique_ptr<RawClient> ann_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::CommandBatch, v1::EventBatch>> stream_;
  v1::Welcome welcome_;
  bool credited_ = false;
};

TEST_F(SessionsTest, AnothersTokenIsLikeOneThatDoesNotExist) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  ASSERT_NO_FATAL_FAILURE(OpenSession());
  const std::string hers = welcome_.session_token(), made_up(16, 'x');
  // Not even for an admin.
  for (const char* name : {"bob", "ada"}) {
    const std::unique_ptr<RawClient> other = As(name);
    const std::pair<const char*, std::function<grpc::Status(const std::string&)>> calls[] = {
        {"Channel", [&](const std::string& token) { return Resume(*other, token); }},
        {"Upload", [&](const std::string& token) { return Upload(*other, token, kUpload); }},
        {"Download", [&](const std::string& token) { return Download(*other, token); }},
        {"GetSessionTrace", [&](const std::string& token) { return Trace(*other, token); }},
        {"EndSession", [&](const std::string& token) { return EndSession(*other, token); }}};
    for (const auto& [rpc, call] : calls) {
      const grpc::Status none = call(made_up);
      grpc::Status status;
      ExpectRefused([&] { return status = call(hers); }, StatusCode::NOT_FOUND, "session",
                    absl::StrCat("rpc=", rpc, " .*identity=token:", name));
      EXPECT_EQ(status.error_code(), none.error_code());
      EXPECT_EQ(status.error_message(), none.error_message());
    }
  }
  // It lives on, untouched.
  EXPECT_TRUE(Upload(*ann_, hers, kUpload).ok());
  EXPECT_TRUE(Trace(*ann_, hers).ok());
  EXPECT_TRUE(EndSession(*ann_, hers).ok());
  context_.TryCancel();
}

TEST_F(SessionsTest, AnothersHandleIsOneThatDoesNotExist) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  ASSERT_NO_FATAL_FAILURE(OpenSession());
  const std::unique_ptr<RawClient> bob = As("bob");
  const RawClient::Outcome outcome = bob->Send({Hello(), Fetch(1, kUpload)}, 2);
  ASSERT_EQ(outcome.events.size(), 2u);
  EXPECT_EQ(outcome.events[1].ready().code(), static_cast<uint32_t>(StatusCode::NOT_FOUND));
  // His own session's token does not help him to her upload either.
  grpc::ClientContext context;
  auto stream = bob->stub().Channel(&context);
  v1::CommandBatch batch;
  *batch.add_commands() = Hello();
  ASSERT_TRUE(stream->Write(batch));
  v1::EventBatch events;
  ASSERT_TRUE(stream->Read(&events));
  const std::string his = events.events(0).welcome().session_token();
  EXPECT_EQ(Upload(*bob, his, kUpload).error_code(), StatusCode::NOT_FOUND);
  EXPECT_TRUE(Upload(*ann_, welcome_.session_token(), kUpload).ok());
  context.TryCancel();
  context_.TryCancel();
}

}  // namespace
}  // namespace acceld::testing
