#include "server/observability/instruments/trace_ring.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

namespace acceld::observability {
namespace {

// The layout of a span in a slot.
struct Packed {
  int64_t submitted_or_wait_ns;  // the wait of collectives, and when others were submitted
  int64_t begin_ns, end_ns, bytes;
  uint64_t session;
  uint64_t gang : 48, participant : 16;
  uint32_t track;
  uint8_t kind, code, name_bytes, express;
  char name[TraceRing::kMaxNameBytes];
};
constexpr uint64_t kMaxGang = (uint64_t{1} << 48) - 1;
constexpr size_t kWords = sizeof(Packed) / sizeof(uint64_t);
static_assert(sizeof(Packed) % sizeof(uint64_t) == 0);
constexpr size_t kHeadWords = (sizeof(Packed) - TraceRing::kMaxNameBytes) / sizeof(uint64_t);

size_t WordsOf(size_t name_bytes) { return kHeadWords + (name_bytes + 7) / 8; }

}  // namespace

// `sequence` is odd while a span is being written, and grows with each span. The words are atomic,
// released by the writer and acquired by readers, so that a reader that sees a word of a newer span
// also sees its sequence.
struct alignas(128) TraceRing::Slot {
  std::atomic<uint64_t> sequence{0};
  std::array<std::atomic<uint64_t>, kWords> words{};
};

TraceRing::TraceRing(size_t capacity) {
  static_assert(sizeof(Slot) == 128);
  if (capacity == 0) return;
  mask_ = std::bit_ceil(capacity) - 1;
  slots_ = std::make_unique<Slot[]>(mask_ + 1);
}

TraceRing::~TraceRing() = default;

void TraceRing::Add(const Record& record) {
  if (slots_ == nullptr) return;
  Packed packed;
  const bool is_collective = record.kind == SpanKind::kCollective;
  packed.submitted_or_wait_ns = is_collective ? record.wait_ns : record.submitted_ns;
  packed.begin_ns = record.begin_ns;
  packed.end_ns = record.end_ns;
  packed.bytes = record.bytes;
  packed.session = record.session;
  packed.gang = record.gang & kMaxGang;
  packed.participant = record.participant;
  packed.track = record.track;
  packed.kind = static_cast<uint8_t>(record.kind);
  packed.code = record.code;
  const size_t name_bytes = std::min(record.name.size(), kMaxNameBytes);
  packed.name_bytes = static_cast<uint8_t>(name_bytes);
  packed.express = record.express ? 1 : 0;
  const size_t words = WordsOf(name_bytes);
  // The name may fill its last word only in part.
  if (words > kHeadWords) std::memset(packed.name + (words - kHeadWords - 1) * 8, 0, 8);
  std::memcpy(packed.name, record.name.data(), name_bytes);

  const uint64_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
  Slot& slot = slots_[ticket & mask_];
  const uint64_t writing = 2 * ticket + 1;
  uint64_t before = slot.sequence.load(std::memory_order_relaxed);
  // Another thread, a whole round behind or ahead, is using the slot.
  if (before % 2 == 1 || before > writing) return;
  if (!slot.sequence.compare_exchange_strong(before, writing, std::memory_order_acq_rel)) return;
  uint64_t word = 0;
  for (size_t i = 0; i < words; ++i) {
    std::memcpy(&word, reinterpret_cast<const char*>(&packed) + i * 8, 8);
    slot.words[i].store(word, std::memory_order_release);
  }
  slot.sequence.store(writing + 1, std::memory_order_release);
}

std::vector<TraceSpan> TraceRing::Read(int64_t since_ns, absl::optional<uint64_t> session) const {
  std::vector<TraceSpan> spans;
  for (size_t s = 0; s < capacity(); ++s) {
    const Slot& slot = slots_[s];
    const uint64_t before = slot.sequence.load(std::memory_order_acquire);
    if (before == 0 || before % 2 == 1) continue;
    Packed packed;
    for (size_t i = 0; i < kWords; ++i) {
      const uint64_t word = slot.words[i].load(std::memory_order_acquire);
      std::memcpy(reinterpret_cast<char*>(&packed) + i * 8, &word, 8);
    }
    if (slot.sequence.load(std::memory_order_relaxed) != before) continue;
    if (packed.end_ns < since_ns || packed.session != session.value_or(packed.session)) continue;
    const bool is_collective = packed.kind == static_cast<uint8_t>(SpanKind::kCollective);
    spans.push_back({.kind = static_cast<SpanKind>(packed.kind),
                     .express = packed.express != 0,
                     .code = packed.code,
                     .track = packed.track,
                     .session = packed.session,
                     .submitted_ns = is_collective ? 0 : packed.submitted_or_wait_ns,
                     .begin_ns = packed.begin_ns,
                     .end_ns = packed.end_ns,
                     .wait_ns = is_collective ? packed.submitted_or_wait_ns : 0,
                     .bytes = packed.bytes,
                     .gang = packed.gang,
                     .participant = static_cast<uint32_t>(packed.participant),
                     .name = std::string(packed.name, packed.name_bytes)});
  }
  // Outer ones before those that they hold.
  std::sort(spans.begin(), spans.end(), [](const TraceSpan& a, const TraceSpan& b) {
    return std::tie(a.begin_ns, b.end_ns, a.kind) < std::tie(b.begin_ns, a.end_ns, b.kind);
  });
  return spans;
}

}  // namespace acceld::observability
