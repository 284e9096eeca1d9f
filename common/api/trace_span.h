#pragma once

#include <cstdint>
#include <string>

namespace acceld {

// What took time, and so on which track of a trace it is drawn.
enum class SpanKind : uint8_t {
  kUnknown,      // of a newer daemon
  kExecution,    // on a compute stream of device `track`
  kUpload,       // on the upload stream of device `track`
  kDownload,     // on the download stream of device `track`
  kCompile,      // on the compile thread `track`
  kCompileStep,  // a stage or pass of a compile, within it
  kCollective,   // an exchange of values of an execution on device `track` with those on others
};

// An interval that has ended. Times are nanoseconds of one steady clock: the daemon's, where
// nothing else is said.
struct TraceSpan {
  SpanKind kind = SpanKind::kUnknown;
  bool express = false;  // an execution that was short and overtook others on a stream of its own
  uint8_t code = 0;      // canonical status code; 0: it ended well
  uint32_t track = 0;
  uint64_t session = 0;      // 0: nobody's in particular
  int64_t submitted_ns = 0;  // of executions: when the command arrived
  int64_t begin_ns = 0, end_ns = 0;
  // Of collectives: how long the participant waited for others to come, from begin_ns on, and the
  // size of its operands.
  int64_t wait_ns = 0, bytes = 0;
  // Of executions and collectives of programs over several devices: the number of the launch, which
  // is the same for all its participants, and that of the participant. 0: not of such a program.
  uint64_t gang = 0;
  uint32_t participant = 0;
  std::string name;
};

}  // namespace acceld
