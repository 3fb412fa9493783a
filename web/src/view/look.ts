// Materials for the looks that systems hint at. Colours come in linear light, as the ray tracer takes them.
import {
  Color,
  DoubleSide,
  LineBasicMaterial,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  type Material,
} from "three";
import type { Vec3 } from "../protocol";

export function linearColour(colour: Vec3): Color {
  return new Color(colour[0], colour[1], colour[2]);
}

export function meshMaterial(look: string, colour: Vec3): MeshStandardMaterial {
  const base = { color: linearColour(colour), side: DoubleSide, roughness: 0.82, metalness: 0 };
  switch (look) {
    case "glossy":
      return new MeshPhysicalMaterial({ ...base, roughness: 0.28, clearcoat: 0.5, clearcoatRoughness: 0.25 });
    case "water":
      return new MeshPhysicalMaterial({ ...base, roughness: 0.06, ior: 1.33, transparent: true, opacity: 0.72, depthWrite: true });
    case "glass":
      return new MeshPhysicalMaterial({ ...base, roughness: 0.04, ior: 1.5, transparent: true, opacity: 0.32, depthWrite: false });
    case "hair":
      return new MeshStandardMaterial({ ...base, roughness: 0.5 });
    case "wire":
      return new MeshStandardMaterial({ ...base, wireframe: true });
    default:
      return new MeshStandardMaterial(base);
  }
}

export function lineMaterial(look: string, colour: Vec3): Material {
  return new LineBasicMaterial({ color: linearColour(colour), transparent: look === "hair", opacity: look === "hair" ? 0.8 : 1 });
}
