# Writes a C++ source that holds every file below DIST: the assembler includes the bytes (.incbin), a table gives paths
# and types. The digest of each file stands in the text, so that a changed file makes a changed source.
file(GLOB_RECURSE files RELATIVE ${DIST} ${DIST}/*)
list(SORT files)
set(blocks "")
set(names "")
set(rows "")
set(number 0)
foreach(file IN LISTS files)
  file(SHA256 ${DIST}/${file} digest)
  get_filename_component(extension ${file} LAST_EXT)
  if(extension STREQUAL ".html")
    set(type "text/html; charset=utf-8")
  elseif(extension STREQUAL ".js")
    set(type "text/javascript; charset=utf-8")
  elseif(extension STREQUAL ".css")
    set(type "text/css; charset=utf-8")
  elseif(extension STREQUAL ".svg")
    set(type "image/svg+xml")
  else()
    message(FATAL_ERROR "embed.cmake knows no content type for ${file}")
  endif()
  set(symbol selkie_page_${number})
  string(APPEND blocks "// ${digest}
asm(\".section .rodata\\n\"
    \".balign 8\\n\"
    \"${symbol}:\\n\"
    \".incbin \\\"${DIST}/${file}\\\"\\n\"
    \"${symbol}_end:\\n\"
    \".byte 0\\n\"
    \".text\\n\");
")
  string(APPEND names "extern const std::byte ${symbol}[], ${symbol}_end[];\n")
  string(APPEND rows "      EmbeddedFile{\"/${file}\", \"${type}\", {${symbol}, ${symbol}_end}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made by web/embed.cmake from the built page.
#include <array>

#include \"selkie/view/page_files.h\"

${blocks}
extern \"C\" {
${names}}

namespace selkie::view {

std::span<const EmbeddedFile> page_files() {
  static const std::array<EmbeddedFile, ${number}> files{
${rows}  };
  return files;
}

}  // namespace selkie::view
")
