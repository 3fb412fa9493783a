// Frames as the page reads them: what the mock server writes comes back, and damage gives an error. The TypeScript is
// compiled on the way with the compiler that Vite brings.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createRequire } from "node:module";
import { encodeFrame, partsAt } from "../mock/world.mjs";

const esbuild = createRequire(import.meta.url)("esbuild");

async function load(path) {
  const source = await readFile(new URL(path, import.meta.url), "utf8");
  const { code } = await esbuild.transform(source, { loader: "ts" });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

const { decodeFrame, ProtocolError } = await load("../../src/protocol.ts");
const { pickTriangles, pickPoints, pickSegments } = await load("../../src/view/picking.ts");
const { splitSharpEdges, vertexNormals } = await load("../../src/view/surface.ts");

const encoded = () =>
  encodeFrame({ frame_number: 7, frame: 3, time: 0.05, parts: partsAt("everything", 0.05, [0, 0, 0], true) });

test("a frame comes back as it was written", () => {
  const parts = partsAt("everything", 0.05, [0, 0, 0], true);
  const frame = decodeFrame(encoded().buffer);
  assert.equal(frame.frame_number, 7);
  assert.deepEqual(
    frame.parts.map((p) => p.kind),
    parts.map((p) => p.kind),
  );
  assert.deepEqual(frame.parts[0].positions, parts[0].positions);
  assert.deepEqual(frame.parts[0].triangles, parts[0].triangles);
  assert.deepEqual(frame.parts[0].attributes[0].values, parts[0].attributes[0].values);
  assert.deepEqual(frame.parts[4].fields[0].values, parts[4].fields[0].values);
});

test("a damaged frame is an error, wherever it is cut or changed", () => {
  const whole = encoded();
  for (const length of [0, 7, 8, 100, whole.length - 8])
    assert.throws(() => decodeFrame(whole.slice(0, length).buffer), ProtocolError, `cut to ${length} bytes`);
  const other = encoded();
  other[0] = 0;
  assert.throws(() => decodeFrame(other.buffer), ProtocolError);
  const text = new TextDecoder("latin1").decode(whole);
  for (const [from, to] of [
    ['"count":10800', '"count":10801'],
    ['"offset":0', '"offset":4'],
    ['"type":"f32"', '"type":"u32"'],
  ]) {
    const changed = Uint8Array.from(text.replace(from, to), (c) => c.charCodeAt(0));
    assert.notDeepEqual(changed, whole);
    assert.throws(() => decodeFrame(changed.buffer), ProtocolError, from);
  }
});

test("an index past the vertices is an error", () => {
  const part = {
    name: "a",
    kind: "triangles",
    positions: new Float32Array(9),
    triangles: Uint32Array.of(0, 1, 3),
    attributes: [],
  };
  assert.throws(() => decodeFrame(encodeFrame({ frame_number: 1, parts: [part] }).buffer), ProtocolError);
});

test("rays hit triangles, points and segments where they are", () => {
  const ray = { origin: [0.2, 0.2, 5], direction: [0, 0, -1], spread: 0.01 };
  const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 1, 0, -1, 0, 1, -1);
  const hit = pickTriangles(ray, positions, Uint32Array.of(3, 4, 5, 0, 1, 2));
  assert.ok(Math.abs(hit.distance - 5) < 1e-12);
  assert.equal(pickTriangles({ ...ray, origin: [0.8, 0.8, 5] }, positions, Uint32Array.of(0, 1, 2)), null);
  assert.deepEqual(
    pickPoints(ray, Float32Array.of(0.22, 0.2, 1, 0.2, 0.2, 0), 0.001).point.map((v) => Math.fround(v)),
    [0.22, 0.2, 1].map(Math.fround),
  );
  const onSegment = pickSegments(ray, Float32Array.of(-1, 0.21, 0, 1, 0.21, 0), Uint32Array.of(0, 1), 0.02);
  assert.ok(Math.abs(onSegment.point[0] - 0.2) < 1e-6);
});

test("a box keeps its edges, a flat grid its numbering", () => {
  const box = partsAt("sheet", 0, [0, 0, 0], true).find((p) => p.name === "block");
  assert.equal(splitSharpEdges(box.positions, box.triangles).vertexCount, 24);
  const sheet = partsAt("sheet", 0, [0, 0, 0], true)[0];
  const split = splitSharpEdges(sheet.positions, sheet.triangles);
  assert.equal(split.source, null);
  const normals = new Float32Array(sheet.positions.length);
  vertexNormals(normals, sheet.positions, split.index);
  for (let i = 0; i < normals.length; i += 3)
    assert.ok(Math.abs(Math.hypot(normals[i], normals[i + 1], normals[i + 2]) - 1) < 1e-5);
});
