// describe(): one constexpr definition per struct, beside the struct, from which parser, defaults, ranges,
// docs, JSON schema, Python names, checkpoint, hash and views all come.
//
//   struct Params { double stiffness = 100; };
//   constexpr auto describe(Params*) {
//     return Members{member("stiffness", &Params::stiffness, "N/m", "Hooke constant").at_least(0).live()};
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

// The members of a struct side by side. (A std::tuple of fifty costs a compiler far more.)
template <std::size_t, class M>
struct Listed {
  M member;
};
template <class Indices, class... M>
struct MemberList;
template <std::size_t... I, class... M>
struct MemberList<std::index_sequence<I...>, M...> : Listed<I, M>... {
  static constexpr std::size_t count = sizeof...(M);
  template <class Visit>
  constexpr void each(Visit& visit) const {
    (visit(static_cast<const Listed<I, M>&>(*this).member), ...);
  }
};
template <class... M>
struct Members : MemberList<std::index_sequence_for<M...>, M...> {
  constexpr Members(const M&... m) : MemberList<std::index_sequence_for<M...>, M...>{{m}...} {}
};

template <class T>
concept Described = std::is_class_v<T> && requires {
  describe(static_cast<T*>(nullptr));
};
template <class T>
concept DescribedEnum = std::is_enum_v<T> && requires {
  describe(static_cast<T*>(nullptr));
};

// Made by the compiler, so that no code is left that makes it.
template <class T>
inline constexpr auto kMembers = describe(static_cast<T*>(nullptr));

// Calls visit(member) for each described member, in order.
template <class T, class Visit>
constexpr void each_member(Visit&& visit) {
  kMembers<T>.each(visit);
}

namespace detail {
struct Anything {
  template <class T>
  operator T() const noexcept;  // only named in unevaluated contexts
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {  // as many values as there are indices
  return requires { T{(static_cast<void>(I), std::declval<Anything>())...}; };
}
}  // namespace detail

// True when describe(T*) lists as many members as the aggregate T has. (Counting the members of T would take a
// compiler minutes: only this number and one more are tried.)
template <class T>
constexpr bool complete() {
  constexpr std::size_t n = decltype(describe(static_cast<T*>(nullptr)))::count;
  return detail::takes<T>(std::make_index_sequence<n>()) && !detail::takes<T>(std::make_index_sequence<n + 1>());
}

// What validate() finds: the member's path below the struct ("mesh.sheet.size") and what to say.
struct Problem {
  std::string member;
  std::string text;
  std::string remedy = {};
};

}  // namespace selkie
