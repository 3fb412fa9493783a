// What a schema says about itself: a short text for documentation and a JSON schema for editors and the
// viewer.
#include <cmath>

#include "selkie/core/schema.h"
#include "selkie/core/text.h"

namespace selkie {

std::string type_text(const Type& type) {
  switch (type.kind) {
    case Kind::number:
      return "number";
    case Kind::integer:
      return "whole number";
    case Kind::boolean:
      return "true or false";
    case Kind::text:
      return "text";
    case Kind::choice:
      return "one of " + join_choices(type.choices);
    case Kind::vector:
      return std::to_string(type.components) + (type.integral ? " whole numbers" : " numbers");
    case Kind::list:
      return "list of: " + type_text(*type.element);
    case Kind::optional:
      return type_text(*type.element);
    case Kind::table:
      return "table";
    case Kind::one_of:
      return "table with one of the keys " + join_choices(type.field_names());
  }
  return {};
}

namespace {

// A field's range holds for each number in it, however deep: through optionals, vectors and lists.
void add_range(const Type& type, const Field& field, Value& schema) {
  switch (type.kind) {
    case Kind::number:
    case Kind::integer:
      if (std::isfinite(field.lo)) schema[field.lo_open ? "exclusiveMinimum" : "minimum"].data = field.lo;
      if (std::isfinite(field.hi)) schema["maximum"].data = field.hi;
      break;
    case Kind::vector: {
      Type component;
      component.kind = Kind::number;
      add_range(component, field, schema["items"]);
      break;
    }
    case Kind::list:
      add_range(*type.element, field, schema["items"]);
      break;
    case Kind::optional:  // json_schema() shows what it holds
      add_range(*type.element, field, schema);
      break;
    default:
      break;
  }
}

}  // namespace

Value json_schema(const Type& type) {
  Value schema;
  auto text = [](std::string_view s) { return Value{std::string(s)}; };
  switch (type.kind) {
    case Kind::number:
      schema["type"] = text("number");
      break;
    case Kind::integer:
      schema["type"] = text("integer");
      break;
    case Kind::boolean:
      schema["type"] = text("boolean");
      break;
    case Kind::text:
      schema["type"] = text("string");
      break;
    case Kind::choice: {
      ValueArray names;
      for (const std::string& name : type.choices) names.push_back(text(name));
      schema["enum"].data = std::move(names);
      break;
    }
    case Kind::vector:
      schema["type"] = text("array");
      schema["items"]["type"] = text(type.integral ? "integer" : "number");
      schema["minItems"].data = std::int64_t{type.components};
      schema["maxItems"].data = std::int64_t{type.components};
      break;
    case Kind::list:
      schema["type"] = text("array");
      schema["items"] = json_schema(*type.element);
      break;
    case Kind::optional:
      return json_schema(*type.element);
    case Kind::table:
    case Kind::one_of: {
      schema["type"] = text("object");
      schema["additionalProperties"].data = false;
      if (type.kind == Kind::one_of) {
        schema["minProperties"].data = std::int64_t{1};
        schema["maxProperties"].data = std::int64_t{1};
      }
      const Value defaults = type.defaults ? type.defaults() : Value{};
      ValueArray required;
      Value properties{ValueTable{}};
      for (const Field& field : type.fields) {
        Value property = json_schema(*field.type);
        property["description"] =
            text(field.unit.empty() ? field.text : field.text + " [" + field.unit + "]");
        add_range(*field.type, field, property);
        // A one_of is empty until someone chooses, which is no value the schema would accept.
        if (const Value* preset = defaults.find(field.name);
            preset && !field.required && field.type->kind != Kind::one_of)
          property["default"] = *preset;
        if (field.required) required.push_back(text(field.name));
        properties[field.name] = std::move(property);
      }
      schema["properties"] = std::move(properties);
      if (!required.empty()) schema["required"].data = std::move(required);
      break;
    }
  }
  return schema;
}

}  // namespace selkie
