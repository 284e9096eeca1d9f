#include "kernels/cuda/emit/statements/print_poll.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace acceld::kernels::cuda {

void PrintPoll(PrintContext& context, absl::string_view iteration, double num_iterations,
               const Block& body, ThreadGroup group) {
  const std::string poll_condition =
      context.cancellation_polls.PollCondition(iteration, num_iterations, body);
  if (poll_condition.empty()) return;
  context.polls = true;
  const bool together = group == ThreadGroup::kBlock;
  if (together) context.barriers.NoteCall();
  context.out.Line("if (", poll_condition == "true" ? "" : absl::StrCat(poll_condition, " && "),
                   together ? "__syncthreads_or(*cancelled != 0)" : "*cancelled != 0", ") break;");
}

}  // namespace acceld::kernels::cuda
