#pragma once

#include <string>

#include "common/files/unique_fd.h"

namespace acceld {

// A unix socket that listens already, made by who started the process. Its file, with the owner and
// mode, is theirs: it is neither made nor removed here.
struct PassedSocket {
  std::string path;
  int type = 0;  // SOCK_STREAM or SOCK_SEQPACKET
  UniqueFd fd;   // non-blocking
};

}  // namespace acceld
