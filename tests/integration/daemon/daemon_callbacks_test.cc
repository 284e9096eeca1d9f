// Programs that ask their client in the middle of a run, on the real daemon over its real socket.

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "client/tracing.h"
#include "common/threads/mutex.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/integration/raw_client.h"
#include "tests/support/net/cutting_proxy.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::ExecuteOptions;
using client::HostCallback;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Operands = absl::Span<const ir::Literal>;
using Results = absl::StatusOr<std::vector<ir::Literal>>;

Results Echo(Operands operands) {
  return std::vector<ir::Literal>(operands.begin(), operands.end());
}

absl::StatusOr<Unit> Outcome(const absl::Status& status) {
  return status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status);
}

// One call on `type`, whose result is the program's.
client::Program CallOn(const std::string& type) {
  return Parse(absl::Substitute(R"(
    func.func @main(%x: $0) -> $0 {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64, has_side_effect = true} : ($0) -> $0
      return %0 : $0
    })",
                                type));
}

ir::Literal Bytes(const ir::TensorType& type, int seed) {
  std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
  const bool is_narrow = ir::BitsOf(type.dtype) < 8;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(is_narrow ? (i + static_cast<size_t>(seed)) % 2
                                           : i * 31 + i / 251 + static_cast<size_t>(seed));
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

class DaemonCallbacksTest : public DaemonTest {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(Start()); }

  static absl::StatusOr<Array> Call(Client& client, const client::Program& program,
                                    const ir::Literal& argument, ExecuteOptions options) {
    ACCELD_ASSIGN_OR_RETURN(const Array x, client.Upload(argument));
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> results,
                            client.Execute(program, {x}, {}, options));
    return results.front();
  }
  static absl::StatusOr<ir::Literal> Value(Client& client, const client::Program& program,
                                           const ir::Literal& argument, HostCallback callback) {
    ACCELD_ASSIGN_OR_RETURN(const Array array,
                            Call(client, program, argument, {.callbacks = {std::move(callback)}}));
    return array.Fetch();
  }
  void ExpectServing() {
    RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
            Floats(std::vector<float>(16, 2)));
  }
};

TEST_F(DaemonCallbacksTest, ValuesOfEveryTypeGoThereAndBack) {
  const std::shared_ptr<Client> client = Connect();
  for (const ir::DType dtype :
       {ir::DType::kI1, ir::DType::kI8, ir::DType::kUI8, ir::DType::kI16, ir::DType::kI32,
        ir::DType::kI64, ir::DType::kF16, ir::DType::kBF16, ir::DType::kF32, ir::DType::kF64}) {
    const ir::TensorType type{dtype, {3, 5}};
    const ir::Literal value = Bytes(type, 1), answer = Bytes(type, 2);
    ir::Literal seen;
    const auto result =
        Value(*client, CallOn(type.ToString()), value, [&](Operands operands) -> Results {
          seen = operands[0];
          return std::vector<ir::Literal>{answer};
        });
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(seen == value) << type.ToString();
    EXPECT_TRUE(*result == answer) << type.ToString();
  }
}

TEST_F(DaemonCallbacksTest, ValuesOfEverySizeGoThereAndBack) {
  const std::shared_ptr<Client> client = Connect();
  for (const int64_t size : {0, 1, 1000, 65536, 65537, 1 << 20, 64 << 20}) {
    const ir::TensorType type{ir::DType::kUI8, {size}};
    const ir::Literal value = Bytes(type, 3);
    // Of what the program has computed itself.
    const auto program = Parse(absl::Substitute(R"(
      func.func @main(%x: $0) -> ($0, $0) {
        %0 = stablehlo.not %x : $0
        %1 = stablehlo.custom_call @acceld.host_callback(%0) {acceld.callback = 0 : i64} : ($0) -> $0
        %2 = stablehlo.not %1 : $0
        return %2, %1 : $0, $0
      })",
                                                type.ToString()));
    const Array x = *client->Upload(value);
    const auto results = client->Execute(program, {x}, {}, {.callbacks = {&Echo}});
    ASSERT_TRUE(results.ok()) << results.status();
    const auto fetched = (*results)[0].Fetch();
    ASSERT_TRUE(fetched.ok()) << fetched.status();
    EXPECT_TRUE(*fetched == value) << size;
  }
}

