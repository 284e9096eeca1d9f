#include <algorithm>
#include <utility>

#include "server/compiler/spmd/exchange.h"

// How a value changes its layout.
namespace acceld::compiler::spmd {
namespace {

using ir::ValueId;

// Values of at most so many bytes are combined as a whole where a shard would do, since all_reduces
// can be combined with others.
constexpr int64_t kMaxWholeBytes = int64_t{64} << 10;

// Returns how many axes two lists have in common at their beginnings.
size_t CommonPrefix(const Axes& a, const Axes& b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                             a.begin());
}

Axes Suffix(const Axes& axes, size_t from) {
  return {axes.begin() + static_cast<int64_t>(from), axes.end()};
}

bool StartsWith(const Axes& axes, const Axes& prefix) {
  return prefix.size() <= axes.size() && std::equal(prefix.begin(), prefix.end(), axes.begin());
}

bool Contains(const Axes& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

class Resharder {
 public:
  Resharder(Exchange& exchange, ValueId value, const Layout& from, const Layout& to)
      : exchange_(exchange),
        to_(to),
        has_sums_(to.combiner == ir::OpKind::kAdd),
        value_(value),
        now_(from) {}

  ValueId Run() {
    // Taking a part of what is here costs nothing and makes the rest cheaper.
    SliceWhereFree();
    CombineParts();
    MoveAxes();
    if (now_ == to_) return value_;
    if (!now_.IsReplicated() && now_.unreduced.empty() && to_.unreduced.empty()) {
      const absl::optional<ValueId> permuted = exchange_.Permute(value_, now_, to_);
      if (permuted.has_value()) return *permuted;
    }
    // First the dimensions to which axes of others can move then.
    for (const bool only_with_addition : {true, false}) {
      for (size_t i = 0; i < now_.dimensions.size(); ++i) {
        if (!only_with_addition || !Addition(i).empty()) Gather(i);
      }
    }
    const Axes missing = MissingParts();
    return has_sums_ ? exchange_.AsParts(value_, missing) : value_;
  }

 private:
  // The axes that have to be removed from the end of those of a dimension.
  Axes Removal(size_t i) const {
    return Suffix(now_.dimensions[i], CommonPrefix(now_.dimensions[i], to_.dimensions[i]));
  }
  // The axes that have to be added after that.
  Axes Addition(size_t i) const {
    return Suffix(to_.dimensions[i], CommonPrefix(now_.dimensions[i], to_.dimensions[i]));
  }

  // The axes along which the value shall be in parts and is not yet.
  Axes MissingParts() const {
    Axes axes;
    for (const int axis : to_.unreduced) {
      if (!Contains(now_.unreduced, axis)) axes.push_back(axis);
    }
    return axes;
  }

  // Combines the parts that are not wanted. If a dimension shall be divided along the same axes,
  // each process needs its shard of the combination only.
  void CombineParts() {
    const bool keeps_parts = now_.combiner == to_.combiner;
    Axes axes;
    Axes kept;
    for (const int axis : now_.unreduced) {
      (keeps_parts && Contains(to_.unreduced, axis) ? kept : axes).push_back(axis);
    }
    if (axes.empty()) return;
    const ir::OpKind combiner = now_.combiner;
    now_ = now_.WithParts(kept, combiner);
    const bool is_small = exchange_.BytesOf(value_) <= kMaxWholeBytes;
    for (size_t i = 0; i < (is_small ? 0 : now_.dimensions.size()); ++i) {
      Axes added = Addition(i);
      if (!Removal(i).empty() || added.size() < axes.size()) continue;
      added.resize(axes.size());
      if (!std::is_permutation(added.begin(), added.end(), axes.begin())) continue;
      value_ = exchange_.ReduceScatter(value_, i, added, combiner);
      Add(i, added);
      SliceWhereFree();
      return;
    }
    value_ = exchange_.AllReduce(value_, axes, combiner);
    SliceWhereFree();
  }

  void Remove(size_t i, size_t count) {
    now_.dimensions[i].resize(now_.dimensions[i].size() - count);
  }
  void Add(size_t i, const Axes& axes) {
    now_.dimensions[i].insert(now_.dimensions[i].end(), axes.begin(), axes.end());
  }

  // Makes the shards of a dimension, from the last axis to the first, parts of a sum where such
  // parts are wanted, and puts them together along the other axes.
  void Gather(size_t i) {
    while (!Removal(i).empty()) {
      const Axes removal = Removal(i);
      const auto becomes_part = [&](int axis) {
        return has_sums_ && Contains(to_.unreduced, axis);
      };
      const bool makes_parts = becomes_part(removal.back());
      size_t first = removal.size() - 1;
      while (first > 0 && becomes_part(removal[first - 1]) == makes_parts) --first;
      const Axes axes = Suffix(removal, first);
      Remove(i, axes.size());
      if (makes_parts) {
        value_ = exchange_.ShardAsPart(value_, i, axes);
        Axes parts = now_.unreduced;
        parts.insert(parts.end(), axes.begin(), axes.end());
        now_ = now_.WithParts(std::move(parts), to_.combiner);
      } else {
        value_ = exchange_.AllGather(value_, i, axes);
      }
      SliceWhereFree();
      MoveAxes();
    }
  }

  // Divides dimensions along axes that no dimension is divided along.
  void SliceWhereFree() {
    for (size_t i = 0; i < now_.dimensions.size(); ++i) {
      if (!Removal(i).empty()) continue;
      Axes axes = Addition(i);
      const auto is_used = [&](int axis) { return now_.Uses(axis); };
      axes.erase(std::find_if(axes.begin(), axes.end(), is_used), axes.end());
      value_ = exchange_.Slice(value_, i, axes);
      Add(i, axes);
    }
  }

  // Moves axes from the end of a dimension's to that of another one, as many at once as possible.
  void MoveAxes() {
    bool has_moved = true;
    while (has_moved) {
      has_moved = false;
      for (size_t i = 0; i < now_.dimensions.size(); ++i) has_moved = MoveFrom(i) || has_moved;
    }
  }

  bool MoveFrom(size_t i) {
    const Axes removal = Removal(i);
    for (size_t first = 0; first < removal.size(); ++first) {
      const Axes axes = Suffix(removal, first);
      for (size_t k = 0; k < now_.dimensions.size(); ++k) {
        if (k == i || !Removal(k).empty() || !StartsWith(Addition(k), axes)) continue;
        value_ = exchange_.AllToAll(value_, i, k, axes);
        Remove(i, axes.size());
        Add(k, axes);
        SliceWhereFree();
        return true;
      }
    }
    return false;
  }

  Exchange& exchange_;
  const Layout& to_;
  const bool has_sums_;  // whether parts of to_ are added up; other parts may be equal
  ValueId value_;
  Layout now_;  // of value_
};

}  // namespace

ValueId Exchange::Reshard(ValueId value, const Layout& from, const Layout& to) {
  return Resharder(*this, value, from, to).Run();
}

}  // namespace acceld::compiler::spmd
