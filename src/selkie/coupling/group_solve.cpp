// See group_solve.h. Legend: B, J, Z₁, Z₂, p, v, w as in ports/sides.h; t the auxiliary body velocity; A the
// joint matrix; C the constant pressures of closed regions, one a column.
#include "selkie/coupling/group_solve.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/check.h"
#include "selkie/linalg/pcg.h"

namespace selkie::coupling {
namespace {

using ConstSpan = std::span<const double>;
using Span = std::span<double>;

// y += J x and y += Jᵀ x. Serial, in a fixed order: Jacobians hold surface rows only, and bits must not
// depend on the thread count.
void add_product(const ports::SparseRows& j, ConstSpan x, Span y) {
  for (int row = 0; row < j.rows(); ++row) {
    double sum = 0;
    for (ports::SparseRows::InnerIterator it(j, row); it; ++it)
      sum += it.value() * x[static_cast<std::size_t>(it.col())];
    y[static_cast<std::size_t>(row)] += sum;
  }
}
void add_transposed_product(const ports::SparseRows& j, ConstSpan x, Span y) {
  for (int row = 0; row < j.rows(); ++row)
    for (ports::SparseRows::InnerIterator it(j, row); it; ++it)
      y[static_cast<std::size_t>(it.col())] += it.value() * x[static_cast<std::size_t>(row)];
}

// Share of E (see find_closed) that is rounding: a millionth of a body's surface may be open.
constexpr double kRoundOff = 1e-12;

// Numbering of the joint vector: pressures first, then the velocities of bodies that have a Z₂.
struct Layout {
  std::vector<std::size_t> pressure_begin, body_begin;
  std::size_t size = 0;
};

class JointSystem {
 public:
  JointSystem(std::span<const ports::PressureSide* const> pressures,
              std::span<const ports::BodySide* const> bodies, std::span<const ports::CouplingTerm> terms)
      : pressures_(pressures), bodies_(bodies), terms_(terms), t_(bodies.size()), scratch_(bodies.size()) {
    for (const auto* side : pressures_) {
      layout_.pressure_begin.push_back(layout_.size);
      layout_.size += static_cast<std::size_t>(side->unknowns);
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const auto dofs = static_cast<std::size_t>(bodies_[b]->dofs);
      layout_.body_begin.push_back(layout_.size);
      if (bodies_[b]->apply_z2) layout_.size += dofs;
      t_[b].resize(dofs);
      scratch_[b].resize(dofs);
    }
    for (const ports::CouplingTerm& term : terms_) {
      const auto a = static_cast<std::size_t>(term.pressure_side),
                 b = static_cast<std::size_t>(term.body_side);
      SELKIE_CHECK(a < pressures_.size() && b < bodies_.size(), "a coupling term joins sides of its group");
      SELKIE_CHECK(
          term.jacobian->rows() == bodies_[b]->dofs && term.jacobian->cols() == pressures_[a]->unknowns,
          "a Jacobian maps pressures to degrees of freedom");
    }
  }

  std::size_t size() const { return layout_.size; }
  template <class Vector>
  auto pressure(Vector& x, std::size_t a) const {
    return std::span(x).subspan(layout_.pressure_begin[a], static_cast<std::size_t>(pressures_[a]->unknowns));
  }
  template <class Vector>
  auto velocity(Vector& x, std::size_t b) const {
    return std::span(x).subspan(layout_.body_begin[b], static_cast<std::size_t>(bodies_[b]->dofs));
  }

  // t = Z₁⁻¹ (J p − Z₂ v), minus Z₁⁻¹ w when asked: then it is the new velocity of the body.
  ConstSpan auxiliary_velocity(std::size_t b, ConstSpan x, bool with_load) {
    const ports::BodySide& body = *bodies_[b];
    Span force(scratch_[b]);
    if (body.apply_z2) {
      body.apply_z2(velocity(x, b), force);
      for (double& f : force) f = -f;
    } else {
      std::ranges::fill(force, 0.0);
    }
    for (const ports::CouplingTerm& term : terms_)
      if (static_cast<std::size_t>(term.body_side) == b)
        add_product(*term.jacobian, pressure(x, static_cast<std::size_t>(term.pressure_side)), force);
    const bool knows_free = !body.free_velocity.empty();
    if (with_load && !knows_free)
      for (std::size_t i = 0; i < force.size(); ++i) force[i] -= body.w[i];
    body.apply_z1_inverse(force, t_[b]);
    if (with_load && knows_free)
      for (std::size_t i = 0; i < force.size(); ++i) t_[b][i] += body.free_velocity[i];
    return t_[b];
  }

