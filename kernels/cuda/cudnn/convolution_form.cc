#include "kernels/cuda/cudnn/convolution_form.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace acceld::kernels::cuda {
namespace {

using Dim = ConvolutionShape::Dim;
using Function = CudnnForm::Function;

constexpr int64_t kMaxInt = std::numeric_limits<int>::max();

// The channels of a tensor: their number in a group, and the strides of channels and groups.
struct Channels {
  int64_t of_group, stride, group_stride;
};

// Sizes and strides of a tensor that cuDNN reads or writes.
struct Tensor {
  int64_t batch, batch_stride;
  Channels channels;
  int64_t sizes[CudnnForm::kMaxRank], strides[CudnnForm::kMaxRank];
};

// Which dimensions of a shape are the batch dimension and the spatial dimensions.
struct Roles {
  int batch = CudnnForm::kNone;
  std::vector<int> spatial;  // in the order of the input's memory, outermost first
};

bool IsTrivial(const Dim& dim) {
  return dim.extent == 1 && dim.window == 1 && dim.size == 1 && dim.offset == 0;
}

// Whether each output position of the dimension depends on the input element at the same index
// only.
bool MayBeBatch(const Dim& dim) {
  return dim.window == 1 && dim.dilation == 1 && dim.offset == 0 && dim.extent == dim.size &&
         (dim.stride == 1 || dim.extent == 1) && !IsTrivial(dim);
}

absl::optional<Roles> RolesOf(const ConvolutionShape& shape, int batch) {
  Roles roles{.batch = batch};
  for (int d = 0; d < ConvolutionShape::kNumDims; ++d) {
    if (d != batch && !IsTrivial(shape.dims[d])) roles.spatial.push_back(d);
  }
  if (roles.spatial.size() > CudnnForm::kMaxRank) return absl::nullopt;
  std::stable_sort(roles.spatial.begin(), roles.spatial.end(), [&shape](int a, int b) {
    return shape.dims[a].lhs_stride > shape.dims[b].lhs_stride;
  });
  return roles;
}

// The functions that may compute a convolution of this shape, the preferred one first.
std::vector<Function> FunctionsFor(const ConvolutionShape& shape) {
  bool is_dilated = false, is_reversed = false;
  double window = 1, extent = 1;
  for (const Dim& dim : shape.dims) {
    is_dilated |= dim.dilation != 1;
    if (dim.window == 1) continue;
    is_reversed |= dim.step < 0;
    window *= static_cast<double>(dim.window);
    extent *= static_cast<double>(dim.extent);
  }
  if (is_dilated) return {Function::kBackwardData};
  if (is_reversed) return {Function::kBackwardData, Function::kForward};
  return {window > extent ? Function::kBackwardFilter : Function::kForward};
}

// Tries to express a convolution by one function, with given roles of the dimensions.
class Matcher {
 public:
  Matcher(const ConvolutionShape& shape, Function function, Roles roles)
      : shape_(shape), roles_(std::move(roles)) {
    form_.function = function;
    form_.rank = std::max<int>(2, static_cast<int>(roles_.spatial.size()));
    form_.groups = shape.groups;
    form_.batch_dim = roles_.batch;
    std::copy(roles_.spatial.begin(), roles_.spatial.end(),
              form_.spatial_dims + form_.rank - roles_.spatial.size());
  }

  absl::optional<CudnnForm> Match() {
    for (int i = 0; i < form_.rank; ++i) {
      if (!MatchSpatial(SpatialDim(i), form_.spatial[i])) return absl::nullopt;
    }
    if (!MatchFlips()) return absl::nullopt;
    const Tensor image = Image(), result = Result();
    form_.inputs = image.channels.of_group;
    form_.outputs = result.channels.of_group;
    form_.batch = image.batch;
    MatchFilter();
    for (const bool channels_last : {true, false}) {
      if (!IsPacked(image, channels_last) || !IsPacked(result, channels_last)) continue;
      form_.channels_last = channels_last;
      return FitsIntoInts() ? absl::optional<CudnnForm>(form_) : absl::nullopt;
    }
    return absl::nullopt;
  }

 private:
  // The shape's dimension for spatial[i]; a dimension of size 1 if the shape has none.
  const Dim& SpatialDim(int i) const { return DimOf(form_.spatial_dims[i]); }
  const Dim& BatchDim() const { return DimOf(form_.batch_dim); }
  const Dim& DimOf(int number) const {
    static constexpr Dim kNothing;
    return number == CudnnForm::kNone ? kNothing : shape_.dims[number];
  }

