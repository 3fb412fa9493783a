// Colour scales for values on surfaces: a dark-to-bright scale whose lightness grows evenly, so that it also reads
// in grey, and one that runs through white for values of both signs. Each is a table of 256 entries, in linear light
// for the renderer; the colour bar reads the same table.
import { Color } from "three";

export type ScaleName = "even" | "signed" | "heat";

const STOPS: Record<ScaleName, string[]> = {
  even: ["#26174d", "#2f4b8a", "#1f7f91", "#35ab7e", "#9fd04b", "#fdf06b"],
  signed: ["#1f4e9c", "#6ea6d8", "#f2f2ee", "#e8946a", "#a5252f"],
  heat: ["#140b1f", "#5a1a5c", "#b33550", "#ee7a35", "#fbd56b", "#fffbe6"],
};

export const SCALES: { name: ScaleName; label: string }[] = [
  { name: "even", label: "Even" },
  { name: "heat", label: "Heat" },
  { name: "signed", label: "Two-sided" },
];

const tables = new Map<ScaleName, Uint8Array>();

// 256 × rgba, linear light.
export function scaleTable(name: ScaleName): Uint8Array {
  const known = tables.get(name);
  if (known) return known;
  const stops = STOPS[name].map((hex) => new Color(hex));
  const table = new Uint8Array(256 * 4);
  const mixed = new Color();
  for (let i = 0; i < 256; ++i) {
    const at = (i / 255) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(at));
    mixed.copy(stops[k]).lerp(stops[k + 1], at - k);
    table[4 * i] = Math.round(255 * mixed.r);
    table[4 * i + 1] = Math.round(255 * mixed.g);
    table[4 * i + 2] = Math.round(255 * mixed.b);
    table[4 * i + 3] = 255;
  }
  tables.set(name, table);
  return table;
}

export function cssColour(name: ScaleName, at: number): string {
  const table = scaleTable(name);
  const i = 4 * Math.round(255 * Math.min(1, Math.max(0, at)));
  const colour = new Color(table[i] / 255, table[i + 1] / 255, table[i + 2] / 255);
  return `#${colour.getHexString()}`;
}

export interface Colouring {
  attribute: string; // "" : each body in its own colour
  scale: ScaleName;
  min: number;
  max: number;
}

// One rgb byte triple per vertex, from the magnitude of an attribute.
export function paint(out: Uint8Array, values: Float32Array, components: number, colouring: Colouring): void {
  const table = scaleTable(colouring.scale);
  const span = colouring.max - colouring.min;
  const factor = span > 0 ? 255 / span : 0;
  const count = out.length / 3;
  for (let i = 0; i < count; ++i) {
    let value = values[i * components];
    if (components === 3) value = Math.hypot(value, values[3 * i + 1], values[3 * i + 2]);
    let k = (value - colouring.min) * factor;
    k = 4 * (k > 0 ? (k < 255 ? k | 0 : 255) : 0);
    out[3 * i] = table[k];
    out[3 * i + 1] = table[k + 1];
    out[3 * i + 2] = table[k + 2];
  }
}
