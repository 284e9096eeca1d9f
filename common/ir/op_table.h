#pragma once

#include <array>
#include <initializer_list>

#include "common/ir/op.h"

namespace acceld::ir {

// A table with a handler for each kind of op of some families, made from rows of ops.def; nullptr
// for the other kinds.
template <typename Handler>
class OpTable {
 public:
  struct Row {
    OpKind kind;
    Handler handler;
  };

  constexpr OpTable(std::initializer_list<Row> rows) {
    for (const Row& row : rows) handlers_[static_cast<size_t>(row.kind)] = row.handler;
  }
  constexpr Handler operator[](OpKind kind) const { return handlers_[static_cast<size_t>(kind)]; }

 private:
  std::array<Handler, kNumOpKinds> handlers_ = {};
};

}  // namespace acceld::ir
