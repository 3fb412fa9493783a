// Pure kernels of the conservative scheme, without branches, so that loops over them become vector code:
// limited slopes and the flux through a face between two reconstructed states.
// Legend: h depth, z bed, n and t velocities normal and tangential to the face, g gravity; L, R the sides.
#pragma once

#include <cmath>

#include "selkie/fluids/shallow_water/params.h"

namespace selkie::shallow_water::detail {

template <class Real>
inline Real least(Real a, Real b) {
  return a < b ? a : b;
}
template <class Real>
inline Real most(Real a, Real b) {
  return a > b ? a : b;
}

// Half of the limited slope of a cell from the differences to its neighbours. Never more than either
// difference, so that no reconstructed value leaves the range of the neighbours.
template <Limiter kLimiter, class Real>
inline Real half_slope(Real back, Real ahead) {
  if constexpr (kLimiter == Limiter::minmod) {
    return Real(0.5) * (most(Real(0), least(back, ahead)) + least(Real(0), most(back, ahead)));
  } else {
    const Real mean = Real(0.25) * (back + ahead);
    return most(Real(0), least(mean, least(back, ahead))) + least(Real(0), most(mean, most(back, ahead)));
  }
}

// What crosses a face per metre and second. The momentum along the normal is given less the hydrostatic
// pressure of either side's own reconstructed depth: with the slope of the surface this is all a cell needs,
// and it is exactly zero in still water.
template <class Real>
struct FaceFlux {
  Real mass, normal_low, normal_high, tangential;
};

// HLL with the bed of the face taken as the higher of the two [Audusse04 §2.2], the speeds of the two sides
// [Toro01 §10.2], that of a dry front where one side is dry, and the tangential velocity of the side the
// water comes from.
template <class Real>
inline FaceFlux<Real> face_flux(Real h_l, Real z_l, Real n_l, Real t_l, Real h_r, Real z_r, Real n_r,
                                Real t_r, Real g) {
  const Real step = z_r - z_l;
  const Real hl = most(Real(0), h_l - most(Real(0), step)), hr = most(Real(0), h_r + least(Real(0), step));
  const Real cl = std::sqrt(g * hl), cr = std::sqrt(g * hr);
  const Real slow = hl > 0 ? least(n_l - cl, n_r - cr) : n_r - 2 * cr;
  const Real fast = hr > 0 ? most(n_l + cl, n_r + cr) : n_l + 2 * cl;
  const Real sl = least(Real(0), slow), sr = most(Real(0), fast);
  const Real inverse = Real(1) / most(sr - sl, Real(1e-30));
  const Real ml = hl * n_l, mr = hr * n_r, product = sl * sr;
  const Real pressure = Real(0.5) * g * (hr - hl) * (hr + hl);
  FaceFlux<Real> flux;
  flux.mass = (sr * ml - sl * mr + product * (hr - hl)) * inverse;
  flux.normal_low = (sr * (ml * n_l) - sl * (mr * n_r + pressure) + product * (mr - ml)) * inverse;
  flux.normal_high = flux.normal_low - pressure;
  flux.tangential = flux.mass * (flux.mass > 0 ? t_l : t_r);
  return flux;
}

}  // namespace selkie::shallow_water::detail
