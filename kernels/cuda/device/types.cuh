// The first part of all CUDA C++ modules. It includes nothing, because NVRTC has no headers. In
// tests the host's compiler compiles it, after tests/support/cuda_on_host.h.

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
