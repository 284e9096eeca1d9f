#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "kernels/cpu/type_fields.h"
#include "kernels/ir/collective.h"

namespace acceld::kernels::cpu {

// A collective, and the number that tells its step from the others of the plan.
struct CollectiveAtSite {
  int64_t site = 0;
  Collective collective;
};

// Encodes a collective as an array of integers, in which form generated code passes it to the
// run-time support (CollectiveFunction in support_abi.h): the site, the fields of the collective in
// their order, then the types of the operands, then the types of the results (type_fields.h). The
// list of groups and each group are preceded by their lengths.
inline std::vector<int64_t> CollectiveKeyOf(int64_t site, const Collective& collective) {
  std::vector<int64_t> fields = {site,
                                 static_cast<int64_t>(collective.kind),
                                 static_cast<int64_t>(collective.combiner),
                                 collective.dimension,
                                 collective.concat_dimension,
                                 collective.factor.has_value() ? 1 : 0,
                                 std::bit_cast<int64_t>(collective.factor.value_or(0)),
                                 static_cast<int64_t>(collective.groups.size())};
  for (const std::vector<int64_t>& group : collective.groups) {
    fields.push_back(static_cast<int64_t>(group.size()));
    fields.insert(fields.end(), group.begin(), group.end());
  }
  AppendTypes(collective.operands, fields);
  AppendTypes(collective.results, fields);
  return fields;
}

// Decodes an array that CollectiveKeyOf has made. The array is not checked.
inline CollectiveAtSite ReadCollective(const int64_t* fields) {
  CollectiveAtSite read{.site = *fields++};
  Collective& collective = read.collective;
  collective.kind = static_cast<Collective::Kind>(*fields++);
  collective.combiner = static_cast<Collective::Combiner>(*fields++);
  collective.dimension = *fields++;
  collective.concat_dimension = *fields++;
  const bool has_factor = *fields++ != 0;
  const auto factor = std::bit_cast<double>(*fields++);
  if (has_factor) collective.factor = factor;
  collective.groups.resize(static_cast<size_t>(*fields++));
  for (std::vector<int64_t>& group : collective.groups) {
    const int64_t size = *fields++;
    group.assign(fields, fields + size);
    fields += size;
  }
  collective.operands = ReadTypes(fields);
  collective.results = ReadTypes(fields);
  return read;
}

}  // namespace acceld::kernels::cpu
