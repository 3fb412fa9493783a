// The clock, the Groups and the retry of World. Results depend on ticks, settings, states and events only:
// nothing here reads a wall clock or a thread count.
#include "selkie/sim/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "selkie/core/check.h"
#include "selkie/core/log.h"
#include "selkie/coupling/group_solve.h"

namespace selkie::sim {

void System::apply(const ports::InputEvent& event) {
  throw InputError(
      event.arguments.place.location(), "'" + name() + "' does not know the action '" + event.action + "'",
      "a system of kind " + std::string(kind()) + " takes: " + [&] {
        std::string known = "set";
        for (const std::string& action : actions()) known += ", " + action;
        return known;
      }());
}

World::World(WorldSettings settings, Environment environment)
    : settings_(settings), environment_(std::move(environment)) {
  SELKIE_CHECK(settings_.fps > 0 && settings_.steps_per_frame > 0,
               "a frame has a length and at least one step");
  preferred_ = kTicksPerFrame / settings_.steps_per_frame;
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

System& World::add(std::unique_ptr<System> system) {
  SELKIE_CHECK(find(system->name()) == nullptr, "system names are unique");
  systems_.push_back(std::move(system));
  rebuild_groups();
  return *systems_.back();
}

Coupling& World::add(std::unique_ptr<Coupling> coupling) {
  for (const std::string& name : coupling->between())
    SELKIE_CHECK(find(name), "a coupling joins known systems");
  couplings_.push_back(std::move(coupling));
  rebuild_groups();
  return *couplings_.back();
}

void World::add_collider(std::shared_ptr<ports::FieldSampler> collider) {
  environment_.colliders.push_back(std::move(collider));
}

System* World::find(std::string_view name) const {
  for (const auto& system : systems_)
    if (system->name() == name) return system.get();
  return nullptr;
}

double World::seconds_per_tick() const { return 1.0 / settings_.fps / static_cast<double>(kTicksPerFrame); }

// Systems joined by strong couplings form one Group; every other system is a Group of its own. Order follows
// the first member, so that the schedule reads like the scene.
void World::rebuild_groups() {
  std::vector<int> leader(systems_.size());
  std::iota(leader.begin(), leader.end(), 0);
  auto index_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < systems_.size(); ++i)
      if (systems_[i]->name() == name) return static_cast<int>(i);
    return -1;
  };
  auto root = [&](int i) {
    while (leader[static_cast<std::size_t>(i)] != i) i = leader[static_cast<std::size_t>(i)];
    return i;
  };
  for (const auto& coupling : couplings_) {
    if (!coupling->strong()) continue;
    for (const std::string& name : coupling->between()) {
      const int a = root(index_of(coupling->between().front())), b = root(index_of(name));
      leader[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  groups_.clear();
  std::vector<int> group_of(systems_.size(), -1);
  for (std::size_t i = 0; i < systems_.size(); ++i) {
    const auto r = static_cast<std::size_t>(root(static_cast<int>(i)));
    if (group_of[r] < 0) {
      group_of[r] = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    groups_[static_cast<std::size_t>(group_of[r])].systems.push_back(static_cast<int>(i));
  }
  for (std::size_t c = 0; c < couplings_.size(); ++c)
    if (couplings_[c]->strong()) {
      const auto r = static_cast<std::size_t>(root(index_of(couplings_[c]->between().front())));
      groups_[static_cast<std::size_t>(group_of[r])].couplings.push_back(static_cast<int>(c));
    }
  for (const Group& group : groups_)
    for (int s : group.systems) systems_[static_cast<std::size_t>(s)]->set_joint(!group.couplings.empty());
  // Who moves solids steps first, so that the others know where they go.
  std::stable_partition(groups_.begin(), groups_.end(), [&](const Group& group) {
    return std::any_of(group.systems.begin(), group.systems.end(),
                       [&](int s) { return systems_[static_cast<std::size_t>(s)]->moves_solids(); });
  });
}

bool World::dormant(const Group& group) const {
  return std::all_of(group.systems.begin(), group.systems.end(),
                     [&](int s) { return systems_[static_cast<std::size_t>(s)]->dormant(); });
}

void World::offer_solids(const Group& group, const Interval& sync) {
  for (int s : group.systems) {
    System& system = *systems_[static_cast<std::size_t>(s)];
    if (system.moves_solids() && !system.dormant()) system.offer_solids(sync, environment_.bodies);
  }
}

std::vector<std::string> World::schedule() const {
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("each frame of {:.6g} s: {} sync step(s), retried at half length up to {} times",
                  1 / settings_.fps, settings_.steps_per_frame, settings_.max_retries));
  lines.push_back("  apply input events");
  int number = 0;
  for (const Group& group : groups_) {
    if (dormant(group)) continue;
    std::string names;
    for (int s : group.systems)
      names += (names.empty() ? "" : " + ") + systems_[static_cast<std::size_t>(s)]->name() + " (" +
               std::string(systems_[static_cast<std::size_t>(s)]->kind()) + ")";
    const double limit = [&] {
      double least = std::numeric_limits<double>::infinity();
      for (int s : group.systems)
        least = std::min(least, systems_[static_cast<std::size_t>(s)]->step_limit(environment_));
      return least;
    }();
    lines.push_back(fmt::format("  group {}: {}; {}", ++number, names,
                                std::isfinite(limit) ? fmt::format("sub-steps of at most {:.3g} s", limit)
                                                     : std::string("no step limit")));
    lines.push_back("    predict, " + std::string(group.couplings.empty() ? "solve" : "joint solve") +
                    ", correct");
    for (int c : group.couplings)
      lines.push_back("    joint solve includes coupling " + couplings_[static_cast<std::size_t>(c)]->name());
  }
  for (const auto& coupling : couplings_)
    if (!coupling->strong()) lines.push_back("  exchange: " + coupling->name());
  lines.push_back("  accept: commit statistics, events and files");
  return lines;
}

void World::save() {
  for (auto& system : systems_) system->save();
  for (auto& coupling : couplings_) coupling->save();
  for (Group& group : groups_) group.warm_saved = group.warm_start;
}

void World::restore() {
  for (auto& system : systems_) system->restore();
  for (auto& coupling : couplings_) coupling->restore();
  for (Group& group : groups_) group.warm_start = group.warm_saved;
}

StepReport World::joint_solve(Group& group, const Interval& interval) {
  const ProfileZone zone("joint_solve");
  std::vector<const ports::PressureSide*> pressures;
  std::vector<const ports::BodySide*> bodies;
  std::vector<int> pressure_of(systems_.size(), -1), body_of(systems_.size(), -1);
  for (int s : group.systems) {
    System& system = *systems_[static_cast<std::size_t>(s)];
    if (const auto* side = system.pressure_side()) {
      pressure_of[static_cast<std::size_t>(s)] = static_cast<int>(pressures.size());
      pressures.push_back(side);
    }
    if (const auto* side = system.body_side()) {
      body_of[static_cast<std::size_t>(s)] = static_cast<int>(bodies.size());
      bodies.push_back(side);
    }
  }
  std::vector<ports::CouplingTerm> terms;
  bool staggered = false;
  int most_solves = 1;
  coupling::GroupSettings settings;
  for (int c : group.couplings) {
    Coupling& coupling = *couplings_[static_cast<std::size_t>(c)];
    staggered = staggered || coupling.staggered();
    settings.tolerance = c == group.couplings.front() ? coupling.tolerance()
                                                      : std::min(settings.tolerance, coupling.tolerance());
    most_solves = std::max(most_solves, coupling.iterations());
    std::vector<System*> members;
    ports::CouplingTerm term;
    for (const std::string& name : coupling.between()) {
      for (int s : group.systems)
        if (systems_[static_cast<std::size_t>(s)]->name() == name) {
          members.push_back(systems_[static_cast<std::size_t>(s)].get());
          if (pressure_of[static_cast<std::size_t>(s)] >= 0)
            term.pressure_side = pressure_of[static_cast<std::size_t>(s)];
          if (body_of[static_cast<std::size_t>(s)] >= 0)
            term.body_side = body_of[static_cast<std::size_t>(s)];
        }
    }
    term.jacobian = coupling.jacobian(members, interval);
    if (term.jacobian) terms.push_back(term);
  }
  StepReport report;
  for (int n = 0; n < most_solves; ++n) {
    if (watch_) watch_({pressures, bodies, terms, interval.dt()});
    const coupling::GroupReport solved =
        staggered ? coupling::solve_staggered(pressures, bodies, terms, settings, group.warm_start)
                  : coupling::solve_group(pressures, bodies, terms, settings, group.warm_start);
    report.iterations += solved.solve.iterations;
    report.residual = solved.solve.residual;
    if (!solved.solve.converged()) {
      report.ok = false;
      report.trouble = "the joint solve of a group did not converge: " + solved.solve.text();
    }
    if (!report.ok || n + 1 == most_solves || !linearise_again(group, interval, report)) break;
    settings.from_guess = false;
  }
  return report;
}

// Whether a body of the Group answers otherwise under the forces it has just been given.
bool World::linearise_again(const Group& group, const Interval& interval, StepReport& report) {
  bool again = false;
  for (int s : group.systems) {
    System& system = *systems_[static_cast<std::size_t>(s)];
    if (!system.linearise_again(environment_, interval, report)) continue;
    (void)system.body_side();  // with the new free velocity
    again = true;
  }
  return again && report.ok;
}

// One sub-step of a Group: every member predicts, then one joint solve or each its own, then every member
// corrects.
StepReport World::advance_group(Group& group, const Interval& interval, std::vector<SystemReport>& reports) {
  const bool joint = !group.couplings.empty();
  auto for_each = [&](auto phase, auto&& which) {
    for (int s : group.systems) {
      const auto index = static_cast<std::size_t>(s);
      if (!which(*systems_[index])) continue;
      const StepReport report = phase(*systems_[index]);
      reports[index].step.merge(report);
      if (!report.ok) return StepReport::failure("'" + systems_[index]->name() + "': " + report.trouble);
    }
    return StepReport{};
  };
  const auto all = [](const System&) { return true; };
  auto predict = [&](System& s) { return s.predict(environment_, interval); };
  if (!joint) {
    if (auto r = for_each(predict, all); !r.ok) return r;
  } else {
    if (auto r = for_each(predict, [](const System& s) { return s.moves_solids(); }); !r.ok) return r;
    const std::size_t others = environment_.bodies.size();
    for (int s : group.systems)
      systems_[static_cast<std::size_t>(s)]->offer_solids_ahead(interval, environment_.bodies);
    if (auto r = for_each(predict, [](const System& s) { return !s.moves_solids() && !s.is_liquid(); }); !r.ok)
      return r;
    environment_.bodies.resize(others);
    for (int s : group.systems) systems_[static_cast<std::size_t>(s)]->take_pushes_ahead();
    immerse_bodies(group);
    if (auto r = for_each(predict, [](const System& s) { return s.is_liquid(); }); !r.ok) return r;
  }
  if (!joint) {
    if (auto r = for_each([&](System& s) { return s.solve(environment_, interval); }, all); !r.ok) return r;
  } else {
    const StepReport solved = joint_solve(group, interval);
    for (int s : group.systems) reports[static_cast<std::size_t>(s)].step.merge(solved);
    if (!solved.ok) return solved;
  }
  return for_each([&](System& s) { return s.correct(environment_, interval); }, all);
}

// Tells each liquid of the Group which bodies strong couplings join it to, in the order of the couplings.
void World::immerse_bodies(const Group& group) {
  for (int s : group.systems) {
    System& liquid = *systems_[static_cast<std::size_t>(s)];
    if (!liquid.is_liquid()) continue;
    std::vector<const ports::WetBody*> bodies;
    for (int c : group.couplings) {
      const std::vector<std::string>& between = couplings_[static_cast<std::size_t>(c)]->between();
      if (std::find(between.begin(), between.end(), liquid.name()) == between.end()) continue;
      for (const std::string& name : between)
        if (const ports::WetBody* body = find(name)->wet_body()) bodies.push_back(body);
    }
    liquid.immerse(bodies);
  }
}

// Tries one sync step of `length` ticks from the saved state.
StepReport World::attempt(Tick length, std::vector<SystemReport>& reports) {
  const Interval sync{now_, now_ + length, seconds_per_tick()};
  environment_.bodies.clear();
  for (Group& group : groups_) {
    if (dormant(group)) continue;
    // Sub-steps are re-planned after each one, because a limit may tighten while the state changes.
    Tick at = now_;
    const Tick end = now_ + length;
    int count = 0;
    while (at < end) {
      double limit = std::numeric_limits<double>::infinity();
      for (int s : group.systems)
        limit = std::min(limit, systems_[static_cast<std::size_t>(s)]->step_limit(environment_));
      if (!(limit > 0)) return StepReport::failure("a system allows no step at all");
      const double wanted =
          std::ceil(static_cast<double>(end - at) * seconds_per_tick() / limit * (1 - 1e-12));
      if (!(wanted + count <= settings_.max_substeps))
        return StepReport::failure(fmt::format("more than {} sub-steps would be needed (limit {:.3g} s)",
                                               settings_.max_substeps, limit));
      const Tick pieces = std::max<Tick>(1, static_cast<Tick>(wanted));
      const Tick next = std::max(at + 1, at + (end - at) / pieces);
      const Interval interval{at, std::min(next, end), seconds_per_tick()};
      for (int s : group.systems) {
        ++reports[static_cast<std::size_t>(s)].substeps;
        if (poison_work_) systems_[static_cast<std::size_t>(s)]->poison_work();
      }
      if (auto report = advance_group(group, interval, reports); !report.ok) return report;
      at = interval.end;
      ++count;
    }
    offer_solids(group, sync);
  }
  environment_.bodies.clear();
  for (auto& system : systems_)
    if (system->moves_solids() && !system->dormant()) system->take_pushes();
  for (auto& coupling : couplings_) {
    if (coupling->strong()) continue;
    std::vector<System*> members;
    for (const std::string& name : coupling->between()) members.push_back(find(name));
    if (auto report = coupling->exchange(members, sync); !report.ok)
      return StepReport::failure("coupling '" + coupling->name() + "': " + report.trouble);
  }
  return {};
}

namespace {

void add_phases(const PhaseTimes& more, PhaseTimes& sum) {
  for (const auto& [name, time] : more) {
    PhaseTime& phase = sum[name];
    phase.seconds += time.seconds;
    phase.self_seconds += time.self_seconds;
    phase.calls += time.calls;
  }
}

}  // namespace

SyncReport World::sync_step() {
  apply_due_events();
  // Never step over a cut of the frame or a pending event.
  const Tick sync = kTicksPerFrame / settings_.steps_per_frame;
  const Tick frame_begin = now_ / kTicksPerFrame * kTicksPerFrame, frame_end = frame_begin + kTicksPerFrame;
  const Tick cut = (now_ - frame_begin) / sync + 1;
  Tick boundary = cut >= settings_.steps_per_frame ? frame_end : frame_begin + cut * sync;
  for (const ports::InputEvent& event : pending_)
    if (event.tick > now_) boundary = std::min(boundary, event.tick);
  // Equal parts no longer than the preferred length; a few ticks of rounding must not make a step of their
  // own.
  constexpr Tick kRounding = 1024;
  const Tick left = boundary - now_;
  const Tick parts = std::max<Tick>(1, (left - kRounding + preferred_ - 1) / preferred_);
  Tick length = left / parts;

  SyncReport report;
  report.begin = now_;
  const Tick preferred_before = preferred_;
  save();
  (void)take_phase_times();
  for (;; ++report.retries) {
    report.systems.assign(systems_.size(), {});
    for (std::size_t i = 0; i < systems_.size(); ++i) report.systems[i].system = systems_[i]->name();
    const StepReport outcome = attempt(length, report.systems);
    add_phases(take_phase_times(), report.phases);
    if (outcome.ok) break;
    restore();
    log_info(fmt::format("t = {:.6g} s: step of {:.3g} s rejected: {}", time(),
                         static_cast<double>(length) * seconds_per_tick(), outcome.trouble));
    if (report.retries == settings_.max_retries || length < 2) {
      report.ok = false;
      report.trouble = outcome.trouble;
      report.end = now_;
      report.time = time();
      preferred_ = preferred_before;
      return report;
    }
    length /= 2;
    preferred_ = length;
  }
  now_ += length;
  if (report.retries == 0) preferred_ = std::min(sync, preferred_ * 2);
  report.end = now_;
  report.time = time();
  report.dt = static_cast<double>(length) * seconds_per_tick();
  for (std::size_t i = 0; i < systems_.size(); ++i)
    if (!systems_[i]->dormant()) report.systems[i].figures = systems_[i]->figures(environment_);
  for (std::size_t i = systems_.size(); i-- > 0;)
    if (systems_[i]->dormant()) report.systems.erase(report.systems.begin() + static_cast<std::ptrdiff_t>(i));
  return report;
}

void World::queue(ports::InputEvent event) {
  if (event.tick < now_)
    throw InputError(fmt::format("an input event at tick {} lies in the past (now {})", event.tick, now_),
                     "give events ticks at or after the present one");
  // Stable: events of one tick keep the order of their arrival.
  const auto after = std::upper_bound(pending_.begin(), pending_.end(), event,
                                      [](const auto& a, const auto& b) { return a.tick < b.tick; });
  pending_.insert(after, std::move(event));
}

void World::check_pending_events() {
  save();
  std::vector<std::shared_ptr<void>> params;
  for (const auto& system : systems_) params.push_back(system->params_type().clone(system->params()));
  const Vec3 gravity = environment_.gravity;
  auto undo = [&] {
    restore();
    environment_.gravity = gravity;
    for (std::size_t i = 0; i < systems_.size(); ++i)
      systems_[i]->params_type().copy(params[i].get(), systems_[i]->params());
  };
  try {
    for (const ports::InputEvent& event : pending_) apply(event);
  } catch (...) {
    undo();
    throw;
  }
  undo();
}

void World::apply_now(ports::InputEvent event) {
  event.tick = now_;
  apply(event);
  applied_.push_back(std::move(event));
}

void World::apply_due_events() {
  while (!pending_.empty() && pending_.front().tick <= now_) {
    ports::InputEvent event = std::move(pending_.front());
    pending_.erase(pending_.begin());
    apply(event);
    applied_.push_back(std::move(event));
  }
}

namespace {

void apply_set(const ports::InputEvent& event, const Type& type, void* params) {
  const Value* path = event.arguments.find("path");
  const Value* value = event.arguments.find("value");
  if (!path || !value || !std::holds_alternative<std::string>(path->data))
    throw InputError(event.arguments.place.location(),
                     "a 'set' event needs the keys 'path' (text) and 'value'");
  assign(type, params, std::get<std::string>(path->data), *value, true);
}

}  // namespace

void World::apply(const ports::InputEvent& event) {
  if (event.system.empty()) {  // addressed to the world itself
    if (event.action != "set")
      throw InputError(event.arguments.place.location(),
                       "the world does not know the action '" + event.action + "'",
                       "it takes: set; other actions need the name of a system");
    WorldParams params{environment_.gravity};
    apply_set(event, type_of<WorldParams>(), &params);
    environment_.gravity = params.gravity;
    return;
  }
  System* system = find(event.system);
  if (!system) {
    std::vector<std::string> names;
    for (const auto& known : systems_) names.push_back(known->name());
    throw InputError(event.arguments.place.location(),
                     "an input event names the unknown system '" + event.system + "'",
                     "known systems: " + fmt::format("{}", fmt::join(names, ", ")));
  }
  if (event.action != "set") return system->apply(event);
  apply_set(event, system->params_type(), system->params());
}

Hash128 World::hash() {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(now_));
  hasher.add(static_cast<std::uint64_t>(preferred_));
  hasher.add(std::as_bytes(std::span<const double>(environment_.gravity.data(), 3)));
  for (auto& system : systems_) {
    hasher.add(std::string_view(system->name()));
    hasher.add(std::string_view(to_json(write(system->params_type(), system->params()), 0)));
    add_to_hash(hasher, system->state());
  }
  for (auto& coupling : couplings_) {
    hasher.add(std::string_view(coupling->name()));
    add_to_hash(hasher, coupling->state());
  }
  for (const Group& group : groups_) hasher.add(std::as_bytes(std::span<const double>(group.warm_start)));
  return hasher.value();
}

}  // namespace selkie::sim
