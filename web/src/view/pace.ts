// How many pixels a browser can afford: fewer when drawing takes long, back to all of them when it is quick again.

const SLOW = 45; // ms per picture
const QUICK = 22;
export const COARSEST = 0.5;

export class Pace {
  scale = 1;
  private last = 0;
  private mean = 0;
  private count = 0;

  drew(now: number): void {
    const took = now - this.last;
    const first = this.last === 0;
    this.last = now;
    if (first || took > 2000) return;
    this.mean = this.count === 0 ? took : this.mean + 0.3 * (took - this.mean);
    if (++this.count < 6) return;
    if (this.mean > SLOW && this.scale > COARSEST) this.change(Math.max(COARSEST, this.scale * 0.75));
    else if (this.mean < QUICK && this.scale < 1 && this.count > 60) this.change(Math.min(1, this.scale * 1.25));
  }

  // Nothing to draw: the pause says nothing about the speed.
  rest(): void {
    this.last = 0;
  }

  private change(scale: number): void {
    this.scale = scale;
    this.count = 0;
  }
}

// Mesa's and Chromium's software drivers name themselves.
export function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(gl?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render/i.test(name);
}
