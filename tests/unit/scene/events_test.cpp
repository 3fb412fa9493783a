// Events are tried before a run starts, and trying them changes nothing.
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::kCloth;
using test::parsed;

ports::InputEvent event(Tick tick, const std::string& action, Value arguments) {
  return {tick, "cloth", action, std::move(arguments)};
}

Value setting(const std::string& path, double number) {
  Value arguments;
  arguments["path"].data = path;
  arguments["value"].data = number;
  return arguments;
}

Value grip(std::int64_t vertex) {
  Value arguments;
  arguments["vertex"].data = vertex;
  arguments["target"].data = ValueArray{Value{0.0}, Value{1.0}, Value{0.0}};
  return arguments;
}

TEST(PendingEvents, CheckingGoodOnesLeavesTheWorldAsItWas) {
  sim::World world = build(parsed(kCloth));
  const std::string hash = world.hash().hex();
  world.queue(event(0, "set", setting("stiffness", 7)));
  world.queue(event(5, "grab", grip(3)));
  world.check_pending_events();
  EXPECT_EQ(world.hash().hex(), hash);
  EXPECT_EQ(world.pending_events().size(), 2u);
  EXPECT_TRUE(world.applied_events().empty());
}

TEST(PendingEvents, ABadOneIsRefusedAndTheOthersAreTakenBack) {
  sim::World world = build(parsed(kCloth));
  const std::string hash = world.hash().hex();
  world.queue(event(0, "set", setting("stiffness", 7)));
  world.queue(event(1, "grab", grip(25)));
  EXPECT_THROW(world.check_pending_events(), InputError);
  EXPECT_EQ(world.hash().hex(), hash);
}

TEST(PendingEvents, AreCheckedInOrder) {
  // Each setting is judged with those before it in force.
  sim::World world = build(parsed(kCloth));
  world.queue(event(1, "set", setting("stiffness", 7)));
  world.queue(event(2, "set", setting("stiffness", -7)));
  try {
    world.check_pending_events();
    FAIL() << "a negative stiffness was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'stiffness' is -7"), std::string::npos);
  }
}

}  // namespace
}  // namespace selkie::scene
