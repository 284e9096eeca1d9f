// What callers are told when the daemon is killed amid their calls: what happened and where, in
// words for people, whichever way the call went.

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/support/eventually.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using std::chrono::milliseconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

void ExpectForPeople(const std::string& text, const std::string& address) {
  for (const char* word :
       {"Socket closed", "recvmsg", "sendmsg", "reset by peer", "Broken pipe", "failed to connect",
        "Failed to connect", "GOAWAY", "RST_STREAM", "Stream removed", "Transport", "Endpoint",
        "keepalive", "Deadline Exceeded", "rpc", "gRPC", "errno"}) {
    EXPECT_THAT(text, Not(HasSubstr(word)));
  }
  EXPECT_THAT(text, HasSubstr(address));
  EXPECT_THAT(text, AnyOf(HasSubstr("ended the connection"), HasSubstr("no daemon answers"),
                          HasSubstr("no acceld daemon answers"), HasSubstr("does not answer"),
                          HasSubstr("it hangs up")));
}

class DaemonLostTest : public DaemonTest {
 protected:
  struct Way {
    std::string name, address;
    bool local_transport;
  };
  void SetUp() override {
    log_begin_ = daemon_ != nullptr ? daemon_->Log().size() : 0;
    ASSERT_NO_FATAL_FAILURE(Start({"--listen", "127.0.0.1:0"}));
    ASSERT_TRUE(Eventually([this] { return !tcp_address().empty(); })) << daemon_->Log();
  }
  std::string tcp_address() const {
    const std::string log = daemon_->Log().substr(std::min(log_begin_, daemon_->Log().size()));
    std::smatch found;
    return std::regex_search(log, found, std::regex("listening on (127\\.0\\.0\\.1:[0-9]+)"))
               ? found[1].str()
               : "";
  }
  // Every way to this daemon.
  std::vector<Way> Ways() const {
    return {{"shared memory", address(), true},
            {"unix socket", address(), false},
            {"TCP", tcp_address(), false}};
  }
  // Calls that are under way when the daemon is killed.
  void KillAmid(const std::vector<std::function<void()>>& calls) {
    daemon_->process.Signal(SIGSTOP);  // It takes in nothing more.
    siginfo_t stopped;
    ASSERT_EQ(
        waitid(P_PID, static_cast<id_t>(daemon_->process.pid()), &stopped, WSTOPPED | WNOWAIT), 0);
    std::vector<std::thread> threads;
    for (const auto& call : calls) threads.emplace_back(call);
    std::this_thread::sleep_for(milliseconds(200));
    daemon_->process.Signal(SIGKILL);
    daemon_->process.Wait();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  size_t log_begin_ = 0;  // of the daemon that runs now
};

TEST_F(DaemonLostTest, AmidTheCallsOfASession) {
  for (size_t i = 0; i < 3; ++i) {
    if (i > 0) {
      ASSERT_NO_FATAL_FAILURE(SetUp());
    }
    const Way way = Ways()[i];
    SCOPED_TRACE(way.name);
    absl::StatusOr<std::shared_ptr<Client>> connected = Client::Connect(
        {.address = way.address, .lease = milliseconds(0), .local_transport = way.local_transport});
    ASSERT_TRUE(connected.ok()) << connected.status();
    const std::shared_ptr<Client> client = *connected;
    const ir::TensorType large(ir::DType::kF32, {4 << 20});
    const std::string bytes(size_t{16} << 20, 'x');
    const Array there = *client->Upload(large, bytes);
    ASSERT_TRUE(there.Await().ok());
    const Array endless =
        client->Execute(Parse(kCountText), {*client->Upload(Int64(kEndless))}, 0)->front();
    std::vector<absl::Status> told(7);
    KillAmid(
        {[&] { told[0] = endless.Await(); }, [&] { told[1] = there.Fetch().status(); },
         [&] { told[2] = client->Upload(large, bytes)->Await(); },
         [&] {
           told[3] =
               client->Compile(Parse(kIncrementText), {{ir::DType::kF32, {16}}}).Await().status();
         },
         [&] { told[4] = client->Publish(there, "there"); },
         [&] { told[5] = client->Open("there").status(); },
         [&] { told[6] = client->DropName("there"); }});
    for (size_t call = 0; call < told.size(); ++call) {
      SCOPED_TRACE(call);
      EXPECT_EQ(told[call].code(), absl::StatusCode::kUnavailable) << told[call];
      ExpectForPeople(std::string(told[call].message()), way.address);
    }
    ExpectForPeople(std::string(client->status().message()), way.address);
  }
}

TEST_F(DaemonLostTest, AmidTheCallsOfAnAdministrator) {
  for (const size_t i : {1, 2}) {
    if (i > 1) {
      ASSERT_NO_FATAL_FAILURE(SetUp());
    }
    const Way way = Ways()[i];
    SCOPED_TRACE(way.name);
    absl::StatusOr<std::unique_ptr<client::Admin>> admin =
        client::Admin::Connect({.address = way.address});
    ASSERT_TRUE(admin.ok()) << admin.status();
    std::vector<absl::Status> told(10);
    CommandResult shell;
    KillAmid(
        {[&] { told[0] = (*admin)->IsServing().status(); },
         [&] { told[1] = (*admin)->ListDevices().status(); },
         [&] { told[2] = (*admin)->GetStats().status(); },
         [&] { told[3] = (*admin)->ListSessions().status(); },
         [&] { told[4] = (*admin)->ListCache().status(); },
         [&] { told[5] = (*admin)->GetTrace().status(); },
         [&] { told[6] = (*admin)->KillSession(1, "test"); },
         [&] { told[7] = (*admin)->VerifyCache(false).status(); },
         [&] { told[8] = (*admin)->ExportCacheEntry(std::string(64, '0')).status(); },
         [&] { told[9] = (*admin)->ImportCacheEntry(std::string(1 << 20, 'x')).status(); },
         [&] { shell = RunCommand({BinDir() + "/accelctl", "--address", way.address, "stats"}); }});
    for (size_t call = 0; call < told.size(); ++call) {
      SCOPED_TRACE(call);
      EXPECT_EQ(told[call].code(), absl::StatusCode::kUnavailable) << told[call];
      ExpectForPeople(std::string(told[call].message()), way.address);
    }
    EXPECT_NE(shell.exit_code, 0);
    ExpectForPeople(shell.output, way.address);
    // Afterwards, too.
    ExpectForPeople(std::string((*admin)->GetStats().status().message()), way.address);
  }
}

TEST_F(DaemonLostTest, AfterALeaseThatNobodyAnswered) {
  absl::StatusOr<std::shared_ptr<Client>> client =
      Client::Connect({.address = address(), .lease = milliseconds(300), .local_transport = false});
  ASSERT_TRUE(client.ok()) << client.status();
  const Array endless =
      (*client)->Execute(Parse(kCountText), {*(*client)->Upload(Int64(kEndless))}, 0)->front();
  absl::Status told;
  KillAmid({[&] { told = endless.Await(); }});
  EXPECT_EQ(told.code(), absl::StatusCode::kUnavailable) << told;
  ExpectForPeople(std::string(told.message()), address());
}

TEST_F(DaemonLostTest, AnAdministratorGoesOnWithTheNextDaemon) {
  absl::StatusOr<std::unique_ptr<client::Admin>> admin =
      client::Admin::Connect({.address = address()});
  ASSERT_TRUE(admin.ok()) << admin.status();
  const uint64_t before = (*admin)->GetStats()->incarnation;
  daemon_->process.Signal(SIGKILL);
  daemon_->process.Wait();
  ASSERT_NO_FATAL_FAILURE(SetUp());
  const absl::StatusOr<client::ServerStats> stats = (*admin)->GetStats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_NE(stats->incarnation, before);
}

}  // namespace
}  // namespace acceld::testing
