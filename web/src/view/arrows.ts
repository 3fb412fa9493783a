// Arrows for velocities and contacts: one instanced arrow each, at most a few hundred (evenly chosen), the longest
// as long as a set share of the scene.
import {
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  Quaternion,
  Vector3,
  Color,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const MOST = 500;
const UP = new Vector3(0, 1, 0);

function arrowGeometry(): BufferGeometry {
  const shaft = new CylinderGeometry(0.018, 0.018, 0.74, 6).translate(0, 0.37, 0);
  const head = new ConeGeometry(0.06, 0.26, 8).translate(0, 0.87, 0);
  return mergeGeometries([shaft, head]);
}

export class Arrows {
  readonly object: InstancedMesh<BufferGeometry, MeshStandardMaterial>;

  constructor(colour: Color) {
    const material = new MeshStandardMaterial({
      color: colour,
      roughness: 0.6,
      emissive: colour,
      emissiveIntensity: 0.25,
    });
    this.object = new InstancedMesh(arrowGeometry(), material, MOST);
    this.object.frustumCulled = false;
    this.object.count = 0;
  }

  // `longest`: metres on the screen for the largest of the vectors.
  update(positions: Float32Array, values: Float32Array, longest: number): void {
    const count = positions.length / 3;
    let largest = 0;
    for (let i = 0; i < values.length; i += 3) {
      const square = values[i] ** 2 + values[i + 1] ** 2 + values[i + 2] ** 2;
      if (square > largest) largest = square;
    }
    largest = Math.sqrt(largest);
    const stride = Math.max(1, Math.ceil(count / MOST));
    const at = new Vector3();
    const value = new Vector3();
    const scale = new Vector3();
    const turn = new Quaternion();
    const matrix = new Matrix4();
    let shown = 0;
    for (let i = 0; i < count && largest > 0; i += stride) {
      value.fromArray(values, 3 * i);
      const length = (longest * value.length()) / largest;
      if (length < 0.02 * longest) continue;
      turn.setFromUnitVectors(UP, value.normalize());
      const width = 0.35 * longest + 0.25 * length;
      at.fromArray(positions, 3 * i);
      this.object.setMatrixAt(shown++, matrix.compose(at, turn, scale.set(width, length, width)));
    }
    this.object.count = shown;
    this.object.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.object.dispose();
  }
}
