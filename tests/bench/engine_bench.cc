#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "server/engine/engine.h"
#include "tests/unit/engine/fake_engine.h"

// What a client's thread pays for one Execute of a known program, and what a whole step costs, with
// kernels that do next to nothing: the engine's own time.
namespace acceld::engine {
namespace {

// Submits dependent executions y = f(y); the device works on them meanwhile.
void BM_SubmitDependentExecute(benchmark::State& state) {
  testing::FakeCompiler compiler;
  const auto engine = testing::MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "bench"});
  (void)session->RegisterProgram(1, testing::ModuleNamed("add_one"), "main");
  Handle handle = 1;
  (void)session->Put(handle, testing::Floats({1, 2}), 0);
  (void)session->Execute(1, {handle}, {handle + 1}, 0);
  (void)testing::Await(*session, ++handle);
  int64_t submitted = 0;
  for (auto _ : state) {
    (void)session->Execute(1, {handle}, {handle + 1}, 0);
    session->Release({handle});
    ++handle;
    if (++submitted % 10'000 == 0) {
      // The limit on queued executions must not be what is measured.
      state.PauseTiming();
      (void)testing::Await(*session, handle);
      state.ResumeTiming();
    }
  }
  const absl::Status status = testing::Await(*session, handle).status;
  if (!status.ok()) state.SkipWithError(status.ToString().c_str());
}
BENCHMARK(BM_SubmitDependentExecute)->UseRealTime();

// From the call of Execute until its result is known to be ready, with nothing else going on.
void BM_SubmitToReady(benchmark::State& state) {
  testing::FakeCompiler compiler;
  const auto engine = testing::MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "bench"});
  (void)session->RegisterProgram(1, testing::ModuleNamed("add_one"), "main");
  (void)session->Put(1, testing::Floats({1, 2}), 0);
  Handle handle = 2;
  (void)session->Execute(1, {1}, {handle}, 0);
  absl::Status status = testing::Await(*session, handle).status;
  for (auto _ : state) {
    (void)session->Execute(1, {1}, {++handle}, 0);
    status.Update(testing::Await(*session, handle).status);
    session->Release({handle});
  }
  if (!status.ok()) state.SkipWithError(status.ToString().c_str());
}
BENCHMARK(BM_SubmitToReady)->UseRealTime();

// Put, execute, fetch, with the answer awaited: three thread hand-overs.
void BM_SynchronousStep(benchmark::State& state) {
  testing::FakeCompiler compiler;
  const auto engine = testing::MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "bench"});
  (void)session->RegisterProgram(1, testing::ModuleNamed("add_one"), "main");
  Handle handle = 0;
  for (auto _ : state) {
    (void)session->Put(handle, testing::Floats({1, 2}), 0);
    (void)session->Execute(1, {handle}, {handle + 1}, 0);
    benchmark::DoNotOptimize(testing::FetchResultOf(*session, handle + 1));
    session->Release({handle, handle + 1});
    handle += 2;
  }
}
BENCHMARK(BM_SynchronousStep)->UseRealTime();

}  // namespace
}  // namespace acceld::engine

BENCHMARK_MAIN();
