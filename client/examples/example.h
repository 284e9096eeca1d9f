#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "client/client.h"
#include "common/status.h"

// What the examples share.
namespace acceld::examples {

// The seconds since it was made.
class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Reads the command line of `app`, to which --address is added, connects to the daemon and calls
// `run`. Prints an error, with the name of the program. Returns what main returns.
int RunExample(CLI::App& app, int argc, char** argv,
               const std::function<absl::Status(const std::shared_ptr<client::Client>&)>& run);

// Waits for a scalar of f32.
absl::StatusOr<float> FetchScalar(const client::Array& array);

}  // namespace acceld::examples
