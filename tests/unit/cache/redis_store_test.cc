// The client of Redis against the distribution's server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/cache/redis/slots.h"
#include "server/cache/redis/store.h"
#include "tests/support/daemon/redis_server.h"
#include "tests/support/eventually.h"
#include "tests/support/net/cutting_proxy.h"
#include "tests/support/net/fake_names.h"
#include "tests/support/net/impostor.h"

namespace acceld::cache::redis {
namespace {

using std::chrono::milliseconds;
using testing::Eventually;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RedisServer;

class RedisStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (absl::IsNotFound(RedisServer::Start(folder_.path()).status())) {
      GTEST_SKIP() << "redis-server is not installed";
    }
  }

  static Store::Options OptionsOf(absl::string_view url) {
    return {.url = *ParseUrl(url),
            .timeout = milliseconds(2000),
            .breaker = {.failures = 2, .first_pause = milliseconds(50)}};
  }
  static Store::Options OptionsOf(const RedisServer& server) {
    return OptionsOf(absl::StrCat("redis://", server.address()));
  }
  static absl::StatusOr<std::string> Get(Store& store, absl::string_view key) {
    ACCELD_ASSIGN_OR_RETURN(const Reply reply, store.Call(key, {"GET", key}));
    return reply.is_nil() ? "nothing" : reply.text;
  }
  static absl::Status Set(Store& store, absl::string_view key, absl::string_view value) {
    return store.Call(key, {"SET", key, value}).status();
  }

  testing::TempDir folder_;
};