  // J p.
  ConstSpan force(std::size_t b, ConstSpan x) {
    std::ranges::fill(scratch_[b], 0.0);
    for (const ports::CouplingTerm& term : terms_)
      if (static_cast<std::size_t>(term.body_side) == b)
        add_product(*term.jacobian, pressure(x, static_cast<std::size_t>(term.pressure_side)), scratch_[b]);
    return scratch_[b];
  }

  void apply(ConstSpan x, Span y) {
    for (std::size_t a = 0; a < pressures_.size(); ++a)
      pressures_[a]->apply_b(pressure(x, a), pressure(y, a));
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const ConstSpan t = auxiliary_velocity(b, x, false);
      add_flux(b, t, y);
      if (!bodies_[b]->apply_z2) continue;
      const ConstSpan v = velocity(x, b);
      for (std::size_t i = 0; i < v.size(); ++i) scratch_[b][i] = v[i] - t[i];
      bodies_[b]->apply_z2(scratch_[b], velocity(y, b));
    }
  }

  // What a closed region's liquid does as a whole only the bodies answer: E = Cᵀ A C, and its inverse as far
  // as there is one. Constants that no body answers (a region that only rigid bodies touch, all around; two
  // of them on both sides of a piston, moving together) have none, and a right side that does not cancel
  // there has no answer: that part is taken away, as the grid's own projection does with the mean.
  void find_closed(Span rhs) {
    for (std::size_t a = 0; a < pressures_.size(); ++a)
      closed_begin_.push_back(closed_), closed_ += closed_of(a);
    if (closed_ == 0) return;
    Eigen::MatrixXd e(closed_, closed_);
    std::vector<double> c(size()), ac(size());
    for (int n = 0; n < closed_; ++n) {
      std::ranges::fill(c, 0.0);
      add_constants(Eigen::VectorXd::Unit(closed_, n), c);
      apply(c, ac);
      e.col(n) = constants_of(ac);
    }
    const Eigen::VectorXd unit = answers_of_one_sign().cwiseSqrt().cwiseInverse();
    e = unit.asDiagonal() * (0.5 * (e + e.transpose())) * unit.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(e);
    closed_inverse_.setZero(closed_, closed_);
    Eigen::MatrixXd unanswered(closed_, 0);
    for (int n = 0; n < closed_; ++n) {
      const Eigen::VectorXd part = unit.cwiseProduct(parts.eigenvectors().col(n));
      if (parts.eigenvalues()[n] > kRoundOff) {
        closed_inverse_ += part * part.transpose() / parts.eigenvalues()[n];
      } else {
        unanswered.conservativeResize(Eigen::NoChange, unanswered.cols() + 1);
        unanswered.rightCols<1>() = part;
      }
    }
    if (unanswered.cols() == 0) return;
    std::ranges::fill(c, 0.0);
    for (std::size_t a = 0; a < pressures_.size(); ++a) std::ranges::fill(pressure(c, a), 1.0);
    const Eigen::MatrixXd cells = constants_of(c).cwiseMax(1).asDiagonal();
    const Eigen::MatrixXd overlap = unanswered.transpose() * cells * unanswered;
    add_constants(-unanswered * overlap.ldlt().solve(unanswered.transpose() * constants_of(rhs)), rhs);
  }

  // Right side: rhs of each fluid plus Jᵀ Z₁⁻¹ w, and −Z₂ Z₁⁻¹ w of each body.
  void right_side(Span y) {
    std::ranges::fill(y, 0.0);
    for (std::size_t a = 0; a < pressures_.size(); ++a)
      std::ranges::copy(pressures_[a]->rhs, pressure(y, a).begin());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (bodies_[b]->free_velocity.empty())
        bodies_[b]->apply_z1_inverse(bodies_[b]->w, t_[b]);
      else
        std::ranges::transform(bodies_[b]->free_velocity, t_[b].begin(), [](double v) { return -v; });
      add_flux(b, t_[b], y);
      if (!bodies_[b]->apply_z2) continue;
      bodies_[b]->apply_z2(t_[b], velocity(y, b));
      for (double& value : velocity(y, b)) value = -value;
    }
  }

