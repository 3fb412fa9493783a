// The picture: renderer, light, camera and one view per part of the last frame. Draws only when something changed;
// while the camera or the world moves, volumes are drawn coarsely, and everything with fewer pixels where the browser
// is slow; once they rest, finely.
import {
  BasicShadowMap,
  Box3,
  Color,
  NeutralToneMapping,
  PCFSoftShadowMap,
  Scene as ThreeScene,
  Vector3,
  WebGLRenderer,
} from "three";
import type { Attribute, Frame, Part, Scene, Vec3 } from "../protocol";
import { Arrows } from "./arrows";
import { CameraRig } from "./camera_rig";
import type { Colouring } from "./colours";
import { Compositor } from "./compositor";
import { CurvesPart } from "./curves_part";
import { Daylight } from "./daylight";
import { MeshPart } from "./mesh_part";
import type { PartView, Surroundings } from "./part_view";
import type { Hit, Ray } from "./picking";
import { COARSEST, drawsInSoftware, Pace } from "./pace";
import { PointsPart } from "./points_part";
import { VectorsPart } from "./vectors_part";
import { VolumePart } from "./volume_part";

export interface BodyHit extends Hit {
  part: string;
  system: string;
}

const REST_AFTER = 250; // ms without movement or drawing until volumes are drawn finely

export class Stage implements Surroundings {
  readonly rig = new CameraRig();
  readonly colouring: Colouring = { attribute: "", scale: "even", min: 0, max: 1 };
  readonly hidden = new Set<string>(); // names of systems and of scenery parts
  wire = false;
  velocityArrows = false;
  showVectors = true;
  volumeSteps = 96;
  volumeOpacity = 1;
  autoRange = true;
  playing = false; // more frames are to come, however long a picture takes
  drawn = 0;
  private readonly renderer: WebGLRenderer;
  private readonly compositor: Compositor;
  private readonly daylight: Daylight;
  private readonly scene = new ThreeScene();
  private readonly volumes = new ThreeScene();
  private readonly parts = new Map<string, PartView>();
  private readonly arrows = new Map<string, Arrows>();
  private last: Frame | null = null;
  private info: Scene | null = null;
  private bounds = new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  private dirty = true;
  private movedAt = 0;
  private drawnAt = 0;
  private fine = false;
  private size: [number, number] = [1, 1];
  private sharpness = 0; // pixels of the drawing buffer per pixel of the page
  private readonly pace = new Pace();

  constructor(readonly canvas: HTMLCanvasElement) {
    const software = drawsInSoftware();
    if (software) this.pace.scale = COARSEST;
    this.renderer = new WebGLRenderer({ canvas, antialias: !software, powerPreference: "high-performance" });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.autoUpdate = false; // shadows change with the world, not with the camera
    this.renderer.shadowMap.type = software ? BasicShadowMap : PCFSoftShadowMap;
    this.compositor = new Compositor(this.renderer, software ? 0 : 4);
    this.daylight = new Daylight(this.renderer, software ? 1024 : 2048);
    this.scene.add(this.daylight.group);
  }

  sceneSize(): number {
    return this.bounds.getSize(new Vector3()).length();
  }

  openScene(info: Scene, keepCamera: boolean): void {
    this.info = info;
    this.bounds.min.fromArray(info.bounds.min);
    this.bounds.max.fromArray(info.bounds.max);
    if (this.bounds.isEmpty()) this.bounds.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    this.daylight.setLight(info.light ?? {});
    this.renderer.toneMappingExposure = this.daylight.exposure;
    this.fitLight();
    if (!keepCamera) this.home();
    this.invalidate();
  }

  home(): void {
    const camera = this.info?.cameras[0];
    if (camera) this.rig.take(camera, this.bounds);
    else this.rig.frame(this.bounds);
    this.moved();
  }

  takeCamera(index: number): void {
    const camera = this.info?.cameras[index];
    if (camera) this.rig.take(camera, this.bounds);
    this.moved();
  }

  setDark(dark: boolean): void {
    this.daylight.setDark(dark);
    this.invalidate();
  }

  setShadows(on: boolean): void {
    this.daylight.setShadows(on);
    this.invalidate();
  }

  resize(width: number, height: number): void {
    this.sharpness = 0; // sizes the drawing buffer anew
    this.size = [width, height];
    this.rig.resize(width / Math.max(1, height));
    this.invalidate();
  }

  take(frame: Frame): void {
    this.last = frame;
    this.refresh();
    this.movedAt = performance.now();
  }

  // Applies the last frame again, after a change of how it is to be shown.
  refresh(): void {
    const frame = this.last;
    if (!frame) return;
    if (this.autoRange) this.findRange(frame);
    const seen = new Set<string>();
    for (const part of frame.parts) {
      seen.add(part.name);
      this.viewOf(part).update(part, this.colouring);
    }
    for (const name of [...this.parts.keys()]) if (!seen.has(name)) this.remove(name);
    this.updateArrows(frame);
    this.applyVisibility();
    this.invalidate();
  }

  get frame(): Frame | null {
    return this.last;
  }

  hasVolumes(): boolean {
    return this.visibleVolumes().length > 0;
  }

  pick(ray: Ray): BodyHit | null {
    let best: BodyHit | null = null;
    for (const part of this.parts.values()) {
      if (!part.object.visible) continue;
      const hit = part.pick(ray);
      // A volume is looked through: what stands in it or behind it comes first.
      const distance = hit && part instanceof VolumePart ? hit.distance + 1e3 : hit?.distance;
      if (hit && distance !== undefined && (!best || distance < best.distance))
        best = { ...hit, distance, part: part.name, system: part.system };
    }
    return best;
  }

