// Channels without gRPC, for clients on the daemon's host: by hand, and of the client library.

#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "client/transport/connection.h"
#include "common/net/message_socket.h"
#include "common/threads/mailbox.h"
#include "tests/integration/raw_client.h"
#include "tests/integration/raw_segments.h"
#include "tests/integration/rpc_fixture.h"
#include "tests/support/eventually.h"

namespace acceld::testing {
namespace {

using segment::RequestKind;

// A client's end of a channel that sends what it is told to.
class RawChannel {
 public:
  explicit RawChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  bool SendBytes(const std::string& message, Blocking blocking = Blocking::kYes) {
    size_t sent = 0;
    return SendMessage(socket_.get(), message, sent, blocking).ok();
  }
  bool Send(std::vector<v1::Command> commands, Blocking blocking = Blocking::kYes) {
    v1::CommandBatch batch;
    for (v1::Command& command : commands) *batch.add_commands() = std::move(command);
    return SendBytes(batch.SerializeAsString(), blocking);
  }
  // The next event; none at the end.
  v1::Event Next() {
    while (next_ == events_.events_size()) {
      const auto message = receiver_.Receive(socket_.get(), Blocking::kYes);
      if (!message.ok()) return {};
      events_.ParseFromString(std::string(*message));
      next_ = 0;
    }
    return events_.events(next_++);
  }
  int fd() const { return socket_.get(); }

 private:
  UniqueFd socket_;
  MessageReceiver receiver_{SIZE_MAX};
  v1::EventBatch events_;
  int next_ = 0;
};

v1::Command Release(uint64_t handle) {
  v1::Command command;
  command.mutable_release()->add_handles(handle);
  return command;
}

class LocalChannelTest : public RpcTest {
 protected:
  std::string socket_path() const { return folder_.path() + "/d.sock"; }

  // A session that was opened over gRPC, and its channel.
  RawChannel Open(uint32_t lease_ms = 0) {
    raw_ = std::make_unique<RawClient>(address());
    stream_ = std::make_unique<RawStream>(*raw_);
    v1::Command hello = Hello();
    hello.mutable_hello()->set_lease_ms(lease_ms);
    stream_->Send({hello});
    welcome_ = stream_->Next().welcome();
    return OpenFor(welcome_.session_token());
  }
  RawChannel OpenFor(const std::string& token) {
    RawSegments segments(socket_path());
    EXPECT_EQ(segments.Attach(token), absl::StatusCode::kOk);
    EXPECT_EQ(segments.Ask({.kind = RequestKind::kChannel}), absl::StatusCode::kOk);
    UniqueFd socket = segments.TakePassed();
    EXPECT_TRUE(socket.valid());
    EXPECT_TRUE(ReceiveMailboxes(socket.get()).ok());
    EXPECT_EQ(segments.Ask({.kind = RequestKind::kDetach}), absl::StatusCode::kOk);
    return RawChannel(std::move(socket));
  }
  void ExpectEnd(RawChannel& channel, absl::StatusCode code) {
    const v1::Event last = channel.Next();
    EXPECT_EQ(last.goodbye().code(), static_cast<uint32_t>(code)) << last.DebugString();
    EXPECT_EQ(channel.Next().event_case(), v1::Event::EVENT_NOT_SET);
    engine_.AwaitSessions(0);
  }

