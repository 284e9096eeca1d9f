#pragma once

#include <string>

#include "common/files/unique_fd.h"

namespace acceld {

// A listening unix socket that this process got from the process that started it (the service
// manager). The socket's file, with its owner and mode, belongs to that process: acceld neither
// creates nor removes it.
struct InheritedSocket {
  std::string path;
  int type = 0;  // SOCK_STREAM or SOCK_SEQPACKET
  UniqueFd fd;   // non-blocking
};

}  // namespace acceld
