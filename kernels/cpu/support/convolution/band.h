#pragma once

#include <cstdint>

#include "kernels/cpu/support/scratchpad.h"
#include "kernels/ir/convolution_shape.h"

namespace acceld::kernels::cpu {

// Part of the multiplications of one group of a convolution: of some places, some cells of their
// windows and some features, for all outputs.
struct Band {
  struct Range {
    int64_t begin = 0, count = 1;
  };
  int64_t group = 0;
  Range places[ConvolutionShape::kNumDims];
  Range cells[ConvolutionShape::kNumDims];
  Range features;

  int64_t num_places() const {
    int64_t n = 1;
    for (const Range& range : places) n *= range.count;
    return n;
  }
  int64_t num_products() const {
    int64_t n = features.count;
    for (const Range& range : cells) n *= range.count;
    return n;
  }
};

// All of a convolution of one group.
Band WholeBand(const ConvolutionShape& shape);

// Elements of the input, with what lies between and around them, from the first to the last that a
// band reads.
double NumPaddedElements(const ConvolutionShape& shape, const Band& band);

// The input of a band with a zero in every cell that no element lies under: the element that place
// p has under cell c, both counted from the band's first ones, is data[p * place_steps + c *
// cell_steps + feature * feature_step].
struct PaddedInput {
  const float* data;
  int64_t place_steps[ConvolutionShape::kNumDims];
  int64_t cell_steps[ConvolutionShape::kNumDims];
  int64_t feature_step;
};

// The input itself where every cell has an element, else a copy in `memory`. `lhs` is the input of
// the band's group. `data` is null when memory is short.
PaddedInput PadInput(const ConvolutionShape& shape, const Band& band, const float* lhs,
                     Scratchpad& memory);

}  // namespace acceld::kernels::cpu
