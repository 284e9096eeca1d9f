#include "tests/bench/protocol/small_programs.h"

#include <vector>

#include "client/tracing.h"
#include "common/check.h"
#include "tests/bench/protocol/report.h"

namespace acceld::bench {
namespace {

using client::Array;
using client::Client;
using client::Function;
using client::Tensor;

// About the size of a batch of Execute, Fetch and Release, and of the answer to it.
constexpr size_t kQuestionBytes = 60;
// Each kind of request is measured so many times in a row, so that it has its own pace.
constexpr int kTurn = 50;

}  // namespace

void MeasureSubmission(const std::shared_ptr<Client>& client, int executions) {
  Function next(client, [](const Tensor& x) { return x + 1; });
  const Array x = *client->Upload(ir::Literal::Zeros({ir::DType::kF32, {64}}));
  ACCELD_CHECK(next(x)->Await().ok());
  Samples submit;
  submit.Reserve(executions);
  std::vector<Array> results;  // All of them, because what nobody holds would not be executed.
  results.reserve(executions);
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  for (int i = 0; i < executions; ++i) {
    results.push_back(*next(x));
    const Clock::time_point after = Clock::now();
    submit.Add(std::chrono::duration<double>(after - before).count());
    before = after;
  }
  const double submitted_s = SecondsSince(start);
  ACCELD_CHECK(results.back().Await().ok());
  results.clear();
  const double finished_s = SecondsSince(start);
  PrintLatency("submit, in the client", submit, 0);
  PrintRate("submitted", executions / submitted_s);
  PrintRate("submitted, executed and released", executions / finished_s);
}

void MeasureRoundTrips(const PeerAddresses& peer, Transport transport,
                       const std::shared_ptr<Client>& client, int rounds) {
  Function next(client, [](const Tensor& x) { return x + 1; });
  const Array x = *client->Upload(ir::Literal::Zeros({ir::DType::kF32, {8}}));
  ACCELD_CHECK(next(x)->Await().ok());
  GrpcPingPong stream(peer, transport);
  SocketPingPong socket(peer);
  Samples raw_socket, raw_stream, result, await, fetch;
  for (int round = 0; round < rounds; round += kTurn) {
    for (int i = 0; i < kTurn; ++i) raw_socket.Add(socket.Ask(kQuestionBytes));
    for (int i = 0; i < kTurn; ++i) raw_stream.Add(stream.Ask(kQuestionBytes));
    for (int i = 0; i < kTurn; ++i) {
      const Clock::time_point start = Clock::now();
      ACCELD_CHECK(next(x)->Fetch().ok());
      result.Add(SecondsSince(start));
    }
    for (int i = 0; i < kTurn; ++i) {
      const Array y = *next(x);
      ACCELD_CHECK(y.Fetch().ok());  // Waits until it is ready.
      const Clock::time_point start = Clock::now();
      ACCELD_CHECK(y.Fetch().ok());
      fetch.Add(SecondsSince(start));
    }
    for (int i = 0; i < kTurn; ++i) {
      const Array y = *next(x);
      ACCELD_CHECK(y.Fetch().ok());
      const Clock::time_point start = Clock::now();
      ACCELD_CHECK(y.Await().ok());
      await.Add(SecondsSince(start));
    }
  }
  const double reference_s = raw_stream.Median();
  PrintLatency("raw unix socket, ping-pong", raw_socket, reference_s);
  PrintLatency("raw gRPC stream, ping-pong", raw_stream, reference_s);
  PrintLatency("submit to result, a tiny program", result, reference_s);
  PrintLatency("fetch of a ready array", fetch, reference_s);
  PrintLatency("await of a ready array", await, reference_s);
}

}  // namespace acceld::bench
