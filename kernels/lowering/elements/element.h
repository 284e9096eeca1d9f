#pragma once

#include <cstdint>
#include <string>

#include "common/ir/types/literal.h"
#include "common/ir/types/type.h"
#include "kernels/ir/build/kernel_builder.h"

// One element of a tensor inside a kernel: what a lowering computes with.
namespace acceld::kernels {

// The parts of a value in its compute type: f32 for f16, bf16 and the 8-bit floats, the part's type
// for complex, the type itself otherwise. `im` is meaningful for complex types only.
struct Element {
  Var re = 0;
  Var im = 0;
};

bool IsNarrowFloat(DType dtype);  // 16 bits or fewer
DType ComputeTypeOf(DType dtype);

// The kernel parameter for a tensor: complex elements are two neighbours.
BufferParameter BufferFor(std::string name, const ir::TensorType& type,
                          BufferParameter::Access access);

// Access at a linear index, in elements of the tensor.
Element LoadElement(KernelBuilder& b, uint32_t buffer, DType dtype, Var linear);
void StoreElement(KernelBuilder& b, uint32_t buffer, DType dtype, Var linear,
                  const Element& element);

// The value as if it were stored and loaded again: narrow floats round.
Element RoundElement(KernelBuilder& b, DType dtype, const Element& element);

// Element `index` of a literal, as a constant.
Element ConstantElement(KernelBuilder& b, const ir::Literal& literal, int64_t index);

// Conversion between any two element types (convert.cc).
Element ConvertElement(KernelBuilder& b, DType from, DType to, const Element& element);

// The exact bits of an element of a real type as an unsigned integer of its width, and back.
Var BitsOfElement(KernelBuilder& b, DType dtype, const Element& element);
Element ElementOfBits(KernelBuilder& b, DType dtype, Var bits);

}  // namespace acceld::kernels
