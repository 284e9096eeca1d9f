#include "server/hal/cuda/nccl/run_collective.h"

#include <algorithm>
#include <initializer_list>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "common/ir/types/element.h"
#include "kernels/cuda/collectives/collective_kernels.h"

namespace acceld::hal::cuda {
namespace {

using kernels::Collective;
using kernels::cuda::ExchangeBatch;
using kernels::cuda::ExchangeItem;
using kernels::cuda::RowSwap;
using Kind = Collective::Kind;

constexpr int64_t kMaxBlocks = 1 << 14;  // the kernels loop over more work

// What a participant does with its group.
class Exchanger {
 public:
  Exchanger(const CollectiveRun& run, const Collective& collective,
            const PreparedCollective& prepared, const CudaGang::Turn& turn,
            absl::Span<const CuPointer> operands, absl::Span<const CuPointer> results)
      : run_(run),
        collective_(collective),
        prepared_(prepared),
        role_(turn.role),
        communicator_(*turn.communicator),
        nccl_(communicator_.nccl()),
        operands_(operands),
        results_(results) {}

  absl::Status Run() {
    if (!role_.has_source) ACCELD_RETURN_IF_ERROR(ClearResults());
    if (role_.memberships.empty()) return absl::OkStatus();
    if (collective_.kind == Kind::kPermute) return Permute();
    members_ = MembersOf(collective_, role_.memberships[0].group);
    self_ = static_cast<int64_t>(role_.memberships[0].member);
    if (num_members() == 1) return CopyAll();
    if (collective_.kind == Kind::kBroadcast) return Broadcast();
    if (collective_.kind == Kind::kAllReduce && IsWhole() && IsAllByNccl()) return ReduceByNccl();
    for (const ExchangeBatch& batch : prepared_.batches.at(num_members())) {
      ACCELD_RETURN_IF_ERROR(Exchange(batch));
    }
    return absl::OkStatus();
  }

 private:
  int64_t num_members() const { return static_cast<int64_t>(members_.size()); }
  CudaGang& gang() const { return *GangOf(run_.launch); }
  int RankOf(int64_t member) const { return gang().RankOf(members_[static_cast<size_t>(member)]); }
  int own_rank() const { return gang().RankOf(run_.launch.participant); }

  // Whether all ranks of the communicator are members.
  bool IsWhole() const { return num_members() == communicator_.size(); }
  // Whether the members are all ranks in their order.
  bool IsWholeInOrder() const {
    if (!IsWhole()) return false;
    for (int64_t i = 0; i < num_members(); ++i) {
      if (RankOf(i) != i) return false;
    }
    return true;
  }

  // Enqueues calls of the library as one group.
  template <typename Enqueue>
  absl::Status Group(const Enqueue& enqueue) const {
    return communicator_.Enqueue(
        own_rank(), [&](Nccl::Comm comm) { return enqueue(comm); },
        [this] { PollGang(run_.launch); });
  }
  Nccl::Result Send(CuPointer from, int64_t bytes, int rank, Nccl::Comm comm) const {
    return nccl_.ncclSend(reinterpret_cast<const void*>(from), static_cast<size_t>(bytes),
                          Nccl::kBytes, rank, comm, run_.stream);
  }
  Nccl::Result Receive(CuPointer to, int64_t bytes, int rank, Nccl::Comm comm) const {
    return nccl_.ncclRecv(reinterpret_cast<void*>(to), static_cast<size_t>(bytes), Nccl::kBytes,
                          rank, comm, run_.stream);
  }

  absl::Status Copy(CuPointer to, CuPointer from, int64_t bytes) const {
    if (bytes == 0 || to == from) return absl::OkStatus();
    Context& context = run_.context;
    return context.Check(
        context.driver().cuMemcpyAsync(to, from, static_cast<size_t>(bytes), run_.stream),
        "cuMemcpyAsync");
  }

  absl::Status CopyAll() const {
    for (size_t k = 0; k < operands_.size(); ++k) {
      ACCELD_RETURN_IF_ERROR(Copy(results_[k], operands_[k], collective_.operands[k].size_bytes()));
    }
    return absl::OkStatus();
  }

