#include "client/state/answered_calls.h"

#include <gtest/gtest.h>

namespace acceld::client {
namespace {

v1::HostCall Call(uint64_t id, uint32_t device) {
  v1::HostCall call;
  call.set_call_id(id);
  call.set_device(device);
  return call;
}

TEST(AnsweredCallsTest, AreThoseOfADeviceUpToTheLastOne) {
  AnsweredCalls answered;
  EXPECT_FALSE(answered.Contains(Call(3, 0)));
  answered.Add(Call(3, 0));
  answered.Add(Call(7, 0));
  EXPECT_TRUE(answered.Contains(Call(3, 0)));
  EXPECT_TRUE(answered.Contains(Call(7, 0)));
  EXPECT_FALSE(answered.Contains(Call(8, 0)));
}

// The daemon numbers calls before it sends them, so that of two devices' calls the later one may
// come, and be answered, before the earlier one comes.
TEST(AnsweredCallsTest, OfOneDeviceSayNothingOfAnother) {
  AnsweredCalls answered;
  answered.Add(Call(11, 1));
  EXPECT_FALSE(answered.Contains(Call(10, 0)));
  answered.Add(Call(10, 0));
  EXPECT_TRUE(answered.Contains(Call(11, 1)));
  EXPECT_FALSE(answered.Contains(Call(11, 0)));
}

}  // namespace
}  // namespace acceld::client
