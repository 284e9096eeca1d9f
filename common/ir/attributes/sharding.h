#pragma once

#include <cstdint>
#include <string>
#include <vector>

// How a tensor is distributed over a mesh of devices, as Shardy describes it. Source: Shardy,
// "Sharding representation" (docs/sharding_representation.md), dialect sdy. Meshes and axes are
// named by their numbers, so that programs that differ in names only are equal. The functions on
// these values are in processes/sharding.h.
namespace acceld::ir {

// An axis of a mesh, or a part of it: the axis is divided, from major to minor, into parts of
// `pre_size`, `size` and the rest, and this is the middle one.
struct AxisRef {
  static constexpr const char* kStructName = "axis_ref";
  int64_t axis = 0;      // an index into Mesh::axes
  int64_t pre_size = 1;  // of a part
  int64_t size = 0;      // of a part; 0: the whole axis
  template <typename Self, typename Visitor>
  static void VisitFields(Self& self, Visitor& v) {
    v.Visit("axis", self.axis);
    v.Visit("pre_size", self.pre_size);
    v.Visit("size", self.size);
  }
  friend bool operator==(const AxisRef&, const AxisRef&) = default;
};

// The axes along which one dimension of a tensor is divided, the major one first.
struct DimensionSharding {
  static constexpr const char* kStructName = "dimension_sharding";
  std::vector<AxisRef> axes;
  bool is_closed = true;  // whether the compiler may not divide the dimension further
  int64_t priority = 0;   // in propagation; 0 is the highest
  template <typename Self, typename Visitor>
  static void VisitFields(Self& self, Visitor& v) {
    v.Visit("axes", self.axes);
    v.Visit("is_closed", self.is_closed);
    v.Visit("priority", self.priority);
  }
  friend bool operator==(const DimensionSharding&, const DimensionSharding&) = default;
};

// How the parts of a value are combined.
enum class Reduction : uint8_t { kSum, kMax, kMin };
// Returns the keywords of Shardy's text, in the order of the enumerators, followed by nullptr.
const char* const* EnumKeywords(Reduction);

// The sharding of one tensor. Along axes that no list names the tensor is replicated, and the
// compiler may use them for dimensions that are not closed.
struct Sharding {
  static constexpr const char* kStructName = "sharding";
  int64_t mesh = 0;                           // an index into Module::meshes
  std::vector<DimensionSharding> dimensions;  // one for each dimension of the tensor
  std::vector<AxisRef> replicated;            // the compiler may not use these axes
  // Along these axes each device has a part of the value, which is the combination of the parts.
  std::vector<AxisRef> unreduced;
  Reduction reduction = Reduction::kSum;  // kSum if no axis is unreduced
  template <typename Self, typename Visitor>
  static void VisitFields(Self& self, Visitor& v) {
    v.Visit("mesh", self.mesh);
    v.Visit("dimensions", self.dimensions);
    v.Visit("replicated", self.replicated);
    v.Visit("unreduced", self.unreduced);
    v.Visit("reduction", self.reduction);
  }
  friend bool operator==(const Sharding&, const Sharding&) = default;
};

}  // namespace acceld::ir
