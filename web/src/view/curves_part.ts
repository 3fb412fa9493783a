// Polylines. Ropes and the like are drawn as round rods, one instance of a cylinder per segment; hair, and anything
// with too many segments for that, as lines one pixel wide.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LineSegments,
  Matrix4,
  Quaternion,
  Vector3,
  type LineBasicMaterial,
} from "three";
import type { CurvesPart as CurvesData, Part } from "../protocol";
import { paint, type Colouring } from "./colours";
import type { Daylight } from "./daylight";
import { lineMaterial, linearColour, meshMaterial, type SurfaceMaterial } from "./look";
import type { PartView, Surroundings } from "./part_view";
import { pickSegments, rayMeetsBox, type Hit, type Ray } from "./picking";

const MOST_RODS = 20000;
const UP = new Vector3(0, 1, 0);

export class CurvesPart implements PartView {
  readonly object = new Group();
  readonly bounds = new Box3();
  readonly name: string;
  readonly system: string;
  readonly backdrop: boolean;
  private positions: Float32Array = new Float32Array(0);
  private lines: Uint32Array = new Uint32Array(0);
  private radius = 0;
  private rods: InstancedMesh<CylinderGeometry, SurfaceMaterial> | null = null;
  private thin: LineSegments<BufferGeometry, LineBasicMaterial> | null = null;
  private colours = new Uint8Array(0);

  constructor(
    private readonly first: CurvesData,
    private readonly surroundings: Surroundings,
    private readonly daylight: Daylight,
  ) {
    this.name = first.name;
    this.system = first.system;
    this.backdrop = first.backdrop;
  }

  update(part: Part, colouring: Colouring): void {
    if (part.kind !== "curves") return;
    const changed = Boolean(part.lines) || part.positions.length !== this.positions.length;
    this.positions = part.positions;
    if (part.lines) this.lines = part.lines;
    this.radius = part.radius > 0 ? part.radius : 0.003 * this.surroundings.sceneSize();
    this.bounds.setFromArray(part.positions);
    if (changed) this.rebuild();
    const attribute = part.attributes.find((a) => a.name === colouring.attribute);
    if (attribute) {
      if (this.colours.length !== part.positions.length) this.colours = new Uint8Array(part.positions.length);
      paint(this.colours, attribute.values, attribute.components, colouring);
    }
    if (this.rods) this.fillRods(this.rods, Boolean(attribute));
    if (this.thin) this.fillThin(this.thin, Boolean(attribute));
  }

  setWire(): void {}

  pick(ray: Ray): Hit | null {
    const margin = 4 * this.radius + ray.spread * this.surroundings.sceneSize();
    if (!rayMeetsBox(ray, this.bounds.min.toArray(), this.bounds.max.toArray(), margin)) return null;
    return pickSegments(ray, this.positions, this.lines, this.radius);
  }

  dispose(): void {
    this.rods?.geometry.dispose();
    this.rods?.material.dispose();
    this.rods?.dispose();
    this.thin?.geometry.dispose();
    this.thin?.material.dispose();
  }

  private rebuild(): void {
    this.dispose();
    this.object.clear();
    this.rods = null;
    this.thin = null;
    const { look, colour } = this.first;
    const segments = this.lines.length / 2;
    if (look === "hair" || segments > MOST_RODS) {
      const geometry = new BufferGeometry();
      const count = this.positions.length;
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(count), 3).setUsage(DynamicDrawUsage));
      geometry.setAttribute("color", new BufferAttribute(new Uint8Array(count), 3, true).setUsage(DynamicDrawUsage));
      geometry.setIndex(new BufferAttribute(this.lines, 1));
      this.thin = new LineSegments(geometry, lineMaterial(look, colour));
      this.thin.frustumCulled = false;
      this.object.add(this.thin);
      return;
    }
    // Open at the ends and a little longer than its segment: the next rod covers the joint.
    const rods = new InstancedMesh(
      new CylinderGeometry(1, 1, 1, 10, 1, false),
      meshMaterial(look, colour, this.daylight),
      segments,
    );
    rods.frustumCulled = false;
    rods.castShadow = true;
    rods.receiveShadow = true;
    this.rods = rods;
    this.object.add(rods);
  }

  private fillRods(rods: InstancedMesh<CylinderGeometry, SurfaceMaterial>, painted: boolean): void {
    const a = new Vector3();
    const b = new Vector3();
    const scale = new Vector3();
    const turn = new Quaternion();
    const matrix = new Matrix4();
    const plain = linearColour(painted ? [1, 1, 1] : this.first.colour);
    rods.material.color.copy(plain);
    for (let k = 0; k < rods.count; ++k) {
      a.fromArray(this.positions, 3 * this.lines[2 * k]);
      b.fromArray(this.positions, 3 * this.lines[2 * k + 1]);
      const middle = a.clone().add(b).multiplyScalar(0.5);
      b.sub(a);
      const length = b.length();
      if (length > 0) turn.setFromUnitVectors(UP, b.divideScalar(length));
      scale.set(this.radius, length + 0.35 * this.radius, this.radius);
      rods.setMatrixAt(k, matrix.compose(middle, turn, scale));
    }
    rods.instanceMatrix.needsUpdate = true;
    this.paintRods(rods, painted);
  }

  private paintRods(rods: InstancedMesh<CylinderGeometry, SurfaceMaterial>, painted: boolean): void {
    const colour = linearColour([1, 1, 1]);
    if (!painted && !rods.instanceColor) return;
    for (let k = 0; k < rods.count; ++k) {
      const i = 3 * this.lines[2 * k];
      if (painted) colour.setRGB(this.colours[i] / 255, this.colours[i + 1] / 255, this.colours[i + 2] / 255);
      rods.setColorAt(k, colour);
    }
    if (rods.instanceColor) rods.instanceColor.needsUpdate = true;
  }

  private fillThin(thin: LineSegments<BufferGeometry, LineBasicMaterial>, painted: boolean): void {
    const position = thin.geometry.getAttribute("position") as BufferAttribute;
    (position.array as Float32Array).set(this.positions);
    position.needsUpdate = true;
    if (thin.material.vertexColors !== painted) {
      thin.material.vertexColors = painted;
      thin.material.needsUpdate = true;
    }
    thin.material.color.copy(linearColour(painted ? [1, 1, 1] : this.first.colour));
    if (!painted) return;
    const colour = thin.geometry.getAttribute("color") as BufferAttribute;
    (colour.array as Uint8Array).set(this.colours);
    colour.needsUpdate = true;
  }
}
