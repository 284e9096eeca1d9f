// What all clients share: one identity takes all that it can get of it, and another one still gets
// in and works.

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/integration/security/access_fixture.h"
#include "tests/support/daemon/as_user.h"
#include "tests/support/daemon/resource_count.h"
#include "tests/support/eventually.h"

namespace acceld::testing {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;

class SharesTest : public AccessTest {
 protected:
  // A session of `raw` with a lease, whose stream is then lost; the status when there is none.
  static grpc::Status OpenAndLeave(RawClient& raw) {
    v1::Command hello = Hello();
    hello.mutable_hello()->set_lease_ms(60'000);
    return raw.Send({hello}, 1).status;
  }
  double Used(const std::string& identity, const std::string& quota) {
    return Metric(absl::StrCat("acceld_identity_quota_used{identity=\"", identity, "\",quota=\"",
                               quota, "\"}"));
  }
  void ExpectServes(const std::string& name) {
    const std::shared_ptr<client::Client> client = ConnectAs(name);
    ASSERT_NE(client, nullptr);
    const absl::StatusOr<client::Array> array = client->Upload(Floats({1, 2}));
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(*array->Fetch(), Floats({1, 2}));
  }
};

TEST_F(SharesTest, SessionsWithLeasesAndNoConnection) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls({"--max-sessions", "8"}));
  const std::unique_ptr<RawClient> ann = As("ann");
  for (int i = 0; i < 2; ++i) (void)OpenAndLeave(*ann);
  EXPECT_EQ(Used("token:ann", "sessions"), 2);
  const grpc::Status refused = OpenAndLeave(*ann);
  EXPECT_EQ(refused.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(),
              HasSubstr("quota of token:ann: sessions: 1 do not fit, 2 of 2 are in use (25 % of "
                        "max-sessions, 8, is an identity's share)"));
  ExpectServes("bob");
  ExpectServes("ada");
}

TEST_F(SharesTest, NamesThatOutliveTheirSession) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls({"--max-named-arrays", "8"}));
  const auto publish = [&](const std::string& who, const std::string& name) {
    const std::shared_ptr<client::Client> client = ConnectAs(who);
    const absl::StatusOr<client::Array> array = client->Upload(Floats({1}));
    return array.ok() ? client->Publish(*array, name) : array.status();
  };
  EXPECT_TRUE(publish("ann", "one").ok());
  EXPECT_TRUE(publish("ann", "two").ok());
  const absl::Status refused = publish("ann", "three");
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("2 of 2 are in use (25 % of max-named"));
  EXPECT_TRUE(publish("bob", "one").ok());
  EXPECT_TRUE(ConnectAs("ann")->DropName("one").ok());
  EXPECT_TRUE(publish("ann", "three").ok());
}

TEST_F(SharesTest, ProgramsThatAreHalfSent) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls({"--max-intake-memory", "64MiB"}));
  // An upload of a program that never ends.
  struct HalfSent {
    explicit HalfSent(RawClient& raw) : stream(raw) {
      v1::Command announce;
      announce.mutable_register_program()->set_program_id(1);
      announce.mutable_register_program()->set_fingerprint(std::string(16, 'f'));
      v1::Command hello = Hello();
      hello.mutable_hello()->set_lease_ms(60'000);
      stream.Send({hello, announce});
      token = stream.Next().welcome().session_token();
      EXPECT_TRUE(stream.Next().has_need_program());
      upload = raw.stub().Upload(&context, &reply);
    }
    // Whether the daemon takes that many.
    bool Send(int megabytes) {
      v1::UploadChunk chunk;
      chunk.set_session_token(token);
      chunk.set_program_id(1);
      chunk.set_data(std::string(1 << 20, 'x'));
      for (int i = 0; i < megabytes; ++i) {
        if (!upload->Write(chunk)) return false;
      }
      return true;
    }
    RawStream stream;
    std::string token;
    grpc::ClientContext context;
    v1::UploadReply reply;
    std::unique_ptr<grpc::ClientWriter<v1::UploadChunk>> upload;
  };
  const std::unique_ptr<RawClient> ann = As("ann");
  [[maybe_unused]] const uint64_t resident = ResidentBytes(daemon_->process.pid());
  std::vector<std::unique_ptr<HalfSent>> uploads;
  for (int i = 0; i < 6; ++i) {
    uploads.push_back(std::make_unique<HalfSent>(*ann));
    (void)uploads.back()->Send(12);
    // The first has come as far as it goes before the others begin.
    if (i == 0) {
      EXPECT_TRUE(Eventually([&] { return Used("token:ann", "intake-memory") >= 12 << 20; }));
    }
  }
  // 16 MiB are ann's: one upload has room, and those beyond it are refused.
  int refused = 0;
  for (size_t i = 1; i < uploads.size(); ++i) {
    HalfSent& upload = *uploads[i];
    upload.upload->WritesDone();
    const grpc::Status status = upload.upload->Finish();
    if (status.error_code() != StatusCode::RESOURCE_EXHAUSTED) continue;
    ++refused;
    EXPECT_THAT(status.error_message(), HasSubstr("quota of token:ann: intake-memory: "));
    EXPECT_THAT(status.error_message(), HasSubstr("of 16777216 are in use (25 % of max-intake"));
  }
  EXPECT_GE(refused, 4);
  EXPECT_LE(Used("token:ann", "intake-memory"), 16 << 20);
  EXPECT_GE(Used("token:ann", "intake-memory"), 1 << 20);
#ifndef ACCELD_ADDRESS_SANITIZER  // Which keeps what was freed for a while.
  EXPECT_LT(ResidentBytes(daemon_->process.pid()), resident + (100 << 20));
#endif
  // Another one's program comes whole.
  ExpectServes("bob");
  const std::shared_ptr<client::Client> bob = ConnectAs("bob");
  const auto results =
      bob->Execute(Parse(kIncrementText), {*bob->Upload(Floats(std::vector<float>(16, 1)))});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(*(*results)[0].Fetch(), Floats(std::vector<float>(16, 2)));
  uploads.clear();
  const std::unique_ptr<client::Admin> ada = AdminAs("ada");
  const std::vector<client::SessionInfo> sessions = ada->ListSessions().value();
  for (const client::SessionInfo& session : sessions) {
    if (session.identity == "token:ann") {
      EXPECT_TRUE(ada->KillSession(session.id, "").ok());
    }
  }
  EXPECT_TRUE(Eventually([&] { return Used("token:ann", "intake-memory") == 0; }));
}