  void precondition(ConstSpan r, Span z) const {
    std::ranges::copy(r, z.begin());
    for (std::size_t a = 0; a < pressures_.size(); ++a)
      if (pressures_[a]->precondition) pressures_[a]->precondition(pressure(r, a), pressure(z, a));
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      if (bodies_[b]->apply_z2 && bodies_[b]->precondition)
        bodies_[b]->precondition(velocity(r, b), velocity(z, b));
    if (closed_ > 0) add_constants(closed_inverse_ * constants_of(r), z);
  }

 private:
  int closed_of(std::size_t a) const {
    return pressures_[a]->closed_region.empty() ? 0 : pressures_[a]->closed_regions;
  }
  // Cᵀ x, in a fixed order, and x += C c.
  Eigen::VectorXd constants_of(ConstSpan x) const {
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(closed_);
    for (std::size_t a = 0; a < pressures_.size(); ++a) {
      if (closed_of(a) == 0) continue;
      const ConstSpan p = pressure(x, a);
      for (std::size_t i = 0; i < p.size(); ++i)
        if (const std::int32_t n = pressures_[a]->closed_region[i]; n >= 0)
          sums[closed_begin_[a] + n] += p[i];
    }
    return sums;
  }
  void add_constants(const Eigen::VectorXd& c, Span x) const {
    for (std::size_t a = 0; a < pressures_.size(); ++a) {
      if (closed_of(a) == 0) continue;
      const Span p = pressure(x, a);
      for (std::size_t i = 0; i < p.size(); ++i)
        if (const std::int32_t n = pressures_[a]->closed_region[i]; n >= 0) p[i] += c[closed_begin_[a] + n];
    }
  }

  // What E would have on its diagonal if the push of a uniform pressure on a body did not cancel, and what
  // rounding leaves of the products with B that should vanish: sizes below which a part of E is zero.
  Eigen::VectorXd answers_of_one_sign() {
    Eigen::VectorXd sizes = Eigen::VectorXd::Zero(closed_);
    for (const ports::CouplingTerm& term : terms_) {
      const auto a = static_cast<std::size_t>(term.pressure_side),
                 b = static_cast<std::size_t>(term.body_side);
      for (int n = 0; n < closed_of(a); ++n) {
        const std::span<const std::int32_t> region = pressures_[a]->closed_region;
        for (int row = 0; row < term.jacobian->rows(); ++row) {
          double& sum = scratch_[b][static_cast<std::size_t>(row)] = 0;
          for (ports::SparseRows::InnerIterator it(*term.jacobian, row); it; ++it)
            if (region[static_cast<std::size_t>(it.col())] == n) sum += std::abs(it.value());
        }
        bodies_[b]->apply_z1_inverse(scratch_[b], t_[b]);
        for (std::size_t i = 0; i < t_[b].size(); ++i)
          sizes[closed_begin_[a] + n] += scratch_[b][i] * t_[b][i];
      }
    }
    std::vector<double> one(size()), row(size());
    for (std::size_t a = 0; a < pressures_.size(); ++a)
      for (int n = 0; n < closed_of(a); ++n) {
        const std::span<const std::int32_t> region = pressures_[a]->closed_region;
        const auto first = std::ranges::find(region, n) - region.begin();
        const auto count = static_cast<double>(std::ranges::count(region, n));
        std::ranges::fill(one, 0.0);
        pressure(one, a)[static_cast<std::size_t>(first)] = 1;
        pressures_[a]->apply_b(pressure(one, a), pressure(row, a));
        sizes[closed_begin_[a] + n] +=
            0.1 * std::sqrt(count) * pressure(row, a)[static_cast<std::size_t>(first)];
      }
    return sizes.cwiseMax(std::numeric_limits<double>::min());
  }