TEST_F(RedisStoreTest, KeepsWhatItIsGiven) {
  RedisServer server = *RedisServer::Start(folder_.path());
  Store store(OptionsOf(server));
  std::string bytes(5 << 20, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  ASSERT_TRUE(Set(store, "a", bytes).ok());
  EXPECT_TRUE(*Get(store, "a") == bytes);
  EXPECT_EQ(*Get(store, "b"), "nothing");
  EXPECT_EQ(store.stats().calls, 3u);
  EXPECT_EQ(store.stats().failures, 0u);
}

TEST_F(RedisStoreTest, ManyThreadsShareIt) {
  RedisServer server = *RedisServer::Start(folder_.path());
  Store store(OptionsOf(server));
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&store, t] {
      const std::string key = absl::StrCat("k", t);
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(Set(store, key, absl::StrCat(i)).ok());
        EXPECT_EQ(*Get(store, key), absl::StrCat(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RedisStoreTest, ErrorsOfTheServerAreStatuses) {
  RedisServer server = *RedisServer::Start(folder_.path(), {"--maxmemory", "3mb"});
  Store store(OptionsOf(server));
  const absl::Status wrong = store.Call("a", {"NOSUCH", "a"}).status();
  EXPECT_EQ(wrong.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("NOSUCH"));
  absl::Status full;
  for (int i = 0; i < 10 && full.ok(); ++i) {
    full = Set(store, absl::StrCat("k", i), std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted) << full;
  EXPECT_FALSE(store.stats().breaker_is_open) << "it is there";
}

TEST_F(RedisStoreTest, APasswordIsAskedForAndGiven) {
  RedisServer server = *RedisServer::Start(folder_.path(), {"--requirepass", "open sesame"});
  Store without(OptionsOf(server));
  EXPECT_EQ(Set(without, "a", "1").code(), absl::StatusCode::kPermissionDenied);
  Store wrong(OptionsOf(absl::StrCat("redis://:no@", server.address())));
  const absl::Status refused = Set(wrong, "a", "1");
  EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied) << refused;
  Store right(OptionsOf(absl::StrCat("redis://:open%20sesame@", server.address(), "/3")));
  EXPECT_TRUE(Set(right, "a", "1").ok());
  Store named(OptionsOf(absl::StrCat("redis://default:open%20sesame@", server.address())));
  EXPECT_EQ(*Get(named, "a"), "nothing") << "which is in database 3";
}

TEST_F(RedisStoreTest, GoesOnWithAServerThatWasStartedAnew) {
  RedisServer server = *RedisServer::Start(folder_.path());
  Store store(OptionsOf(server));
  ASSERT_TRUE(Set(store, "a", "1").ok());
  ASSERT_TRUE(server.Restart().ok());
  EXPECT_EQ(*Get(store, "a"), "nothing");
  EXPECT_EQ(store.stats().failures, 0u);
}

TEST_F(RedisStoreTest, AServerThatIsSilentIsWaitedForSoLongAndThenLeftAlone) {
  RedisServer server = *RedisServer::Start(folder_.path());
  Store::Options options = OptionsOf(server);
  options.timeout = milliseconds(100);
  options.breaker.first_pause = milliseconds(300);
  Store store(options);
  ASSERT_TRUE(Set(store, "a", "1").ok());
  server.process().Signal(SIGSTOP);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Get(store, "a").status().code(), absl::StatusCode::kDeadlineExceeded);
  }
  EXPECT_TRUE(store.stats().breaker_is_open);
  EXPECT_EQ(Get(store, "a").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(store.stats().refusals, 1u);
  server.process().Signal(SIGCONT);
  EXPECT_TRUE(Eventually([&] { return Get(store, "a").value_or("") == "1"; }));
  EXPECT_FALSE(store.stats().breaker_is_open);
}

TEST_F(RedisStoreTest, NobodyThereIsAStatus) {
  Store store(OptionsOf(absl::StrCat("redis://127.0.0.1:", testing::FreePort())));
  const absl::Status status = Set(store, "a", "1");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Connection refused"));
  Store nowhere(OptionsOf("redis://no-such-host.invalid"));
  EXPECT_EQ(Set(nowhere, "a", "1").code(), absl::StatusCode::kUnavailable);
}

TEST_F(RedisStoreTest, AServerThatNeverEndsItsAnswerIsListenedToForSoLong) {
  for (const char* answer : {"+", "$999999999\r\n"}) {
    testing::Impostor impostor(answer + std::string(1 << 16, 'x'), /*forever=*/true);
    Store::Options options = OptionsOf(absl::StrCat("redis://", impostor.address()));
    options.timeout = milliseconds(100);
    Store store(options);
    const absl::Status status = Get(store, "a").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  }
}

TEST_F(RedisStoreTest, ErrorsDoNotRepeatThePassword) {
  testing::Impostor impostor("-ERR unknown command `AUTH`, with args beginning with: `hidden`\r\n");
  Store store(OptionsOf(absl::StrCat("redis://:hidden@", impostor.address())));
  const absl::Status status = Set(store, "a", "1");
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("hidden")));
  EXPECT_THAT(std::string(status.message()), HasSubstr("AUTH is refused: ERR"));
}

TEST_F(RedisStoreTest, OnlyNodesOfAClusterSendElsewhere) {
  RedisServer server = *RedisServer::Start(folder_.path());
  testing::Impostor impostor(absl::StrCat("-MOVED 1 ", server.address(), "\r\n"));
  Store single(OptionsOf(absl::StrCat("redis://", impostor.address())));
  EXPECT_EQ(Set(single, "a", "1").code(), absl::StatusCode::kInternal);
  Store cluster(OptionsOf(absl::StrCat("redis-cluster://", impostor.address())));
  EXPECT_TRUE(Set(cluster, "a", "1").ok());
}

TEST_F(RedisStoreTest, NodesThatSendToEachOtherForeverAreLeft) {
  const uint16_t port = testing::FreePort();
  for (const char* kind : {"MOVED", "ASK"}) {
    testing::Impostor impostor(absl::StrCat("-", kind, " 1 127.0.0.1:", port, "\r\n"));
    testing::CuttingProxy proxy(absl::StrCat("127.0.0.1:", port), impostor.address());
    Store store(OptionsOf(absl::StrCat("redis-cluster://", impostor.address())));
    const absl::Status status = Set(store, "a", "1");
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status.message()), HasSubstr("8 redirections"));
  }
}

