// A camera that circles a target, comes nearer, shifts sideways and flies. Up is the scene's up (+y); the view never
// tips over the pole.
import { PerspectiveCamera, Vector3, type Box3 } from "three";
import type { CameraInfo } from "../protocol";
import { along, type Ray } from "./picking";

const STEEPEST = 1.54; // radians

export class CameraRig {
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 100);
  readonly target = new Vector3();
  private azimuth = 0.6;
  private elevation = 0.3;
  private distance = 3;
  private sceneSize = 2;

  get up(): Vector3 {
    return this.camera.up;
  }

  // The whole box in sight, from slightly above.
  frame(bounds: Box3): void {
    bounds.getCenter(this.target);
    this.sceneSize = Math.max(0.05, bounds.getSize(new Vector3()).length());
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    this.distance = (0.47 * this.sceneSize) / (Math.tan(half) * narrow);
    this.camera.fov = 40;
    this.azimuth = 0.6;
    this.elevation = 0.28;
    this.place();
  }

  take(info: CameraInfo, bounds: Box3): void {
    this.sceneSize = Math.max(0.05, bounds.getSize(new Vector3()).length());
    this.camera.fov = info.field_of_view;
    this.target.fromArray(info.target);
    const offset = new Vector3().fromArray(info.position).sub(this.target);
    this.distance = Math.max(1e-3, offset.length());
    this.azimuth = Math.atan2(offset.x, offset.z);
    this.elevation = Math.asin(Math.min(1, Math.max(-1, offset.y / this.distance)));
    // A picture that is higher than wide sees less to the sides: step back.
    if (this.camera.aspect < 1) this.distance /= Math.max(0.4, this.camera.aspect);
    this.place();
  }

  resize(aspect: number): void {
    this.camera.aspect = aspect;
    this.place();
  }

  orbit(dx: number, dy: number): void {
    this.azimuth -= dx * 0.006;
    this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + dy * 0.006));
    this.place();
  }

  zoom(factor: number): void {
    this.distance = Math.min(60 * this.sceneSize, Math.max(0.02 * this.sceneSize, this.distance * factor));
    this.place();
  }

  // By pixels of a window of this height: what is at the target's depth follows the cursor.
  pan(dx: number, dy: number, height: number): void {
    const perPixel = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * perPixel).addScaledVector(up, dy * perPixel);
    this.place();
  }

  // Metres per second grow with the scene; `seconds` since the last call.
  fly(forward: number, right: number, up: number, seconds: number): void {
    const step = 0.6 * this.sceneSize * seconds;
    const ahead = this.camera.getWorldDirection(new Vector3());
    const side = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    this.target
      .addScaledVector(ahead, forward * step)
      .addScaledVector(side, right * step)
      .addScaledVector(new Vector3(0, 1, 0), up * step);
    this.place();
  }

  // x, y: −1…1, as in the picture, y up. `pixels`: radius of the finger or cursor.
  ray(x: number, y: number, height: number, pixels: number): Ray {
    const direction = new Vector3(x, y, 0.5).unproject(this.camera).sub(this.camera.position).normalize();
    const spread = (2 * pixels * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    return { origin: this.camera.position.toArray(), direction: direction.toArray(), spread };
  }

  // Where the ray meets the plane through `point` that is parallel to the picture.
  onPlane(ray: Ray, point: [number, number, number]): [number, number, number] {
    const normal = this.camera.getWorldDirection(new Vector3());
    const offset = new Vector3().fromArray(point).sub(this.camera.position).dot(normal);
    const slope = new Vector3().fromArray(ray.direction).dot(normal);
    return slope > 1e-6 ? along(ray, offset / slope) : point;
  }

  project(point: [number, number, number], width: number, height: number): [number, number] {
    const at = new Vector3().fromArray(point).project(this.camera);
    return [(0.5 + 0.5 * at.x) * width, (0.5 - 0.5 * at.y) * height];
  }

  private place(): void {
    const { camera } = this;
    const flat = Math.cos(this.elevation) * this.distance;
    camera.position.set(
      this.target.x + flat * Math.sin(this.azimuth),
      this.target.y + Math.sin(this.elevation) * this.distance,
      this.target.z + flat * Math.cos(this.azimuth),
    );
    camera.near = Math.max(1e-3, 0.01 * this.distance);
    camera.far = this.distance + 20 * this.sceneSize;
    camera.lookAt(this.target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }
}
