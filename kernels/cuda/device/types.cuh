// What stands before all CUDA C++ of ours. It includes nothing: NVRTC has no headers. The host's
// compiler takes it, too, behind tests/support/cuda_on_host.h.

using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
