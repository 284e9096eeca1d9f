// A client and a server over a real unix socket, the engine a fake.

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "client/admin.h"
#include "common/threads/mutex.h"
#include "tests/integration/rpc_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Function;
using client::Tensor;
using ::testing::AnyOf;
using ::testing::HasSubstr;

auto Doubler(std::shared_ptr<client::Client> client) {
  return Function(std::move(client), [](const Tensor& x) { return x + x; });
}

TEST_F(RpcTest, ResultIsKnownInTypeAtOnceAndInValueWhenFetched) {
  auto client = Connect();
  const Array x = *client->Upload(Floats({1, 2, 3}));
  engine_.Hold();
  const absl::StatusOr<Array> y = Doubler(client)(x);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->type().ToString(), "tensor<3xf32>");
  EXPECT_EQ(y->AwaitUntil(std::chrono::steady_clock::now()).code(),
            absl::StatusCode::kDeadlineExceeded);
  engine_.Resume();
  EXPECT_EQ(*y->Fetch(), Floats({2, 4, 6}));
  EXPECT_EQ(y->Execution()->verdict, client::CacheVerdict::kMiss);
}

// Fetch reads both answers; the other is on its way to the future when Await looks for it.
TEST_F(RpcTest, AnAnswerThatAnotherCallHasReadIsNotWaitedForOnceMore) {
  auto client = Connect();
  const Function doubler = Doubler(client);
  const Array x = *client->Upload(Floats({1}));
  for (int i = 0; i < 3000; ++i) {
    const Array y = *doubler(x);
    const auto ready = y.Ready();
    EXPECT_TRUE(y.Fetch().ok());
    EXPECT_TRUE(y.Await().ok());
  }
}

TEST_F(RpcTest, DependentExecutionsRunInOrderThroughASmallWindow) {
  rpc::RpcOptions options;
  options.command_window = 16;
  StartServer(options);
  auto client = Connect();
  Function next(client, [](const Tensor& x) { return x + 1; });
  Array y = *client->Upload(Floats({0}));
  for (int i = 0; i < 3000; ++i) y = *next(y);
  EXPECT_EQ(*y.Fetch(), Floats({3000}));
}

TEST_F(RpcTest, LargeArraysTravelBesideTheChannel) {
  auto client = Connect();
  const ir::Literal value = Ramp(3'000'000);
  std::vector<Array> arrays;
  for (int i = 0; i < 6; ++i) arrays.push_back(*client->Upload(value));
  for (const Array& array : arrays) {
    ASSERT_TRUE(array.Fetch().ok()) << array.Fetch().status();
    EXPECT_TRUE(*array.Fetch() == value);
  }
  std::string buffer(value.bytes().size(), 0);
  EXPECT_TRUE(arrays[0].FetchInto(absl::MakeSpan(buffer.data(), buffer.size())).ok());
  EXPECT_TRUE(buffer == value.bytes());
  EXPECT_EQ(arrays[0].FetchInto({}).code(), absl::StatusCode::kInvalidArgument);
}

