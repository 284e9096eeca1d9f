#pragma once

#include <cstdint>
#include <string>

#include "common/ir/types/literal.h"
#include "common/ir/types/type.h"
#include "kernels/ir/build/kernel_builder.h"

// Elements of tensors as values of a kernel: the scalars with which lowerings compute.
namespace acceld::kernels {

// One element of a tensor, in the compute type of its dtype (ComputeTypeOf): the value, or the real
// and the imaginary part for complex dtypes. `im` is meaningful only for complex dtypes.
struct Element {
  Var re = 0;
  Var im = 0;
};

bool IsNarrowFloat(DType dtype);  // 16 bits or fewer
// The type in which elements are computed: f32 for narrow floats, the type of the parts for complex
// numbers, otherwise the dtype itself.
DType ComputeTypeOf(DType dtype);

// The buffer parameter for a tensor. Complex elements are stored as adjacent real and imaginary
// parts.
BufferParameter BufferFor(std::string name, const ir::TensorType& type,
                          BufferParameter::Access access);

// Load and store one element; `linear` is its row-major index in the tensor. A load converts narrow
// floats to the compute type, a store rounds them.
Element LoadElement(KernelBuilder& b, uint32_t buffer, DType dtype, Var linear);
void StoreElement(KernelBuilder& b, uint32_t buffer, DType dtype, Var linear,
                  const Element& element);

// The element as it would be after a store and a load: narrow floats are rounded to the dtype.
Element RoundElement(KernelBuilder& b, DType dtype, const Element& element);

// Element `index` of a literal, as a constant.
Element ConstantElement(KernelBuilder& b, const ir::Literal& literal, int64_t index);

// Converts an element between any two dtypes as StableHLO's convert does.
Element ConvertElement(KernelBuilder& b, DType from, DType to, const Element& element);

// The encoding of an element of a real dtype, as an unsigned integer of the dtype's width; and the
// element with that encoding.
Var BitsOfElement(KernelBuilder& b, DType dtype, const Element& element);
Element ElementOfBits(KernelBuilder& b, DType dtype, Var bits);

}  // namespace acceld::kernels
