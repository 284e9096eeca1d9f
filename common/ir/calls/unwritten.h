#pragma once

namespace acceld::ir {

// The target of a custom call that gives a tensor whose elements nobody reads before they are
// written. Only the compiler makes such calls (RefuseInternalOps): what lay in memory before is not
// for programs. The interpreter makes floats NaN and all else 1, so that a wrong one shows.
inline constexpr char kUnwrittenTarget[] = "acceld.unwritten";

}  // namespace acceld::ir
