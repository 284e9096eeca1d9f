#include "server/hal/cuda/graphs/address_table.h"

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/emit/device_code.h"

namespace acceld::hal::cuda {
namespace {

using kernels::cuda::BufferLocations;
using kernels::cuda::kGraphWords;

constexpr unsigned int kThreads = 256;

struct Words {
  uint64_t at[kGraphWords] = {};
};

Words FirstOf(absl::Span<const uint64_t> words) {
  Words first;
  std::copy_n(words.begin(), std::min(words.size(), kGraphWords), first.at);
  return first;
}

absl::Status LaunchWords(Context& context, CuFunction function, unsigned int blocks,
                         CuStream stream, std::vector<void*> parameters) {
  return context.Check(context.driver().cuLaunchKernel(function, blocks, 1, 1, kThreads, 1, 1, 0,
                                                       stream, parameters.data(), nullptr),
                       "cuLaunchKernel");
}

}  // namespace

CuPointer AddressTable::Word(size_t index) const {
  return reinterpret_cast<CuPointer>(words_->address()) + index * sizeof(uint64_t);
}

absl::StatusOr<AddressTable> AddressTable::Create(Context& context, const GraphKernels& kernels,
                                                  const BufferLocations& locations,
                                                  MemoryPool& memory, CuStream stream) {
  AddressTable table;
  table.num_buffers_ = locations.all().size();
  std::vector<uint64_t> words = {0};  // the scratch
  for (const BufferLocations::BufferLocation& location : locations.all()) {
    words.push_back(location.base);
    words.push_back(location.offset_bytes);
  }
  const size_t size = (table.num_buffers_ + words.size()) * sizeof(uint64_t);
  ACCELD_ASSIGN_OR_RETURN(table.words_, memory.Allocate(static_cast<int64_t>(size)));
  for (size_t at = 0; at < words.size(); at += kGraphWords) {
    const absl::Span<const uint64_t> rest = absl::MakeSpan(words).subspan(at);
    CuPointer to = table.scratch() + at * sizeof(uint64_t);
    uint64_t count = std::min(rest.size(), kGraphWords);
    Words part = FirstOf(rest);
    const absl::Status status =
        LaunchWords(context, kernels.store_words, 1, stream, {&to, &count, &part});
    if (!status.ok()) {
      // Kernels that were already enqueued write to the memory that is freed on return.
      context.driver().cuStreamSynchronize(stream);
      return status;
    }
  }
  return table;
}

absl::Status AddressTable::Fill(Context& context, const GraphKernels& kernels,
                                const std::vector<CuPointer>& bases, CuStream stream) const {
  const auto blocks = static_cast<unsigned int>(CeilDivide(num_buffers_, kThreads));
  for (uint64_t first = 0; first < bases.size(); first += kGraphWords) {
    CuPointer addresses = Word(0), locations = Word(num_buffers_ + 1);
    uint64_t count = num_buffers_;
    Words part = FirstOf(absl::MakeSpan(bases).subspan(first));
    ACCELD_RETURN_IF_ERROR(LaunchWords(context, kernels.compute_addresses, blocks, stream,
                                       {&addresses, &locations, &count, &first, &part}));
  }
  return absl::OkStatus();
}

}  // namespace acceld::hal::cuda
