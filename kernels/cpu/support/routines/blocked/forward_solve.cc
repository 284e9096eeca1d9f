#include "common/ceil_divide.h"
#include "kernels/cpu/support/routines/blocked/blocked.h"

namespace acceld::kernels::cpu {
namespace {

// The panels that are solved together, so that each packed strip of L is read once for all of them.
constexpr int64_t kPanels = 2;

}  // namespace

template <typename T>
absl::Status BlockedForwardSolve(const RoutineRun& run, MatrixView<const T> lower, bool unit,
                                 int64_t n, int64_t sides, MatrixView<const T> b, MatrixView<T> x) {
  const MicroKernels<T>& kernels = MicroKernelsOf<T>();
  const int64_t strip_rows = kernels.rows, width = kernels.columns;
  const int64_t strips = CeilDivide(n, strip_rows);
  thread_local Scratchpad packed_memory;
  T* const packed = ReserveElements<T>(packed_memory, StripOffset(strips, strip_rows));
  ACCELD_RETURN_IF_ERROR(run.ForEach(strips, static_cast<double>(n * strip_rows), [&](int64_t s) {
    PackStrip(lower, n, s, strip_rows, packed + StripOffset(s, strip_rows));
    return absl::OkStatus();
  }));
  const int64_t tile_columns = kPanels * width;
  const double work = static_cast<double>(n) * static_cast<double>(n * tile_columns);
  const absl::Status status =
      run.ForEach(CeilDivide(sides, tile_columns), work, [&](int64_t tile) -> absl::Status {
        thread_local Scratchpad panel_memory;
        const int64_t panel_size = strips * strip_rows * width;
        T* const panels = ReserveElements<T>(panel_memory, kPanels * panel_size);
        const int64_t first = tile * tile_columns, end = std::min(sides, first + tile_columns);
        const auto for_each_panel = [&](auto body) {
          T* panel = panels;
          for (int64_t c = first; c < end; c += width, panel += panel_size) {
            body(panel, c, std::min(width, end - c));
          }
        };
        for_each_panel([&](T* panel, int64_t column, int64_t columns) {
          LoadPanel(b.From(0, column), n, columns, width, panel);
          std::fill(panel + n * width, panel + panel_size, T(0));
        });
        for (int64_t s = 0; s < strips; ++s) {
          ACCELD_RETURN_IF_ERROR(run.Poll());
          for_each_panel([&](T* panel, int64_t, int64_t) {
            const T* const strip = packed + StripOffset(s, strip_rows);
            kernels.solve_strip(s * strip_rows, strip, strip_rows,
                                strip + s * strip_rows * strip_rows, unit, panel);
          });
        }
        for_each_panel([&](T* panel, int64_t column, int64_t columns) {
          StorePanel(panel, n, columns, width, x.From(0, column));
        });
        panel_memory.Trim();
        return absl::OkStatus();
      });
  packed_memory.Trim();
  return status;
}

template absl::Status BlockedForwardSolve<float>(const RoutineRun&, MatrixView<const float>, bool,
                                                 int64_t, int64_t, MatrixView<const float>,
                                                 MatrixView<float>);
template absl::Status BlockedForwardSolve<double>(const RoutineRun&, MatrixView<const double>, bool,
                                                  int64_t, int64_t, MatrixView<const double>,
                                                  MatrixView<double>);

}  // namespace acceld::kernels::cpu
