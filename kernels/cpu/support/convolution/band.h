#pragma once

#include <cstdint>

#include "kernels/cpu/support/scratchpad.h"
#include "kernels/ir/convolution_shape.h"

namespace acceld::kernels::cpu {

// A part of the multiplications of one group of a convolution: those for some output positions,
// some positions in the window (cells) and some input features, and for all output features.
struct Band {
  // The indices [begin, begin + count).
  struct Range {
    int64_t begin = 0, count = 1;
  };
  int64_t group = 0;
  Range positions[ConvolutionShape::kNumDims];  // of the output
  Range cells[ConvolutionShape::kNumDims];
  Range features;

  // The number of output positions.
  int64_t num_output_positions() const {
    int64_t n = 1;
    for (const Range& range : positions) n *= range.count;
    return n;
  }
  // The number of products that are added up for each output element.
  int64_t num_products() const {
    int64_t n = features.count;
    for (const Range& range : cells) n *= range.count;
    return n;
  }
};

// Returns the band that is all of group 0.
Band WholeBand(const ConvolutionShape& shape);

// Returns how many elements a copy of the band's padded and dilated input has, from the first to
// the last element that the band reads, zeros between the input's elements included. The number may
// exceed int64_t.
double NumPaddedElements(const ConvolutionShape& shape, const Band& band);

// The input of a band, with zeros in the window positions (cells) for which there is no input
// element. The element for output position p, cell c and feature f, all counted from the band's
// first ones, is data[p * position_steps + c * cell_steps + f * feature_step], where the first two
// products are sums over the dimensions.
struct PaddedInput {
  const float* data;
  int64_t position_steps[ConvolutionShape::kNumDims];
  int64_t cell_steps[ConvolutionShape::kNumDims];
  int64_t feature_step;
};

// Returns the input itself if every cell of the band has an element, else a copy in `memory`. `lhs`
// is the input of the band's group. `data` is null when memory runs out; it is valid as long as
// `lhs` and until `memory` is used again.
PaddedInput PadInput(const ConvolutionShape& shape, const Band& band, const float* lhs,
                     Scratchpad& memory);

}  // namespace acceld::kernels::cpu
