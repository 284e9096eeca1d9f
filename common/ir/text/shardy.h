#pragma once

#include <cstdint>

#include "common/ir/attributes/attribute.h"
#include "common/ir/text/reader.h"

// Reads attributes of the Shardy dialect to the structures that import/distribution.h lists.
// Source: Shardy, attrs.td; parsers.cc for the attributes that have no format there.
namespace acceld::ir::text {

// Reads what follows the token `hash`, which is `#sdy.name` or, with the name inside of the
// brackets, `#sdy`. The current token is '<'. Attributes that change no value are kept as text.
absl::StatusOr<Attribute> ReadShardyAttribute(Reader& reader, const Token& hash);

// The following functions read attributes where the pretty form of an op leaves out their names. An
// alias, or the attribute with its name, may stand there too.
//
// <["x"=2, "y"=4], device_ids=[1, 0, ...]>
absl::StatusOr<Attribute> ReadMeshAttribute(Reader& reader);
// <@mesh, [{"x", "y":(1)2}, {?}, {"z", ?}p1], replicated={"v"}, unreduced={"w"}>
absl::StatusOr<Attribute> ReadSharding(Reader& reader);
// [<@mesh, [{"x"}]>, <@mesh, []>], as a sharding_per_value
absl::StatusOr<Attribute> ReadShardings(Reader& reader);
// {"x", "y"}, as manual_axes
absl::StatusOr<Attribute> ReadManualAxes(Reader& reader);
// {"x", "y":(1)2}, as a list of axes
absl::StatusOr<Attribute> ReadAxisList(Reader& reader);
// [{"x"}, {}], as a list of such lists
absl::StatusOr<Attribute> ReadAxisLists(Reader& reader);
// [{"x"}: 0->1], as a list of structures all_to_all_param (axes, a list; src_dim and tgt_dim)
absl::StatusOr<Attribute> ReadAllToAllParams(Reader& reader);

// Reads `sum`, `max` or `min` and returns its number in Shardy: 0, 1 or 2.
absl::StatusOr<int64_t> ReadReductionKind(Reader& reader);

}  // namespace acceld::ir::text
