// `selkie verify coupling`: liquid and elastic bodies in one solve (LE-33 … LE-42, LE-49) against exact
// answers, the source's tables, and each form of the system against the others.
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult coupled_liquid(const StudyOptions& options);

// `selkie verify coupling-solvers`: sizes and times of the forms beside the source's tables (LE-47), and
// Selkie's solver.
StudyResult coupling_solvers(const StudyOptions& options);

// `selkie verify coupling-scenes`: whole runs: the four modes of LE-48, a rigid box's draft, mechanical energy.
StudyResult coupled_scenes(const StudyOptions& options);

}  // namespace selkie::studies
