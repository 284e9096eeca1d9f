#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// A library of NVIDIA's, opened at run time and for good. Any thread may call.
class SharedLibrary {
 public:
  // The first of the files at `paths` that the loader finds. FAILED_PRECONDITION with what was
  // looked for when there is none of them.
  static absl::StatusOr<SharedLibrary> Open(absl::string_view name,
                                            absl::Span<const char* const> paths);

  // Sets `function`, whose type the library's must have. FAILED_PRECONDITION when there is no such
  // symbol.
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
