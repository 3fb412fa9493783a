// See reference.h.
#include "selkie/solids/rigid/reference.h"

#include <algorithm>

namespace selkie::rigid {

Eigen::MatrixXd contact_matrix(const State& state, std::span<const ReferenceContact> contacts) {
  const auto n = static_cast<Eigen::Index>(contacts.size());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  auto side = [&](const ReferenceContact& c, std::size_t body) {
    return c.a == body ? 1.0 : c.b == static_cast<std::ptrdiff_t>(body) ? -1.0 : 0.0;
  };
  for (std::size_t body = 0; body < state.count(); ++body) {
    const Mat3 inertia = inverse_inertia(state, body);
    const double mass = inverse_mass(state, body);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) {
        const ReferenceContact &ci = contacts[static_cast<std::size_t>(i)], &cj = contacts[static_cast<std::size_t>(j)];
        const double sign = side(ci, body) * side(cj, body);
        if (sign == 0) continue;
        const Vec3 ti = (ci.point - state.positions[body]).cross(ci.normal);
        const Vec3 tj = (cj.point - state.positions[body]).cross(cj.normal);
        a(i, j) += sign * (mass * ci.normal.dot(cj.normal) + ti.dot(inertia * tj));
      }
  }
  return a;
}

Eigen::VectorXd normal_velocities(const State& state, std::span<const ReferenceContact> contacts) {
  Eigen::VectorXd u(static_cast<Eigen::Index>(contacts.size()));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ReferenceContact& c = contacts[i];
    Vec3 v = velocity_at(state, c.a, c.point);
    if (c.b >= 0) v -= velocity_at(state, static_cast<std::size_t>(c.b), c.point);
    u[static_cast<Eigen::Index>(i)] = v.dot(c.normal);
  }
  return u;
}

Eigen::VectorXd solve_lcp(const Eigen::MatrixXd& a, const Eigen::VectorXd& u) {
  const Eigen::Index n = u.size();
  Eigen::VectorXd p = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Index> active;
  const double tolerance = 1e-12 * (1 + u.cwiseAbs().maxCoeff());
  for (int round = 0; round < 10 * static_cast<int>(n) + 10; ++round) {
    // The contact that is most violated joins those that carry.
    const Eigen::VectorXd w = a * p + u;
    Eigen::Index worst = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (std::find(active.begin(), active.end(), i) == active.end() && w[i] < -tolerance && (worst < 0 || w[i] < w[worst]))
        worst = i;
    if (worst < 0) break;
    active.push_back(worst);
    while (!active.empty()) {
      const auto m = static_cast<Eigen::Index>(active.size());
      Eigen::MatrixXd part(m, m);
      Eigen::VectorXd right(m);
      for (Eigen::Index i = 0; i < m; ++i) {
        right[i] = -u[active[static_cast<std::size_t>(i)]];
        for (Eigen::Index j = 0; j < m; ++j)
          part(i, j) = a(active[static_cast<std::size_t>(i)], active[static_cast<std::size_t>(j)]);
      }
      const Eigen::VectorXd s = part.completeOrthogonalDecomposition().solve(right);
      if (s.minCoeff() >= -1e-14) {
        for (Eigen::Index i = 0; i < m; ++i) p[active[static_cast<std::size_t>(i)]] = std::max(0.0, s[i]);
        break;
      }
      // Go as far as all stay pushing; who reaches nothing leaves.
      double share = 1;
      for (Eigen::Index i = 0; i < m; ++i) {
        const double now = p[active[static_cast<std::size_t>(i)]];
        if (s[i] < 0) share = std::min(share, now / (now - s[i]));
      }
      for (Eigen::Index i = 0; i < m; ++i) {
        double& now = p[active[static_cast<std::size_t>(i)]];
        now += share * (s[i] - now);
      }
      std::erase_if(active, [&](Eigen::Index i) {
        if (p[i] > 1e-14) return false;
        p[i] = 0;
        return true;
      });
    }
  }
  return p;
}

Eigen::VectorXd gauss_seidel(const Eigen::MatrixXd& a, const Eigen::VectorXd& u, int sweeps) {
  Eigen::VectorXd p = Eigen::VectorXd::Zero(u.size());
  for (int n = 0; n < sweeps; ++n)
    for (Eigen::Index i = 0; i < u.size(); ++i) p[i] = std::max(0.0, p[i] - (a.row(i).dot(p) + u[i]) / a(i, i));
  return p;
}

void apply(std::span<const ReferenceContact> contacts, const Eigen::VectorXd& impulses, State& state) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Vec3 push = impulses[static_cast<Eigen::Index>(i)] * contacts[i].normal;
    apply_impulse(state, contacts[i].a, contacts[i].point, push);
    if (contacts[i].b >= 0) apply_impulse(state, static_cast<std::size_t>(contacts[i].b), contacts[i].point, -push);
  }
}

}  // namespace selkie::rigid
