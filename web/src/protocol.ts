// What the page and the program say to each other: docs/viewer-protocol.md, version 1. `decodeFrame` checks every
// length before it makes a view, so that a damaged message gives an error and never a picture of other bytes.
// The arrays are views into the message: nothing is copied here.

export const PROTOCOL_VERSION = 1;

export type Vec3 = [number, number, number];

export interface Param {
  path: string;
  kind: string;
  unit?: string;
  text?: string;
  value: unknown;
  live?: boolean;
  lo?: number | null;
  hi?: number | null;
  choices?: string[] | null;
}

export interface SystemInfo {
  name: string;
  kind: string;
  parts: string[];
  actions: string[];
  params: Param[];
}

export interface CameraInfo {
  name: string;
  position: Vec3;
  target: Vec3;
  up: Vec3;
  field_of_view: number;
}

export interface Light {
  sun_direction?: Vec3;
  sun_colour?: Vec3;
  sky_zenith?: Vec3;
  sky_horizon?: Vec3;
  ground?: boolean;
  ground_height?: number | null;
  ground_colour?: Vec3;
  exposure?: number;
}

export interface Hello {
  type: "hello";
  protocol: number;
  version: string;
  mode: "live" | "playback";
  scenes: { name: string; about: string }[];
}

export interface Scene {
  type: "scene";
  name: string;
  about: string;
  fps: number;
  steps_per_frame: number;
  frames?: number | null;
  gravity: Vec3;
  bounds: { min: Vec3; max: Vec3 };
  cameras: CameraInfo[];
  light?: Light | null;
  systems: SystemInfo[];
}

export interface State {
  type: "state";
  playing: boolean;
  speed: number;
  frame: number;
  time: number;
  dropped: number;
  rate: number;
  step_ms: number;
  phases: Record<string, number>;
  figures: Record<string, Record<string, number>>;
  trouble?: string;
  clients: number;
  bytes: number;
}

export interface Reply {
  type: "ok" | "error" | "inputs" | "hash";
  id?: number;
  message?: string;
  remedy?: string;
  toml?: string;
  settings?: string[];
  hash?: string;
}

export interface Bye {
  type: "bye";
  message: string;
}

export type ServerMessage = Hello | Scene | State | Reply | Bye;

export interface Attribute {
  name: string;
  unit: string;
  components: number;
  min: number;
  max: number;
  values: Float32Array;
}

interface PartCommon {
  name: string;
  system: string;
  look: string;
  colour: Vec3;
  backdrop: boolean;
}

export interface TrianglePart extends PartCommon {
  kind: "triangles";
  positions: Float32Array;
  triangles?: Uint32Array;
  attributes: Attribute[];
}
export interface PointsPart extends PartCommon {
  kind: "points";
  positions: Float32Array;
  radius: number;
  attributes: Attribute[];
}
export interface CurvesPart extends PartCommon {
  kind: "curves";
  positions: Float32Array;
  lines?: Uint32Array;
  radius: number;
  attributes: Attribute[];
}
export interface VectorsPart extends PartCommon {
  kind: "vectors";
  positions: Float32Array;
  values: Float32Array;
  label: string;
  unit: string;
}
export interface HeightPart extends PartCommon {
  kind: "height";
  origin: Vec3;
  spacing: number;
  samples: [number, number];
  heights: Float32Array;
  attributes: Attribute[];
}
export interface VolumeField {
  name: string;
  unit: string;
  min: number;
  max: number;
  values: Uint8Array;
}
export interface VolumePart extends PartCommon {
  kind: "volume";
  origin: Vec3;
  cell_size: number;
  cells: [number, number, number];
  fields: VolumeField[];
}
export type Part = TrianglePart | PointsPart | CurvesPart | VectorsPart | HeightPart | VolumePart;

export interface Frame {
  frame_number: number;
  frame: number;
  time: number;
  parts: Part[];
}

export class ProtocolError extends Error {}

const MAGIC = 0x31464b53; // "SKF1", little-endian
const ELEMENT_BYTES = { f32: 4, u32: 4, u8: 1 } as const;

interface ArrayRef {
  offset: number;
  count: number;
  type: keyof typeof ELEMENT_BYTES;
}

function fail(text: string): never {
  throw new ProtocolError(text);
}

class Payload {
  constructor(
    private readonly buffer: ArrayBuffer,
    private readonly start: number,
  ) {}

  f32(ref: unknown, what: string): Float32Array {
    return new Float32Array(this.buffer, this.place(ref, "f32", what), (ref as ArrayRef).count);
  }

  u32(ref: unknown, what: string): Uint32Array {
    return new Uint32Array(this.buffer, this.place(ref, "u32", what), (ref as ArrayRef).count);
  }

  u8(ref: unknown, what: string): Uint8Array {
    return new Uint8Array(this.buffer, this.place(ref, "u8", what), (ref as ArrayRef).count);
  }

