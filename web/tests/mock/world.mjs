// A stand-in for the program's worlds: a waving sheet, a swirl of points, a rope, a puff of smoke, a wavy pond and
// contact arrows, as functions of time. Enough to draw every kind of part; no physics.

const SHEET = 60;

function sheetPositions(t, grabbed) {
  const positions = new Float32Array(3 * SHEET * SHEET);
  const velocity = new Float32Array(3 * SHEET * SHEET);
  for (let j = 0, k = 0; j < SHEET; ++j)
    for (let i = 0; i < SHEET; ++i, ++k) {
      const u = i / (SHEET - 1);
      const v = j / (SHEET - 1);
      const phase = 7 * u + 4 * v - 5 * t;
      const swing = 0.13 * v * Math.sin(phase);
      positions.set([u - 0.5 + grabbed[0] * v, 1.4 - v * 0.95 + grabbed[1] * v, swing + grabbed[2] * v], 3 * k);
      velocity[3 * k + 2] = -5 * 0.13 * v * Math.cos(phase);
    }
  return { positions, velocity };
}

function gridIndices(nx, ny) {
  const out = new Uint32Array(6 * (nx - 1) * (ny - 1));
  let at = 0;
  for (let j = 0; j + 1 < ny; ++j)
    for (let i = 0; i + 1 < nx; ++i) {
      const a = j * nx + i;
      out.set([a, a + 1, a + nx, a + 1, a + nx + 1, a + nx], at);
      at += 6;
    }
  return out;
}

function magnitudeRange(values, components) {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i += components) {
    const m = components === 1 ? values[i] : Math.hypot(values[i], values[i + 1], values[i + 2]);
    min = Math.min(min, m);
    max = Math.max(max, m);
  }
  return { min, max };
}

function attribute(name, unit, components, values) {
  return { name, unit, components, ...magnitudeRange(values, components), values };
}

function cloth(t, grabbed, first) {
  const { positions, velocity } = sheetPositions(t, grabbed);
  const strain = new Float32Array(SHEET * SHEET);
  for (let k = 0; k < strain.length; ++k) strain[k] = 0.02 * Math.abs(Math.sin(positions[3 * k] * 9 + t));
  const attributes = [attribute("velocity", "m/s", 3, velocity), attribute("strain", "", 1, strain)];
  const part = {
    name: "cloth",
    system: "cloth",
    kind: "triangles",
    look: "matte",
    colour: [0.62, 0.16, 0.12],
    backdrop: false,
    positions,
    attributes,
  };
  if (first) part.triangles = gridIndices(SHEET, SHEET);
  return part;
}

function points(t) {
  const count = 1200;
  const positions = new Float32Array(3 * count);
  const depth = new Float32Array(count);
  for (let k = 0; k < count; ++k) {
    const angle = k * 2.4 + t;
    const r = 0.3 * Math.sqrt(k / count);
    positions.set([1.1 + r * Math.cos(angle), 0.5 + 0.2 * Math.sin(3 * r + 2 * t + k), r * Math.sin(angle)], 3 * k);
    depth[k] = 0.7 - positions[3 * k + 1];
  }
  return {
    name: "spray",
    system: "spray",
    kind: "points",
    look: "glossy",
    colour: [0.12, 0.4, 0.62],
    backdrop: false,
    positions,
    radius: 0.016,
    attributes: [attribute("depth", "m", 1, depth)],
  };
}

function rope(t, first) {
  const count = 40;
  const positions = new Float32Array(3 * count);
  for (let k = 0; k < count; ++k)
    positions.set([-1 + 0.1 * Math.sin(t + k / 6), 1.4 - k / 40, 0.1 * Math.cos(t + k / 5)], 3 * k);
  const part = {
    name: "rope",
    system: "rope",
    kind: "curves",
    look: "matte",
    colour: [0.7, 0.55, 0.3],
    backdrop: false,
    positions,
    radius: 0.014,
    attributes: [],
  };
  if (first) part.lines = Uint32Array.from({ length: 2 * (count - 1) }, (_, i) => (i >> 1) + (i & 1));
  return part;
}