  std::unique_ptr<RawClient> raw_;
  std::unique_ptr<RawStream> stream_;
  v1::Welcome welcome_;
};

TEST_F(LocalChannelTest, CarriesASessionThatGrpcHasOpened) {
  RawChannel channel = Open();
  EXPECT_TRUE(stream_->Finish().ok());  // Its place is taken, which is no error.
  ASSERT_TRUE(channel.Send({Register(kDoubleText), Put(1), Execute(1, 1, 2), Fetch(9, 2)}));
  const v1::Event event = channel.Next();
  EXPECT_EQ(event.ready().request_id(), 9u);
  EXPECT_EQ(event.ready().data(), TwoFloats(2, 4).data());
  EXPECT_EQ(engine_.Sessions().size(), 1u);
}

TEST_F(LocalChannelTest, AnExecutionIsAwaitedWhenItsBatchAsksForResultsBeforeItExecutesMore) {
  RawChannel channel = Open();
  ASSERT_TRUE(channel.Send({Register(kDoubleText), Put(1), Execute(1, 1, 2), Execute(1, 2, 3),
                            Release(1), Fetch(9, 3), Execute(1, 3, 4)}));
  EXPECT_EQ(channel.Next().ready().request_id(), 9u);
  ASSERT_TRUE(channel.Send({Fetch(10, 4)}));
  EXPECT_EQ(channel.Next().ready().request_id(), 10u);
  std::vector<bool> awaited;
  for (const FakeEngine::NotedExecution& execution : engine_.executions()) {
    awaited.push_back(execution.awaited);
  }
  EXPECT_THAT(awaited, ::testing::ElementsAre(false, true, false));
}

TEST_F(LocalChannelTest, DonatedArgumentsAreNamedByTheirNumbers) {
  RawChannel channel = Open();
  v1::Command donating = Execute(1, 1, 2);
  donating.mutable_execute()->add_donated(0);
  ASSERT_TRUE(channel.Send({Register(kDoubleText), Put(1), donating, Fetch(9, 2)}));
  EXPECT_EQ(channel.Next().ready().data(), TwoFloats(2, 4).data());
  ASSERT_EQ(engine_.executions().size(), 1u);
  EXPECT_THAT(engine_.executions()[0].donated, ::testing::ElementsAre(0));
}

// On a crowded machine the time of a thread's turn is over because others had the core: who waits
// for an execution does not wait for a second thread as well.
TEST_F(LocalChannelTest, AnAwaitedExecutionStaysOnTheThreadThatHasItsBatch) {
  RawChannel channel = Open();
  ASSERT_TRUE(channel.Send({Register(kDoubleText), Put(1), Fetch(8, 1)}));
  EXPECT_EQ(channel.Next().ready().request_id(), 8u);
  engine_.DelayExecutions(std::chrono::milliseconds(10));  // As if others had had it.
  ASSERT_TRUE(channel.Send({Execute(1, 1, 2), Execute(1, 2, 3), Fetch(9, 3)}));
  EXPECT_EQ(channel.Next().ready().request_id(), 9u);
  const std::vector<FakeEngine::NotedExecution> executions = engine_.executions();
  ASSERT_EQ(executions.size(), 2u);
  EXPECT_TRUE(executions[1].awaited);
  EXPECT_EQ(executions[0].thread, executions[1].thread);
}

// Each call lets the client's threads look for more to do for some milliseconds, and no longer.
TEST_F(LocalChannelTest, AClientThatCallsNowAndThenSleepsInBetween) {
  const std::shared_ptr<client::Client> client = Connect();
  constexpr int kCalls = 10, kWakeupsOfACall = 45;
  rusage before{}, after{};
  for (int i = 0; i < kCalls + 1; ++i) {
    if (i == 1) getrusage(RUSAGE_SELF, &before);  // The first call is not like the others.
    EXPECT_TRUE(client->Upload(Floats({1}))->Fetch().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_nvcsw - before.ru_nvcsw, kCalls * kWakeupsOfACall);
}

// The thread that serves a client stays with it only while nobody else wants something.
TEST_F(LocalChannelTest, OneThreadServesClientsThatNeverPause) {
  rpc::RpcOptions options;
  options.channel_threads = 1;
  options.channel_poll_us = 10'000;
  StartServer(options);
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 2; ++i) {
    busy.emplace_back([&, client = Connect()] {
      while (!stop) EXPECT_TRUE(client->Upload(Floats({1}))->Await().ok());
    });
  }
  const auto client = Connect();
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(client->Upload(Floats({2}))->Await().ok());
  stop = true;
  for (std::thread& thread : busy) thread.join();
}

// What comes while all threads are busy is not served in the order in which it came.
TEST_F(LocalChannelTest, AnInteractiveClientGoesBeforeOthersThatWaitForAThread) {
  rpc::RpcOptions options;
  options.channel_threads = 1;
  options.channel_poll_us = 0;
  StartServer(options);
  const auto open = [&](RawClient& raw, const std::string& name, v1::Priority priority) {
    RawStream stream(raw);
    v1::Command hello = Hello();
    hello.mutable_hello()->set_client_name(name);
    hello.mutable_hello()->set_priority(priority);
    stream.Send({hello});
    RawChannel channel = OpenFor(stream.Next().welcome().session_token());
    EXPECT_TRUE(stream.Finish().ok());
    return channel;
  };
  RawClient raw(address());
  RawChannel first = open(raw, "first", v1::PRIORITY_NORMAL);
  RawChannel normal = open(raw, "normal", v1::PRIORITY_NORMAL);
  RawChannel interactive = open(raw, "interactive", v1::PRIORITY_INTERACTIVE);
  Promise<Unit> door;
  Mutex mutex;
  std::vector<std::string> order;
  engine_.OnCancel([&, opened = door.future()](const std::string& name) {
    {
      MutexLock lock(mutex);
      order.push_back(name);
    }
    (void)opened.Await();
  });
  ASSERT_TRUE(first.Send({Cancel({1})}));
  ASSERT_TRUE(Eventually([&] { return engine_.cancels() == 1; }));
  ASSERT_TRUE(normal.Send({Cancel({1})}));
  ASSERT_TRUE(interactive.Send({Cancel({1})}));
  door.Set(Unit{});
  ASSERT_TRUE(Eventually([&] {
    MutexLock lock(mutex);
    return order.size() == 3;
  }));
  engine_.OnCancel(nullptr);
  MutexLock lock(mutex);
  EXPECT_THAT(order, ::testing::ElementsAre("first", "interactive", "normal"));
}

TEST_F(LocalChannelTest, AClientThatFloodsItsChannelLeavesTheThreadToOthers) {
  rpc::RpcOptions options;
  options.channel_threads = 1;
  StartServer(options);
  RawChannel flood = Open();
  std::atomic<bool> stop{false};
  std::thread flooding([&] {
    uint64_t handle = 1;
    while (!stop && flood.Send({Put(handle), Release(handle)})) ++handle;
  });
  std::thread draining([&] {
    while (flood.Next().event_case() != v1::Event::EVENT_NOT_SET) {
    }
  });
  const auto client = Connect();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(client->Upload(Floats({2}))->Await().ok());
  stop = true;
  flooding.join();
  shutdown(flood.fd(), SHUT_RDWR);
  draining.join();
}

TEST_F(LocalChannelTest, ASessionEndsWithItsChannel) {
  {
    RawChannel channel = Open();
    ASSERT_TRUE(channel.Send({Put(1), Fetch(1, 1)}));
    EXPECT_EQ(channel.Next().ready().request_id(), 1u);
  }
  engine_.AwaitSessions(0);
}

TEST_F(LocalChannelTest, ASessionWithALeaseGoesOnBehindWhatWasTakenIn) {
  {
    RawChannel channel = Open(/*lease_ms=*/60'000);
    ASSERT_TRUE(channel.Send({Put(1), Put(2), Fetch(1, 2)}));
    EXPECT_EQ(channel.Next().ready().request_id(), 1u);
  }
  RawStream again(*raw_);
  v1::Command hello = Hello();
  hello.mutable_hello()->mutable_resume()->set_session_token(welcome_.session_token());
  hello.mutable_hello()->mutable_resume()->set_incarnation(welcome_.incarnation());
  again.Send({hello});
  EXPECT_EQ(again.Next().welcome().commands_taken(), 3u);
  RawChannel channel = OpenFor(welcome_.session_token());
  ASSERT_TRUE(channel.Send({Fetch(2, 1)}));
  EXPECT_EQ(channel.Next().ready().data(), TwoFloats(1, 2).data());
}

TEST_F(LocalChannelTest, ClientsGoOnWhenTheirChannelBreaks) {
  const absl::StatusOr<std::shared_ptr<client::Connection>> connection =
      client::Connection::Open({.attempt = {.address = *ParseAddress(address())},
                                .lease = std::chrono::milliseconds(60'000)});
  ASSERT_TRUE(connection.ok()) << connection.status();
  v1::Command put = Put(1000);
  ASSERT_TRUE((*connection)->Append(put).ok());
  for (int round = 0; round < 20; ++round) {
    // Takes the session, and ends at once. The client is not told why.
    RawChannel thief = OpenFor((*connection)->welcome().session_token());
    Promise<Unit> promise;
    const Event awaited = promise.future();
    (*connection)->Await(1000, [&](const absl::StatusOr<client::ExecutionInfo>& info) {
      promise.Set(info.ok() ? absl::StatusOr<Unit>(Unit{}) : info.status());
    });
    EXPECT_TRUE(awaited.Await().ok()) << awaited.Await().status();
  }
  EXPECT_EQ(engine_.Sessions().size(), 1u);
}

TEST_F(LocalChannelTest, MessagesOfAnySizeArrive) {
  RawChannel channel = Open();
  v1::Command put = Put(1);
  const ir::Literal value = Ramp(1'000'000);
  v1::Literal& literal = *put.mutable_put()->mutable_literal();
  literal.mutable_type()->set_dtype("i32");
  literal.mutable_type()->clear_dims();
  literal.mutable_type()->add_dims(1'000'000);
  literal.set_data(value.bytes().data(), value.bytes().size());
  std::vector<v1::Command> commands = {put};
  for (uint64_t i = 0; i < 5000; ++i) commands.push_back(Put(2 + i));
  commands.push_back(Fetch(7, 5001));
  ASSERT_TRUE(channel.Send(commands));
  v1::Event event = channel.Next();
  while (event.has_credit()) event = channel.Next();
  EXPECT_EQ(event.ready().data(), TwoFloats(1, 2).data());
}

TEST_F(LocalChannelTest, ViolationsEndTheSession) {
  RawChannel undecodable = Open();
  ASSERT_TRUE(undecodable.SendBytes("\xff\xff\xff"));
  ExpectEnd(undecodable, absl::StatusCode::kInvalidArgument);
  RawChannel garbage = Open();
  ASSERT_TRUE(SendPacket(garbage.fd(), "no packet of ours").ok());
  ExpectEnd(garbage, absl::StatusCode::kInvalidArgument);
  RawChannel twice = Open();
  ASSERT_TRUE(twice.Send({Put(1), Put(1)}));
  ExpectEnd(twice, absl::StatusCode::kInvalidArgument);
  RawChannel greeting = Open();
  ASSERT_TRUE(greeting.Send({Hello()}));
  ExpectEnd(greeting, absl::StatusCode::kInvalidArgument);
}

TEST_F(LocalChannelTest, AMessageAboveTheLimitIsRefusedAndCounted) {
  StartServer({.max_message_bytes = 100'000});
  RawChannel channel = Open();
  const auto refusals = [&] {
    return server_->instruments().refusals(observability::Refusal::kLimit);
  };
  const uint64_t before = refusals();
  (void)channel.SendBytes(std::string(1'000'000, 'x'));
  ExpectEnd(channel, absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(refusals(), before + 1);
}

TEST_F(LocalChannelTest, AClientThatReadsNothingIsNotReadFromAndLosesNothing) {
  StartServer({.max_event_bytes = 100'000});
  RawChannel channel = Open();
  ASSERT_TRUE(channel.Send({Put(1)}));
  // Until the daemon takes no more: far less than all.
  uint64_t asked = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (asked < 1'000'000 && std::chrono::steady_clock::now() < deadline) {
    if (channel.Send({Fetch(asked + 1, 1)}, Blocking::kNo)) {
      ++asked;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  EXPECT_GT(asked, 1000u);
  EXPECT_LT(asked, 100'000u);
  for (uint64_t answered = 0; answered < asked;) {
    const v1::Event event = channel.Next();
    if (event.has_credit()) continue;
    ASSERT_EQ(event.ready().request_id(), ++answered) << event.DebugString();
  }
  const ir::Literal value = Ramp(100'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
}

TEST_F(LocalChannelTest, ASessionThatIsEndedSaysWhy) {
  RawChannel channel = Open();
  ASSERT_TRUE(channel.Send({Put(1), Fetch(1, 1)}));
  EXPECT_EQ(channel.Next().ready().request_id(), 1u);
  std::thread stops([&] { server_.reset(); });
  const v1::Event last = channel.Next();
  EXPECT_EQ(last.goodbye().code(), static_cast<uint32_t>(absl::StatusCode::kUnavailable));
  EXPECT_THAT(last.goodbye().message(), ::testing::HasSubstr("shutting down"));
  shutdown(channel.fd(), SHUT_RDWR);
  stops.join();
}

TEST_F(LocalChannelTest, ManyChannelsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const auto client = Connect();
        client::Function next(client, [](const client::Tensor& x) { return x + 1; });
        client::Array y = *client->Upload(Floats({0}));
        for (int i = 0; i < 200; ++i) y = *next(y);
        EXPECT_EQ(*y.Fetch(), Floats({200}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  engine_.AwaitSessions(0);
}

}  // namespace
}  // namespace acceld::testing
