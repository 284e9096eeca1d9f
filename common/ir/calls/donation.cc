#include "common/ir/calls/donation.h"

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

constexpr absl::string_view kAliasedResult = "tf.aliasing_output";
constexpr absl::string_view kDonor = "jax.buffer_donor";

}  // namespace

bool IsDonationAttribute(absl::string_view name) {
  return name == kAliasedResult || name == kDonor;
}

absl::StatusOr<absl::optional<Donation>> ReadDonation(const AttributeDictionary& attributes,
                                                      size_t parameter) {
  Donation donation{.parameter = static_cast<uint32_t>(parameter)};
  bool is_donor = false;
  if (const auto found = attributes.find(std::string(kDonor)); found != attributes.end()) {
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(found->second, is_donor), kDonor));
  }
  if (const auto found = attributes.find(std::string(kAliasedResult)); found != attributes.end()) {
    int64_t result = 0;
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(found->second, result), kAliasedResult));
    if (result < 0 || result > limits::kMaxResults) {
      return absl::InvalidArgumentError(
          absl::StrCat(kAliasedResult, ": there is no result ", result));
    }
    donation.result = static_cast<uint32_t>(result);
    is_donor = true;
  }
  if (!is_donor) return absl::nullopt;
  return donation;
}

AttributeDictionary DonationAttributes(const Donation& donation) {
  if (!donation.result.has_value()) {
    return {{std::string(kDonor), Attribute{IntegerAttribute{1, DType::kI1}}}};
  }
  return {
      {std::string(kAliasedResult), Attribute{IntegerAttribute{*donation.result, DType::kI32}}}};
}

absl::Status CheckDonations(const Function& function) {
  const size_t parameters = function.body.parameters.size();
  const size_t results = function.body.results.size();
  const Donation* last = nullptr;
  for (const Donation& donation : function.donations) {
    if (donation.parameter >= parameters) {
      return absl::InvalidArgumentError(absl::StrCat(
          "parameter ", donation.parameter, " is donated, but the function has only ", parameters));
    }
    if (last != nullptr && donation.parameter <= last->parameter) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter ", donation.parameter, " is donated after parameter ",
                       last->parameter, "; each is named once, in order"));
    }
    if (donation.result.has_value() && *donation.result >= results) {
      return absl::InvalidArgumentError(absl::StrCat("parameter ", donation.parameter,
                                                     " is donated to result ", *donation.result,
                                                     ", but the function has only ", results));
    }
    last = &donation;
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir
