#pragma once

namespace acceld::rpc {

// Makes recvmsg(2) with MSG_ERRQUEUE on a unix socket fail with EAGAIN in this process, from this
// call on. gRPC makes such a call whenever a connection was reset. A unix socket has no error
// queue, so Linux returns the next message instead and installs the file descriptors that the
// client, trusted or not, has passed with it; gRPC would never close these. The program itself
// defines recvmsg for this purpose, which takes precedence over the C library's.
void DisableUnixSocketErrorQueues();

}  // namespace acceld::rpc
