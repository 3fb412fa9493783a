// Shallow water on a height field as a System, in either precision, and its ground as a collider for others.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "selkie/core/expression.h"
#include "selkie/fluids/shallow_water/step.h"
#include "selkie/sim/solver_system.h"
#include "selkie/sim/systems/drawn_sheet.h"

namespace selkie::sim {

// What the adapter knows beyond the solver. Formulas are in t (s); those of the acceleration in x, z and t.
struct ShallowWaterScene {
  std::array<Expression, shallow_water::kSideCount> side_values;
  std::array<double, shallow_water::kSideCount> side_rests{};
  std::vector<std::vector<std::uint32_t>> source_cells;
  std::vector<Expression> source_rates;
  std::vector<Expression> acceleration;  // along x, y and z; or none
  Vec3 colour{0.1, 0.3, 0.4};
  Vec3 ground_colour{0.55, 0.48, 0.36};
};

template <class Real>
using ShallowWaterBase = SolverSystem<shallow_water::Model<Real>, shallow_water::Params,
                                      shallow_water::State<Real>, shallow_water::Work<Real>>;

template <class Real>
class ShallowWaterSystem final : public ShallowWaterBase<Real> {
 public:
  ShallowWaterSystem(std::string name, shallow_water::Model<Real> model, shallow_water::Params params,
                     shallow_water::State<Real> state, ShallowWaterScene scene);

  std::string_view kind() const override { return "shallow_water"; }
  void poison_work() override { shallow_water::poison(this->work_); }
  double step_limit(const Environment& environment) override;
  StepReport solve(const Environment& environment, const Interval& interval) override;
  std::vector<std::string> actions() const override { return {"push"}; }
  // "push" (point, direction, strength, radius): a gust that moves the water along x and z.
  void apply(const ports::InputEvent& event) override;
  Figures figures(const Environment& environment) override;
  // The water, where there is any, and "name-ground".
  std::vector<ports::Drawable> drawables() override;
  Estimate estimate() override;

 private:
  void fill_water();
  shallow_water::Field field_at(double time);
  Vec3 velocity(int i, int j) const;

  ShallowWaterScene scene_;
  double start_volume_ = 0;  // m³, of the scene as built
  std::vector<shallow_water::Source> sources_;
  std::array<std::vector<double>, 3> field_;
  DrawnSheet water_, ground_;
  std::vector<double> surface_, depths_, speeds_, fills_;
};

// The ground seen as a solid; beyond the sides it goes on level.
template <class Real>
std::shared_ptr<ports::FieldSampler> ground_collider(const shallow_water::Model<Real>& model);

}  // namespace selkie::sim
