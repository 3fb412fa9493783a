// See event_arguments.h.
#include "selkie/sim/event_arguments.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/schema.h"
#include "selkie/core/text.h"

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

Vec3 EventArguments::vector(std::string_view key, double longest) const {
  const Vec3 result = vector(key);
  if (!(result.norm() <= longest))
    throw InputError(required(key).place.location(),
                     "'" + std::string(key) + "' has the length " + number_text(result.norm()),
                     "it may have at most " + number_text(longest));
  return result;
}

double EventArguments::number(std::string_view key, double least, double most) const {
  const double result = number(key);
  if (!(result >= least && result <= most))
    throw InputError(required(key).place.location(), "'" + std::string(key) + "' is " + number_text(result),
                     "use a number from " + number_text(least) + " to " + number_text(most));
  return result;
}

std::string EventArguments::text(std::string_view key, const std::vector<std::string>& choices) const {
  const Value& value = required(key);
  const auto* found = std::get_if<std::string>(&value.data);
  if (!found || std::find(choices.begin(), choices.end(), *found) == choices.end())
    throw InputError(value.place.location(),
                     "'" + std::string(key) + "' is " + (found ? "\"" + *found + "\"" : "not a text"),
                     "use one of: " + join_choices(choices));
  return *found;
}

GaussianPush::GaussianPush(const EventArguments& arguments) : point_(arguments.vector("point")) {
  constexpr double kStrongest = 1000;  // m/s
  const Vec3 direction = arguments.vector("direction");
  const double length = direction.norm();
  if (!(length > 0)) throw InputError("'direction' of a push has no length", "give it any other vector");
  velocity_ = arguments.number("strength", -kStrongest, kStrongest) / length * direction;
  radius_ = arguments.number("radius", 1e-6, 1e6);
}

Vec3 GaussianPush::at(const Vec3& place) const {
  return std::exp(-0.5 * (place - point_).squaredNorm() / (radius_ * radius_)) * velocity_;
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