  centreOf(name: string): Vec3 | null {
    const part = this.last?.parts.find((p) => p.name === name);
    if (!part || !("positions" in part) || part.positions.length === 0) return null;
    const sum: Vec3 = [0, 0, 0];
    for (let i = 0; i < part.positions.length; ++i) sum[i % 3] += part.positions[i];
    return sum.map((s) => (3 * s) / part.positions.length) as Vec3;
  }

  invalidate(): void {
    this.renderer.shadowMap.needsUpdate = true;
    this.dirty = true;
  }

  // The camera moved, nothing else did.
  moved(): void {
    this.movedAt = performance.now();
    this.dirty = true;
  }

  // Called once per animation frame; returns whether it drew.
  tick(now: number): boolean {
    // A browser that needs longer for a coarse picture than REST_AFTER must not be asked for fine ones in between.
    const resting = !this.playing && now - Math.max(this.movedAt, this.drawnAt) > REST_AFTER;
    if (resting && !this.fine) this.dirty = true;
    if (!this.dirty) {
      this.pace.rest();
      return false;
    }
    this.pace.drew(now);
    this.drawnAt = now;
    this.draw(resting);
    return true;
  }

  draw(fine: boolean): void {
    this.dirty = false;
    this.fine = fine;
    ++this.drawn;
    this.sharpen(Math.min(2, window.devicePixelRatio || 1) * (fine ? 1 : this.pace.scale));
    const steps = fine ? this.volumeSteps : Math.max(12, Math.round(this.volumeSteps / 3));
    const quality = { steps, lightSteps: fine ? 6 : 3, resolution: fine ? 0.75 : 0.34 };
    this.compositor.draw(this.scene, { scene: this.volumes, parts: this.visibleVolumes() }, this.rig.camera, quality);
  }

  // Draws and reads in one go: the browser forgets the picture between animation frames.
  screenshot(): Promise<Blob | null> {
    this.draw(true);
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  private sharpen(sharpness: number): void {
    if (sharpness === this.sharpness) return;
    this.sharpness = sharpness;
    this.renderer.setPixelRatio(sharpness);
    this.renderer.setSize(this.size[0], this.size[1], false);
  }

  private visibleVolumes(): VolumePart[] {
    return [...this.parts.values()].filter((p): p is VolumePart => p instanceof VolumePart && p.object.visible);
  }

  private viewOf(part: Part): PartView {
    let view = this.parts.get(part.name);
    if (view && view.object.userData.kind !== `${part.kind} ${part.look}`) {
      this.remove(part.name);
      view = undefined;
    }
    if (!view) {
      view = this.makeView(part);
      view.object.userData.kind = `${part.kind} ${part.look}`;
      this.parts.set(part.name, view);
      (view instanceof VolumePart ? this.volumes : this.scene).add(view.object);
      if (part.backdrop) this.fitLight();
    }
    if (view instanceof VolumePart) view.opacity = this.volumeOpacity;
    return view;
  }

  private makeView(part: Part): PartView {
    switch (part.kind) {
      case "triangles":
      case "height":
        return new MeshPart(part, this.daylight);
      case "points":
        return new PointsPart(part, this, this.daylight);
      case "curves":
        return new CurvesPart(part, this, this.daylight);
      case "vectors":
        return new VectorsPart(part, this);
      case "volume":
        return new VolumePart(part, this.daylight);
    }
  }

  private remove(name: string): void {
    const view = this.parts.get(name);
    view?.object.removeFromParent();
    view?.dispose();
    this.parts.delete(name);
  }

  private applyVisibility(): void {
    for (const view of this.parts.values()) {
      const hidden = this.hidden.has(view.system || view.name) || (view instanceof VectorsPart && !this.showVectors);
      view.object.visible = !hidden;
      view.setWire(this.wire && view.system !== "");
    }
  }

  // A floor of the scene's own stands in for the ground.
  private fitLight(): void {
    const haveFloor = [...this.parts.values()].some(
      (p) => p.backdrop && p.system === "" && !(p instanceof VectorsPart),
    );
    this.daylight.fit(this.bounds, haveFloor);
  }

  private findRange(frame: Frame): void {
    let min = Infinity;
    let max = -Infinity;
    for (const part of frame.parts) {
      const list: { name: string; min: number; max: number }[] =
        part.kind === "volume" ? part.fields : part.kind === "vectors" ? [] : part.attributes;
      const found = list.find((a) => a.name === this.colouring.attribute);
      if (!found) continue;
      min = Math.min(min, found.min);
      max = Math.max(max, found.max);
    }
    if (min > max) return;
    this.colouring.min = min;
    this.colouring.max = max > min ? max : min + 1e-9;
  }

  private updateArrows(frame: Frame): void {
    const wanted = new Set<string>();
    if (this.velocityArrows)
      for (const part of frame.parts) {
        if (part.kind === "volume" || part.kind === "vectors" || part.kind === "height" || this.hidden.has(part.system))
          continue;
        const velocity = part.attributes.find((a: Attribute) => a.name === "velocity" && a.components === 3);
        if (!velocity) continue;
        wanted.add(part.name);
        let arrows = this.arrows.get(part.name);
        if (!arrows) {
          arrows = new Arrows(new Color("#e2622f"));
          this.arrows.set(part.name, arrows);
          this.scene.add(arrows.object);
        }
        arrows.update(part.positions, velocity.values, 0.07 * this.sceneSize());
      }
    for (const [name, arrows] of [...this.arrows]) {
      if (wanted.has(name)) continue;
      arrows.object.removeFromParent();
      arrows.dispose();
      this.arrows.delete(name);
    }
  }
}
