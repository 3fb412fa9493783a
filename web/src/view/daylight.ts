// Sun, sky and ground: the light of the scene file turned into a renderer's lights, the picture of the sky behind
// everything and reflected in everything, and a ground that fades into the horizon and carries a faint grid.
import {
  BackSide,
  CircleGeometry,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  MeshLambertMaterial,
  PMREMGenerator,
  Scene as ThreeScene,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
  type Box3,
  type Texture,
  type WebGLRenderer,
} from "three";
import type { Light, Vec3 } from "../protocol";

const DEFAULTS = {
  sun_direction: [0.45, 0.8, 0.4] as Vec3,
  sun_colour: [2.6, 2.45, 2.2] as Vec3,
  sky_zenith: [0.35, 0.5, 0.75] as Vec3,
  sky_horizon: [0.85, 0.88, 0.92] as Vec3,
  ground_colour: [0.55, 0.55, 0.53] as Vec3,
};

const SKY_VERTEX = /* glsl */ `
varying vec3 direction;
void main() {
  direction = position;
  vec4 at = projectionMatrix * mat4(mat3(modelViewMatrix)) * vec4(position, 1.0);
  gl_Position = at.xyww; // at the far plane
}`;
const SKY_FRAGMENT = /* glsl */ `
uniform vec3 zenith;
uniform vec3 horizon;
uniform vec3 nadir;
varying vec3 direction;
void main() {
  float up = normalize(direction).y;
  vec3 sky = up > 0.0 ? mix(horizon, zenith, pow(up, 0.55)) : mix(horizon, nadir, min(1.0, -4.0 * up));
  gl_FragColor = vec4(sky, 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`;

function skyMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: SKY_VERTEX,
    fragmentShader: SKY_FRAGMENT,
    uniforms: {
      zenith: { value: new Color() },
      horizon: { value: new Color() },
      nadir: { value: new Color() },
    },
    side: BackSide,
    depthWrite: false,
  });
}

// Lines every `cell` metres, a pixel wide at any distance, and nothing beyond `reach`.
function groundMaterial(): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ transparent: true });
  const uniforms = { cell: { value: 1 }, reach: { value: 10 }, ink: { value: 0.1 } };
  material.userData.uniforms = uniforms;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onGround;\nvarying vec2 fromMiddle;")
      .replace(
        "#include <begin_vertex>",
        "#include <begin_vertex>\nonGround = (modelMatrix * vec4(position, 1.0)).xz;\nfromMiddle = position.xy;",
      );
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
        varying vec2 onGround;
        varying vec2 fromMiddle;
        uniform float cell;
        uniform float reach;
        uniform float ink;
        float lines(vec2 at) {
          vec2 width = fwidth(at);
          vec2 off = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
          float fade = 1.0 - smoothstep(0.15, 0.6, max(width.x, width.y));
          return fade * (1.0 - min(1.0, min(off.x, off.y)));
        }`,
      )
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        diffuseColor.rgb *= 1.0 - ink * max(lines(onGround / cell), 0.6 * lines(onGround / cell * 5.0));
        diffuseColor.a *= 1.0 - smoothstep(0.35, 1.0, length(fromMiddle) / reach);`,
      );
  };
  return material;
}

export class Daylight {
  readonly group = new Group();
  readonly sun = new DirectionalLight();
  private readonly dome = new HemisphereLight();
  readonly sunDirection = new Vector3(0.45, 0.8, 0.4).normalize();
  readonly sunOnBalls = new Color();
  readonly skyOnBalls = new Color();
  readonly groundOnBalls = new Color();
  environment: Texture | null = null;
  exposure = 1;
  shadowPixelsPerMetre = 100;
  private readonly sky = new Mesh(new SphereGeometry(1, 48, 32), skyMaterial());
  private readonly ground = new Mesh(new CircleGeometry(1, 64), groundMaterial());
  private light: Light = {};
  private dark = false;

  constructor(
    private readonly renderer: WebGLRenderer,
    shadowPixels: number,
  ) {
    this.sky.frustumCulled = false;
    this.sky.renderOrder = 1; // after the solid things: only the pixels that stay free
    this.ground.rotation.x = -Math.PI / 2;
    this.ground.receiveShadow = true;
    this.ground.renderOrder = -5;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(shadowPixels);
    this.sun.shadow.bias = -0.0012; // no bias along normals: sheets are seen from both sides
    this.sun.shadow.radius = 3;
    this.group.add(this.sky, this.ground, this.sun, this.sun.target, this.dome);
  }

