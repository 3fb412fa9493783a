// Small text services shared by error messages: the nearest known word, numbers and byte counts for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace selkie {

// The candidate closest to `word` by edit distance (transpositions count once); empty when none is plausibly
// a misspelling of it.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

// "a, b or c".
std::string join_choices(std::span<const std::string> words);

// The shortest text that reads back to the same double: "0.1", "1e-06", "3".
std::string number_text(double value);

// "[0.5, 0, -1]".
std::string numbers_text(std::span<const double> values);

// Code points of UTF-8 text: what columns and labels are aligned by, not bytes.
std::size_t character_count(std::string_view text);

// "1.5 GiB", "312 KiB".
std::string bytes_text(double bytes);

// "2 h 03 min", "4.2 s", "310 ms"; "unknown" for what is not finite or beyond thirty years.
std::string duration_text(double seconds);

}  // namespace selkie
