// See vtk_series.h. Times are written as the shortest text that reads back to the same double, so that a
// resumed run finds its own entries again. ParaView wants whole numbers for `part`: they number the names.
#include "selkie/io/vtk_series.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/detail/xml_text.h"
#include "selkie/io/read_toml.h"

namespace selkie::io {
namespace {

// The value of key="..." in a tag.
std::optional<std::string> attribute_in(std::string_view tag, std::string_view key) {
  const std::string opening = fmt::format(" {}=\"", key);
  const std::size_t found = tag.find(opening);
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t begin = found + opening.size(), end = tag.find('"', begin);
  if (end == std::string_view::npos) return std::nullopt;
  return detail::xml_unescaped(tag.substr(begin, end - begin));
}

}  // namespace

VtkSeries VtkSeries::resume(std::filesystem::path path, double last_time) {
  VtkSeries series(std::move(path));
  std::error_code ignored;
  if (!std::filesystem::exists(series.path_, ignored)) return series;
  const std::string text = read_text_file(series.path_);
  const auto refuse = [&](const std::string& problem) {
    throw InputError({.file = series.path_.string()}, problem,
                     "Move the file away, or run without resuming.");
  };
  if (text.find("type=\"Collection\"") == std::string::npos) refuse("this is not a VTK collection");
  const std::string_view tag_begin = "<DataSet";
  for (std::size_t at = text.find(tag_begin); at != std::string::npos;
       at = text.find(tag_begin, at + tag_begin.size())) {
    const std::string_view tag = std::string_view(text).substr(at, text.find('>', at) - at);
    const auto time_text = attribute_in(tag, "timestep"), part = attribute_in(tag, "name");
    const auto file_name = attribute_in(tag, "file");
    double time = 0;
    if (!time_text || !part || !file_name ||
        std::from_chars(time_text->data(), time_text->data() + time_text->size(), time).ec != std::errc{})
      refuse("an entry lacks its time, name or file");
    if (time <= last_time) series.add(time, *part, *file_name);
  }
  return series;
}

void VtkSeries::add(double time, const std::string& part, const std::string& file) {
  entries_.insert_or_assign({time, part}, file);
}

void VtkSeries::save() const {
  std::map<std::string, int> part_numbers;
  for (const auto& [key, file] : entries_) part_numbers.emplace(key.second, 0);
  int count = 0;
  for (auto& [part, number] : part_numbers) number = count++;
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const auto& [key, file] : entries_)
    text += fmt::format("<DataSet timestep=\"{}\" group=\"\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n",
                        number_text(key.first), part_numbers[key.second], detail::xml_escaped(key.second),
                        detail::xml_escaped(file));
  write_file_atomically(path_, text + "</Collection>\n</VTKFile>\n");
}

}  // namespace selkie::io
