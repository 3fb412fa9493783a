// What a mesh needs before it can be drawn: corners split where an edge is sharp (a box stays a box, a ball stays
// round) and vertex normals, recomputed for every frame without making arrays.

const SHARP = Math.cos((55 * Math.PI) / 180);

export interface SplitMesh {
  index: Uint32Array; // into the split vertices
  source: Uint32Array | null; // split vertex → vertex of the message; null: they are the same
  vertexCount: number;
}

function unitNormals(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const scale = 1 / (Math.hypot(nx, ny, nz) || 1);
    normals[t] = nx * scale;
    normals[t + 1] = ny * scale;
    normals[t + 2] = nz * scale;
  }
  return normals;
}

// Around each vertex, triangles whose normals differ by less than the sharp angle share a copy of it. Greedy: a
// triangle joins the first copy whose first triangle is near; on closed smooth surfaces that gives one copy.
export function splitSharpEdges(positions: Float32Array, triangles: Uint32Array): SplitMesh {
  const vertexCount = positions.length / 3;
  const normals = unitNormals(positions, triangles);
  const next: number[] = []; // copy → next copy of the same vertex
  const firstTriangle: number[] = [];
  const source: number[] = [];
  const head = new Int32Array(vertexCount).fill(-1);
  const index = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; ++corner) {
    const vertex = triangles[corner];
    const t = corner - (corner % 3);
    let copy = head[vertex];
    while (copy >= 0) {
      const f = firstTriangle[copy];
      const cosine = normals[t] * normals[f] + normals[t + 1] * normals[f + 1] + normals[t + 2] * normals[f + 2];
      if (cosine > SHARP) break;
      copy = next[copy];
    }
    if (copy < 0) {
      copy = source.length;
      source.push(vertex);
      firstTriangle.push(t);
      next.push(head[vertex]);
      head[vertex] = copy;
    }
    index[corner] = copy;
  }
  // As good as no sharp edges: keep the message's own numbering, which needs no gathering.
  if (source.length <= vertexCount) return { index: triangles.slice(), source: null, vertexCount };
  return { index, source: Uint32Array.from(source), vertexCount: source.length };
}

export function gather(out: Float32Array, from: Float32Array, source: Uint32Array | null): void {
  if (!source) {
    out.set(from);
    return;
  }
  for (let i = 0; i < source.length; ++i) {
    const k = 3 * source[i];
    out[3 * i] = from[k];
    out[3 * i + 1] = from[k + 1];
    out[3 * i + 2] = from[k + 2];
  }
}

// Area-weighted; the arrays are reused from frame to frame.
export function vertexNormals(out: Float32Array, positions: Float32Array, index: Uint32Array): void {
  out.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t];
    const b = 3 * index[t + 1];
    const c = 3 * index[t + 2];
    const ax = positions[a];
    const ay = positions[a + 1];
    const az = positions[a + 2];
    const ux = positions[b] - ax;
    const uy = positions[b + 1] - ay;
    const uz = positions[b + 2] - az;
    const vx = positions[c] - ax;
    const vy = positions[c + 1] - ay;
    const vz = positions[c + 2] - az;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    out[a] += nx;
    out[a + 1] += ny;
    out[a + 2] += nz;
    out[b] += nx;
    out[b + 1] += ny;
    out[b + 2] += nz;
    out[c] += nx;
    out[c + 1] += ny;
    out[c + 2] += nz;
  }
  for (let i = 0; i < out.length; i += 3) {
    const x = out[i];
    const y = out[i + 1];
    const z = out[i + 2];
    const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
    out[i] = x * scale;
    out[i + 1] = y * scale;
    out[i + 2] = z * scale;
  }
}

// Two triangles per cell of a grid of samples, i fastest along x; wound so that the upper side faces up.
export function gridTriangles(nx: number, nz: number): Uint32Array {
  const triangles = new Uint32Array(Math.max(0, (nx - 1) * (nz - 1) * 6));
  let at = 0;
  for (let j = 0; j + 1 < nz; ++j)
    for (let i = 0; i + 1 < nx; ++i) {
      const a = j * nx + i;
      triangles.set([a, a + nx, a + 1, a + 1, a + nx, a + nx + 1], at);
      at += 6;
    }
  return triangles;
}