TEST_F(DaemonCallbacksTest, AFunctionThatIsTracedCallsItsHost) {
  const std::shared_ptr<Client> client = Connect();
  const client::Function function(client, [](const client::Tensor& x) {
    const auto negate = [](Operands operands) -> Results {
      const std::string bytes = operands[0].DenseBytes();
      std::vector<float> values(bytes.size() / sizeof(float));
      std::memcpy(values.data(), bytes.data(), bytes.size());
      for (float& value : values) value = -value;
      return std::vector<ir::Literal>{ir::Literal::FromValues<float>(operands[0].type(), values)};
    };
    return client::CallHost(negate, {x + 1}, {x.type()})[0] * 10;
  });
  for (const std::vector<float>& values : {std::vector<float>{1, 2}, std::vector<float>{3}}) {
    const auto y = function(*client->Upload(Floats(values)));
    ASSERT_TRUE(y.ok()) << y.status();
    std::vector<float> expected = values;
    for (float& value : expected) value = (value + 1) * -10;
    EXPECT_EQ(*y->Fetch(), Floats(expected));
  }
}

TEST_F(DaemonCallbacksTest, AValueThatStandsForManyIsWrittenOut) {
  const std::shared_ptr<Client> client = Connect();
  for (const int64_t size : {100, 1 << 20}) {
    const ir::TensorType type{ir::DType::kF32, {size}};
    const auto result =
        Value(*client, CallOn(type.ToString()), ir::Literal::Zeros(type), [&](Operands) -> Results {
          return std::vector<ir::Literal>{ir::Literal::Filled(type, 4)};
        });
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(*result == ir::Literal::Filled(type, 4));
  }
}

constexpr char kOrdered[] = R"(
    func.func @main(%n: tensor<i64>) -> tensor<i64> {
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %t = stablehlo.create_token : !stablehlo.token
      %r:2 = stablehlo.while(%i = %zero, %k = %t) : tensor<i64>, !stablehlo.token
      cond {
        %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %k1 = stablehlo.custom_call @acceld.host_callback(%k, %i) {acceld.callback = 0 : i64, has_side_effect = true} : (!stablehlo.token, tensor<i64>) -> !stablehlo.token
        %two = stablehlo.constant dense<2> : tensor<i64>
        %odd = stablehlo.remainder %i, %two : tensor<i64>
        %odd32 = stablehlo.convert %odd : (tensor<i64>) -> tensor<i32>
        %k2 = "stablehlo.case"(%odd32) ({
          stablehlo.return %k1 : !stablehlo.token
        }, {
          %k3 = stablehlo.custom_call @acceld.host_callback(%k1, %i) {acceld.callback = 1 : i64, has_side_effect = true} : (!stablehlo.token, tensor<i64>) -> !stablehlo.token
          stablehlo.return %k3 : !stablehlo.token
        }) : (tensor<i32>) -> !stablehlo.token
        %i1 = stablehlo.add %i, %one : tensor<i64>
        stablehlo.return %i1, %k2 : tensor<i64>, !stablehlo.token
      }
      return %r#0 : tensor<i64>
    })";

int64_t IntOf(const ir::Literal& value) {
  return ir::ReadInt(value.type().dtype, value.bytes().data(), 0);
}

TEST_F(DaemonCallbacksTest, OrderedCallsInALoopAndItsBranchesComeInOrder) {
  const std::shared_ptr<Client> client = Connect();
  Mutex mutex;
  std::vector<std::string> seen;
  const auto note = [&](const char* who) {
    return [&, who](Operands operands) -> Results {
      const MutexLock lock(mutex);
      seen.push_back(absl::StrCat(who, IntOf(operands[0])));
      return std::vector<ir::Literal>();
    };
  };
  const Array n = *client->Upload(Int64(50));
  const auto results =
      client->Execute(Parse(kOrdered), {n}, {}, {.callbacks = {note("a"), note("b")}});
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_TRUE(results->front().Await().ok()) << results->front().Await();
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    expected.push_back(absl::StrCat("a", i));
    if (i % 2 == 1) expected.push_back(absl::StrCat("b", i));
  }
  const MutexLock lock(mutex);
  EXPECT_EQ(seen, expected);
}

