// describe(): one constexpr definition per struct, beside the struct, from which parser, defaults, ranges,
// docs, JSON schema, Python names, checkpoint, hash and views all come.
//
//   struct Params { double stiffness = 100; };
//   constexpr auto describe(Params*) {
//     return std::tuple{member("stiffness", &Params::stiffness, "N/m", "Hooke constant").at_least(0).live()};
//   }
//   static_assert(complete<Params>());          // a forgotten member does not compile
//
// Enums: `constexpr auto describe(MyEnum*)` returns a std::array<std::string_view, N> of the names in order.
// A struct whose optional members exclude one another (a shape is a box or a ball) also declares
//   constexpr bool describes_one_of(Shape*) { return true; }
// A struct with rules across members declares `std::vector<Problem> validate(const Params&)`.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace selkie {

template <class C, class M>
struct Member {
  using Class = C;
  using Type = M;
  std::string_view name;
  M C::*pointer;
  std::string_view unit;  // SI, "" for pure numbers
  std::string_view text;  // one sentence for a user
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool lo_open = false;      // the value lo itself is refused
  bool is_live = false;      // may change between steps; otherwise only at a restart
  bool is_scaled = false;    // a resolution count that scene.scale multiplies
  bool is_required = false;  // no sensible default
  bool is_inlined = false;   // a described struct whose members appear as if they were this struct's own

  constexpr Member at_least(double bound) const {
    return with([&](Member& m) { m.lo = bound; });
  }
  constexpr Member above(double bound) const {
    return with([&](Member& m) { m.lo = bound, m.lo_open = true; });
  }
  constexpr Member at_most(double bound) const {
    return with([&](Member& m) { m.hi = bound; });
  }
  constexpr Member between(double low, double high) const {
    return with([&](Member& m) { m.lo = low, m.hi = high; });
  }
  constexpr Member live() const {
    return with([](Member& m) { m.is_live = true; });
  }
  constexpr Member scaled() const {
    return with([](Member& m) { m.is_scaled = true; });
  }
  constexpr Member required() const {
    return with([](Member& m) { m.is_required = true; });
  }
  constexpr Member inlined() const {
    return with([](Member& m) { m.is_inlined = true; });
  }

 private:
  template <class F>
  constexpr Member with(F&& change) const {
    Member copy = *this;
    change(copy);
    return copy;
  }
};

template <class C, class M>
constexpr auto member(std::string_view name, M C::*pointer, std::string_view unit, std::string_view text) {
  return Member<C, M>{name, pointer, unit, text};
}

template <class T>
concept Described = std::is_class_v<T> && requires {
  describe(static_cast<T*>(nullptr));
};
template <class T>
concept DescribedEnum = std::is_enum_v<T> && requires {
  describe(static_cast<T*>(nullptr));
};

// Calls visit(member) for each described member, in order.
template <class T, class Visit>
constexpr void each_member(Visit&& visit) {
  std::apply([&](const auto&... m) { (visit(m), ...); }, describe(static_cast<T*>(nullptr)));
}

namespace detail {
struct Anything {
  template <class T>
  operator T() const noexcept;  // only named in unevaluated contexts
};
template <class T, class... Found>
constexpr int arity() {
  if constexpr (requires { T{std::declval<Found>()..., std::declval<Anything>()}; })
    return arity<T, Found..., Anything>();
  else
    return sizeof...(Found);
}
}  // namespace detail

// True when describe(T*) lists as many members as the aggregate T has.
template <class T>
constexpr bool complete() {
  return std::tuple_size_v<decltype(describe(static_cast<T*>(nullptr)))> == detail::arity<T>();
}

// What validate() finds: the member's path below the struct ("mesh.sheet.size") and what to say.
struct Problem {
  std::string member;
  std::string text;
  std::string remedy = {};
};

}  // namespace selkie
