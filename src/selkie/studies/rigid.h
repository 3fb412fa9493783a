// `selkie verify rigid`: rigid bodies against exact answers (RT-39 … RT-46): inertia, free rotation, impacts,
// friction, rolling, stacks at the edge of falling, the complementarity problem, pendulums.
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult rigid_bodies(const StudyOptions& options);

}  // namespace selkie::studies