  private place(ref: unknown, type: ArrayRef["type"], what: string): number {
    const array = ref as ArrayRef | null;
    if (typeof array !== "object" || array === null || array.type !== type) fail(`${what}: not an array of ${type}`);
    const { offset, count } = array;
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(count) || offset < 0 || count < 0 || offset % 8 !== 0)
      fail(`${what}: bad offset or count`);
    const begin = this.start + offset;
    if (begin + count * ELEMENT_BYTES[type] > this.buffer.byteLength) fail(`${what}: beyond the end of the message`);
    return begin;
  }
}

type Raw = Record<string, unknown>;

function attributesOf(raw: Raw, vertices: number, payload: Payload): Attribute[] {
  const list = Array.isArray(raw.attributes) ? (raw.attributes as Raw[]) : [];
  return list.map((a) => {
    const name = String(a.name);
    const components = Number(a.components ?? 1);
    const values = payload.f32(a.values, `attribute ${name}`);
    if (values.length !== vertices * components) fail(`attribute ${name}: ${values.length} values, not one per vertex`);
    return { name, unit: String(a.unit ?? ""), components, min: Number(a.min ?? 0), max: Number(a.max ?? 1), values };
  });
}

// Indices that point past the vertices would make the graphics driver read elsewhere.
function checkIndices(indices: Uint32Array, vertices: number, what: string): Uint32Array {
  for (let i = 0; i < indices.length; ++i) if (indices[i] >= vertices) fail(`${what}: an index past the vertices`);
  return indices;
}

function triplets(array: Float32Array, what: string): number {
  if (array.length % 3 !== 0) fail(`${what}: not three numbers per point`);
  return array.length / 3;
}

function decodePart(raw: Raw, payload: Payload): Part | null {
  const name = String(raw.name);
  const common = {
    name,
    system: String(raw.system ?? ""),
    look: String(raw.look ?? "matte"),
    colour: (raw.colour ?? [0.8, 0.8, 0.8]) as Vec3,
    backdrop: raw.backdrop === true,
  };
  switch (raw.kind) {
    case "triangles": {
      const positions = payload.f32(raw.positions, name);
      const count = triplets(positions, name);
      const triangles = raw.triangles ? checkIndices(payload.u32(raw.triangles, name), count, name) : undefined;
      return { ...common, kind: "triangles", positions, triangles, attributes: attributesOf(raw, count, payload) };
    }
    case "points": {
      const positions = payload.f32(raw.positions, name);
      const attributes = attributesOf(raw, triplets(positions, name), payload);
      return { ...common, kind: "points", positions, radius: Number(raw.radius ?? 0), attributes };
    }
    case "curves": {
      const positions = payload.f32(raw.positions, name);
      const count = triplets(positions, name);
      const lines = raw.lines ? checkIndices(payload.u32(raw.lines, name), count, name) : undefined;
      const attributes = attributesOf(raw, count, payload);
      return { ...common, kind: "curves", positions, lines, radius: Number(raw.radius ?? 0), attributes };
    }
    case "vectors": {
      const positions = payload.f32(raw.positions, name);
      const values = payload.f32(raw.values, name);
      if (values.length !== positions.length) fail(`${name}: not one vector per point`);
      return {
        ...common,
        kind: "vectors",
        positions,
        values,
        label: String(raw.label ?? name),
        unit: String(raw.unit ?? ""),
      };
    }
    case "height": {
      const samples = raw.samples as [number, number];
      const heights = payload.f32(raw.heights, name);
      if (heights.length !== samples[0] * samples[1]) fail(`${name}: not one height per sample`);
      const attributes = attributesOf(raw, heights.length, payload);
      const spacing = Number(raw.spacing);
      return { ...common, kind: "height", origin: raw.origin as Vec3, spacing, samples, heights, attributes };
    }
    case "volume": {
      const cells = raw.cells as [number, number, number];
      const fields = (raw.fields as Raw[]).map((f) => {
        const values = payload.u8(f.values, `${name} ${String(f.name)}`);
        if (values.length !== cells[0] * cells[1] * cells[2]) fail(`${name}: not one value per cell`);
        return { name: String(f.name), unit: String(f.unit ?? ""), min: Number(f.min), max: Number(f.max), values };
      });
      return { ...common, kind: "volume", origin: raw.origin as Vec3, cell_size: Number(raw.cell_size), cells, fields };
    }
    default:
      return null; // a kind of a later version: the rest of the frame is still worth seeing
  }
}

export function decodeFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < 8) fail("a frame shorter than its head");
  const head = new DataView(buffer);
  if (head.getUint32(0, true) !== MAGIC) fail("not a frame (SKF1)");
  const length = head.getUint32(4, true);
  const start = 8 + length;
  if (start > buffer.byteLength || start % 8 !== 0) fail("bad length of the frame's header");
  let header: Raw;
  try {
    header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as Raw;
  } catch {
    fail("the frame's header is not JSON");
  }
  if (!Array.isArray(header.parts)) fail("the frame's header has no parts");
  const payload = new Payload(buffer, start);
  const parts: Part[] = [];
  for (const raw of header.parts as Raw[]) {
    const part = decodePart(raw, payload);
    if (part) parts.push(part);
  }
  return {
    frame_number: Number(header.frame_number),
    frame: Number(header.frame),
    time: Number(header.time),
    parts,
  };
}
