#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/ir/module.h"
#include "common/ir/types/type.h"

// Symbolic values of a function that is being traced.
//
// A function that is traced runs once with tensors instead of arrays. Each operation on them
// appends one or a few StableHLO ops to the program that is being built; nothing is computed.
//
// Shapes combine as in NumPy: trailing dimensions align, and dimensions of size 1 are broadcast.
// Element types are never converted implicitly: both operands must have the same one, except that a
// C++ number takes the element type of the tensor it is combined with. Axes may be negative,
// counting from the end. An invalid call (shapes that do not combine, an axis out of range, tensors
// of different traces) returns a scalar placeholder, and the first such error of a trace becomes
// the error of the traced function's call; its message names the operation and the file and line of
// the call.
//
// Use tensors only inside a traced function, on the thread that runs it.
namespace acceld::client {

class Tracer;

// A value in a trace, or a plain number that has not been combined with one yet. Copies are cheap
// and name the same value.
class Tensor {
 public:
  // The number 0.
  Tensor() = default;
  // Implicitly converts a number, so that numbers can be combined with tensors.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Tensor(T number) : number_(static_cast<double>(number)) {}  // NOLINT: numbers are tensors

  // f32[] for a plain number.
  const ir::TensorType& type() const { return type_; }
  const ir::Dims& shape() const { return type().dims; }
  int64_t rank() const { return type().rank(); }
  ir::DType dtype() const { return type().dtype; }
  // The number of elements.
  int64_t size() const { return type().num_elements(); }

 private:
  friend class Tracer;
  Tensor(std::shared_ptr<Tracer> tracer, ir::ValueId value, ir::TensorType type)
      : tracer_(std::move(tracer)), value_(value), type_(std::move(type)) {}

  std::shared_ptr<Tracer> tracer_;  // Shared by all tensors of a trace; null for a number.
  ir::ValueId value_ = 0;
  ir::TensorType type_;
  double number_ = 0;
};

// A tensor as a parameter of an operation, with the place in the source from which the operation is
// called. Tensors and numbers convert to it.
class Operand {
 public:
  Operand(const Tensor& tensor,  // NOLINT: tensors are operands
          std::source_location location = std::source_location::current())
      : tensor_(tensor), location_(location) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T number,  // NOLINT: numbers are operands
          std::source_location location = std::source_location::current())
      : tensor_(number), location_(location) {}

  operator const Tensor&() const { return tensor_; }  // NOLINT: an operand is a tensor
  const Tensor& tensor() const { return tensor_; }
  const std::source_location& location() const { return location_; }
  const ir::TensorType& type() const { return tensor_.type(); }
  const ir::Dims& shape() const { return tensor_.shape(); }
  int64_t rank() const { return tensor_.rank(); }
  ir::DType dtype() const { return tensor_.dtype(); }
  int64_t size() const { return tensor_.size(); }

 private:
  Tensor tensor_;
  std::source_location location_;
};

// Several tensors as a parameter of an operation. A list in braces and a vector convert to it.
class Operands {
 public:
  Operands(std::initializer_list<Tensor> tensors,
           std::source_location location = std::source_location::current())
      : tensors_(tensors), location_(location) {}
  Operands(std::vector<Tensor> tensors,  // NOLINT: a vector of tensors is a list of operands
           std::source_location location = std::source_location::current())
      : tensors_(std::move(tensors)), location_(location) {}

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::source_location& location() const { return location_; }
  size_t size() const { return tensors_.size(); }
  const Tensor& operator[](size_t i) const { return tensors_[i]; }

 private:
  std::vector<Tensor> tensors_;
  std::source_location location_;
};

// Axes of a tensor; negative ones count from the end.
using Axes = std::vector<int64_t>;

}  // namespace acceld::client
