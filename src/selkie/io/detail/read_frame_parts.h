// One reader per format of frame files; read_frame.h chooses.
#pragma once

#include <string>
#include <string_view>

#include "selkie/io/owned_drawable.h"

namespace selkie::io::detail {

OwnedDrawable drawable_from_ply(std::string_view bytes, const std::string& source, const std::string& name);
OwnedDrawable drawable_from_vdb(std::string_view bytes, const std::string& source, const std::string& name);

}  // namespace selkie::io::detail
