// A volume: its cells in a 3-D texture, marched by a fragment shader over the box. Absorption along the ray, light of
// the sun dimmed by a few samples towards it, glow for fire. Drawn into a picture of its own that may be coarser than
// the screen, against the depth of what was drawn before (compositor.ts).
import {
  BackSide,
  Box3,
  BoxGeometry,
  Color,
  CustomBlending,
  Data3DTexture,
  DataTexture,
  AddEquation,
  LinearFilter,
  Matrix4,
  Mesh,
  OneFactor,
  OneMinusSrcAlphaFactor,
  RedFormat,
  ShaderMaterial,
  UnsignedByteType,
  Vector2,
  Vector3,
  type Texture,
} from "three";
import type { Part, VolumePart as VolumeData } from "../protocol";
import { scaleTable, type Colouring } from "./colours";
import type { Daylight } from "./daylight";
import { linearColour } from "./look";
import type { PartView } from "./part_view";
import { along, rayMeetsBox, type Hit, type Ray } from "./picking";

const VERTEX = /* glsl */ `
varying vec3 world;
void main() {
  vec4 at = modelMatrix * vec4(position, 1.0);
  world = at.xyz;
  gl_Position = projectionMatrix * viewMatrix * at;
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
precision highp sampler3D;
uniform sampler3D cells;
uniform sampler3D glow;
uniform sampler2D scale;
uniform sampler2D depth;
uniform mat4 worldFromClip;
uniform vec2 size;
uniform vec3 low;
uniform vec3 high;
uniform vec3 colour;
uniform vec3 sunDirection;
uniform vec3 sunColour;
uniform vec3 skyColour;
uniform float extinction; // per metre at the largest value
uniform float emission;
uniform bool painted;
uniform int steps;
uniform int lightSteps;
varying vec3 world;

vec2 meetBox(vec3 origin, vec3 inverse) {
  vec3 a = (low - origin) * inverse;
  vec3 b = (high - origin) * inverse;
  vec3 near = min(a, b);
  vec3 far = max(a, b);
  return vec2(max(max(near.x, near.y), near.z), min(min(far.x, far.y), far.z));
}

float valueAt(vec3 at) { return texture(cells, (at - low) / (high - low)).r; }

float towardsSun(vec3 at) {
  float far = meetBox(at, 1.0 / sunDirection).y;
  float stride = min(far, 0.35 * length(high - low)) / float(lightSteps);
  float sum = 0.0;
  for (int i = 0; i < lightSteps; ++i) sum += valueAt(at + sunDirection * stride * (float(i) + 0.5));
  return exp(-extinction * stride * sum);
}

vec3 fire(float heat) {
  return vec3(1.6, 0.55, 0.14) * heat + vec3(1.2, 1.0, 0.55) * heat * heat * heat;
}

void main() {
  vec3 direction = normalize(world - cameraPosition);
  vec2 span = meetBox(cameraPosition, 1.0 / direction);
  vec2 at = gl_FragCoord.xy / size;
  vec4 behind = worldFromClip * vec4(vec3(at, texture2D(depth, at).r) * 2.0 - 1.0, 1.0);
  float stop = min(span.y, distance(cameraPosition, behind.xyz / behind.w));
  float start = max(0.0, span.x);
  if (stop <= start) discard;
  float stride = (stop - start) / float(steps);
  // Rays start at slightly different depths: grain instead of bands.
  float offset = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  vec3 light = vec3(0.0);
  float clear = 1.0;
  for (int i = 0; i < steps; ++i) {
    vec3 place = cameraPosition + direction * (start + stride * (float(i) + offset));
    float value = valueAt(place);
    if (value > 0.003) {
      float through = exp(-extinction * value * stride);
      vec3 lit = skyColour + sunColour * (lightSteps > 0 ? towardsSun(place) : 0.6);
      vec3 base = painted ? texture2D(scale, vec2(value, 0.5)).rgb : colour;
      light += clear * (1.0 - through) * base * (painted ? vec3(0.9) : lit);
      if (emission > 0.0) light += clear * emission * stride * fire(texture(glow, (place - low) / (high - low)).r);
      clear *= through;
      if (clear < 0.01) break;
    }
  }
  gl_FragColor = vec4(light, 1.0 - clear);
}`;

function cellTexture(cells: [number, number, number]): Data3DTexture {
  const texture = new Data3DTexture(new Uint8Array(cells[0] * cells[1] * cells[2]), cells[0], cells[1], cells[2]);
  texture.format = RedFormat;
  texture.type = UnsignedByteType;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.unpackAlignment = 1;
  return texture;
}

export interface VolumeQuality {
  steps: number;
  lightSteps: number;
}

export class VolumePart implements PartView {
  readonly object: Mesh<BoxGeometry, ShaderMaterial>;
  readonly bounds = new Box3();
  readonly name: string;
  readonly system: string;
  readonly backdrop: boolean;
  opacity = 1;
  private cells: Data3DTexture;
  private glow: Data3DTexture;
  private readonly fiery: boolean;