  absl::Status ClearResults() const {
    for (size_t k = 0; k < results_.size(); ++k) {
      const ir::TensorType& type = collective_.results[k];
      if (type.num_elements() == 0) continue;
      // All types represent zero by zero bytes, except f8E8M0FNU, which has no zero.
      unsigned char zero = 0;
      if (ir::StorageBytesOf(type.dtype) == 1) ir::StoreConverted(type.dtype, &zero, 0);
      ACCELD_RETURN_IF_ERROR(run_.context.Check(
          run_.context.driver().cuMemsetD8Async(
              results_[k], zero, static_cast<size_t>(type.size_bytes()), run_.stream),
          "cuMemsetD8Async"));
    }
    return absl::OkStatus();
  }

  absl::Status Permute() const {
    const int64_t self = run_.launch.participant;
    bool exchanges = false;
    for (const Membership& membership : role_.memberships) {
      const std::vector<int64_t>& pair = collective_.groups[static_cast<size_t>(membership.group)];
      if (pair[0] == pair[1]) ACCELD_RETURN_IF_ERROR(CopyAll());
      exchanges |= pair[0] != pair[1];
    }
    if (!exchanges) return absl::OkStatus();
    return Group([&](Nccl::Comm comm) {
      for (const Membership& membership : role_.memberships) {
        const std::vector<int64_t>& pair =
            collective_.groups[static_cast<size_t>(membership.group)];
        if (pair[0] == pair[1]) continue;
        for (size_t k = 0; k < operands_.size(); ++k) {
          const int64_t bytes = collective_.operands[k].size_bytes();
          if (bytes == 0) continue;
          const Nccl::Result result =
              pair[0] == self ? Send(operands_[k], bytes, gang().RankOf(pair[1]), comm)
                              : Receive(results_[k], bytes, gang().RankOf(pair[0]), comm);
          if (result != 0) return result;
        }
      }
      return 0;
    });
  }

  absl::Status Broadcast() const {
    if (self_ == 0) ACCELD_RETURN_IF_ERROR(CopyAll());
    return Group([&](Nccl::Comm comm) {
      for (size_t k = 0; k < operands_.size(); ++k) {
        const int64_t bytes = collective_.operands[k].size_bytes();
        if (bytes == 0) continue;
        Nccl::Result result = 0;
        if (IsWhole()) {
          const auto to = reinterpret_cast<void*>(results_[k]);
          result = nccl_.ncclBroadcast(to, to, static_cast<size_t>(bytes), Nccl::kBytes, RankOf(0),
                                       comm, run_.stream);
        } else if (self_ != 0) {
          result = Receive(results_[k], bytes, RankOf(0), comm);
        } else {
          for (int64_t to = 1; to < num_members() && result == 0; ++to) {
            result = Send(operands_[k], bytes, RankOf(to), comm);
          }
        }
        if (result != 0) return result;
      }
      return 0;
    });
  }

  bool IsAllByNccl() const {
    int type = 0, operation = 0;
    return std::all_of(collective_.operands.begin(), collective_.operands.end(),
                       [&](const ir::TensorType& operand) {
                         return kernels::cuda::IsCombinedByNccl(operand.dtype, collective_.combiner,
                                                                type, operation);
                       });
  }

  absl::Status ReduceByNccl() const {
    return Group([&](Nccl::Comm comm) {
      for (size_t k = 0; k < operands_.size(); ++k) {
        const ir::TensorType& operand = collective_.operands[k];
        if (operand.num_elements() == 0) continue;
        int type = 0, operation = 0;
        kernels::cuda::IsCombinedByNccl(operand.dtype, collective_.combiner, type, operation);
        const Nccl::Result result = nccl_.ncclAllReduce(
            reinterpret_cast<const void*>(operands_[k]), reinterpret_cast<void*>(results_[k]),
            static_cast<size_t>(operand.num_elements()), type, operation, comm, run_.stream);
        if (result != 0) return result;
      }
      return 0;
    });
  }

  CuPointer Scratch(int64_t offset) const { return run_.scratch + static_cast<CuPointer>(offset); }
  CuPointer SourceOf(const ExchangeItem& item) const {
    return item.send_offset >= 0 ? Scratch(item.send_offset) : operands_[item.operand];
  }
  CuPointer TargetOf(const ExchangeItem& item) const {
    return item.receive_offset >= 0 ? Scratch(item.receive_offset) : results_[item.operand];
  }
  CuPointer PartFor(const ExchangeItem& item, int64_t member) const {
    return SourceOf(item) + static_cast<CuPointer>(item.from_begin + member * item.from_stride);
  }
  CuPointer PartFrom(const ExchangeItem& item, int64_t member) const {
    return TargetOf(item) + static_cast<CuPointer>(member * item.to_stride);
  }
  CuPointer CombinedOf(const ExchangeItem& item, int64_t member) const {
    return results_[item.operand] +
           static_cast<CuPointer>(item.combined_begin + member * item.combined_stride);
  }
  bool IsReduction() const {
    return collective_.kind == Kind::kAllReduce || collective_.kind == Kind::kReduceScatter;
  }

