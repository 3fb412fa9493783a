// Mouse, touch and keys, turned into movements of the camera and into actions on bodies. A drag that begins on a
// body which can be taken hold of does so; elsewhere it turns the view.
import type { Stage, BodyHit } from "./view/stage";
import type { Ray } from "./view/picking";

export type Point = [number, number, number];

export interface InputCommands {
  tool(): string;
  can(system: string, action: string): boolean;
  event(system: string, action: string, args: Record<string, unknown>): void;
  act(action: string, hit: BodyHit, ray: Ray): void;
  playPause(): void;
  step(): void;
  reset(): void;
  throwAlong(ray: Ray): void;
  source(ray: Ray): void;
  togglePanels(): void;
  toggleShadows(): void;
  toggleHelp(): void;
  screenshot(): void;
  projectileSize(factor: number): void;
}

interface Grab {
  pointer: number;
  system: string;
  plane: Point; // the target keeps this point's depth
  offset: Point;
  pending: Point | null; // sent once per animation frame
}

const FLY_KEYS: Record<string, [number, number, number]> = {
  w: [1, 0, 0],
  s: [-1, 0, 0],
  d: [0, 1, 0],
  a: [0, -1, 0],
  e: [0, 0, 1],
  q: [0, 0, -1],
};

export class Input {
  private readonly pointers = new Map<number, { x: number; y: number; mode: "orbit" | "pan" | "none" }>();
  private grab: Grab | null = null;
  private cursor: { x: number; y: number } | null = null;
  private readonly held = new Set<string>();
  private hoverAsked = false;

  constructor(
    private readonly stage: Stage,
    private readonly commands: InputCommands,
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointercancel", (e) => this.up(e));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    window.addEventListener("keydown", (e) => this.key(e));
    window.addEventListener("keyup", (e) => this.held.delete(e.key.toLowerCase()));
    window.addEventListener("blur", () => this.held.clear());
  }

  // Once per animation frame.
  tick(seconds: number): void {
    if (this.held.size > 0) {
      const sum = [0, 0, 0];
      for (const key of this.held) FLY_KEYS[key]?.forEach((v, i) => (sum[i] += v));
      this.stage.rig.fly(sum[0], sum[1], sum[2], Math.min(0.1, seconds));
      this.stage.moved();
    }
    if (this.grab?.pending) {
      this.commands.event(this.grab.system, "drag", { target: this.grab.pending });
      this.grab.pending = null;
    }
    if (this.hoverAsked) this.hover();
  }

  get grabbing(): boolean {
    return this.grab !== null;
  }

  letGo(): void {
    this.grab = null;
    this.stage.canvas.classList.remove("grabbing");
  }

  cursorRay(pixels = 6): Ray {
    const { clientWidth: width, clientHeight: height } = this.stage.canvas;
    const at = this.cursor ?? { x: width / 2, y: height / 2 };
    return this.stage.rig.ray((2 * at.x) / width - 1, 1 - (2 * at.y) / height, height, pixels);
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    const at = this.place(event);
    this.cursor = at;
    this.stage.canvas.focus({ preventScroll: true });
    this.stage.canvas.setPointerCapture(event.pointerId);
    const entry = { ...at, mode: "none" as "orbit" | "pan" | "none" };
    this.pointers.set(event.pointerId, entry);
    if (this.pointers.size > 1) {
      if (this.grab) this.release();
      return; // two fingers: the camera's
    }
    const ray = this.cursorRay(event.pointerType === "touch" ? 18 : 6);
    const hit = this.stage.pick(ray);
    if (event.button === 1) {
      event.preventDefault();
      if (hit && this.commands.can(hit.system, "push")) this.commands.act("push", hit, ray);
      else entry.mode = "pan";
      return;
    }
    const second = event.button === 2 || event.shiftKey;
    const tool = second ? "grab" : this.commands.tool();
    if (hit && this.commands.can(hit.system, tool)) {
      if (tool === "grab") this.take(event.pointerId, hit, ray);
      else this.commands.act(tool, hit, ray);
      return;
    }
    entry.mode = second ? "pan" : "orbit";
  }

  private take(pointer: number, hit: BodyHit, ray: Ray): void {
    const start = this.stage.rig.onPlane(ray, hit.point);
    const offset: Point = [hit.point[0] - start[0], hit.point[1] - start[1], hit.point[2] - start[2]];
    this.grab = { pointer, system: hit.system, plane: hit.point, offset, pending: null };
    this.stage.canvas.classList.add("grabbing");
    this.commands.event(hit.system, "grab", { point: hit.point, target: hit.point });
  }