// Out of descriptors, as other users make it.
class DescriptorsTest : public AccessTest {
 protected:
  static constexpr uid_t kAnn = 64'001, kBob = 64'002;
  static constexpr int kFiles = 400;

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
    chmod(folder_.path().c_str(), 0711);
  }
  // A daemon that may open few files.
  void StartWithFewFiles(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--socket-mode", "0666", "--users", "uid:*"});
    // The daemon raises the soft limit to the hard one.
    const std::string real = getenv("ACCELD_BIN_DIR"), folder = folder_.path() + "/bin";
    mkdir(folder.c_str(), 0755);
    std::ofstream(folder + "/acceld") << "#!/bin/sh\nulimit -Sn 200\nulimit -Hn " << kFiles
                                      << "\nexec " << real << "/acceld \"$@\"\n";
    chmod((folder + "/acceld").c_str(), 0755);
    setenv("ACCELD_BIN_DIR", folder.c_str(), 1);
    StartDaemon(std::move(flags));
    setenv("ACCELD_BIN_DIR", real.c_str(), 1);
  }
  std::string socket_path() const { return folder_.path() + "/acceld.sock"; }
  // Of the daemon, in clock ticks.
  int64_t ProcessorTicks() const {
    std::ifstream file(absl::StrCat("/proc/", daemon_->process.pid(), "/stat"));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::vector<std::string> fields = absl::StrSplit(text.substr(text.rfind(')') + 2), ' ');
    return std::stoll(fields[11]) + std::stoll(fields[12]);
  }
  // Fills both sockets; those connections that the daemon has not closed.
  std::vector<UniqueFd> ConnectAll(uid_t uid, int count) {
    std::vector<UniqueFd> sockets;
    for (int i = 0; i < count; ++i) {
      sockets.push_back(ConnectAsUser(uid, socket_path(), SOCK_STREAM));
      sockets.push_back(ConnectAsUser(uid, socket_path() + ".segments", SOCK_SEQPACKET));
    }
    return sockets;
  }
  void ExpectAdminAndMetricsGetIn() {
    EXPECT_GT(Metric("acceld_uptime_seconds"), 0);
    const std::shared_ptr<client::Client> own = Connect();
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(*own->Upload(Floats({1, 2}))->Fetch(), Floats({1, 2}));
  }
  // That next to no time is spent while nobody does anything.
  void ExpectRests() {
    const int64_t before = ProcessorTicks();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_LE(ProcessorTicks() - before, sysconf(_SC_CLK_TCK) / 2);
  }
};

TEST_F(DescriptorsTest, TheSoftLimitIsRaisedAndTheLogSaysForHowManyClients) {
  ASSERT_NO_FATAL_FAILURE(StartWithFewFiles({}));
  // 400 less a quarter in reserve and 64 of its own.
  EXPECT_THAT(daemon_->Log(), HasSubstr("open files limit=400 for_clients=236 "
                                        "clients_on_this_host=59 clients_over_tcp=236"));
}

TEST_F(DescriptorsTest, AUserHasAShareOfThem) {
  ASSERT_NO_FATAL_FAILURE(StartWithFewFiles({}));
  const std::vector<UniqueFd> anns = ConnectAll(kAnn, 150);
  ExpectRests();
  ExpectAdminAndMetricsGetIn();
  EXPECT_GE(Refusals("connections"), 50);
  EXPECT_FALSE(IsClosed(ConnectAsUser(kBob, socket_path(), SOCK_STREAM).get()));
}

TEST_F(DescriptorsTest, TheLastAreForAdminsAndMetrics) {
  ASSERT_NO_FATAL_FAILURE(
      StartWithFewFiles({"--identity-share", "100", "--max-descriptors", "1000"}));
  const std::vector<UniqueFd> anns = ConnectAll(kAnn, 500);
  ExpectRests();
  ExpectAdminAndMetricsGetIn();
  EXPECT_GE(Refusals("connections"), 100);
}

TEST_F(DescriptorsTest, NothingSpinsWhenThereAreNone) {
  ASSERT_NO_FATAL_FAILURE(
      StartWithFewFiles({"--identity-share", "100", "--max-descriptors", "1000",
                         "--descriptor-reserve", "0", "--max-unidentified", "1000"}));
  const auto begin = std::chrono::steady_clock::now();
  {
    const std::vector<UniqueFd> anns = ConnectAll(kAnn, 500);
    ExpectRests();
  }
  // And it goes on as soon as there are some again.
  EXPECT_TRUE(Eventually([&] { return Metric("acceld_accept_failures_total") > 0; }));
  const double failures = Metric("acceld_accept_failures_total");
  // Each of two listeners tries ten times a second, for as long as that took.
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(failures, 100 + 30 * took.count());
  ExpectAdminAndMetricsGetIn();
}

}  // namespace
}  // namespace acceld::testing