  absl::Status Exchange(const ExchangeBatch& batch) const {
    for (const ExchangeItem& item : batch.items) {
      if (item.send_offset >= 0) {
        // [outer][parts] becomes [parts][outer].
        ACCELD_RETURN_IF_ERROR(
            SwapRows(SourceOf(item), operands_[item.operand], item.pack, item.pack.parts));
      }
      if (!IsGathered(item)) {
        ACCELD_RETURN_IF_ERROR(
            Copy(PartFrom(item, self_), PartFor(item, self_), item.BytesTo(self_)));
      }
    }
    ACCELD_RETURN_IF_ERROR(Group([&](Nccl::Comm comm) { return SendParts(batch, comm); }));
    bool shares = false;
    for (const ExchangeItem& item : batch.items) {
      if (IsReduction()) ACCELD_RETURN_IF_ERROR(Combine(item));
      if (!IsReduction() && item.receive_offset >= 0) {
        // [parts][outer] becomes [outer][parts].
        ACCELD_RETURN_IF_ERROR(
            SwapRows(results_[item.operand], TargetOf(item), item.unpack, item.unpack.outer));
      }
      shares |= item.is_shared;
    }
    if (!shares) return absl::OkStatus();
    return Group([&](Nccl::Comm comm) { return ShareCombined(batch, comm); });
  }

  // Whether the library gathers what all members send to all.
  bool IsGathered(const ExchangeItem& item) const {
    return item.from_stride == 0 && item.to_stride == item.bytes && IsWholeInOrder();
  }

  Nccl::Result SendParts(const ExchangeBatch& batch, Nccl::Comm comm) const {
    for (const ExchangeItem& item : batch.items) {
      if (IsGathered(item)) {
        const Nccl::Result result =
            nccl_.ncclAllGather(reinterpret_cast<const void*>(PartFor(item, self_)),
                                reinterpret_cast<void*>(TargetOf(item)),
                                static_cast<size_t>(item.bytes), Nccl::kBytes, comm, run_.stream);
        if (result != 0) return result;
        continue;
      }
      const int64_t own_bytes = item.BytesTo(self_);
      for (int64_t member = 0; member < num_members(); ++member) {
        if (member == self_) continue;
        Nccl::Result result = 0;
        if (const int64_t bytes = item.BytesTo(member); bytes > 0) {
          result = Send(PartFor(item, member), bytes, RankOf(member), comm);
        }
        if (result == 0 && own_bytes > 0) {
          result = Receive(PartFrom(item, member), own_bytes, RankOf(member), comm);
        }
        if (result != 0) return result;
      }
    }
    return 0;
  }

  Nccl::Result ShareCombined(const ExchangeBatch& batch, Nccl::Comm comm) const {
    for (const ExchangeItem& item : batch.items) {
      if (!item.is_shared) continue;
      const int64_t own_bytes = item.BytesTo(self_);
      if (IsWholeInOrder() && item.BytesTo(num_members() - 1) == item.bytes) {
        const Nccl::Result result =
            nccl_.ncclAllGather(reinterpret_cast<const void*>(CombinedOf(item, self_)),
                                reinterpret_cast<void*>(CombinedOf(item, 0)),
                                static_cast<size_t>(item.bytes), Nccl::kBytes, comm, run_.stream);
        if (result != 0) return result;
        continue;
      }
      for (int64_t member = 0; member < num_members(); ++member) {
        if (member == self_) continue;
        Nccl::Result result = 0;
        if (own_bytes > 0) result = Send(CombinedOf(item, self_), own_bytes, RankOf(member), comm);
        if (const int64_t bytes = item.BytesTo(member); result == 0 && bytes > 0) {
          result = Receive(CombinedOf(item, member), bytes, RankOf(member), comm);
        }
        if (result != 0) return result;
      }
    }
    return 0;
  }

