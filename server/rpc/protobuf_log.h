#pragma once

namespace acceld::rpc {

// From now on the protobuf library's own messages go to our log: what it says about messages that
// it cannot parse, which any client may send as fast as it likes, at most once a minute. For the
// whole process; any thread, any number of times.
void TameProtobufLog();

}  // namespace acceld::rpc
