#include "server/rpc/decode/bounded_message.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

namespace acceld::rpc {
namespace {

// The bound is kLeastBytes + kBytesPerInputByte * the serialized size. A well-formed message seldom
// takes more than ten times its serialized size.
constexpr int64_t kLeastBytes = int64_t{16} << 20;
constexpr int64_t kBytesPerInputByte = 32;
constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

// The bytes that the decoding on this thread may still allocate. Thread-local, because the
// allocation functions of an arena get no argument but the size.
thread_local int64_t remaining_bytes = kUnbounded;

void* Allocate(size_t size_bytes) {
  const auto wanted = static_cast<int64_t>(size_bytes);
  if (wanted > remaining_bytes) throw std::bad_alloc();
  void* const memory = std::malloc(size_bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (remaining_bytes != kUnbounded) remaining_bytes -= wanted;
  return memory;
}

void Free(void* memory, size_t) { std::free(memory); }

google::protobuf::ArenaOptions Options() {
  google::protobuf::ArenaOptions options;
  options.max_block_size = size_t{1} << 20;
  options.block_alloc = &Allocate;
  options.block_dealloc = &Free;
  return options;
}

}  // namespace

BoundedArena::BoundedArena(int64_t input_bytes) : input_bytes_(input_bytes), arena_(Options()) {}

absl::Status BoundedArena::Decode(absl::string_view what, absl::FunctionRef<bool()> decode) {
  const int64_t bound = kLeastBytes + kBytesPerInputByte * input_bytes_;
  const int64_t outer = std::exchange(remaining_bytes, bound);
  absl::Status status;
  try {
    if (!decode())
      status = absl::InvalidArgumentError(absl::StrCat(what, " is malformed, or nested too deep"));
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError(absl::StrCat(
        what, " of ", input_bytes_, " bytes would take more than ", bound, " bytes of memory"));
  }
  remaining_bytes = outer;
  return status;
}

}  // namespace acceld::rpc
