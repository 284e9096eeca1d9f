#include "client/host_buffer.h"

#include <utility>

#include "client/transport/bulk/segment_registry.h"
#include "common/memory/memory_segment.h"

namespace acceld::client {

class HostBuffer::Impl {
 public:
  explicit Impl(MemorySegment segment) : segment_(std::move(segment)) {
    SegmentRegistry::Add(segment_);
  }
  ~Impl() { SegmentRegistry::Remove(segment_); }

  const MemorySegment& segment() const { return segment_; }

 private:
  const MemorySegment segment_;
};

absl::StatusOr<HostBuffer> HostBuffer::Allocate(size_t size_bytes) {
  if (size_bytes == 0) return absl::InvalidArgumentError("a HostBuffer of no bytes");
  ACCELD_ASSIGN_OR_RETURN(MemorySegment segment, MemorySegment::Create(size_bytes));
  ACCELD_RETURN_IF_ERROR(segment.AllocatePages());
  return HostBuffer(std::make_unique<Impl>(std::move(segment)));
}

HostBuffer::HostBuffer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HostBuffer::HostBuffer(HostBuffer&&) noexcept = default;
HostBuffer& HostBuffer::operator=(HostBuffer&&) noexcept = default;
HostBuffer::~HostBuffer() = default;

char* HostBuffer::data() const { return impl_->segment().data(); }
size_t HostBuffer::size_bytes() const { return impl_->segment().size_bytes(); }

}  // namespace acceld::client
