// What writer and reader of VDB frames agree on.
#pragma once

#include <string>
#include <string_view>

namespace selkie::io::detail {

inline constexpr const char* kVdbNote = "selkie";  // name of the metadata string that holds the note

void initialize_openvdb();  // once, however often it is called

// Follows the archive: a mark and the checksum of all bytes before it.
std::string vdb_trailer(std::string_view archive);
// The archive without its trailer; InputError when there is none or the checksum disagrees.
std::string_view checked_vdb(std::string_view bytes, const std::string& source);

}  // namespace selkie::io::detail
