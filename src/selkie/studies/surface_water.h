// `selkie verify surface-water`: water on closed meshes against what is known exactly: identities of the
// operators, modes of the sphere, invariance under folding, holonomy, equilibria under acceleration and
// rotation, mass, damping of the integrators, paths, the profile of filling, floating and falling bodies,
// slivers, and two other solvers. [Angst07; SW-01 … SW-39]
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult surface_water(const StudyOptions& options);

}  // namespace selkie::studies
