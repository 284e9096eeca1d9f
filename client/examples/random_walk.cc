// Random walks: one walk is a scan over keys of the random generator, and many walks are the same
// function for many keys. The numbers are those that JAX draws with these keys.

#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/examples/example.h"
#include "client/tracing.h"

namespace acceld::examples {
namespace {

using client::Tensor;

// The last position of a walk of normal steps, and its greatest distance from the start.
std::pair<Tensor, Tensor> Walk(const Tensor& key, int steps) {
  const auto step = [](const std::pair<Tensor, Tensor>& walk, const Tensor& step_key) {
    const Tensor position = walk.first + client::random::Normal(step_key, {});
    return std::pair(std::pair(position, Maximum(walk.second, Abs(position))), std::tuple<>());
  };
  const Tensor start = client::Zeros({});
  return Scan(step, std::pair(start, start), client::random::Split(key, steps)).first;
}

absl::Status Run(const std::shared_ptr<client::Client>& client, int walks, int steps,
                 uint32_t seed) {
  const auto simulate =
      client::Jit(client,
                  [](uint32_t first, int count, int length) {
                    const Tensor keys = client::random::Split(client::random::Key(first), count);
                    const auto [last, farthest] =
                        client::Vmap([&](const Tensor& key) { return Walk(key, length); })(keys);
                    return std::tuple(Mean(last), Std(last), Mean(farthest));
                  },
                  {.name = "random_walk"});
  std::cout << absl::StreamFormat("%d walks of %d steps\n", walks, steps);
  for (const bool is_first : {true, false}) {
    const Stopwatch watch;
    ACCELD_ASSIGN_OR_RETURN(
        const auto results,
        simulate(client::Static(seed), client::Static(walks), client::Static(steps)));
    ACCELD_ASSIGN_OR_RETURN(const float mean, FetchScalar(std::get<0>(results)));
    ACCELD_ASSIGN_OR_RETURN(const float deviation, FetchScalar(std::get<1>(results)));
    ACCELD_ASSIGN_OR_RETURN(const float farthest, FetchScalar(std::get<2>(results)));
    if (is_first) {
      std::cout << absl::StreamFormat(
          "last position: mean %.3f, deviation %.3f (theory: 0, %.3f); mean of the farthest %.3f\n"
          "%.1f ms with tracing and compiling, ",
          mean, deviation, std::sqrt(steps), farthest, 1e3 * watch.Seconds());
    } else {
      std::cout << absl::StreamFormat("%.1f ms when both are known\n", 1e3 * watch.Seconds());
    }
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace acceld::examples

int main(int argc, char** argv) {
  int walks = 1000, steps = 1000;
  uint32_t seed = 0;
  CLI::App app{"Simulates random walks on a running acceld.", "random_walk"};
  app.add_option("--walks", walks, "walks at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--steps", steps, "of each walk")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--seed", seed, "of the random numbers")->capture_default_str();
  return acceld::examples::RunExample(app, argc, argv, [&](const auto& client) {
    return acceld::examples::Run(client, walks, steps, seed);
  });
}
