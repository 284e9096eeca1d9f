#include "kernels/cuda/program/repack_filter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/ir/build/kernel_builder.h"

namespace acceld::kernels::cuda {

Kernel RepackFilter(const CudnnForm& form, ir::DType dtype, bool back, const std::string& name) {
  struct Dim {
    int64_t size, from, to;
  };
  const CudnnForm::FilterStrides& own = form.filter;
  const CudnnForm::FilterStrides packed = form.PackedFilter();
  std::vector<Dim> dims = {{form.groups, own.group, packed.group},
                           {form.outputs, own.output, packed.output},
                           {form.inputs, own.input, packed.input}};
  for (int i = 0; i < form.rank; ++i) {
    dims.push_back({form.spatial[i].filter, own.spatial[i], packed.spatial[i]});
  }
  if (back) {
    for (Dim& dim : dims) std::swap(dim.from, dim.to);
  }
  std::erase_if(dims, [](const Dim& dim) { return dim.size == 1; });
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& a, const Dim& b) { return a.to > b.to; });
  std::vector<int64_t> sizes, from_strides, to_strides;
  for (const Dim& dim : dims) {
    sizes.push_back(dim.size);
    from_strides.push_back(dim.from);
    to_strides.push_back(dim.to);
  }
  KernelBuilder builder(name);
  const int64_t elements = form.filter_elements();
  using Access = BufferParameter::Access;
  const uint32_t from = builder.AddBuffer(
      {.name = "from", .dtype = dtype, .num_elements = elements, .access = Access::kRead});
  const uint32_t to = builder.AddBuffer(
      {.name = "to", .dtype = dtype, .num_elements = elements, .access = Access::kWrite});
  builder.ForEach(ForStatement::Kind::kParallel, sizes, [&](absl::Span<const Var> indices) {
    builder.Store(to, builder.Linearize(indices, to_strides),
                  builder.Load(from, builder.Linearize(indices, from_strides)));
  });
  return builder.Finish();
}

}  // namespace acceld::kernels::cuda
