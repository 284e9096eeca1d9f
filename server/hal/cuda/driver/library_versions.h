#pragma once

#include <string>

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal::cuda {

// Returns the version of one of NVIDIA's libraries, for example "13.1.0". `get` is the library's
// function get(libraryPropertyType, int*), and `function` is its name for messages. Needs no
// device. Returns the errors of Library::Check.
template <typename Library, typename Get>
absl::StatusOr<std::string> VersionOf(Get get, absl::string_view function) {
  int version[3] = {};  // major, minor, patch
  for (int i = 0; i < 3; ++i) {
    ACCELD_RETURN_IF_ERROR(Library::Check(get(i, &version[i]), function));
  }
  return absl::StrJoin(version, ".");
}

// Returns the part of an architecture (codegen::Target::architecture) that names the versions of
// libraries, for example "-cublaslt13.1.0-cudnn9.12.0". The versions are a part of it because
// generated code depends on what the libraries support. An empty version means that the library is
// not available.
std::string LibraryVersionSuffix(absl::string_view cublas_lt_version,
                                 absl::string_view cudnn_version);

// Returns LibraryVersionSuffix of the libraries of this machine, whether or not the machine has a
// GPU.
std::string InstalledLibraryVersionSuffix();

}  // namespace acceld::hal::cuda
