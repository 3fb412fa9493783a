// Eight doubles at a time: what the compiler makes of it depends on the CPU, the numbers do not.
#pragma once

#include <cmath>

#include "selkie/solids/rigid/work.h"

namespace selkie::rigid::detail {

typedef double Lane __attribute__((vector_size(64)));
typedef long long LaneMask __attribute__((vector_size(64)));

inline Lane lane(double x) { return Lane{x, x, x, x, x, x, x, x}; }
inline Lane select(LaneMask where, Lane yes, Lane no) {
  return (Lane)((where & (LaneMask)yes) | (~where & (LaneMask)no));
}
inline Lane max0(Lane x) { return select(x > lane(0), x, lane(0)); }
inline Lane larger(Lane x, Lane y) { return select(x > y, x, y); }
inline Lane smaller(Lane x, Lane y) { return select(x < y, x, y); }
inline Lane root(Lane x) {
  Lane r;
  for (int k = 0; k < 8; ++k) r[k] = std::sqrt(x[k]);
  return r;
}

struct Lane3 {
  Lane x, y, z;
};
inline Lane3 operator+(const Lane3& a, const Lane3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lane3 operator-(const Lane3& a, const Lane3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Lane3 operator*(Lane s, const Lane3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline void operator+=(Lane3& a, const Lane3& b) { a = a + b; }
inline void operator-=(Lane3& a, const Lane3& b) { a = a - b; }
inline Lane dot(const Lane3& a, const Lane3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Lane3 cross(const Lane3& a, const Lane3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Symmetric 3 × 3.
struct Lane6 {
  Lane xx, xy, xz, yy, yz, zz;
};
inline Lane3 operator*(const Lane6& m, const Lane3& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

// Eight rows become eight columns.
struct Columns {
  Lane c[8];
};
inline void transpose(Columns& m) {
  Lane t[8];
  for (int k = 0; k < 4; ++k) {
    t[2 * k] = __builtin_shufflevector(m.c[2 * k], m.c[2 * k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[2 * k + 1] = __builtin_shufflevector(m.c[2 * k], m.c[2 * k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  Lane u[8];
  for (int h = 0; h < 2; ++h)
    for (int k = 0; k < 2; ++k) {
      u[4 * h + k] = __builtin_shufflevector(t[4 * h + k], t[4 * h + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      u[4 * h + k + 2] = __builtin_shufflevector(t[4 * h + k], t[4 * h + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; ++k) {
    m.c[k] = __builtin_shufflevector(u[k], u[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m.c[k + 4] = __builtin_shufflevector(u[k], u[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

inline void gather(const Row8* rows, const std::uint32_t* index, Columns& columns) {
  for (int k = 0; k < 8; ++k) columns.c[k] = *reinterpret_cast<const Lane*>(rows[index[k]].v);
  transpose(columns);
}
// Writes the rows of lanes in `mask`.
inline void scatter(Columns& columns, std::uint32_t mask, const std::uint32_t* index, Row8* rows) {
  transpose(columns);
  for (int k = 0; k < 8; ++k)
    if (mask >> k & 1) *reinterpret_cast<Lane*>(rows[index[k]].v) = columns.c[k];
}

}  // namespace selkie::rigid::detail