  bool MatchSpatial(const Dim& dim, CudnnForm::Spatial& spatial) const {
    const int64_t cells_away = dim.window == 1 ? 1 : dim.step;
    switch (form_.function) {
      case Function::kForward:
        if (dim.dilation != 1) return false;
        spatial = {.image = dim.size,
                   .filter = dim.window,
                   .result = dim.extent,
                   .stride = dim.extent == 1 ? 1 : dim.stride,
                   .dilation = std::abs(cells_away)};
        // If the window is reversed, the first filter element in memory is the window's last one.
        spatial.padding =
            cells_away > 0 ? -dim.offset : (dim.window - 1) * spatial.dilation - dim.offset;
        break;
      case Function::kBackwardData:
        if ((dim.extent != 1 && dim.stride != 1) || (dim.window > 1 && cells_away > 0)) {
          return false;
        }
        spatial = {.image = dim.extent,
                   .filter = dim.window,
                   .result = dim.size,
                   .padding = dim.offset,
                   .stride = dim.dilation,
                   .dilation = std::abs(cells_away)};
        break;
      case Function::kBackwardFilter:
        if (dim.dilation != 1 || cells_away < 1) return false;
        spatial = {.image = dim.size,
                   .filter = dim.extent,
                   .result = dim.window,
                   .padding = -dim.offset,
                   .stride = cells_away,
                   .dilation = dim.extent == 1 ? 1 : dim.stride};
        break;
    }
    if (spatial.padding < 0 || spatial.stride < 1 || spatial.dilation < 1) return false;
    for (const int64_t number :
         {spatial.image, spatial.filter, spatial.padding, spatial.stride, spatial.dilation}) {
      if (number > kMaxInt) return false;
    }
    const int64_t covered = (spatial.filter - 1) * spatial.dilation + 1;
    const int64_t padded = spatial.image + 2 * spatial.padding;
    return padded >= covered && padded <= kMaxInt &&
           spatial.result == (padded - covered) / spatial.stride + 1;
  }

  bool MatchFlips() {
    bool forwards = false, backwards = false;
    for (const int d : roles_.spatial) {
      if (shape_.dims[d].window == 1) continue;
      (shape_.dims[d].step < 0 ? backwards : forwards) = true;
    }
    form_.is_flipped = form_.function == Function::kForward && backwards;
    return !form_.is_flipped || !forwards;
  }

  Channels Features() const {
    return {shape_.features, shape_.lhs_feature_stride, shape_.lhs_group_stride};
  }
  Channels Outputs() const {
    return {shape_.outputs, shape_.out_feature_stride, shape_.out_group_stride};
  }

  Tensor Lhs() const {
    const Dim& batch = BatchDim();
    Tensor tensor{.batch = batch.size, .batch_stride = batch.lhs_stride, .channels = Features()};
    if (form_.function == Function::kBackwardFilter) {
      tensor.batch = shape_.features;
      tensor.batch_stride = shape_.lhs_feature_stride;
      tensor.channels = {batch.size, batch.lhs_stride, shape_.lhs_group_stride};
    }
    for (int i = 0; i < form_.rank; ++i) {
      tensor.sizes[i] = SpatialDim(i).size;
      tensor.strides[i] = SpatialDim(i).lhs_stride;
    }
    return tensor;
  }
  Tensor Rhs() const {  // only for kBackwardFilter
    Tensor tensor{.batch = shape_.features,
                  .batch_stride = shape_.rhs_feature_stride,
                  .channels = {shape_.outputs, shape_.rhs_output_stride, shape_.rhs_group_stride}};
    for (int i = 0; i < form_.rank; ++i) {
      tensor.sizes[i] = SpatialDim(i).window;
      tensor.strides[i] = SpatialDim(i).rhs_stride;
    }
    return tensor;
  }
  Tensor Out() const {
    Tensor tensor{
        .batch = BatchDim().extent, .batch_stride = BatchDim().out_stride, .channels = Outputs()};
    for (int i = 0; i < form_.rank; ++i) {
      tensor.sizes[i] = SpatialDim(i).extent;
      tensor.strides[i] = SpatialDim(i).out_stride;
    }
    return tensor;
  }
  Tensor Image() const { return form_.function == Function::kBackwardData ? Out() : Lhs(); }
  Tensor Result() const {
    switch (form_.function) {
      case Function::kForward:
        return Out();
      case Function::kBackwardData:
        return Lhs();
      case Function::kBackwardFilter:
        break;
    }
    return Rhs();
  }

  void MatchFilter() {
    CudnnForm::FilterStrides& filter = form_.filter;
    const bool is_out = form_.function == Function::kBackwardFilter;
    filter.group = is_out ? shape_.out_group_stride : shape_.rhs_group_stride;
    for (int i = 0; i < form_.rank; ++i) {
      filter.spatial[i] = is_out ? SpatialDim(i).out_stride : SpatialDim(i).rhs_stride;
    }
    switch (form_.function) {
      case Function::kForward:
        filter.output = shape_.rhs_output_stride;
        filter.input = shape_.rhs_feature_stride;
        break;
      case Function::kBackwardData:
        filter.output = shape_.rhs_feature_stride;
        filter.input = shape_.rhs_output_stride;
        break;
      case Function::kBackwardFilter:
        filter.output = shape_.out_feature_stride;
        filter.input = BatchDim().out_stride;
        break;
    }
  }

