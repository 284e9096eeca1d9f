#include <algorithm>
#include <utility>

#include "server/compiler/spmd/exchange.h"

// How a value changes its layout.
namespace acceld::compiler::spmd {
namespace {

using ir::ValueId;

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

class Resharder {
 public:
  Resharder(Exchange& exchange, ValueId value, const Layout& from, const Layout& to)
      : exchange_(exchange), to_(to), value_(value), now_(from) {}

  ValueId Run() {
    // Taking a part of what is here costs nothing and makes the rest cheaper.
    SliceWhereFree();
    MoveAxes();
    if (now_ == to_) return value_;
    if (!now_.IsReplicated()) {
      const absl::optional<ValueId> permuted = exchange_.Permute(value_, now_, to_);
      if (permuted.has_value()) return *permuted;
    }
    // First the dimensions to which axes of others can move then.
    for (const bool only_with_addition : {true, false}) {
      for (size_t i = 0; i < now_.dimensions.size(); ++i) {
        if (!only_with_addition || !Addition(i).empty()) Gather(i);
      }
    }
    return value_;
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

  void Remove(size_t i, size_t count) {
    now_.dimensions[i].resize(now_.dimensions[i].size() - count);
  }
  void Add(size_t i, const Axes& axes) {
    now_.dimensions[i].insert(now_.dimensions[i].end(), axes.begin(), axes.end());
  }

  void Gather(size_t i) {
    const Axes axes = Removal(i);
    if (axes.empty()) return;
    value_ = exchange_.AllGather(value_, i, axes);
    Remove(i, axes.size());
    SliceWhereFree();
    MoveAxes();
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
  ValueId value_;
  Layout now_;  // of value_
};

}  // namespace

ValueId Exchange::Reshard(ValueId value, const Layout& from, const Layout& to) {
  return Resharder(*this, value, from, to).Run();
}

}  // namespace acceld::compiler::spmd
