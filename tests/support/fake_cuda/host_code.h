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
    int parameters = 0;  // pointers
    void (*run)(void* const* parameters, int64_t blocks, int threads) = nullptr;
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
