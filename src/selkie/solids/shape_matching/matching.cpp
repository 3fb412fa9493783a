// See matching.h.
#include "selkie/solids/shape_matching/matching.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/math/svd.h"

namespace selkie::shape_matching {
namespace {

// Below this share of its volume a cluster's goals turn from deformed to rigid ones: the factor that would
// restore the volume grows without bound as a shape is pressed flat.
constexpr double kSqueezed = 1.0 / 8;

// Clusters per block of a loop: about a thousand vertices.
std::size_t cluster_block(const Model& model) {
  return std::max<std::size_t>(1, 1024 * model.cluster_count() / model.cluster_vertices.size());
}

double largest_strain(const Mat3& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(symmetric, Eigen::EigenvaluesOnly);
  return (eigen.eigenvalues().array() - 1).abs().maxCoeff();
}

double strain_of(const Mat3& map) { return largest_strain(0.5 * (map + map.transpose())); }

}  // namespace

Fit fit_cluster(const Model& model, const Params& params, std::size_t cluster, std::span<const Vec3> p,
                const Mat3& previous_rotation, const Mat3& plastic, Mat39& quadratic) {
  const ClusterRest& rest = model.clusters[cluster];
  Fit fit;
  for (const std::uint32_t v : model.vertices_of(cluster)) fit.centre += model.shares[v] * p[v];
  fit.centre /= rest.mass;
  const bool bends = params.mode == Mode::quadratic;
  Mat3 a_pq = Mat3::Zero();
  Mat39 quadratic_pq = Mat39::Zero();
  for (const std::uint32_t v : model.vertices_of(cluster)) {
    const Vec3 q = model.rest_positions[v] - rest.centre;
    const Vec3 r = model.shares[v] * (p[v] - fit.centre);
    a_pq += r * q.transpose();
    if (bends) quadratic_pq += r * quadratic_terms(q, rest.size, rest.square_means).transpose();
  }
  fit.rotation = polar3(a_pq * plastic.transpose(), previous_rotation).rotation;
  const Mat3 rigid = fit.rotation * plastic;
  // Directions without points turn with the rest.
  const Mat3 linear = a_pq * rest.inverse_moments + rigid * rest.flat_directions;
  fit.deformation = linear * plastic.inverse();
  const double volume = fit.deformation.determinant();
  const double beta = params.mode == Mode::rigid ? 0 : params.beta * std::clamp(volume / kSqueezed, 0.0, 1.0);
  fit.map = (1 - beta) * rigid;
  if (bends) {
    quadratic = beta * quadratic_pq * rest.inverse_quadratics;
    quadratic.leftCols<3>() += rest.size * fit.map;
  } else if (beta > 0) {
    fit.map += beta / std::pow(std::max(volume, kSqueezed), 1.0 / std::max(1, rest.extent)) * linear;
  }
  return fit;
}

Vec3 cluster_goal(const Model& model, const Params& params, std::size_t cluster, std::size_t vertex,
                  const Fit& fit, const Mat39& quadratic) {
  const ClusterRest& rest = model.clusters[cluster];
  const Vec3 q = model.rest_positions[vertex] - rest.centre;
  if (params.mode != Mode::quadratic) return fit.centre + fit.map * q;
  return fit.centre + quadratic * quadratic_terms(q, rest.size, rest.square_means);
}

Vec3 mean_goal(const Model& model, const Params& params, std::size_t vertex, const Work& work) {
  static const Mat39 kNone = Mat39::Zero();
  Vec3 goal = Vec3::Zero();
  const std::span<const std::uint32_t> clusters = model.clusters_of(vertex);
  for (const std::uint32_t c : clusters)
    goal += cluster_goal(model, params, c, vertex, work.fits[c],
                         work.quadratic_maps.empty() ? kNone : work.quadratic_maps[c]);
  return goal / static_cast<double>(clusters.size());
}

void fit_clusters(const Model& model, const Params& params, const State& from, State& to, Work& work) {
  const ProfileZone zone("shape_matching.fit");
  work.fits.resize(model.cluster_count(), Fit{});
  work.quadratic_maps.resize(params.mode == Mode::quadratic ? model.cluster_count() : 0);
  parallel_for(
      model.cluster_count(),
      [&](std::size_t c) {
        Mat39 unused;
        Mat39& quadratic = work.quadratic_maps.empty() ? unused : work.quadratic_maps[c];
        work.fits[c] =
            fit_cluster(model, params, c, work.predicted.span(), to.rotations[c], from.plastic[c], quadratic);
        to.rotations[c] = work.fits[c].rotation;
      },
      cluster_block(model));
}

void draw_to_goals(const Model& model, const Params& params, double share, Work& work) {
  const ProfileZone zone("shape_matching.goals");
  parallel_for(
      model.vertex_count,
      [&](std::size_t i) {
        if (work.kinematic[i] != 0) return;
        work.predicted[i] += share * (mean_goal(model, params, i, work) - work.predicted[i]);
      },
      1024);
}

double share_per_round(const Params& params, double h) {
  double share = params.stiffness;
  if (params.frequency > 0) {
    const double turn = 2 * std::numbers::pi * params.frequency * h;
    share = turn * turn / (1 + turn * turn);
  }
  return 1 - std::pow(1 - share, 1.0 / params.iterations);
}

Mat3 flow(const Params& params, double h, const Fit& fit, const Mat3& plastic) {
  const Mat3 strain = polar3(fit.deformation, fit.rotation).stretch - Mat3::Identity();
  if (!(largest_strain(strain + Mat3::Identity()) > params.yield)) return plastic;
  // A step takes at most half of the strain away, so that no shape at rest turns flat.
  Mat3 flowed = (Mat3::Identity() + std::min(0.5, h * params.creep) * strain) * plastic;
  auto keep_volume = [&] { flowed /= std::cbrt(flowed.determinant()); };
  if (!(flowed.determinant() > 0)) return plastic;
  keep_volume();
  // Shrinking the strain changes the volume, and restoring that the strain: twice is enough to a percent.
  for (int round = 0; round < 2; ++round) {
    const double reached = strain_of(flowed);
    if (!(reached > params.max_plastic)) break;
    flowed = Mat3::Identity() + params.max_plastic / reached * (flowed - Mat3::Identity());
    if (!(flowed.determinant() > 0)) return plastic;
    keep_volume();
  }
  return flowed;
}

void flow_all(const Model& model, const Params& params, double h, const State& from, State& to,
              const Work& work) {
  if (!(params.yield > 0)) return;
  const ProfileZone zone("shape_matching.plastic");
  parallel_for(
      model.cluster_count(),
      [&](std::size_t c) { to.plastic[c] = flow(params, h, work.fits[c], from.plastic[c]); },
      cluster_block(model));
}

}  // namespace selkie::shape_matching