// Two calls without a way to overtake each other would be enough; here are many runs.
TEST_F(DaemonCallbacksTest, ManyRunsAtATimeAllGetTheirOwnAnswers) {
  const std::shared_ptr<Client> client = Connect();
  const client::Program program = CallOn("tensor<i64>");
  std::vector<Array> results;
  for (int64_t i = 0; i < 200; ++i) {
    const auto result =
        Call(*client, program, Int64(i), {.callbacks = {[](Operands operands) {
                                            return Results({Int64(IntOf(operands[0]) * 3)});
                                          }}});
    ASSERT_TRUE(result.ok()) << result.status();
    results.push_back(*result);
  }
  for (int64_t i = 0; i < 200; ++i) {
    const auto value = results[static_cast<size_t>(i)].Fetch();
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(*value == Int64(3 * i));
  }
}

TEST_F(DaemonCallbacksTest, AnExecutionWithoutTheCallbackIsRefusedAtOnce) {
  const std::shared_ptr<Client> client = Connect();
  const Array x = *client->Upload(Int64(1));
  for (const ExecuteOptions& options :
       {ExecuteOptions(), ExecuteOptions{.callbacks = {HostCallback(), &Echo}}}) {
    const absl::Status status = client->Execute(CallOn("tensor<i64>"), {x}, {}, options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("host callback 0"));
  }
}

TEST_F(DaemonCallbacksTest, TheErrorOfACallbackIsThatOfTheResults) {
  const std::shared_ptr<Client> client = Connect();
  const client::Program program = CallOn("tensor<i64>");
  const auto error = [&](HostCallback callback) {
    return Value(*client, program, Int64(1), std::move(callback)).status();
  };
  const absl::Status raised = error([](Operands) { return absl::OutOfRangeError("no more rows"); });
  EXPECT_EQ(raised.code(), absl::StatusCode::kOutOfRange) << raised;
  EXPECT_THAT(std::string(raised.message()), HasSubstr("host callback 0: no more rows"));
  const absl::Status cancelled = error([](Operands) { return absl::CancelledError("not now"); });
  EXPECT_EQ(cancelled.code(), absl::StatusCode::kCancelled) << cancelled;
  EXPECT_THAT(std::string(cancelled.message()), HasSubstr("not now"));
  const absl::Status thrown =
      error([](Operands) -> Results { throw std::runtime_error("out of cheese"); });
  EXPECT_EQ(thrown.code(), absl::StatusCode::kUnknown) << thrown;
  EXPECT_THAT(std::string(thrown.message()), HasSubstr("out of cheese"));
  const absl::Status many =
      error([](Operands operands) { return Results({operands[0], operands[0]}); });
  EXPECT_EQ(many.code(), absl::StatusCode::kInvalidArgument) << many;
  EXPECT_THAT(std::string(many.message()), HasSubstr("gave 2 results; the program expects 1"));
  const absl::Status other = error([](Operands) { return Results({Floats({1})}); });
  EXPECT_THAT(std::string(other.message()),
              HasSubstr("result 0 is a tensor<1xf32>; the program expects a tensor<i64>"));
  EXPECT_TRUE(Value(*client, program, Int64(1), &Echo).ok());
}

