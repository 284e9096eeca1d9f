#pragma once

#include <string>

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal::cuda {

// "13.1.0", of a library with one of NVIDIA's functions get(libraryPropertyType, int*). No device
// is asked. The errors of Library::Check.
template <typename Library, typename Get>
absl::StatusOr<std::string> VersionOf(Get get, absl::string_view function) {
  int version[3] = {};  // major, minor, patch
  for (int i = 0; i < 3; ++i) {
    ACCELD_RETURN_IF_ERROR(Library::Check(get(i, &version[i]), function));
  }
  return absl::StrJoin(version, ".");
}

// The part of an architecture that names libraries, "-cublaslt13.1.0-cudnn9.12.0": what they
// support is part of what code is made of. A version is empty where there is none.
std::string LibrariesPart(absl::string_view cublas_lt_version, absl::string_view cudnn_version);

// That of the libraries that this machine has, whether or not it has a device.
std::string InstalledLibrariesPart();

}  // namespace acceld::hal::cuda
