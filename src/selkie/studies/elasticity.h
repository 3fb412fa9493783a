// `selkie verify elasticity`: finite elements against exact answers (RT-20 … RT-26, LE-22 … LE-32):
// derivatives, patch tests, null modes, vibration, stretch curves, beams under small and large loads, volume
// under rotation.
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult elasticity(const StudyOptions& options);

}  // namespace selkie::studies
