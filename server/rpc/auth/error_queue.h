#pragma once

namespace acceld::rpc {

// From now on nobody in this process receives file descriptors by asking a unix socket for errors:
// recvmsg(MSG_ERRQUEUE) on one fails with EAGAIN. gRPC asks that way whenever a connection was
// reset. A unix socket has no queue of errors, so Linux answers with the next message, and installs
// the descriptors that a client, known or not, had passed with it; gRPC would never close them.
// Does its work by defining recvmsg in the program, in front of the C library's.
void RefuseErrorQueuesOfUnixSockets();

}  // namespace acceld::rpc
