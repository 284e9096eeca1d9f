#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "client/tracing/tensor.h"

// Parts of tensors, as NumPy's a[...], and tensors with other parts.
namespace acceld::client {

// From `start` to `stop` (exclusive) in steps of `step`, which may be negative; what is not given
// is the end of the axis. Negative numbers count from the end.
struct Range {
  std::optional<int64_t> start = std::nullopt, stop = std::nullopt;
  int64_t step = 1;
};
// A whole axis; a new axis of size 1; and as many whole axes as are left over.
struct AllIndex {};
struct NewAxisIndex {};
struct EllipsisIndex {};
inline constexpr AllIndex kAll;
inline constexpr NewAxisIndex kNewAxis;
inline constexpr EllipsisIndex kEllipsis;

// What is selected along one axis: a number, a Range, kAll, or a tensor of integers. Axes that an
// index does not name are whole.
class IndexEntry {
 public:
  using Value = std::variant<int64_t, Range, NewAxisIndex, EllipsisIndex, Tensor>;
  IndexEntry(int number) : value_(int64_t{number}) {}         // NOLINT: entries are written plainly
  IndexEntry(int64_t number) : value_(number) {}              // NOLINT
  IndexEntry(Range range) : value_(range) {}                  // NOLINT
  IndexEntry(AllIndex) : value_(Range()) {}                   // NOLINT
  IndexEntry(NewAxisIndex entry) : value_(entry) {}           // NOLINT
  IndexEntry(EllipsisIndex entry) : value_(entry) {}          // NOLINT
  IndexEntry(Tensor indices) : value_(std::move(indices)) {}  // NOLINT

  const Value& value() const { return value_; }

 private:
  Value value_;
};
using Index = std::vector<IndexEntry>;

// a[index]. At(a, {0, kAll, Range{1, 5}, indices}) is a[0, :, 1:5, indices] of NumPy. Several
// tensors of integers are broadcast to one shape; their dimensions come where the tensors stand if
// these are neighbours, and first otherwise. Numbers out of range are errors; elements of tensors
// that are out of range are moved to the nearest, after negative ones were counted from the end.
Tensor At(const Operand& a, const Index& index);
// `a` with another value at an index, to which `value` is broadcast (JAX's a.at[index].set(value)).
// The others combine the value with what is there; where a tensor of integers names an element more
// than once, all of its values are combined, and SetAt takes one of them. Values at indices that
// are out of range are dropped. MultiplyAt is differentiated with respect to `value` only if
// `unique_indices` promises that no element is named twice.
Tensor SetAt(const Operand& a, const Index& index, const Operand& value);
Tensor AddAt(const Operand& a, const Index& index, const Operand& value);
Tensor MultiplyAt(const Operand& a, const Index& index, const Operand& value,
                  bool unique_indices = false);
Tensor MinAt(const Operand& a, const Index& index, const Operand& value);
Tensor MaxAt(const Operand& a, const Index& index, const Operand& value);

// The parts of `a` at `indices` along one axis, whose place they take.
Tensor Take(const Operand& a, const Operand& indices, int64_t axis = 0);
// For each position the element of `a` that `indices` names along one axis; the other dimensions of
// both are equal.
Tensor TakeAlongAxis(const Operand& a, const Operand& indices, int64_t axis);

// A part of fixed size that begins at `starts`, scalars of integers; it is moved so that it lies
// within `a`. And `a` with such a part replaced.
Tensor DynamicSlice(const Operand& a, const Operands& starts, absl::Span<const int64_t> sizes);
Tensor DynamicUpdateSlice(const Operand& a, const Operand& update, const Operands& starts);
// The same along one axis only.
Tensor DynamicSliceInDim(const Operand& a, const Operand& start, int64_t size, int64_t axis = 0);
Tensor DynamicIndexInDim(const Operand& a, const Operand& index, int64_t axis = 0,
                         bool keep_dim = true);

// The sums of the parts of `data` along its first axis that have the same number in `segments`, for
// numbers below `count`.
Tensor SegmentSum(const Operand& data, const Operand& segments, int64_t count);

}  // namespace acceld::client
