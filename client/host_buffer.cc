#include "client/host_buffer.h"

#include <utility>

#include "common/memory/memory_segment.h"

namespace acceld::client {

absl::StatusOr<HostBuffer> HostBuffer::Allocate(size_t size_bytes) {
  if (size_bytes == 0) return absl::InvalidArgumentError("a HostBuffer of no bytes");
  ACCELD_ASSIGN_OR_RETURN(MemorySegment segment, MemorySegment::Create(size_bytes));
  ACCELD_RETURN_IF_ERROR(segment.AllocatePages());
  return HostBuffer(std::make_unique<const MemorySegment>(std::move(segment)));
}

HostBuffer::HostBuffer(std::unique_ptr<const MemorySegment> segment)
    : segment_(std::move(segment)) {}
HostBuffer::HostBuffer(HostBuffer&&) noexcept = default;
HostBuffer& HostBuffer::operator=(HostBuffer&&) noexcept = default;
HostBuffer::~HostBuffer() = default;

char* HostBuffer::data() const { return segment_->data(); }
size_t HostBuffer::size_bytes() const { return segment_->size_bytes(); }

}  // namespace acceld::client
