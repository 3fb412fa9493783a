// Draws the scene. Without volumes straight to the screen; with them first into a picture with a depth texture, then
// the volumes into a coarser picture that reads this depth, then both together onto the screen.
import {
  DepthTexture,
  FloatType,
  HalfFloatType,
  LinearFilter,
  Matrix4,
  Mesh,
  NearestFilter,
  OrthographicCamera,
  PlaneGeometry,
  Scene as ThreeScene,
  ShaderMaterial,
  UnsignedIntType,
  Vector2,
  WebGLRenderTarget,
  type PerspectiveCamera,
  type WebGLRenderer,
} from "three";
import type { VolumePart, VolumeQuality } from "./volume_part";

const VERTEX = /* glsl */ `
varying vec2 at;
void main() {
  at = uv;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;
const FRAGMENT = /* glsl */ `
uniform sampler2D solid;
uniform sampler2D volume;
varying vec2 at;
void main() {
  vec4 mist = texture2D(volume, at);
  gl_FragColor = vec4(texture2D(solid, at).rgb * (1.0 - mist.a) + mist.rgb, 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`;

export class Compositor {
  private readonly solid: WebGLRenderTarget;
  private readonly mist: WebGLRenderTarget;
  private readonly material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { solid: { value: null }, volume: { value: null } },
    depthTest: false,
    depthWrite: false,
  });
  private readonly screen = new ThreeScene();
  private readonly screenCamera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly size = new Vector2();
  private readonly worldFromClip = new Matrix4();

  constructor(
    private readonly renderer: WebGLRenderer,
    samples: number,
  ) {
    // A picture of half floats where the browser can draw into one: light beyond white survives until tone mapping.
    const type = renderer.extensions.has("EXT_color_buffer_float") ? HalfFloatType : FloatType;
    this.solid = new WebGLRenderTarget(1, 1, { type, samples, minFilter: LinearFilter, magFilter: LinearFilter });
    this.solid.depthTexture = new DepthTexture(1, 1, UnsignedIntType);
    this.solid.depthTexture.minFilter = this.solid.depthTexture.magFilter = NearestFilter;
    this.mist = new WebGLRenderTarget(1, 1, {
      type,
      depthBuffer: false,
      minFilter: LinearFilter,
      magFilter: LinearFilter,
    });
    const quad = new Mesh(new PlaneGeometry(2, 2), this.material);
    quad.frustumCulled = false;
    this.screen.add(quad);
  }

  draw(
    scene: ThreeScene,
    volumes: { scene: ThreeScene; parts: VolumePart[] },
    camera: PerspectiveCamera,
    quality: VolumeQuality & { resolution: number },
  ): void {
    const { renderer } = this;
    if (volumes.parts.length === 0) {
      renderer.setRenderTarget(null);
      renderer.render(scene, camera);
      return;
    }
    renderer.getDrawingBufferSize(this.size);
    const { x: width, y: height } = this.size;
    if (this.solid.width !== width || this.solid.height !== height) this.solid.setSize(width, height);
    const w = Math.max(1, Math.round(width * quality.resolution));
    const h = Math.max(1, Math.round(height * quality.resolution));
    if (this.mist.width !== w || this.mist.height !== h) this.mist.setSize(w, h);
    renderer.setRenderTarget(this.solid);
    renderer.render(scene, camera);

    this.worldFromClip.copy(camera.matrixWorld).multiply(camera.projectionMatrixInverse);
    const coarse = new Vector2(w, h);
    for (const part of volumes.parts)
      if (this.solid.depthTexture) part.prepare(this.solid.depthTexture, this.worldFromClip, coarse, quality);
    renderer.setRenderTarget(this.mist);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    renderer.render(volumes.scene, camera);

    this.material.uniforms.solid.value = this.solid.texture;
    this.material.uniforms.volume.value = this.mist.texture;
    renderer.setRenderTarget(null);
    renderer.render(this.screen, this.screenCamera);
  }
}