// A batch of commands may begin uploads before and after the command that needs the text of a large
// program. The daemon credits them together, after it has the text, which so must not wait for a
// thread that waits for a credit.
TEST_F(RpcTest, UploadsThatWaitForTheirCreditKeepNoProgramFromTheDaemon) {
  auto client = Connect();
  const ir::Literal value = Ramp(20'000);
  for (int round = 0; round < 50; ++round) {
    std::vector<Array> arrays;
    for (int i = 0; i < 4; ++i) arrays.push_back(*client->Upload(value));
    const Function large(client, [round](const Tensor& x) {
      Tensor y = x;
      for (int i = 0; i < 400; ++i) y = y + round;
      return y;
    });
    const absl::StatusOr<Array> result = large(*client->Upload(Floats({1})));
    ASSERT_TRUE(result.ok()) << result.status();
    for (int i = 0; i < 4; ++i) arrays.push_back(*client->Upload(value));
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (const Array& array : arrays) ASSERT_TRUE(array.AwaitUntil(give_up).ok()) << round;
    ASSERT_TRUE(result->AwaitUntil(give_up).ok()) << round;
    EXPECT_EQ(*result->Fetch(), Floats({1.0F + 400 * static_cast<float>(round)}));
  }
  EXPECT_EQ(engine_.programs_added(), 50);
}

// The daemon reads no further commands while so many requests of a session are under way, and these
// may be about an array whose content is offered in a command after them.
TEST_F(RpcTest, RequestsForAnArrayDoNotKeepTheOfferOfItsContentFromEnding) {
  rpc::RpcOptions options;
  options.max_requests = 4;
  StartServer(options);
  auto client = Connect();
  const ir::Literal value = Ramp(3'000'000);
  const absl::StatusOr<Array> array =
      client->UploadShared(value.type(), value.bytes(), [] {}, {}, {.deduplicate = true});
  ASSERT_TRUE(array.ok()) << array.status();
  const Function doubler = Doubler(client);
  std::vector<Array> results;
  std::vector<Future<client::ExecutionInfo>> ready;
  for (int i = 0; i < 20; ++i) {
    results.push_back(*doubler(*array));
    ready.push_back(results.back().Ready());
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (const Array& result : results) ASSERT_TRUE(result.AwaitUntil(give_up).ok());
  for (const auto& one : ready) EXPECT_TRUE(one.Await().ok());
  EXPECT_TRUE(*array->Fetch() == value);
}

// The daemon keeps what was fetched and not yet downloaded, here two of these arrays, and refuses
// more: it never has to.
TEST_F(RpcTest, ManyLargeFetchesTakeTurns) {
  rpc::RpcOptions options;
  options.max_transfer_bytes = 1 << 20;
  StartServer(options);
  auto client = *client::Client::Connect({.address = address(), .max_fetch_bytes = 1 << 20});
  const ir::Literal value = Ramp(100'000);
  std::vector<Future<ir::Literal>> fetched;
  for (int i = 0; i < 100; ++i) fetched.push_back(client->Upload(value)->FetchAsync());
  for (const Future<ir::Literal>& one : fetched) {
    ASSERT_TRUE(one.Await().ok()) << one.Await().status();
    EXPECT_TRUE(*one.Await() == value);
  }
}

TEST_F(RpcTest, FetchesOfWhatIsReadyPassThoseOfWhatIsNot) {
  auto client = *client::Client::Connect({.address = address(), .max_fetch_bytes = 1 << 20});
  const Array ready = *client->Upload(Ramp(200'000));
  ASSERT_TRUE(ready.Await().ok());
  engine_.Hold();
  std::vector<Future<ir::Literal>> waiting;
  for (int i = 0; i < 10; ++i) waiting.push_back(Doubler(client)(ready)->FetchAsync());
  EXPECT_TRUE(ready.Fetch().ok());
  engine_.Resume();
  for (const Future<ir::Literal>& one : waiting) EXPECT_TRUE(one.Await().ok());
}

TEST_F(RpcTest, FetchesThatWaitForTheirTurnEndWithTheClient) {
  auto client = *client::Client::Connect({.address = address(), .max_fetch_bytes = 1 << 20});
  const Array x = *client->Upload(Ramp(200'000));
  ASSERT_TRUE(x.Await().ok());
  engine_.Hold();
  const Array y = *Doubler(client)(x);
  std::vector<Future<ir::Literal>> fetched;
  for (int i = 0; i < 10'000; ++i) fetched.push_back(y.FetchAsync());
  client.reset();
  for (const Future<ir::Literal>& one : fetched) {
    EXPECT_EQ(one.Await().status().code(), absl::StatusCode::kUnavailable);
  }
  engine_.Resume();
}

TEST_F(RpcTest, SharedUploadReleasesItsBytesOnce) {
  auto client = Connect();
  const ir::Literal value = Ramp(100'000);
  Promise<Unit> promise;  // Set twice, it would end the process.
  const Event released = promise.future();
  const Array array =
      *client->UploadShared(value.type(), value.bytes(), [&] { promise.Set(Unit{}); });
  EXPECT_TRUE(array.Await().ok());
  EXPECT_TRUE(released.Await().ok());
}

TEST_F(RpcTest, LastCopyReleasesTheHandle) {
  auto client = Connect();
  {
    const Array x = *client->Upload(Floats({1}));
    const Array copy = x;  // NOLINT: sharing is the point
    ASSERT_TRUE(copy.Await().ok());
    EXPECT_EQ(engine_.live_arrays(), 1u);
  }
  // A release leaves with a later batch, which this makes; the last of these arrays remains.
  while (engine_.live_arrays() > 1) {
    ASSERT_TRUE(client->Upload(Floats({2}))->Await().ok());
    std::this_thread::yield();
  }
}

TEST_F(RpcTest, AwaitAnyGivesTheOneThatIsReady) {
  auto client = Connect();
  const Array x = *client->Upload(Floats({1}));
  ASSERT_TRUE(x.Await().ok());
  engine_.Hold();
  const Array y = *Doubler(client)(x);
  EXPECT_EQ(*client::AwaitAny({y, x}), 1u);
  EXPECT_EQ(client::AwaitAny({y}, std::chrono::steady_clock::now()).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(client::AwaitAny({}).status().code(), absl::StatusCode::kInvalidArgument);
  engine_.Resume();
  EXPECT_TRUE(client::AwaitAll({x, y}).ok());
}

TEST_F(RpcTest, AwaitAllTakesArraysOfSeveralClientsAndGivesTheFirstError) {
  auto client = Connect(), other = Connect();
  std::vector<Array> arrays;
  for (int i = 0; i < 20; ++i) {
    for (const auto& one : {client, other}) {
      const Array x = *one->Upload(Floats({static_cast<float>(i)}));
      arrays.push_back(*Doubler(one)(x));
    }
  }
  arrays.push_back(arrays[3]);
  EXPECT_TRUE(client::AwaitAll(arrays).ok());
  EXPECT_TRUE(client::AwaitAll(arrays).ok());  // All of them have been answered by now.
  EXPECT_TRUE(client::AwaitAll({}).ok());
  arrays.insert(arrays.begin() + 7, Array());
  EXPECT_EQ(client::AwaitAll(arrays).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RpcTest, ResultsOfOneExecutionAreAwaitedByOneRequest) {
  auto client = Connect();
  const Function doubled_and_squared(
      client, [](const Tensor& x) { return std::vector<Tensor>{x + x, x * x}; });
  const std::vector<Array> results = *doubled_and_squared(*client->Upload(Floats({1, 2, 3})));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(client::AwaitAll(results).ok());
  EXPECT_TRUE(results[0].Ready().Await().ok());
  EXPECT_TRUE(results[1].Ready().Await().ok());
  EXPECT_EQ(engine_.awaits(), 1);
  EXPECT_EQ(*results[1].Fetch(), Floats({1, 4, 9}));
}

TEST_F(RpcTest, MismatchedArgumentsAreRefusedAtTheCall) {
  auto client = Connect();
  auto other = Connect();
  const Array x = *client->Upload(Floats({1, 2}));
  const auto program = Doubler(client).Trace(ir::TensorType{ir::DType::kF32, {3}});
  EXPECT_THAT(client->Execute(*program, {x}).status().message(),
              HasSubstr("argument 0 is tensor<2xf32>; expected tensor<3xf32>"));
  EXPECT_THAT(client->Execute(*program, {}).status().message(), HasSubstr("takes 1 arguments"));
  EXPECT_THAT(other->Execute(*program, {x}).status().message(), HasSubstr("another client"));
  EXPECT_THAT(client->Upload(Floats({1}), 9).status().message(), HasSubstr("no device 9"));
  EXPECT_FALSE(client->Execute(*program, {Array()}).ok());
  EXPECT_FALSE(Array().Fetch().ok());
}

TEST_F(RpcTest, LostServerFailsWhatIsPendingAndWhatComes) {
  auto client = Connect();
  const Array x = *client->Upload(Floats({1}));
  ASSERT_TRUE(x.Await().ok());
  engine_.Hold();
  const Array y = *Doubler(client)(x);
  const auto pending = y.Ready();
  server_.reset();
  // CANCELLED when the daemon was just asked about it.
  EXPECT_THAT(pending.Await().status().code(),
              AnyOf(absl::StatusCode::kUnavailable, absl::StatusCode::kCancelled));
  EXPECT_THAT(std::string(pending.Await().status().message()), HasSubstr("has ended"));
  EXPECT_EQ(x.Fetch().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(client->Upload(Floats({1})).status().code(), absl::StatusCode::kUnavailable);
  engine_.Resume();
}

TEST_F(RpcTest, ArraysOutliveTheirClientWithAnError) {
  auto client = Connect();
  engine_.Hold();
  const Array y = *Doubler(client)(*client->Upload(Floats({1})));
  const auto pending = y.FetchAsync();
  client.reset();
  EXPECT_EQ(pending.Await().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(y.Await().message(), HasSubstr("the client was closed"));
  engine_.AwaitSessions(0);
  engine_.Resume();
}

TEST_F(RpcTest, CallbacksMaySubmitMoreWork) {
  rpc::RpcOptions options;
  options.command_window = 4;
  StartServer(options);
  auto client = Connect();
  Function next(client, [](const Tensor& x) { return x + 1; });
  Promise<Array> last;
  const Future<Array> result = last.future();
  const Array x = *client->Upload(Floats({0}));
  x.Ready().OnReady([&](const auto&) {
    Array y = x;
    for (int i = 0; i < 100; ++i) y = *next(y);
    last.Set(y);
  });
  EXPECT_EQ(*result.Await()->Fetch(), Floats({100}));
}

TEST_F(RpcTest, CompileAnswersWithItsVerdict) {
  auto client = Connect();
  const auto program = *Doubler(client).Trace(ir::TensorType{ir::DType::kF32, {3}});
  const auto compiled = client->Compile(program, {{ir::DType::kF32, {3}}});
  ASSERT_TRUE(compiled.Await().ok()) << compiled.Await().status();
  EXPECT_EQ(compiled.Await()->verdict, client::CacheVerdict::kMiss);
  EXPECT_FALSE(client->Compile(program, {}).Await().ok());
}

TEST_F(RpcTest, QueriesAnswer) {
  auto client = Connect();
  const std::unique_ptr<client::Admin> admin = *client::Admin::Connect({.address = address()});
  EXPECT_EQ(client->devices().size(), 2u);
  EXPECT_EQ(admin->ListDevices()->at(1).name, "second");
  EXPECT_EQ(admin->ListMissingDevices()->at(0).reason, "this engine is fake");
  EXPECT_EQ(admin->GetStats()->sessions, 1u);
  EXPECT_EQ(admin->GetStats()->incarnation, 7u);
  EXPECT_EQ(admin->ListSessions()->at(0).client_name, "test");
  EXPECT_EQ(admin->ListCache()->size(), 250u);
  EXPECT_EQ(admin->ListCache(120)->size(), 120u);
  EXPECT_EQ(client->daemon_version(), "test");
}

TEST_F(RpcTest, WhoComesWhileTheServerStopsHearsThatItIsUnavailable) {
  for (int round = 0; round < 10; ++round) {
    StartServer({});
    std::atomic<bool> stopped{false};
    std::vector<std::thread> comers;
    Mutex mutex;
    std::vector<absl::Status> heard;
    for (int i = 0; i < 4; ++i) {
      comers.emplace_back([&] {
        while (!stopped) {
          const auto client = client::Client::Connect({.address = address()});
          if (client.ok()) continue;
          MutexLock lock(mutex);
          heard.push_back(client.status());
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    server_->Shutdown(std::chrono::milliseconds(1));
    stopped = true;
    for (std::thread& comer : comers) comer.join();
    for (const absl::Status& status : heard) {
      ASSERT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    }
  }
}

TEST_F(RpcTest, MissingDaemonSaysHowToStartOne) {
  const std::string nowhere = absl::StrCat("unix:", folder_.path(), "/none.sock");
  const auto client = client::Client::Connect({.address = nowhere});
  EXPECT_EQ(client.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(client.status().message(), HasSubstr("start one with `acceld --listen unix:"));
}

TEST_F(RpcTest, SocketIsPrivateAndTakenOnce) {
  struct stat info;
  const std::string path = ParseAddress(address())->unix_path;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  rpc::RpcOptions options;
  options.listen = {*ParseAddress(address())};
  EXPECT_EQ(rpc::Server::Start(engine_, options).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(Connect()->status().ok());
  server_.reset();
  EXPECT_NE(stat(path.c_str(), &info), 0);
}

}  // namespace
}  // namespace acceld::testing
