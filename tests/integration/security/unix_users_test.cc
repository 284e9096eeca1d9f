// Who is let in over the unix socket: the daemon's own user, and whom the
// configuration names.

#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/integration/security/access_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kOther = 65534;
constexpr int kOthersGroup = 65533;

using OwnUserTest = AccessTest;

class OtherUsersTest : public AccessTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
    chmod(folder_.path().c_str(), 0711);
  }
  // What another user is told; the daemon's own has a session open meanwhile.
  std::string CallAsOther() {
    RawClient raw(address());
    grpc::ClientContext context;
    auto stream = raw.stub().Channel(&context);
    v1::CommandBatch batch;
    *batch.add_commands() = Hello();
    batch.mutable_commands(0)->mutable_hello()->set_lease_ms(60'000);
    batch.mutable_commands(0)->mutable_hello()->set_client_name("own");
    v1::EventBatch events;
    EXPECT_TRUE(stream->Write(batch) && stream->Read(&events));
    const v1::Welcome& welcome = events.events(0).welcome();
    const uint64_t session = FindSession("own")->id;
    CommandResult result = RunCommand({getenv("ACCELD_CALLER_PROCESS"), absl::StrCat(kOther),
                                       absl::StrCat(kOthersGroup), address(),
                                       absl::BytesToHexString(welcome.session_token()),
                                       absl::StrCat(welcome.incarnation()), absl::StrCat(session)});
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_TRUE(FindSession("own").has_value());  // Nobody has ended it.
    context.TryCancel();
    return result.output;
  }
};

TEST_F(OwnUserTest, MayDoEverything) {
  ASSERT_NO_FATAL_FAILURE(StartDaemon());
  const std::shared_ptr<client::Client> own = Connect();
  EXPECT_EQ(FindSession("test")->identity, absl::StrCat("uid:", geteuid()));
  EXPECT_TRUE(Admin().ListCache().ok());
  EXPECT_TRUE(Admin().GetTrace().ok());
  struct stat info;
  ASSERT_EQ(stat((folder_.path() + "/acceld.sock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(OtherUsersTest, OthersDoNotEvenConnect) {
  ASSERT_NO_FATAL_FAILURE(StartDaemon());
  const std::string told = CallAsOther();
  EXPECT_THAT(told, HasSubstr("devices UNAVAILABLE"));
  EXPECT_THAT(told, HasSubstr("Permission denied"));
}

TEST_F(OtherUsersTest, AnOpenSocketIsNotEnough) {
  ASSERT_NO_FATAL_FAILURE(StartDaemon({"--socket-mode", "0666"}));
  const std::string told = CallAsOther();
  // The connection is closed before anything comes.
  for (const char* call : {"devices", "kill", "resume", "end", "sessions", "segments"}) {
    EXPECT_THAT(told, HasSubstr(absl::StrCat(call, " UNAVAILABLE")));
  }
  EXPECT_GE(Refusals("identity"), 2);
  EXPECT_THAT(daemon_->Log(),
              ::testing::ContainsRegex("refused reason=identity rpc=connection "
                                       "peer=\"uid=65534 pid=[0-9]+\" identity=uid:65534 "
                                       "code=PERMISSION_DENIED"));
}

TEST_F(OtherUsersTest, UsersMayWorkButNotTouchOthers) {
  for (const std::string& principal :
       {absl::StrCat("uid:", kOther), absl::StrCat("gid:", kOthersGroup), std::string("uid:*")}) {
    SCOPED_TRACE(principal);
    ASSERT_NO_FATAL_FAILURE(StartDaemon({"--socket-mode", "0666", "--users", principal}));
    const std::string told = CallAsOther();
    EXPECT_THAT(told, HasSubstr("devices OK"));
    EXPECT_THAT(told, HasSubstr("kill PERMISSION_DENIED"));
    EXPECT_THAT(told, HasSubstr("resume NOT_FOUND no open session has this token"));
    EXPECT_THAT(told, HasSubstr("end NOT_FOUND no open session has this token"));
    EXPECT_THAT(told, HasSubstr("sessions OK"));
    EXPECT_THAT(told, HasSubstr("seen 0"));
    EXPECT_THAT(told, HasSubstr("segments NOT_FOUND no open session has this token"));
    EXPECT_EQ(Refusals("role"), 1);
    EXPECT_EQ(Refusals("session"), 3);
  }
}

TEST_F(OwnUserTest, ATokenDecidesOverTheSocketsUser) {
  ASSERT_NO_FATAL_FAILURE(StartDaemon({"--access-tokens", tokens_file_}));
  RawClient ann(address(), {.token = tokens_.at("ann")}), wrong(address(), {.token = "wrong"});
  EXPECT_TRUE(ListDevices(ann).ok());
  grpc::ClientContext context;
  v1::DrainReply reply;
  EXPECT_EQ(ann.stub().Drain(&context, v1::DrainRequest(), &reply).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  ExpectRefused([&] { return ListDevices(wrong); }, grpc::StatusCode::UNAUTHENTICATED, "token",
                absl::StrCat("rpc=.* peer=\"uid=", geteuid(), " pid=[0-9]+\""));
}

}  // namespace
}  // namespace acceld::testing
