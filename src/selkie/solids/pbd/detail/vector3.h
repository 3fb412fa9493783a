// Three numbers as a vector, for single doubles and for registers of them alike, so that each constraint is
// written once. Operations that differ between the two stand in Scalar<T>.
#pragma once

#include <cmath>

#include "selkie/math/types.h"

namespace selkie::pbd {

template <class T>
struct Scalar {
  static T root(T a) { return std::sqrt(a); }
  static T angle(T sine, T cosine) { return std::atan2(sine, cosine); }
  static T larger(T a, T b) { return a > b ? a : b; }
};

template <class T>
struct Vector3 {
  T x, y, z;
};

template <class T>
Vector3<T> operator+(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
Vector3<T> operator-(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
Vector3<T> operator-(const Vector3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
Vector3<T> operator*(const T& s, const Vector3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
T dot(const Vector3<T>& a, const Vector3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline Vector3<double> vector3(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Vec3 eigen(const Vector3<double>& v) { return {v.x, v.y, v.z}; }

}  // namespace selkie::pbd
