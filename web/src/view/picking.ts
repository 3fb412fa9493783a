// Rays against what is drawn: triangles, points and polylines, over the arrays of the last frame. Brute force,
// after a test against the part's box: one press of a button asks once (100 k triangles take about 3 ms).

export interface Ray {
  origin: [number, number, number];
  direction: [number, number, number]; // unit length
  spread: number; // radius of the cone per metre: how far off the finger may be
}

export interface Hit {
  distance: number;
  point: [number, number, number];
}

export function along(ray: Ray, distance: number): [number, number, number] {
  const { origin: o, direction: d } = ray;
  return [o[0] + distance * d[0], o[1] + distance * d[1], o[2] + distance * d[2]];
}

export function rayMeetsBox(ray: Ray, min: ArrayLike<number>, max: ArrayLike<number>, margin: number): boolean {
  let near = 0;
  let far = Infinity;
  for (let axis = 0; axis < 3; ++axis) {
    const inverse = 1 / ray.direction[axis];
    const a = (min[axis] - margin - ray.origin[axis]) * inverse;
    const b = (max[axis] + margin - ray.origin[axis]) * inverse;
    if (Number.isNaN(a) || Number.isNaN(b)) continue; // in the plane of a face
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far;
}

// Möller and Trumbore's test against every triangle, either side.
export function pickTriangles(ray: Ray, positions: Float32Array, index: Uint32Array): Hit | null {
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  let best = Infinity;
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t];
    const b = 3 * index[t + 1];
    const c = 3 * index[t + 2];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const px = dy * vz - dz * vy;
    const py = dz * vx - dx * vz;
    const pz = dx * vy - dy * vx;
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const inverse = 1 / det;
    const sx = ox - positions[a];
    const sy = oy - positions[a + 1];
    const sz = oz - positions[a + 2];
    const s = (sx * px + sy * py + sz * pz) * inverse;
    if (s < 0 || s > 1) continue;
    const qx = sy * uz - sz * uy;
    const qy = sz * ux - sx * uz;
    const qz = sx * uy - sy * ux;
    const r = (dx * qx + dy * qy + dz * qz) * inverse;
    if (r < 0 || s + r > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) * inverse;
    if (distance > 1e-6 && distance < best) best = distance;
  }
  return best < Infinity ? { distance: best, point: along(ray, best) } : null;
}

export function pickPoints(ray: Ray, positions: Float32Array, radius: number): Hit | null {
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  let best: Hit | null = null;
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i] - ox;
    const y = positions[i + 1] - oy;
    const z = positions[i + 2] - oz;
    const t = x * dx + y * dy + z * dz;
    if (t <= 0 || (best && t >= best.distance)) continue;
    const reach = Math.max(radius, ray.spread * t);
    const off = x * x + y * y + z * z - t * t;
    if (off <= reach * reach) best = { distance: t, point: [positions[i], positions[i + 1], positions[i + 2]] };
  }
  return best;
}

export function pickSegments(ray: Ray, positions: Float32Array, lines: Uint32Array, radius: number): Hit | null {
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  let best: Hit | null = null;
  for (let k = 0; k < lines.length; k += 2) {
    const a = 3 * lines[k];
    const b = 3 * lines[k + 1];
    // Closest points of the ray (parameter t) and the segment (parameter s).
    const ex = positions[b] - positions[a];
    const ey = positions[b + 1] - positions[a + 1];
    const ez = positions[b + 2] - positions[a + 2];
    const wx = positions[a] - ox;
    const wy = positions[a + 1] - oy;
    const wz = positions[a + 2] - oz;
    const ee = ex * ex + ey * ey + ez * ez;
    const de = dx * ex + dy * ey + dz * ez;
    const dw = dx * wx + dy * wy + dz * wz;
    const ew = ex * wx + ey * wy + ez * wz;
    const det = ee - de * de;
    const s = Math.min(1, Math.max(0, det > 1e-12 * ee ? (dw * de - ew) / det : 0));
    const t = dw + s * de;
    if (t <= 0 || (best && t >= best.distance)) continue;
    const px = wx + s * ex;
    const py = wy + s * ey;
    const pz = wz + s * ez;
    const off = px * px + py * py + pz * pz - t * t;
    const reach = Math.max(radius, ray.spread * t);
    if (off <= reach * reach) best = { distance: t, point: [ox + px, oy + py, oz + pz] };
  }
  return best;
}
