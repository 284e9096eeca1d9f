#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/plan.h"
#include "server/compiler/plan/arena.h"

namespace acceld::compiler {

using BufferId = uint32_t;
inline constexpr BufferId kNoBuffer = ~BufferId{0};

// The places of one plan function while it is being planned: which values are in which buffer and
// how long, and when each buffer is touched. Places in the arena are known only at the end, so
// until then a slice in the arena names its buffer in `index`. One thread.
class BufferTable {
 public:
  // A temporary.
  BufferId AddArena(int64_t size_bytes);
  // A place that exists already: an argument, a result or a constant.
  BufferId AddFixed(const kernels::Slice& place);

  int64_t size_bytes(BufferId b) const { return buffers_[b].place.size_bytes; }
  const kernels::Slice& place(BufferId b) const { return buffers_[b].place; }

  // A value lives here until `last_use`.
  void Bind(BufferId b, int32_t last_use);
  // The last read of anything that has been put here.
  int32_t last_use(BufferId b) const { return buffers_[b].last_use; }
  // Arguments, constants and frozen buffers are never written.
  bool IsWritable(BufferId b) const;
  // A reserved buffer waits for certain values; others keep out.
  bool IsReserved(BufferId b) const { return buffers_[b].reserved > 0; }
  void Reserve(BufferId b) { ++buffers_[b].reserved; }
  void Release(BufferId b) { --buffers_[b].reserved; }
  void Freeze(BufferId b) { ++buffers_[b].frozen; }
  void Thaw(BufferId b) { --buffers_[b].frozen; }

  // Notes that a step at `tick` reads or writes the buffer.
  void Touch(BufferId b, int32_t tick);
  // The first of these ticks, or the beginning of the outermost loop in which that step is; -1
  // while there is none. The last one.
  int32_t first_touch(BufferId b) const { return buffers_[b].first_touch_outside; }
  int32_t last_touch(BufferId b) const { return buffers_[b].last_touch; }
  // Between these, buffers touched both before and within the loop stay until its end.
  void BeginLoop(int32_t tick);
  void EndLoop(int32_t tick);

  // Lays the arena out and rewrites all arena slices in `steps`. The size of the arena.
  absl::StatusOr<int64_t> Resolve(kernels::Steps& steps) const;

 private:
  struct Buffer {
    kernels::Slice place;
    int32_t last_use = -1;
    int32_t first_touch = -1, last_touch = -1;
    int32_t first_touch_outside = -1;  // of all loops
    int reserved = 0, frozen = 0;
  };
  struct Loop {
    int32_t begin;
    std::vector<BufferId> touched;
  };
  std::vector<Buffer> buffers_;
  std::vector<Loop> loops_;
};

}  // namespace acceld::compiler
