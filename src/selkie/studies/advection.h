// `selkie verify advection`: the advection schemes on problems with known answers, beside the published
// figures and the exact discrete theory. [Selle08 §2.5–2.8] HY-01 … HY-05
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult advection(const StudyOptions& options);

}  // namespace selkie::studies