  private move(event: PointerEvent): void {
    const at = this.place(event);
    const entry = this.pointers.get(event.pointerId);
    if (event.isPrimary) this.cursor = at;
    if (!entry) {
      this.hoverAsked = event.pointerType === "mouse";
      return;
    }
    const dx = at.x - entry.x;
    const dy = at.y - entry.y;
    if (this.pointers.size === 2) this.pinch(event.pointerId, at, dx, dy);
    else if (this.grab?.pointer === event.pointerId) {
      const target = this.stage.rig.onPlane(this.cursorRay(), this.grab.plane);
      const { offset } = this.grab;
      this.grab.pending = [target[0] + offset[0], target[1] + offset[1], target[2] + offset[2]];
    } else if (entry.mode === "orbit") {
      this.stage.rig.orbit(dx, dy);
      this.stage.moved();
    } else if (entry.mode === "pan") {
      this.stage.rig.pan(dx, dy, this.stage.canvas.clientHeight);
      this.stage.moved();
    }
    entry.x = at.x;
    entry.y = at.y;
  }

  private pinch(id: number, at: { x: number; y: number }, dx: number, dy: number): void {
    const other = [...this.pointers].find(([key]) => key !== id)?.[1];
    const own = this.pointers.get(id);
    if (!other || !own) return;
    const before = Math.hypot(own.x - other.x, own.y - other.y);
    const after = Math.hypot(at.x - other.x, at.y - other.y);
    if (before > 1 && after > 1) this.stage.rig.zoom(before / after);
    this.stage.rig.pan(dx / 2, dy / 2, this.stage.canvas.clientHeight);
    this.stage.moved();
  }

  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    if (this.grab?.pointer === event.pointerId) this.release();
    // The finger that stays goes on turning the view.
    for (const rest of this.pointers.values()) rest.mode = "orbit";
  }

  private release(): void {
    if (!this.grab) return;
    if (this.grab.pending) this.commands.event(this.grab.system, "drag", { target: this.grab.pending });
    this.commands.event(this.grab.system, "release", {});
    this.letGo();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 * event.deltaY : event.deltaY;
    const factor = Math.exp(Math.max(-240, Math.min(240, lines)) * 0.0012);
    if (event.ctrlKey) this.commands.projectileSize(1 / factor);
    else {
      this.stage.rig.zoom(factor);
      this.stage.moved();
    }
  }

  private hover(): void {
    this.hoverAsked = false;
    if (this.pointers.size > 0) return;
    const hit = this.stage.pick(this.cursorRay());
    const able = hit !== null && this.commands.can(hit.system, this.commands.tool());
    this.stage.canvas.classList.toggle("can-grab", able);
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const typing = target.matches("input:not([type=checkbox], [type=radio], [type=range]), select, textarea");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (key === " " && target.matches("button, summary, input, a")) return; // theirs
    if (key.startsWith("arrow") && target !== this.stage.canvas && target !== document.body) return;
    if (FLY_KEYS[key]) {
      this.held.add(key);
      return;
    }
    if (event.repeat && !key.startsWith("arrow") && !["+", "-", "=", "o"].includes(key)) return;
    if (this.command(key)) event.preventDefault();
  }

  private command(key: string): boolean {
    const { commands, stage } = this;
    const turn: Record<string, [number, number]> = {
      arrowleft: [-14, 0],
      arrowright: [14, 0],
      arrowup: [0, -14],
      arrowdown: [0, 14],
    };
    const table: Record<string, () => void> = {
      p: () => commands.playPause(),
      o: () => commands.step(),
      r: () => commands.reset(),
      " ": () => commands.throwAlong(this.cursorRay()),
      m: () => commands.source(this.cursorRay()),
      h: () => stage.home(),
      c: () => commands.screenshot(),
      f3: () => commands.togglePanels(),
      b: () => commands.togglePanels(),
      f5: () => commands.toggleShadows(),
      l: () => commands.toggleShadows(),
      f1: () => commands.toggleHelp(),
      "?": () => commands.toggleHelp(),
      "+": () => stage.rig.zoom(0.9),
      "=": () => stage.rig.zoom(0.9),
      "-": () => stage.rig.zoom(1 / 0.9),
    };
    const move = turn[key];
    if (move) stage.rig.orbit(move[0], move[1]);
    else if (table[key]) table[key]();
    else return false;
    stage.moved();
    return true;
  }
}
