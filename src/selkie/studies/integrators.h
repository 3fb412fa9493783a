// `selkie verify integrators`: for each mass-spring integrator the measured order, stability limit and
// per-step energy factor beside theory (RT-04 … RT-09, HY-30, HY-31).
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult integrators(const StudyOptions& options);

}  // namespace selkie::studies
