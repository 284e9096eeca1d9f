#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/status.h"

namespace acceld::testing {

// A module of generated CUDA C++ as code of the host.
class HostCode {
 public:
  struct Kernel {
    std::string name;
    std::vector<size_t> parameters;  // their sizes in bytes
    // `parameters` are the addresses of their values.
    void (*run)(void* const* parameters, int64_t blocks, int threads) = nullptr;

    // Copies of the values that a launch is given.
    std::vector<std::string> Take(void** values) const;
    void Run(const std::vector<std::string>& values, int64_t blocks, int threads) const;
  };

  // INTERNAL with what the compiler says. What was compiled before is taken again.
  static absl::StatusOr<std::shared_ptr<const HostCode>> Compile(const std::string& source);
  ~HostCode();

  // nullptr when there is none.
  const Kernel* Find(const std::string& name) const;

 private:
  void* library_ = nullptr;
  std::vector<Kernel> kernels_;
};

}  // namespace acceld::testing