  bool IsPacked(const Tensor& tensor, bool channels_last) const {
    int64_t next = 1;
    const auto fits = [&next](int64_t size, int64_t stride) {
      const bool is_next = size == 1 || stride == next;
      next *= size;
      return is_next;
    };
    const Channels& channels = tensor.channels;
    const auto channels_fit = [&] {
      return fits(channels.of_group, channels.stride) && fits(form_.groups, channels.group_stride);
    };
    bool packed = !channels_last || channels_fit();
    for (int i = form_.rank; i-- > 0;) packed &= fits(tensor.sizes[i], tensor.strides[i]);
    if (!channels_last) packed &= channels_fit();
    return packed && fits(tensor.batch, tensor.batch_stride);
  }

  bool FitsIntoInts() const {
    double image = 1, result = 1;
    for (const CudnnForm::Spatial& spatial : form_.spatial) {
      image *= static_cast<double>(spatial.image);
      result *= static_cast<double>(spatial.result);
    }
    const auto in = static_cast<double>(form_.groups * form_.inputs);
    const auto out = static_cast<double>(form_.groups * form_.outputs);
    const auto batch = static_cast<double>(form_.batch);
    return std::max({image * in * batch, result * out * batch,
                     static_cast<double>(form_.filter_elements())}) <= kMaxInt;
  }

  const ConvolutionShape& shape_;
  const Roles roles_;
  CudnnForm form_;
};

bool IsOfTypes(const ConvolutionStep& convolution) {
  switch (convolution.input_dtype) {
    case ir::DType::kF16:
    case ir::DType::kBF16:
    case ir::DType::kF32:
    case ir::DType::kF64:
      return convolution.output_dtype == convolution.input_dtype;
    default:
      return false;
  }
}

}  // namespace

CudnnForm::FilterStrides CudnnForm::PackedFilter() const {
  FilterStrides packed;
  int64_t next = channels_last ? inputs : 1;
  for (int i = rank; i-- > 0;) {
    packed.spatial[i] = next;
    next *= spatial[i].filter;
  }
  packed.input = channels_last ? 1 : next;
  if (!channels_last) next *= inputs;
  packed.output = next;
  packed.group = next * outputs;
  return packed;
}

bool CudnnForm::HasPackedFilter() const {
  const FilterStrides packed = PackedFilter();
  const auto fits = [](int64_t size, int64_t stride, int64_t wanted) {
    return size == 1 || stride == wanted;
  };
  bool all = fits(groups, filter.group, packed.group) &&
             fits(outputs, filter.output, packed.output) &&
             fits(inputs, filter.input, packed.input);
  for (int i = 0; i < rank; ++i) {
    all &= fits(spatial[i].filter, filter.spatial[i], packed.spatial[i]);
  }
  return all;
}

int64_t CudnnForm::filter_elements() const {
  int64_t elements = groups * outputs * inputs;
  for (const Spatial& one : spatial) elements *= one.filter;
  return elements;
}

absl::optional<CudnnForm> CudnnFormOf(const ConvolutionStep& convolution) {
  if (!IsOfTypes(convolution)) return absl::nullopt;
  const ConvolutionShape& shape = convolution.shape;
  for (const Function function : FunctionsFor(shape)) {
    // Without a batch dimension only if nothing else matches; the batch is then treated as one of
    // the spatial dimensions.
    for (const int batch : {0, 1, 2, 3, CudnnForm::kNone}) {
      if (batch != CudnnForm::kNone && !MayBeBatch(shape.dims[batch])) continue;
      absl::optional<Roles> roles = RolesOf(shape, batch);
      if (!roles.has_value()) continue;
      absl::optional<CudnnForm> form = Matcher(shape, function, *std::move(roles)).Match();
      if (form.has_value()) return form;
    }
  }
  return absl::nullopt;
}

ConvolutionShape WithPackedFilter(const ConvolutionStep& convolution, const CudnnForm& form) {
  ConvolutionShape shape = convolution.shape;
  const CudnnForm::FilterStrides packed = form.PackedFilter();
  if (form.function == Function::kBackwardFilter) {
    shape.out_group_stride = packed.group;
    shape.out_feature_stride = packed.output;
    if (form.batch_dim != CudnnForm::kNone) shape.dims[form.batch_dim].out_stride = packed.input;
    for (int i = 0; i < form.rank; ++i) {
      if (form.spatial_dims[i] == CudnnForm::kNone) continue;
      shape.dims[form.spatial_dims[i]].out_stride = packed.spatial[i];
    }
    return shape;
  }
  const bool is_forward = form.function == Function::kForward;
  shape.rhs_group_stride = packed.group;
  shape.rhs_output_stride = is_forward ? packed.output : packed.input;
  shape.rhs_feature_stride = is_forward ? packed.input : packed.output;
  shape.rhs_row_stride = 0;
  for (int i = 0; i < form.rank; ++i) {
    if (form.spatial_dims[i] == CudnnForm::kNone) continue;
    shape.dims[form.spatial_dims[i]].rhs_stride = packed.spatial[i];
  }
  return shape;
}

}  // namespace acceld::kernels::cuda
