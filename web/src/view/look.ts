// Materials for the looks that systems hint at. Colours come in linear light, as the ray tracer takes them. Matte things
// take the cheapest shading: a browser that draws in software has little to spare. Only what reflects gets the sky.
import {
  Color,
  DoubleSide,
  LineBasicMaterial,
  MeshLambertMaterial,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
} from "three";
import type { Vec3 } from "../protocol";
import type { Daylight } from "./daylight";

export type SurfaceMaterial = MeshLambertMaterial | MeshStandardMaterial;

export function linearColour(colour: Vec3): Color {
  return new Color(colour[0], colour[1], colour[2]);
}

export function meshMaterial(look: string, colour: Vec3, daylight: Daylight): SurfaceMaterial {
  const base = { color: linearColour(colour), side: DoubleSide };
  const shiny = { ...base, envMap: daylight.environment, envMapIntensity: 0.6, metalness: 0 };
  switch (look) {
    case "glossy":
      return new MeshStandardMaterial({ ...shiny, roughness: 0.3 });
    case "water":
      return new MeshPhysicalMaterial({ ...shiny, roughness: 0.06, ior: 1.33, transparent: true, opacity: 0.72 });
    case "glass":
      return new MeshPhysicalMaterial({
        ...shiny,
        roughness: 0.04,
        ior: 1.5,
        transparent: true,
        opacity: 0.32,
        depthWrite: false,
      });
    case "wire":
      return new MeshLambertMaterial({ ...base, wireframe: true });
    default:
      return new MeshLambertMaterial(base);
  }
}

export function lineMaterial(look: string, colour: Vec3): LineBasicMaterial {
  return new LineBasicMaterial({
    color: linearColour(colour),
    transparent: look === "hair",
    opacity: look === "hair" ? 0.8 : 1,
  });
}
