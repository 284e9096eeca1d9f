#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/plan.h"
#include "server/compiler/plan/arena.h"

namespace acceld::compiler {

// The number of a buffer in a BufferTable, or kNoBuffer.
using BufferId = uint32_t;
inline constexpr BufferId kNoBuffer = ~BufferId{0};

// The buffers of one plan function while it is being planned: the memory of each, how long the
// values in it are needed, and when steps access it. Points in time are ticks (Liveness). Offsets
// of buffers in the arena are known only at the end (Resolve); until then, `index` of a slice in
// the arena is the BufferId. Not thread-safe.
class BufferTable {
 public:
  // Adds a buffer in the arena, for temporaries.
  BufferId AddArena(int64_t size_bytes);
  // Adds a buffer whose memory is given: an argument, a result or a constant.
  BufferId AddFixed(const kernels::Slice& slice);

  int64_t size_bytes(BufferId b) const { return buffers_[b].slice.size_bytes; }
  // The memory of the buffer.
  const kernels::Slice& slice(BufferId b) const { return buffers_[b].slice; }

  // Records that the buffer contains a value that is last read at `last_use`.
  void Bind(BufferId b, int32_t last_use);
  // The last read of any value that was bound to the buffer; -1 if there is none.
  int32_t last_use(BufferId b) const { return buffers_[b].last_use; }
  // Whether steps may write the buffer: it is in the arena or a result, and is not frozen.
  bool IsWritable(BufferId b) const;
  // A buffer can be reserved for certain values, which the caller knows; other values must not be
  // put into it. Each Reserve needs a Release.
  bool IsReserved(BufferId b) const { return buffers_[b].reserved > 0; }
  void Reserve(BufferId b) { ++buffers_[b].reserved; }
  void Release(BufferId b) { --buffers_[b].reserved; }
  // Between Freeze and Thaw, IsWritable(b) is false.
  void Freeze(BufferId b) { ++buffers_[b].frozen; }
  void Thaw(BufferId b) { --buffers_[b].frozen; }

  // Records that a step at `tick` reads or writes the buffer.
  void Touch(BufferId b, int32_t tick);
  // The tick of the first access to the buffer. If that access is within loops, the tick at which
  // the outermost loop begins. -1 if there was no access.
  int32_t first_touch(BufferId b) const { return buffers_[b].first_touch_outside; }
  // The tick of the last access, or -1.
  int32_t last_touch(BufferId b) const { return buffers_[b].last_touch; }
  // The accesses between BeginLoop and EndLoop are repeated. A buffer that is accessed both before
  // and within the loop is therefore kept until the end of the loop.
  void BeginLoop(int32_t tick);
  void EndLoop(int32_t tick);
  // Keeps a buffer that was first accessed within the innermost loop from the loop's begin to its
  // end. Returns false, without a change, if it was accessed before.
  bool KeepThroughLoop(BufferId b);

  // Lays out the arena and replaces buffer ids in the arena slices of `steps` by offsets. Returns
  // the size of the arena in bytes, or RESOURCE_EXHAUSTED (LayOutArena).
  absl::StatusOr<int64_t> Resolve(kernels::Steps& steps) const;

 private:
  struct Buffer {
    kernels::Slice slice;
    int32_t last_use = -1;
    int32_t first_touch = -1, last_touch = -1;
    int32_t first_touch_outside = -1;  // see first_touch(): the tick outside all loops
    int reserved = 0, frozen = 0;      // how often
  };
  struct Loop {
    int32_t begin;
    std::vector<BufferId> touched;  // the buffers that were accessed within the loop
  };
  std::vector<Buffer> buffers_;
  std::vector<Loop> loops_;
};

}  // namespace acceld::compiler
