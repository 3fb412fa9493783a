// Triangle meshes and height surfaces. Buffers are made when the topology changes and filled in place otherwise.
import { Box3, BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, MeshBasicMaterial, Sphere } from "three";
import type { HeightPart, Part, TrianglePart } from "../protocol";
import { paint, type Colouring } from "./colours";
import type { Daylight } from "./daylight";
import { linearColour, meshMaterial, type SurfaceMaterial } from "./look";
import type { PartView } from "./part_view";
import { pickTriangles, rayMeetsBox, type Hit, type Ray } from "./picking";
import { gather, gridTriangles, splitSharpEdges, vertexNormals, type SplitMesh } from "./surface";

const EMPTY = new Uint32Array(0);

export class MeshPart implements PartView {
  readonly object: Mesh<BufferGeometry, SurfaceMaterial>;
  readonly bounds = new Box3();
  readonly name: string;
  readonly system: string;
  readonly backdrop: boolean;
  private readonly wire: Mesh;
  private topology: Uint32Array = EMPTY; // as in the message
  private split: SplitMesh = { index: EMPTY, source: null, vertexCount: 0 };
  private positions: Float32Array = new Float32Array(0); // as in the message, kept for picking
  private rebuilds = 0;
  private painted = new Uint8Array(0);

  constructor(part: TrianglePart | HeightPart, daylight: Daylight) {
    this.name = part.name;
    this.system = part.system;
    this.backdrop = part.backdrop;
    this.object = new Mesh(new BufferGeometry(), meshMaterial(part.look, part.colour, daylight));
    this.object.frustumCulled = false;
    this.object.castShadow = part.look !== "glass";
    this.object.receiveShadow = true;
    const line = new MeshBasicMaterial({ color: 0x0b1a24, wireframe: true, transparent: true, opacity: 0.38 });
    line.polygonOffset = true;
    line.polygonOffsetFactor = -1;
    line.polygonOffsetUnits = -1;
    this.wire = new Mesh(this.object.geometry, line);
    this.wire.frustumCulled = false;
    this.wire.visible = false;
    this.object.add(this.wire);
  }

  update(part: Part, colouring: Colouring): void {
    if (part.kind === "height") this.updateHeight(part);
    else if (part.kind === "triangles") this.updateTriangles(part);
    else return;
    this.refill();
    this.recolour(part, colouring);
  }

  setWire(on: boolean): void {
    this.wire.visible = on;
  }

  pick(ray: Ray): Hit | null {
    if (!rayMeetsBox(ray, this.bounds.min.toArray(), this.bounds.max.toArray(), 0)) return null;
    return pickTriangles(ray, this.positions, this.topology);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    (this.wire.material as MeshBasicMaterial).dispose();
  }

  private updateTriangles(part: TrianglePart): void {
    const grown = part.positions.length !== this.positions.length;
    this.positions = part.positions;
    if (part.triangles) this.topology = part.triangles;
    else if (grown) this.topology = EMPTY; // other vertices without new triangles: nothing sensible to draw
    if (part.triangles || grown) this.rebuild();
  }

  private updateHeight(part: HeightPart): void {
    const [nx, nz] = part.samples;
    if (this.positions.length !== 3 * nx * nz) {
      this.positions = new Float32Array(3 * nx * nz);
      this.topology = gridTriangles(nx, nz);
      this.fillHeights(part);
      this.rebuild();
    }
    this.fillHeights(part);
  }

  private fillHeights(part: HeightPart): void {
    const [nx, nz] = part.samples;
    const [x, y, z] = part.origin;
    for (let j = 0, k = 0; j < nz; ++j)
      for (let i = 0; i < nx; ++i, ++k) {
        this.positions[3 * k] = x + i * part.spacing;
        this.positions[3 * k + 1] = y + part.heights[k];
        this.positions[3 * k + 2] = z + j * part.spacing;
      }
  }

  // A surface that is made anew every frame (water) gets no sharp edges: they would flicker.
  private rebuild(): void {
    ++this.rebuilds;
    this.split =
      this.rebuilds <= 2
        ? splitSharpEdges(this.positions, this.topology)
        : { index: this.topology, source: null, vertexCount: this.positions.length / 3 };
    const geometry = this.object.geometry;
    geometry.dispose();
    for (const name of ["position", "normal"]) {
      const attribute = new BufferAttribute(new Float32Array(3 * this.split.vertexCount), 3);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
    }
    geometry.deleteAttribute("color");
    geometry.setIndex(new BufferAttribute(this.split.index, 1));
    geometry.boundingSphere = new Sphere();
  }

  private refill(): void {
    const geometry = this.object.geometry;
    const position = geometry.getAttribute("position") as BufferAttribute;
    const normal = geometry.getAttribute("normal") as BufferAttribute;
    gather(position.array as Float32Array, this.positions, this.split.source);
    vertexNormals(normal.array as Float32Array, position.array as Float32Array, this.split.index);
    position.needsUpdate = true;
    normal.needsUpdate = true;
    this.bounds.setFromArray(this.positions);
  }

  private recolour(part: TrianglePart | HeightPart, colouring: Colouring): void {
    const material = this.object.material;
    const attribute = part.attributes.find((a) => a.name === colouring.attribute);
    if (material.vertexColors !== Boolean(attribute)) {
      material.vertexColors = Boolean(attribute);
      material.needsUpdate = true;
    }
    if (!attribute) {
      material.color.copy(linearColour(part.colour));
      return;
    }
    material.color.setRGB(1, 1, 1);
    const geometry = this.object.geometry;
    let colours = geometry.getAttribute("color") as BufferAttribute | undefined;
    if (!colours || colours.count !== this.split.vertexCount) {
      colours = new BufferAttribute(new Uint8Array(3 * this.split.vertexCount), 3, true);
      colours.setUsage(DynamicDrawUsage);
      geometry.setAttribute("color", colours);
    }
    this.paintInto(colours.array as Uint8Array, attribute.values, attribute.components, colouring);
    colours.needsUpdate = true;
  }

  private paintInto(out: Uint8Array, values: Float32Array, components: number, colouring: Colouring): void {
    const source = this.split.source;
    if (!source) {
      paint(out, values, components, colouring);
      return;
    }
    if (this.painted.length !== this.positions.length) this.painted = new Uint8Array(this.positions.length);
    paint(this.painted, values, components, colouring);
    for (let i = 0; i < source.length; ++i) {
      const k = 3 * source[i];
      out[3 * i] = this.painted[k];
      out[3 * i + 1] = this.painted[k + 1];
      out[3 * i + 2] = this.painted[k + 2];
    }
  }
}
