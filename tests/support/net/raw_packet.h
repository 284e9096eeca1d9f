#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace acceld::testing {

// A message as no client of ours sends it: `batches[i]` are the descriptors of the i-th control
// message. Whether the system has taken it.
inline bool SendRawPacket(int socket, absl::string_view bytes,
                          const std::vector<std::vector<int>>& batches) {
  std::vector<char> control;
  for (const std::vector<int>& batch : batches) {
    const size_t begin = control.size(), size = batch.size() * sizeof(int);
    control.resize(begin + CMSG_SPACE(size));
    cmsghdr header{};
    header.cmsg_level = SOL_SOCKET;
    header.cmsg_type = SCM_RIGHTS;
    header.cmsg_len = CMSG_LEN(size);
    std::memcpy(control.data() + begin, &header, sizeof(header));
    if (size > 0) std::memcpy(control.data() + begin + CMSG_LEN(0), batch.data(), size);
  }
  iovec part = {const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.empty() ? nullptr : control.data();
  message.msg_controllen = control.size();
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

// Several ways to pass `descriptor`: none, one, and more than any packet may have, together and
// apart.
inline std::vector<std::vector<std::vector<int>>> WaysToPass(int descriptor) {
  std::vector<std::vector<std::vector<int>>> ways = {{}};
  for (const size_t count : {1u, 2u, 3u, 8u, 9u, 100u, 253u}) {
    ways.push_back({std::vector<int>(count, descriptor)});
  }
  ways.push_back({{descriptor}, {descriptor}});
  ways.push_back({{descriptor, descriptor}, {descriptor}});
  ways.push_back(std::vector<std::vector<int>>(5, {descriptor}));
  return ways;
}

// How many descriptors this process has open.
inline ptrdiff_t OpenDescriptors() {
  // The one that lists them is gone afterwards.
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

}  // namespace acceld::testing
