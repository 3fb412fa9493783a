// Which rays see a surface: shadow rays ask first for what blocks and only then for what lets light pass.
#pragma once

namespace selkie::render::detail {

inline constexpr unsigned kBlocking = 1, kPassing = 2;

}  // namespace selkie::render::detail