  constructor(part: VolumeData, daylight: Daylight) {
    this.name = part.name;
    this.system = part.system;
    this.backdrop = part.backdrop;
    this.fiery = part.look === "fire";
    this.cells = cellTexture(part.cells);
    this.glow = cellTexture([1, 1, 1]);
    const scale = new DataTexture(new Uint8Array(scaleTable("even")), 256, 1);
    scale.minFilter = scale.magFilter = LinearFilter;
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        cells: { value: this.cells },
        glow: { value: this.glow },
        scale: { value: scale },
        depth: { value: null },
        worldFromClip: { value: new Matrix4() },
        size: { value: new Vector2() },
        low: { value: new Vector3() },
        high: { value: new Vector3() },
        colour: { value: linearColour(part.colour) },
        sunDirection: { value: daylight.sunDirection },
        sunColour: { value: daylight.sunOnBalls },
        skyColour: { value: daylight.skyOnBalls },
        extinction: { value: 10 },
        emission: { value: 0 },
        painted: { value: false },
        steps: { value: 64 },
        lightSteps: { value: 4 },
      },
      side: BackSide,
      depthTest: false,
      depthWrite: false,
      transparent: true,
      blending: CustomBlending,
      blendEquation: AddEquation,
      blendSrc: OneFactor, // colours come multiplied by their opacity
      blendDst: OneMinusSrcAlphaFactor,
    });
    this.object = new Mesh(new BoxGeometry(1, 1, 1), material);
    this.object.frustumCulled = false;
  }

  update(part: Part, colouring: Colouring): void {
    if (part.kind !== "volume" || part.fields.length === 0) return;
    const { uniforms } = this.object.material;
    const image = this.cells.image as { width: number; height: number; depth: number };
    if (image.width !== part.cells[0] || image.height !== part.cells[1] || image.depth !== part.cells[2]) {
      this.cells.dispose();
      this.cells = cellTexture(part.cells);
      uniforms.cells.value = this.cells;
    }
    const chosen = part.fields.find((f) => f.name === colouring.attribute);
    const density = part.fields.find((f) => f.name === "density") ?? part.fields[0];
    const field = chosen ?? density;
    this.cells.image.data.set(field.values);
    this.cells.needsUpdate = true;
    this.fillGlow(part);
    this.place(part);
    uniforms.painted.value = chosen !== undefined;
    if (chosen) {
      const scale = uniforms.scale.value as DataTexture;
      scale.image.data.set(scaleTable(colouring.scale));
      scale.needsUpdate = true;
    }
    const size = this.bounds.getSize(new Vector3()).length();
    uniforms.extinction.value = (this.opacity * 38 * Math.min(1, Math.max(0.05, field.max))) / size;
  }

  prepare(depth: Texture, worldFromClip: Matrix4, size: Vector2, quality: VolumeQuality): void {
    const { uniforms } = this.object.material;
    uniforms.depth.value = depth;
    uniforms.worldFromClip.value.copy(worldFromClip);
    uniforms.size.value.copy(size);
    uniforms.steps.value = quality.steps;
    uniforms.lightSteps.value = quality.lightSteps;
  }

  setWire(): void {}

  // The middle of the box along the ray: what a push into smoke means.
  pick(ray: Ray): Hit | null {
    const { min, max } = this.bounds;
    if (!rayMeetsBox(ray, min.toArray(), max.toArray(), 0)) return null;
    const centre = this.bounds.getCenter(new Vector3());
    const d = ray.direction;
    const distance =
      (centre.x - ray.origin[0]) * d[0] + (centre.y - ray.origin[1]) * d[1] + (centre.z - ray.origin[2]) * d[2];
    return distance > 0 ? { distance, point: along(ray, distance) } : null;
  }

  dispose(): void {
    this.cells.dispose();
    this.glow.dispose();
    (this.object.material.uniforms.scale.value as DataTexture).dispose();
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  private fillGlow(part: VolumeData): void {
    const { uniforms } = this.object.material;
    const heat = part.fields.find((f) => ["temperature", "fuel", "flame"].includes(f.name));
    if (!this.fiery || !heat) return;
    if (this.glow.image.data.length !== heat.values.length) {
      this.glow.dispose();
      this.glow = cellTexture(part.cells);
      uniforms.glow.value = this.glow;
    }
    this.glow.image.data.set(heat.values);
    this.glow.needsUpdate = true;
    uniforms.emission.value = 8 / this.bounds.getSize(new Vector3()).length();
  }

  private place(part: VolumeData): void {
    const { uniforms } = this.object.material;
    const size = new Vector3(...part.cells).multiplyScalar(part.cell_size);
    this.bounds.min.fromArray(part.origin);
    this.bounds.max.copy(this.bounds.min).add(size);
    this.object.scale.copy(size);
    this.bounds.getCenter(this.object.position);
    (uniforms.low.value as Vector3).copy(this.bounds.min);
    (uniforms.high.value as Vector3).copy(this.bounds.max);
    (uniforms.colour.value as Color).copy(linearColour(part.colour));
  }
}
