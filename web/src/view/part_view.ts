// What every kind of part on the screen can do. One object per part of the scene; it lives as long as frames
// name the part, and takes each frame's arrays into buffers it keeps.
import type { Box3, Object3D } from "three";
import type { Part } from "../protocol";
import type { Hit, Ray } from "./picking";
import type { Colouring } from "./colours";

export interface PartView {
  readonly object: Object3D;
  readonly name: string;
  readonly system: string;
  readonly backdrop: boolean;
  readonly bounds: Box3;
  update(part: Part, colouring: Colouring): void;
  setWire(on: boolean): void;
  pick(ray: Ray): Hit | null;
  dispose(): void;
}

export interface Surroundings {
  sceneSize(): number; // diagonal of the scene's bounds, m
}
