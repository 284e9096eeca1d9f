#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "client/tracing.h"

// The rows of the comparison with JAX: functions of tensors by name. table.py has the same
// functions of JAX, and their arguments.
namespace acceld::client::table {

using Tensors = std::vector<Tensor>;

struct Row {
  std::string name;
  std::function<Tensors(const Tensors&)> function;
};

// Makes a row of a function of one to five tensors that returns a tree.
template <typename F>
Row MakeRow(std::string name, F f) {
  return {std::move(name), [f](const Tensors& x) {
            using T = const Tensor&;
            if constexpr (std::is_invocable_v<F, T>) {
              return Flatten(f(x.at(0)));
            } else if constexpr (std::is_invocable_v<F, T, T>) {
              return Flatten(f(x.at(0), x.at(1)));
            } else if constexpr (std::is_invocable_v<F, T, T, T>) {
              return Flatten(f(x.at(0), x.at(1), x.at(2)));
            } else if constexpr (std::is_invocable_v<F, T, T, T, T>) {
              return Flatten(f(x.at(0), x.at(1), x.at(2), x.at(3)));
            } else {
              return Flatten(f(x.at(0), x.at(1), x.at(2), x.at(3), x.at(4)));
            }
          }};
}

// Rows of an expression in x, or in x, y and z.
#define ROW1(name, expression) MakeRow(#name, [](const Tensor& x) { return expression; })
#define ROW2(name, expression) \
  MakeRow(#name, [](const Tensor& x, const Tensor& y) { return expression; })
#define ROW3(name, expression) \
  MakeRow(#name, [](const Tensor& x, const Tensor& y, const Tensor& z) { return expression; })

std::vector<Row> ElementwiseRows();
std::vector<Row> StructureRows();
std::vector<Row> NetworkRows();
std::vector<Row> ControlRows();
std::vector<Row> AlgebraRows();

}  // namespace acceld::client::table
