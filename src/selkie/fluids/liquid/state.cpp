// See state.h.
#include "selkie/fluids/liquid/state.h"

namespace selkie::liquid {

template <class Real>
State<Real> make_state(const Model& model) {
  State<Real> state;
  const std::size_t size = model.shape.size();
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    state.velocity()[static_cast<std::size_t>(axis)]->assign(size, 0);
  state.pressure.assign(size, 0);
  state.surface.assign(size, static_cast<Real>(1.5 * model.shape.cell_size()));
  return state;
}

template <class Real>
grid::FaceViews<Real> velocity_views(const Model& model, State<Real>& state) {
  grid::FaceViews<Real> views;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(model.shape.dims()); ++axis)
    views[axis] = grid::view(model.shape, *state.velocity()[axis]);
  return views;
}
template <class Real>
grid::FaceViews<const Real> velocity_views(const Model& model, const State<Real>& state) {
  grid::FaceViews<const Real> views;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(model.shape.dims()); ++axis)
    views[axis] = grid::view(model.shape, *state.velocity()[axis]);
  return views;
}

template State<float> make_state<float>(const Model&);
template State<double> make_state<double>(const Model&);
template grid::FaceViews<float> velocity_views<float>(const Model&, State<float>&);
template grid::FaceViews<double> velocity_views<double>(const Model&, State<double>&);
template grid::FaceViews<const float> velocity_views<float>(const Model&, const State<float>&);
template grid::FaceViews<const double> velocity_views<double>(const Model&, const State<double>&);

}  // namespace selkie::liquid