  void add_flux(std::size_t b, ConstSpan t, Span y) const {
    for (const ports::CouplingTerm& term : terms_)
      if (static_cast<std::size_t>(term.body_side) == b)
        add_transposed_product(*term.jacobian, t, pressure(y, static_cast<std::size_t>(term.pressure_side)));
  }

  std::span<const ports::PressureSide* const> pressures_;
  std::span<const ports::BodySide* const> bodies_;
  std::span<const ports::CouplingTerm> terms_;
  Layout layout_;
  std::vector<std::vector<double>> t_, scratch_;
  std::vector<int> closed_begin_;  // of each pressure side
  int closed_ = 0;
  Eigen::MatrixXd closed_inverse_;
};

}  // namespace

GroupReport solve_group(std::span<const ports::PressureSide* const> pressures,
                        std::span<const ports::BodySide* const> bodies,
                        std::span<const ports::CouplingTerm> terms, const GroupSettings& settings,
                        std::vector<double>& warm_start) {
  JointSystem system(pressures, bodies, terms);
  const std::size_t n = system.size();
  if (warm_start.size() != n) warm_start.assign(n, 0.0);
  for (std::size_t side = 0; side < pressures.size(); ++side)
    if (settings.from_guess && !pressures[side]->guess.empty())
      std::ranges::copy(pressures[side]->guess, system.pressure(warm_start, side).begin());
  std::vector<double> rhs(n);
  system.right_side(rhs);
  system.find_closed(rhs);

  const auto a = linalg::make_operator(n, [&](ConstSpan x, Span y) { system.apply(x, y); });
  const auto m = linalg::make_preconditioner([&](ConstSpan r, Span z) { system.precondition(r, z); });
  linalg::PcgWork work;
  GroupReport report;
  report.unknowns = n;
  report.solve =
      linalg::pcg(a, m, rhs, warm_start,
                  {.tolerance = settings.tolerance, .max_iterations = settings.max_iterations}, work);
  if (!report.solve.converged()) return report;

  for (std::size_t side = 0; side < pressures.size(); ++side)
    if (pressures[side]->accept) pressures[side]->accept(system.pressure(std::as_const(warm_start), side));
  for (std::size_t side = 0; side < bodies.size(); ++side) {
    if (bodies[side]->accept) bodies[side]->accept(system.auxiliary_velocity(side, warm_start, true));
    if (bodies[side]->accept_force) bodies[side]->accept_force(system.force(side, warm_start));
  }
  return report;
}

GroupReport solve_staggered(std::span<const ports::PressureSide* const> pressures,
                            std::span<const ports::BodySide* const> bodies,
                            std::span<const ports::CouplingTerm> terms, const GroupSettings& settings,
                            std::vector<double>& warm_start) {
  std::vector<std::vector<double>> velocities(bodies.size());
  std::vector<ports::BodySide> driven(bodies.size());
  std::vector<const ports::BodySide*> driven_bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const ports::BodySide& body = *bodies[b];
    SELKIE_CHECK(!body.apply_z2 && !body.free_velocity.empty(), "a staggered body knows its free velocity");
    std::vector<double> force(static_cast<std::size_t>(body.dofs), 0.0);
    for (const ports::CouplingTerm& term : terms) {
      const ConstSpan guess = pressures[static_cast<std::size_t>(term.pressure_side)]->guess;
      if (static_cast<std::size_t>(term.body_side) == b && !guess.empty())
        add_product(*term.jacobian, guess, force);
    }
    velocities[b].resize(force.size());
    body.apply_z1_inverse(force, velocities[b]);
    for (std::size_t i = 0; i < force.size(); ++i) velocities[b][i] += body.free_velocity[i];
    driven[b].dofs = body.dofs;
    driven[b].free_velocity = velocities[b];
    driven[b].apply_z1_inverse = [](ConstSpan, Span change) { std::ranges::fill(change, 0.0); };
    driven[b].accept = body.accept;
    driven[b].accept_force = body.accept_force;
    driven_bodies.push_back(&driven[b]);
  }
  return solve_group(pressures, driven_bodies, terms, settings, warm_start);
}

}  // namespace selkie::coupling