TEST_F(DaemonCallbacksTest, ACallbackThatHangsEndsWithTheTimeoutOfItsRunAlone) {
  const std::shared_ptr<Client> client = Connect();
  Promise<Unit> promise;
  const Event released = promise.future();
  const auto hang = [released](Operands operands) {
    (void)released.Await();
    return Echo(operands);
  };
  Promise<Unit> ended;
  const Event end = ended.future();
  const auto begin = std::chrono::steady_clock::now();
  const auto hanging =
      Call(*client, CallOn("tensor<i64>"), Int64(1),
           {.timeout = milliseconds(500), .callbacks = {hang}, .on_end = [&](const auto& status) {
              ended.Set(Outcome(status));
            }});
  ASSERT_TRUE(hanging.ok()) << hanging.status();
  // Others have the device meanwhile, of this session too.
  ExpectServing();
  EXPECT_TRUE(Value(*client, CallOn("tensor<i64>"), Int64(2), &Echo).ok());
  EXPECT_EQ(hanging->Await().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(end.Await().status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_TRUE(IsQueued(0));
  promise.Set(Unit{});
  EXPECT_TRUE(Value(*client, CallOn("tensor<i64>"), Int64(3), &Echo).ok());
}

TEST_F(DaemonCallbacksTest, ACancelledRunDoesNotWaitForItsCallback) {
  const std::shared_ptr<Client> client = Connect();
  Promise<Unit> promise;
  const Event released = promise.future();
  std::atomic<bool> called{false};
  const auto result = Call(*client, CallOn("tensor<i64>"), Int64(1),
                           {.callbacks = {[&, released](Operands operands) {
                              called = true;
                              (void)released.Await();
                              return Echo(operands);
                            }}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(Eventually([&] { return called.load(); }));
  EXPECT_THAT(Accelctl({"sessions"}).output, HasSubstr("asks"));
  ASSERT_TRUE(result->Cancel("that will do").ok());
  EXPECT_EQ(result->Await().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsQueued(0));
  promise.Set(Unit{});
}

// As a callback of JAX may use jitted functions.
TEST_F(DaemonCallbacksTest, ACallbackExecutesProgramsAlsoThoseWithCallbacks) {
  const std::shared_ptr<Client> client = Connect();
  const client::Program program = CallOn("tensor<16xf32>");
  const Array before = *client->Upload(Floats(std::vector<float>(16, 100)));
  const auto result =
      Value(*client, program, Floats(std::vector<float>(16, 1)), [&](Operands operands) -> Results {
        ACCELD_ASSIGN_OR_RETURN(const Array x, client->Upload(operands[0]));
        ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> more,
                                client->Execute(Parse(kIncrementText), {x}));
        ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, more[0].Fetch());
        EXPECT_TRUE(before.Fetch().ok());
        ACCELD_ASSIGN_OR_RETURN(ir::Literal nested, Value(*client, program, value, &Echo));
        return std::vector<ir::Literal>{std::move(nested)};
      });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(*result == Floats(std::vector<float>(16, 2)));
}

TEST_F(DaemonCallbacksTest, AProgramWithoutResultsSaysWhenItHasEnded) {
  const std::shared_ptr<Client> client = Connect();
  const auto program = Parse(R"(
    func.func @main(%x: tensor<i64>) {
      stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64, has_side_effect = true} : (tensor<i64>) -> ()
      return
    })");
  const Array x = *client->Upload(Int64(7));
  std::atomic<int64_t> seen{0};
  for (const bool fails : {false, true}) {
    Promise<Unit> ended;
    const Event end = ended.future();
    const auto results = client->Execute(
        program, {x}, {},
        {.callbacks = {[&](Operands operands) -> Results {
           seen = IntOf(operands[0]);
           if (fails) return absl::DataLossError("nowhere to print");
           return std::vector<ir::Literal>();
         }},
         .on_end = [&](const absl::Status& status) { ended.Set(Outcome(status)); }});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_TRUE(results->empty());
    const absl::Status status = end.Await().status();
    EXPECT_EQ(status.code(), fails ? absl::StatusCode::kDataLoss : absl::StatusCode::kOk) << status;
    EXPECT_EQ(seen, 7);
  }
}

// The code is shared as any other; what runs is not.
TEST_F(DaemonCallbacksTest, TwoSessionsShareTheExecutableAndNotTheCallbacks) {
  const std::shared_ptr<Client> one = Connect(), other = Connect();
  const client::Program program = CallOn("tensor<i64>");
  const auto give = [](int64_t value) {
    return [value](Operands) { return Results({Int64(value)}); };
  };
  EXPECT_TRUE(*Value(*one, program, Int64(0), give(1)) == Int64(1));
  EXPECT_TRUE(*Value(*other, program, Int64(0), give(2)) == Int64(2));
  EXPECT_TRUE(*Value(*one, program, Int64(0), give(3)) == Int64(3));
  EXPECT_EQ(Stats().compiles, 1u);
}

TEST_F(DaemonCallbacksTest, AClientThatIsKilledInACallbackTakesNobodyAlong) {
  const std::shared_ptr<Client> survivor = Connect();
  Process victim = StartClient("callback");
  ASSERT_TRUE(Eventually([&] { return ClientsLog().find("called") != std::string::npos; }));
  ASSERT_TRUE(IsQueued(1));
  EXPECT_TRUE(Value(*survivor, CallOn("tensor<i64>"), Int64(1), &Echo).ok());
  victim.Signal(SIGKILL);
  EXPECT_TRUE(Eventually([&] { return !FindSession("callback").has_value(); }));
  EXPECT_TRUE(IsQueued(0));
  EXPECT_TRUE(Value(*survivor, CallOn("tensor<i64>"), Int64(2), &Echo).ok());
  ExpectServing();
}

TEST_F(DaemonCallbacksTest, ClosingTheClientWaitsForTheCallbackAndEndsTheRun) {
  std::atomic<bool> called{false}, done{false};
  std::shared_ptr<Client> client = Connect();
  const auto result = Call(*client, CallOn("tensor<i64>"), Int64(1),
                           {.callbacks = {[&](Operands operands) {
                              called = true;
                              std::this_thread::sleep_for(milliseconds(200));
                              done = true;
                              return Echo(operands);
                            }}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(Eventually([&] { return called.load(); }));
  client = nullptr;
  EXPECT_TRUE(done);
  EXPECT_EQ(result->Await().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(IsQueued(0));
}

TEST_F(DaemonCallbacksTest, TheDaemonStopsThoughACallbackHangs) {
  std::shared_ptr<Client> client = Connect();
  Promise<Unit> promise;
  const Event released = promise.future();
  std::atomic<bool> called{false};
  const auto result = Call(*client, CallOn("tensor<i64>"), Int64(1),
                           {.callbacks = {[&, released](Operands operands) {
                              called = true;
                              (void)released.Await();
                              return Echo(operands);
                            }}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(Eventually([&] { return called.load(); }));
  EXPECT_EQ(Stop(), 0);
  EXPECT_FALSE(result->Await().ok());
  promise.Set(Unit{});
}

TEST_F(DaemonCallbacksTest, OverGrpcAloneItIsTheSame) {
  const auto client = Client::Connect(
      {.address = address(), .lease = std::chrono::seconds(10), .local_transport = false});
  ASSERT_TRUE(client.ok()) << client.status();
  for (const int64_t size : {10, 3 << 20}) {
    const ir::TensorType type{ir::DType::kUI8, {size}};
    const ir::Literal value = Bytes(type, 5);
    const auto result = Value(**client, CallOn(type.ToString()), value, &Echo);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(*result == value);
  }
}

// A lease, and a connection that breaks while calls are under way, large ones too.
TEST_F(DaemonCallbacksTest, ASessionThatIsResumedIsAskedOnceMore) {
  CuttingProxy proxy(folder_.path() + "/proxy.sock", address().substr(5));
  const auto client = Client::Connect({.address = "unix:" + folder_.path() + "/proxy.sock",
                                       .lease = std::chrono::seconds(60),
                                       .local_transport = false});
  ASSERT_TRUE(client.ok()) << client.status();
  std::atomic<int> calls{0};
  const HostCallback slow = [&](Operands operands) {
    ++calls;
    std::this_thread::sleep_for(milliseconds(5));
    return Echo(operands);
  };
  const ir::TensorType small{ir::DType::kUI8, {1000}}, large{ir::DType::kUI8, {2 << 20}};
  std::vector<std::pair<ir::Literal, Array>> results;
  {
    const Cutter cutter(proxy, milliseconds(30));
    for (int i = 0; i < 30; ++i) {
      const ir::Literal value = Bytes(i % 5 == 0 ? large : small, i);
      const auto result =
          Call(**client, CallOn(value.type().ToString()), value, {.callbacks = {slow}});
      ASSERT_TRUE(result.ok()) << result.status();
      results.emplace_back(value, *result);
    }
    for (const auto& [value, result] : results) {
      const auto fetched = result.Fetch();
      ASSERT_TRUE(fetched.ok()) << fetched.status();
      EXPECT_TRUE(*fetched == value);
    }
  }
  // Each was called once, however often the daemon has asked.
  EXPECT_EQ(calls, 30);
}

v1::Command ExecuteWith(uint64_t callbacks, uint64_t output) {
  v1::Command command = testing::Execute(1, 1, output);
  command.mutable_execute()->set_callbacks(callbacks);
  return command;
}

v1::Command ReplyTo(uint64_t call_id) {
  v1::Command command;
  command.mutable_host_call_reply()->set_call_id(call_id);
  return command;
}

v1::HostValue& AddValue(v1::Command& reply) {
  v1::HostValue& value = *reply.mutable_host_call_reply()->add_results();
  value.mutable_type()->set_dtype("f32");
  value.mutable_type()->add_dims(2);
  return value;
}

// What no client of the library says. Every answer but the last is wrong, and that of its run
// alone.
TEST_F(DaemonCallbacksTest, WrongAnswersHarmTheirOwnRunOnly) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })";
  RawClient raw(address());
  RawStream stream(raw);
  stream.Send({Hello(), Register(kProgram), Put(1)});
  ASSERT_TRUE(stream.Next().has_welcome());
  const auto next = [&](auto has) {
    v1::Event event;
    do {
      event = stream.Next();
    } while (event.event_case() != v1::Event::EVENT_NOT_SET && !has(event));
    return event;
  };
  const auto is_call = [](const v1::Event& event) { return event.has_host_call(); };
  const auto is_ready = [](const v1::Event& event) { return event.has_ready(); };
  uint64_t output = 100;
  // How a run ends whose call is answered so.
  const auto outcome = [&](const std::function<std::vector<v1::Command>(uint64_t)>& answer) {
    ++output;
    stream.Send({ExecuteWith(output, output)});
    const v1::Event asked = next(is_call);
    std::vector<v1::Command> commands = answer(asked.host_call().call_id());
    commands.push_back(testing::Fetch(output, output));
    stream.Send(commands);
    return next(is_ready).ready();
  };
  const auto with = [&](const std::function<void(v1::Command&)>& fill) {
    return outcome([&](uint64_t call_id) {
      v1::Command reply = ReplyTo(call_id);
      fill(reply);
      return std::vector<v1::Command>{reply};
    });
  };
  EXPECT_THAT(with([](v1::Command&) {}).message(), HasSubstr("gave 0 results"));
  EXPECT_THAT(with([](v1::Command& reply) { AddValue(reply).set_data("1234"); }).message(),
              HasSubstr("has 8 bytes, not 4"));
  EXPECT_THAT(
      with([](v1::Command& reply) { AddValue(reply).mutable_type()->set_dims(0, 3); }).message(),
      HasSubstr("result 0 is a tensor<3xf32>"));
  EXPECT_NE(with([](v1::Command& reply) {
              AddValue(reply).mutable_type()->set_dtype("nonsense");
            }).code(),
            0u);
  EXPECT_THAT(with([](v1::Command& reply) { AddValue(reply).set_handle(777); }).message(),
              HasSubstr("handle 777 is not defined"));
  EXPECT_EQ(with([](v1::Command& reply) {
              reply.mutable_host_call_reply()->set_code(999);
              reply.mutable_host_call_reply()->set_message("what?");
            }).code(),
            static_cast<uint32_t>(absl::StatusCode::kUnknown));
  // Answers to nothing, and twice; one by an array.
  v1::Command forget;
  forget.mutable_forget_callbacks()->add_callbacks(12345);
  const v1::Ready good = outcome([&](uint64_t call_id) {
    v1::Command reply = ReplyTo(call_id), again = ReplyTo(call_id);
    AddValue(reply).set_handle(1);
    again.mutable_host_call_reply()->set_code(3);
    return std::vector<v1::Command>{ReplyTo(call_id + 1000), forget, reply, again};
  });
  EXPECT_EQ(good.code(), 0u) << good.message();
  EXPECT_EQ(good.data().size(), 8u);
  // Without callbacks it is refused, and the session goes on.
  stream.Send({ExecuteWith(0, 5000), testing::Fetch(5000, 5000)});
  const v1::Event refused = next(is_ready);
  EXPECT_EQ(refused.ready().code(), static_cast<uint32_t>(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(refused.ready().message(), HasSubstr("host callback 0"));
  ExpectServing();
}

TEST_F(DaemonCallbacksTest, ToolsRefuseSuchProgramsAndSayWhy) {
  const std::string path = folder_.path() + "/ask.mlir";
  std::ofstream(path) << R"(
    func.func @main() -> tensor<f32> {
      %0 = stablehlo.custom_call @acceld.host_callback() {acceld.callback = 5 : i64} : () -> tensor<f32>
      return %0 : tensor<f32>
    })";
  const CommandResult run = Accelctl({"run", path});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.output, HasSubstr("host callback 5"));
}

}  // namespace
}  // namespace acceld::testing