  // Swaps [outer][inner] to [inner][outer], where `inner` is one of the two numbers of `swap`.
  absl::Status SwapRows(CuPointer to, CuPointer from, const RowSwap& swap, int64_t inner) const {
    const int64_t outer = swap.outer * swap.parts / inner;
    const int64_t work = swap.outer * swap.parts * CeilDivide(swap.row_bytes, 16);
    return LaunchKernel(prepared_.swap_rows, work,
                        {to, from, static_cast<uint64_t>(outer), static_cast<uint64_t>(inner),
                         static_cast<uint64_t>(swap.row_bytes)});
  }

  absl::Status Combine(const ExchangeItem& item) const {
    const int64_t bytes = item.BytesTo(self_);
    if (bytes == 0) return absl::OkStatus();
    const int64_t element = ir::StorageBytesOf(collective_.operands[item.operand].dtype);
    return LaunchKernel(
        prepared_.combiners[item.operand], CeilDivide(bytes, 16),
        {CombinedOf(item, self_), TargetOf(item), static_cast<uint64_t>(bytes / element),
         static_cast<uint64_t>(item.to_stride), static_cast<uint64_t>(num_members())});
  }

  absl::Status LaunchKernel(CuFunction function, int64_t work,
                            std::initializer_list<uint64_t> values) const {
    constexpr int kThreads = kernels::cuda::kCollectiveThreads;
    absl::InlinedVector<void*, 5> parameters;
    for (const uint64_t& value : values) parameters.push_back(const_cast<uint64_t*>(&value));
    const int64_t blocks = std::min(CeilDivide(work, kThreads), kMaxBlocks);
    Context& context = run_.context;
    return context.Check(
        context.driver().cuLaunchKernel(function, static_cast<unsigned int>(blocks), 1, 1, kThreads,
                                        1, 1, 0, run_.stream, parameters.data(), nullptr),
        "cuLaunchKernel");
  }

  const CollectiveRun& run_;
  const Collective& collective_;
  const PreparedCollective& prepared_;
  const Role& role_;
  Communicator& communicator_;
  const Nccl& nccl_;
  const absl::Span<const CuPointer> operands_, results_;
  absl::Span<const int64_t> members_;  // participants
  int64_t self_ = 0;                   // the own index in members_
};

}  // namespace

int64_t PreparedCollective::scratch_bytes() const {
  int64_t most = 0;
  for (const auto& [members, of_size] : batches) {
    for (const ExchangeBatch& batch : of_size) most = std::max(most, batch.scratch_bytes);
  }
  return most;
}

PreparedCollective PrepareCollective(const Collective& collective, int64_t site) {
  PreparedCollective prepared{.site = site, .batches = {}, .combiners = {}};
  if (collective.kind == Kind::kPermute || collective.kind == Kind::kBroadcast) return prepared;
  for (const std::vector<int64_t>& group : collective.groups) {
    const auto members = static_cast<int64_t>(group.size());
    if (members == 1 || prepared.batches.contains(members)) continue;
    prepared.batches.emplace(members, kernels::cuda::ExchangeBatchesOf(collective, members));
  }
  return prepared;
}

absl::Status JoinCommunicator(const Launch& launch) {
  CudaGang* const gang = GangOf(launch);
  if (gang == nullptr) {
    return absl::FailedPreconditionError(
        "the program exchanges values with other devices, but is launched on one");
  }
  for (bool has_begun = false; !has_begun;) {
    PollGang(launch);
    ACCELD_ASSIGN_OR_RETURN(has_begun, gang->AwaitBegin(launch.participant));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<Communicator> communicator,
                          gang->Join(launch.participant));
  return communicator->Join(gang->RankOf(launch.participant), [&] { PollGang(launch); });
}

absl::Status RunCollective(const CollectiveRun& run, const Collective& collective,
                           const PreparedCollective& prepared, absl::Span<const CuPointer> operands,
                           absl::Span<const CuPointer> results) {
  ACCELD_ASSIGN_OR_RETURN(
      const CudaGang::Turn turn,
      GangOf(run.launch)->Enter(run.launch.participant, collective, prepared.site));
  absl::Status status = Exchanger(run, collective, prepared, turn, operands, results).Run();
  if (!status.ok()) turn.communicator->Break(status);
  return status;
}

void PollGang(const Launch& launch) {
  if (launch.control != nullptr && launch.control->cancelled().load()) {
    launch.gang->Fail(launch.participant, absl::CancelledError("launch: cancelled"));
  }
  GangOf(launch)->Poll(launch.participant);
}

}  // namespace acceld::hal::cuda
