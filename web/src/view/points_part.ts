// Points as lit balls: one square per point, whose pixels work out the ball's surface, its normal and its depth.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Points,
  ShaderMaterial,
  Vector3,
  type Camera,
  type WebGLRenderer,
  Vector2,
  type PerspectiveCamera,
} from "three";
import type { Part, PointsPart as PointsData } from "../protocol";
import { paint, type Colouring } from "./colours";
import type { Daylight } from "./daylight";
import { linearColour } from "./look";
import type { PartView, Surroundings } from "./part_view";
import { pickPoints, rayMeetsBox, type Hit, type Ray } from "./picking";

const VERTEX = /* glsl */ `
uniform float radius;
uniform float pixelsPerUnit; // at distance 1
uniform bool painted;
uniform vec3 colour;
attribute vec3 tint;
varying vec3 base;
varying vec3 centre;
void main() {
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  centre = eye.xyz;
  base = painted ? tint : colour;
  gl_Position = projectionMatrix * eye;
  gl_PointSize = max(2.0, 2.1 * radius * pixelsPerUnit / max(0.001, -eye.z));
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
uniform float radius;
uniform mat4 projectionMatrix;
uniform vec3 sunDirection; // in eye space
uniform vec3 sunColour;
uniform vec3 skyColour;
uniform vec3 groundColour;
uniform vec3 upDirection;
varying vec3 base;
varying vec3 centre;
void main() {
  vec2 at = gl_PointCoord * 2.1 - 1.05;
  float square = dot(at, at);
  if (square > 1.0) discard;
  vec3 normal = vec3(at.x, -at.y, sqrt(1.0 - square));
  vec4 clip = projectionMatrix * vec4(centre + radius * normal, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  vec3 ambient = mix(groundColour, skyColour, 0.5 + 0.5 * dot(normal, upDirection));
  vec3 light = ambient + sunColour * max(0.0, dot(normal, sunDirection));
  vec3 halfway = normalize(sunDirection + normalize(-centre));
  gl_FragColor = vec4(base * light + 0.08 * sunColour * pow(max(0.0, dot(normal, halfway)), 40.0), 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`;

const DEPTH_FRAGMENT = /* glsl */ `
precision highp float;
#include <packing>
varying vec3 base;
varying vec3 centre;
void main() {
  vec2 at = gl_PointCoord * 2.0 - 1.0;
  if (dot(at, at) > 1.0) discard;
  gl_FragColor = packDepthToRGBA(gl_FragCoord.z);
}`;

// The shadow camera is orthographic: its pixels per metre do not depend on the distance.
const DEPTH_VERTEX = VERTEX.replace("/ max(0.001, -eye.z)", "");

export class PointsPart implements PartView {
  readonly object: Points<BufferGeometry, ShaderMaterial>;
  readonly bounds = new Box3();
  readonly name: string;
  readonly system: string;
  readonly backdrop: boolean;
  private positions: Float32Array = new Float32Array(0);
  private radius = 0.01;

  constructor(
    part: PointsData,
    private readonly surroundings: Surroundings,
    daylight: Daylight,
  ) {
    this.name = part.name;
    this.system = part.system;
    this.backdrop = part.backdrop;
    const uniforms = {
      radius: { value: 0.01 },
      pixelsPerUnit: { value: 500 },
      painted: { value: false },
      colour: { value: linearColour(part.colour) },
      sunDirection: { value: new Vector3(0, 1, 0) },
      upDirection: { value: new Vector3(0, 1, 0) },
      sunColour: { value: daylight.sunOnBalls },
      skyColour: { value: daylight.skyOnBalls },
      groundColour: { value: daylight.groundOnBalls },
    };
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.castShadow = true;
    const shadowScale = { value: 100 };
    this.object.customDepthMaterial = new ShaderMaterial({
      vertexShader: DEPTH_VERTEX,
      fragmentShader: DEPTH_FRAGMENT,
      uniforms: { ...uniforms, pixelsPerUnit: shadowScale },
    });
    const size = new Vector2();
    this.object.onBeforeRender = (renderer: WebGLRenderer, _scene: unknown, camera: Camera) => {
      const perspective = camera as PerspectiveCamera;
      renderer.getDrawingBufferSize(size);
      const target = renderer.getRenderTarget();
      const height = target ? target.height : size.y;
      uniforms.pixelsPerUnit.value = 0.5 * height * perspective.projectionMatrix.elements[5];
      uniforms.sunDirection.value.copy(daylight.sunDirection).transformDirection(camera.matrixWorldInverse);
      uniforms.upDirection.value.set(0, 1, 0).transformDirection(camera.matrixWorldInverse);
      material.uniformsNeedUpdate = true;
    };
    this.object.onBeforeShadow = () => {
      shadowScale.value = daylight.shadowPixelsPerMetre;
    };
  }

  update(part: Part, colouring: Colouring): void {
    if (part.kind !== "points") return;
    this.positions = part.positions;
    this.radius = part.radius > 0 ? part.radius : 0.004 * this.surroundings.sceneSize();
    const geometry = this.object.geometry;
    const count = part.positions.length / 3;
    let position = geometry.getAttribute("position") as BufferAttribute | undefined;
    if (!position || position.count < count) {
      const capacity = position ? Math.ceil(count * 1.5) : count; // sprays grow: not every frame a new buffer
      geometry.dispose();
      position = new BufferAttribute(new Float32Array(3 * capacity), 3).setUsage(DynamicDrawUsage);
      geometry.setAttribute("position", position);
      const tint = new BufferAttribute(new Uint8Array(3 * capacity), 3, true).setUsage(DynamicDrawUsage);
      geometry.setAttribute("tint", tint);
    }
    (position.array as Float32Array).set(part.positions);
    position.needsUpdate = true;
    geometry.setDrawRange(0, count);
    this.bounds.setFromArray(part.positions);
    const uniforms = this.object.material.uniforms;
    uniforms.radius.value = this.radius;
    const attribute = part.attributes.find((a) => a.name === colouring.attribute);
    uniforms.painted.value = Boolean(attribute);
    if (attribute) {
      const tint = geometry.getAttribute("tint") as BufferAttribute;
      paint((tint.array as Uint8Array).subarray(0, 3 * count), attribute.values, attribute.components, colouring);
      tint.needsUpdate = true;
    }
  }

  setWire(): void {} // a ball has no edges to show

  pick(ray: Ray): Hit | null {
    if (!rayMeetsBox(ray, this.bounds.min.toArray(), this.bounds.max.toArray(), 4 * this.radius)) return null;
    return pickPoints(ray, this.positions, this.radius);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.object.customDepthMaterial?.dispose();
  }
}
