#pragma once

namespace acceld::rpc {

// Sends the protobuf library's own messages to the daemon's log. Most of them are about messages
// that the library cannot parse, which clients can send as fast as they like, so at most one is
// logged in a minute. Applies to the whole process. Any thread may call, any number of times.
void RedirectProtobufLog();

}  // namespace acceld::rpc