function smoke(t) {
  const n = 48;
  const values = new Uint8Array(n * n * n);
  for (let z = 0, k = 0; z < n; ++z)
    for (let y = 0; y < n; ++y)
      for (let x = 0; x < n; ++x, ++k) {
        const height = y / n;
        const wide = 0.1 + 0.28 * height;
        const dx = x / n - 0.5 - 0.1 * height * Math.sin(6 * height - 2 * t);
        const dz = z / n - 0.5 - 0.1 * height * Math.cos(5 * height - 2.3 * t);
        const curl = 0.5 + 0.5 * Math.sin(14 * dx + 9 * height - 3 * t) * Math.cos(13 * dz - 8 * height + 2 * t);
        const d = Math.exp(-(dx * dx + dz * dz) / (wide * wide * 0.35)) * curl * Math.min(1, 8 * height) * (1 - height);
        values[k] = Math.max(0, Math.min(255, 330 * d));
      }
  const part = {
    name: "smoke",
    system: "smoke",
    kind: "volume",
    look: "smoke",
    colour: [0.8, 0.8, 0.82],
    backdrop: false,
    origin: [-0.6, 0, -1.7],
    cell_size: 1.2 / n,
    cells: [n, n, n],
  };
  part.fields = [{ name: "density", unit: "", min: 0, max: 1, values }];
  return part;
}

function pond(t) {
  const n = 50;
  const heights = new Float32Array(n * n);
  for (let j = 0, k = 0; j < n; ++j)
    for (let i = 0; i < n; ++i, ++k) heights[k] = 0.03 * Math.sin(i / 3 + 3 * t) * Math.cos(j / 4 - 2 * t);
  return {
    name: "pond",
    system: "pond",
    kind: "height",
    look: "water",
    colour: [0.1, 0.35, 0.45],
    backdrop: false,
    origin: [0.5, 0.1, -0.6],
    spacing: 1.2 / (n - 1),
    samples: [n, n],
    heights,
    attributes: [],
  };
}

function contacts() {
  const positions = new Float32Array([-0.3, 0.45, 0, 0, 0.45, 0, 0.3, 0.45, 0]);
  const values = new Float32Array([0, 1, 0, 0.2, 2, 0, 0, 0.7, 0.3]);
  return {
    name: "contacts",
    system: "cloth",
    kind: "vectors",
    look: "matte",
    colour: [0.9, 0.5, 0.1],
    backdrop: false,
    positions,
    values,
    label: "contacts",
    unit: "N",
  };
}

function box(first) {
  const positions = new Float32Array(24).map((_, i) => {
    const corner = Math.floor(i / 3);
    return [-1.3, 0, 0.5][i % 3] + 0.35 * ((corner >> i % 3) & 1);
  });
  const part = {
    name: "block",
    system: "",
    kind: "triangles",
    look: "matte",
    colour: [0.5, 0.52, 0.55],
    backdrop: false,
    positions,
    attributes: [],
  };
  if (first)
    part.triangles = Uint32Array.of(
      0,
      2,
      1,
      1,
      2,
      3,
      4,
      5,
      6,
      5,
      7,
      6,
      0,
      1,
      4,
      1,
      5,
      4,
      2,
      6,
      3,
      3,
      6,
      7,
      0,
      4,
      2,
      2,
      4,
      6,
      1,
      3,
      5,
      3,
      7,
      5,
    );
  return part;
}

export function partsAt(scene, t, grabbed, first) {
  if (scene === "sheet") return [cloth(t, grabbed, first), contacts(), box(first)];
  if (scene === "smoke") return [smoke(t), box(first)];
  return [cloth(t, grabbed, first), points(t), rope(t, first), pond(t), smoke(t), contacts(), box(first)];
}

// docs/viewer-protocol.md, Frames: header, padding, arrays at multiples of eight.
export function encodeFrame(frame) {
  const arrays = [];
  let size = 0;
  const types = new Map([
    [Float32Array, "f32"],
    [Uint32Array, "u32"],
    [Uint8Array, "u8"],
  ]);
  const header = JSON.stringify(frame, (_key, value) => {
    if (!ArrayBuffer.isView(value)) return value;
    const ref = { offset: size, count: value.length, type: types.get(value.constructor) };
    arrays.push({ offset: size, value });
    size += Math.ceil(value.byteLength / 8) * 8;
    return ref;
  });
  const bytes = new TextEncoder().encode(header);
  const length = Math.ceil((8 + bytes.length) / 8) * 8 - 8;
  const out = new Uint8Array(8 + length + size).fill(32, 8, 8 + length);
  out.set(new TextEncoder().encode("SKF1"));
  new DataView(out.buffer).setUint32(4, length, true);
  out.set(bytes, 8);
  for (const { offset, value } of arrays)
    out.set(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), 8 + length + offset);
  return out;
}
