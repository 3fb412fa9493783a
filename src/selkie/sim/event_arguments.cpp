// See event_arguments.h.
#include "selkie/sim/event_arguments.h"

#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/schema.h"

namespace selkie::sim {

const Value& EventArguments::required(std::string_view key) const {
  const Value* value = event_.arguments.find(key);
  if (!value)
    throw InputError(event_.arguments.place.location(),
                     "the action '" + event_.action + "' needs the argument '" + std::string(key) + "'");
  return *value;
}

Vec3 EventArguments::vector(std::string_view key) const {
  Vec3 result;
  read(type_of<Vec3>(), required(key), &result, std::string(key));
  return result;
}

double EventArguments::number(std::string_view key) const {
  double result = 0;
  read(type_of<double>(), required(key), &result, std::string(key));
  return result;
}

std::size_t EventArguments::index(std::string_view key, std::size_t count) const {
  const Value& value = required(key);
  std::int64_t result = 0;
  read(type_of<std::int64_t>(), value, &result, std::string(key));
  if (result < 0 || static_cast<std::size_t>(result) >= count)
    throw InputError(value.place.location(), "'" + std::string(key) + "' is " + std::to_string(result),
                     "use a number from 0 to " + std::to_string(count - 1));
  return static_cast<std::size_t>(result);
}

}  // namespace selkie::sim
