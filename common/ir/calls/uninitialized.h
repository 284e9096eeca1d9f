#pragma once

namespace acceld::ir {

// The target of a custom call whose result is an uninitialized tensor; no element of it is read
// before it is written. Only the compiler makes such calls (RefuseInternalOps refuses them in
// programs from outside, which must not see old contents of memory). The interpreter fills floats
// with NaN and other types with 1, so that a wrong use shows.
inline constexpr char kUninitializedTarget[] = "acceld.unwritten";

}  // namespace acceld::ir