  setLight(light: Light): void {
    this.light = light;
    this.apply();
  }

  setDark(dark: boolean): void {
    this.dark = dark;
    this.apply();
  }

  // The shadow's box, the ground's height and its reach follow what there is to see.
  fit(bounds: Box3, haveFloor: boolean): void {
    const centre = bounds.getCenter(new Vector3());
    const size = Math.max(0.2, bounds.getSize(new Vector3()).length());
    const reach = 0.75 * size;
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).addScaledVector(this.sunDirection, 2 * size);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.2 * size;
    camera.far = 5 * size;
    camera.updateProjectionMatrix();
    this.shadowPixelsPerMetre = this.sun.shadow.mapSize.x / (2 * reach);
    const given = this.light.ground_height;
    this.ground.position.set(centre.x, typeof given === "number" ? given : bounds.min.y - 0.002 * size, centre.z);
    this.ground.visible = this.light.ground !== false && !haveFloor;
    const uniforms = this.ground.material.userData.uniforms as Record<string, { value: number }>;
    this.ground.scale.setScalar(8 * size);
    uniforms.reach.value = 1;
    uniforms.cell.value = 10 ** Math.ceil(Math.log10(size / 6));
  }

  setShadows(on: boolean): void {
    this.sun.castShadow = on;
  }

  private apply(): void {
    const { light, dark } = this;
    const sun = light.sun_colour ?? DEFAULTS.sun_colour;
    const dim = dark ? 0.035 : 1;
    this.sunDirection.fromArray(light.sun_direction ?? DEFAULTS.sun_direction).normalize();
    this.exposure = light.exposure ?? 1;
    const strength = Math.max(sun[0], sun[1], sun[2], 1e-6);
    this.sun.color.setRGB(sun[0] / strength, sun[1] / strength, sun[2] / strength);
    this.sun.intensity = 0.95 * strength * (dark ? 0.85 : 1);
    const zenith = new Color().fromArray(light.sky_zenith ?? DEFAULTS.sky_zenith);
    const horizon = new Color().fromArray(light.sky_horizon ?? DEFAULTS.sky_horizon);
    const ground = new Color().fromArray(light.ground_colour ?? DEFAULTS.ground_colour);
    this.environment?.dispose();
    this.environment = this.makeEnvironment(zenith, horizon, ground);
    this.setSky(
      this.sky.material,
      zenith.clone().multiplyScalar(dim),
      horizon.clone().multiplyScalar(dim),
      dim,
      horizon,
    );
    this.ground.material.color.copy(ground).multiplyScalar(dark ? 0.07 : 1.12);
    (this.ground.material.userData.uniforms as Record<string, { value: number }>).ink.value = dark ? -0.55 : 0.14;
    this.dome.color.copy(zenith).lerp(horizon, 0.55);
    this.dome.groundColor.copy(ground).multiplyScalar(0.7);
    this.dome.intensity = 2.2;
    this.sunOnBalls.copy(this.sun.color).multiplyScalar(this.sun.intensity / Math.PI);
    this.skyOnBalls.copy(zenith).lerp(horizon, 0.5).multiplyScalar(0.75);
    this.groundOnBalls.copy(ground).multiplyScalar(0.35);
  }

  private setSky(material: ShaderMaterial, zenith: Color, horizon: Color, dim: number, below: Color): void {
    material.uniforms.zenith.value.copy(zenith);
    material.uniforms.horizon.value.copy(horizon);
    material.uniforms.nadir.value.copy(below).multiplyScalar(0.92 * dim);
  }

  // The same sky as an image-based light: soft light from above, reflections in glossy things.
  private makeEnvironment(zenith: Color, horizon: Color, ground: Color): Texture {
    const scene = new ThreeScene();
    const ball = new Mesh(new SphereGeometry(1, 32, 16), skyMaterial());
    this.setSky(ball.material, zenith, horizon, 1, ground);
    scene.add(ball);
    const generator = new PMREMGenerator(this.renderer);
    const texture = generator.fromScene(scene, 0, 0.01, 10).texture;
    generator.dispose();
    ball.geometry.dispose();
    ball.material.dispose();
    return texture;
  }
}
