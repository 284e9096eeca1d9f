#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// One of NVIDIA's shared libraries, opened at run time. It is never closed. Thread-safe.
class SharedLibrary {
 public:
  // Opens the first of `paths` that dlopen can load. Returns FAILED_PRECONDITION, with `name` and
  // all paths, if it can load none.
  static absl::StatusOr<SharedLibrary> Open(absl::string_view name,
                                            absl::Span<const char* const> paths);

  // Sets `function` to the library's function `symbol`, which must have that type. Returns
  // FAILED_PRECONDITION if the library has no such symbol.
  template <typename Function>
  absl::Status Find(const char* symbol, Function*& function) const {
    ACCELD_ASSIGN_OR_RETURN(void* const address, AddressOf(symbol));
    function = reinterpret_cast<Function*>(address);
    return absl::OkStatus();
  }

 private:
  SharedLibrary(absl::string_view name, void* handle) : name_(name), handle_(handle) {}
  absl::StatusOr<void*> AddressOf(const char* symbol) const;

  std::string name_;
  void* handle_;
};

}  // namespace acceld::kernels::cuda
