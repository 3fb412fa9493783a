// The pressure of a liquid as strong couplings see it (ports/sides.h): unknowns are the pressures of its liquid
// cells in Pa, rows are volume fluxes in m³/s (in 2-D m²/s), B p = E u* of LE-15.
#pragma once

#include <cstdint>
#include <vector>

#include "selkie/fluids/liquid/step.h"
#include "selkie/ports/sides.h"

namespace selkie::sim {

class LiquidPressureSide {
 public:
  // After liquid::predict() and liquid::assemble() of a step of dt seconds. What it refers to must stay.
  void begin(const liquid::Model& model, const liquid::Params& params, double dt, liquid::State<float>& state,
             liquid::Work<float>& work);
  ports::PressureSide& side() { return side_; }
  // Element of the pressure field that belongs to each unknown.
  std::span<const std::uint32_t> elements() const { return elements_; }

 private:
  void spread(std::span<const double> x, double factor, Buffer<float>& field) const;
  void collect(const Buffer<float>& field, double factor, std::span<double> y) const;

  std::vector<std::uint32_t> elements_;
  std::vector<double> right_;
  Buffer<float> in_, out_;
  ports::PressureSide side_;
};

}  // namespace selkie::sim
