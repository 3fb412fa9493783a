// See state.h.
#include "selkie/fluids/vortex_method/state.h"

#include "selkie/core/parallel.h"

namespace selkie::vortex_method {

template <class Real>
State<Real> make_state(const Model& model) {
  State<Real> state;
  for (std::size_t a = 0; a < 3; ++a) state.stream()[a]->assign(model.edges[a].size(), 0);
  state.density.assign(model.shape.size(), 0);
  return state;
}

template <class Real>
Vec3 total_strength(const State<Real>& state) {
  Vec3 total;
  for (int a = 0; a < 3; ++a)
    total[a] =
        deterministic_sum(state.strengths.size(), [&](std::size_t p) { return state.strengths[p][a]; });
  return total;
}

template <class Real>
Vec3 impulse(const Model& model, const State<Real>& state) {
  const Vec3 middle = model.shape.origin() + 0.5 * model.shape.extent();
  Vec3 total;
  for (int a = 0; a < 3; ++a)
    total[a] = 0.5 * deterministic_sum(state.strengths.size(), [&](std::size_t p) {
                 return (state.positions[p] - middle).cross(state.strengths[p])[a];
               });
  return total;
}

#define SELKIE_INSTANTIATE(Real)                                \
  template State<Real> make_state<Real>(const Model&);          \
  template Vec3 total_strength<Real>(const State<Real>& state); \
  template Vec3 impulse<Real>(const Model&, const State<Real>& state);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::vortex_method