TEST_F(RedisStoreTest, ANameThatIsLookedUpForTooLongIsNotWaitedFor) {
  testing::SetSlowName("slow.example", {"127.0.0.1"}, milliseconds(60'000));
  Store::Options options = OptionsOf("redis://slow.example");
  options.timeout = milliseconds(50);
  Store store(options);
  EXPECT_EQ(Set(store, "a", "1").code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(RedisStoreTest, AnAddressThatDoesNotAnswerLeavesTimeForTheNext) {
  RedisServer server = *RedisServer::Start(folder_.path());
  // Its queue is full: whoever comes is not answered.
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  std::vector<int> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    (void)connect(waiting.back(), reinterpret_cast<sockaddr*>(&address), sizeof(address));
  }
  testing::SetName("two.example", {"127.0.0.2", "127.0.0.1"});
  Store::Options options = OptionsOf(absl::StrCat("redis://two.example:", server.port()));
  options.timeout = milliseconds(500);
  Store store(options);
  const absl::Status status = Set(store, "a", "1");
  EXPECT_TRUE(status.ok()) << status;
  for (const int fd : waiting) close(fd);
  close(listener);
}

TEST_F(RedisStoreTest, ClosingEndsACallThatHangs) {
  RedisServer server = *RedisServer::Start(folder_.path());
  Store::Options options = OptionsOf(server);
  options.timeout = std::chrono::hours(1);
  Store store(options);
  ASSERT_TRUE(Set(store, "a", "1").ok());
  server.process().Signal(SIGSTOP);
  std::thread caller([&] { EXPECT_TRUE(absl::IsCancelled(Get(store, "a").status())); });
  std::this_thread::sleep_for(milliseconds(20));
  store.Close();
  caller.join();
  EXPECT_TRUE(absl::IsCancelled(Get(store, "a").status()));
  server.process().Signal(SIGCONT);
}

TEST_F(RedisStoreTest, TlsIsWithServersThatAreTrusted) {
  const std::string ca = absl::StrCat(folder_.path(), "/ca.pem"),
                    other = absl::StrCat(folder_.path(), "/other.pem"),
                    key = absl::StrCat(folder_.path(), "/key.pem");
  for (const std::string& certificate : {other, ca}) {
    const testing::CommandResult made = testing::RunCommand(
        {"/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=redis", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate});
    ASSERT_EQ(made.exit_code, 0) << made.output;
  }
  const uint16_t port = testing::FreePort();
  absl::StatusOr<RedisServer> server = RedisServer::Start(
      folder_.path(), {"--tls-port", absl::StrCat(port), "--tls-cert-file", ca, "--tls-key-file",
                       key, "--tls-ca-cert-file", ca, "--tls-auth-clients", "no"});
  ASSERT_TRUE(server.ok()) << server.status();
  Store::Options options = OptionsOf(absl::StrCat("rediss://127.0.0.1:", port));
  options.tls = {.enabled = true, .ca_file = ca};
  Store store(options);
  const std::string bytes(3 << 20, 'x');
  ASSERT_TRUE(Set(store, "a", bytes).ok());
  EXPECT_TRUE(*Get(store, "a") == bytes);

  options.tls.ca_file = other;
  Store distrustful(options);
  const absl::Status refused = Set(distrustful, "a", "1");
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("not trusted"));
  // The certificate is not for this name.
  Store::Options named = OptionsOf(absl::StrCat("rediss://localhost:", port));
  named.tls = {.enabled = true, .ca_file = ca};
  Store misnamed(named);
  EXPECT_EQ(Set(misnamed, "a", "1").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RedisStoreTest, FindsTheNodeOfAClusterThatHasAKey) {
  std::vector<RedisServer> nodes;
  for (int i = 0; i < 3; ++i) {
    absl::StatusOr<RedisServer> node = RedisServer::Start(
        folder_.path(), {"--cluster-enabled", "yes", "--cluster-config-file",
                         absl::StrCat("nodes-", i, ".conf"), "--cluster-node-timeout", "2000"});
    ASSERT_TRUE(node.ok()) << node.status();
    nodes.push_back(*std::move(node));
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    Store node(OptionsOf(nodes[i]));
    const std::string first = absl::StrCat(i * 5462),
                      last = absl::StrCat(i == 2 ? kNumSlots - 1 : (i + 1) * 5462 - 1);
    const absl::Status added = node.Call("", {"CLUSTER", "ADDSLOTSRANGE", first, last}).status();
    ASSERT_TRUE(added.ok()) << added;
    ASSERT_TRUE(
        node.Call("", {"CLUSTER", "MEET", "127.0.0.1", absl::StrCat(nodes[0].port())}).ok());
  }
  Store store(OptionsOf(absl::StrCat("redis-cluster://", nodes[1].address())));
  for (const RedisServer& server : nodes) {
    Store node(OptionsOf(server));
    ASSERT_TRUE(Eventually([&] {
      const absl::StatusOr<Reply> info = node.Call("", {"CLUSTER", "INFO"});
      return info.ok() && absl::StrContains(info->text, "cluster_state:ok") &&
             absl::StrContains(info->text, "cluster_slots_ok:16384");
    }));
  }
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Set(store, absl::StrCat("k", i), absl::StrCat(i)).ok());
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*Get(store, absl::StrCat("k", i)), absl::StrCat(i));
  EXPECT_EQ(store.stats().failures, 0u);
  int keys = 0;
  const std::vector<Endpoint> masters = *store.Nodes();
  for (const Endpoint& node : masters) {
    const int here = static_cast<int>(store.CallNode(node, {"DBSIZE"})->integer);
    EXPECT_GT(here, 10) << ToString(node);
    keys += here;
  }
  EXPECT_EQ(keys, 100);
}

TEST_F(RedisStoreTest, FindsTheMasterThatSentinelsName) {
  RedisServer one = *RedisServer::Start(folder_.path()), two = *RedisServer::Start(folder_.path());
  const uint16_t port = testing::FreePort();
  const std::string config = absl::StrCat(folder_.path(), "/sentinel.conf");
  absl::StatusOr<testing::Process> made = testing::Process::Start(
      {"/bin/sh", "-c",
       absl::StrCat("printf 'port ", port, "\\nbind 127.0.0.1\\nsentinel monitor main 127.0.0.1 ",
                    one.port(), " 1\\n' > ", config, " && exec /usr/bin/redis-server ", config,
                    " --sentinel")},
      absl::StrCat(folder_.path(), "/sentinel.log"));
  ASSERT_TRUE(made.ok());
  const std::string none = absl::StrCat("127.0.0.1:", testing::FreePort());
  Store store(OptionsOf(absl::StrCat("redis-sentinel://", none, ",127.0.0.1:", port, "/main")));
  ASSERT_TRUE(Eventually([&] { return Set(store, "a", "1").ok(); }));
  Store direct(OptionsOf(one));
  EXPECT_EQ(*Get(direct, "a"), "1");
  // Another one becomes the master.
  Store sentinel(OptionsOf(absl::StrCat("redis://127.0.0.1:", port)));
  ASSERT_TRUE(sentinel.Call("", {"SENTINEL", "REMOVE", "main"}).ok());
  ASSERT_TRUE(
      sentinel.Call("", {"SENTINEL", "MONITOR", "main", "127.0.0.1", absl::StrCat(two.port()), "1"})
          .ok());
  one.process().Signal(SIGKILL);
  one.process().Wait();
  EXPECT_TRUE(Eventually([&] { return Set(store, "a", "2").ok(); }));
  Store next(OptionsOf(two));
  EXPECT_EQ(*Get(next, "a"), "2");
  Store unknown(OptionsOf(absl::StrCat("redis-sentinel://127.0.0.1:", port, "/other")));
  EXPECT_THAT(std::string(Set(unknown, "a", "1").message()),
              HasSubstr("does not know the master 'other'"));
}

}  // namespace
}  // namespace acceld::cache::redis
