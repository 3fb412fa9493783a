// Puts the page together: what the program says goes to the picture and the panels; what a user does goes to the
// program. Nothing is simulated or guessed here.
import { Connection, type Status } from "./connection";
import { Input } from "./input";
import { PROTOCOL_VERSION, type Frame, type Hello, type Scene, type ServerMessage, type State } from "./protocol";
import { ColourBar } from "./ui/colour_bar";
import { Display } from "./ui/display";
import { download, el, icon } from "./ui/dom";
import { Help } from "./ui/help";
import { Layout } from "./ui/layout";
import { Notices } from "./ui/notices";
import { Parameters } from "./ui/parameters";
import { Plots } from "./ui/plots";
import { Tools } from "./ui/tools";
import { Transport } from "./ui/transport";
import type { Ray } from "./view/picking";
import { along } from "./view/picking";
import { Stage, type BodyHit } from "./view/stage";

export class App {
  readonly stage: Stage;
  readonly connection: Connection;
  hello: Hello | null = null;
  scene: Scene | null = null;
  state: State | null = null;
  status: Status = { kind: "connecting" };
  framesTaken = 0;
  lastFrameNumber = -1;
  readonly tools: Tools;
  readonly plots = new Plots();
  private readonly notices: Notices;
  private readonly help = new Help();
  private readonly colourBar = new ColourBar();
  private readonly display: Display;
  private readonly parameters: Parameters;
  private readonly transport: Transport;
  private readonly layout: Layout;
  private readonly input: Input;
  private readonly throwButton: HTMLButtonElement;
  private waiting: Frame | null = null;
  private lastTick = 0;

  constructor(root: HTMLElement, token: string | null) {
    const canvas = el("canvas", { class: "view", tabIndex: 0, aria: { label: "The scene", role: "application" } });
    this.stage = new Stage(canvas);
    this.connection = new Connection(token, {
      status: (status) => this.onStatus(status),
      message: (message) => this.onMessage(message),
      frame: (frame) => (this.waiting = this.merged(frame)),
      error: (message, remedy) => this.notices.note(message, remedy, "error"),
    });
    this.notices = new Notices(() => this.connection.open());
    this.display = new Display(this.stage, () => this.showColours());
    this.parameters = new Parameters(
      (system, path, value) => void this.connection.send("set", { system, path, value }),
    );
    this.tools = new Tools({
      throwOne: () => this.throwAlong(this.input.cursorRay()),
      clearThrown: () => this.event("thrown", "clear", {}),
      kick: (system) => this.event(system, "kick", { velocity: [0, 2.5, 0] }),
      saveInputs: () => void this.saveInputs(),
    });
    this.transport = new Transport({
      playPause: () => this.playPause(),
      step: () => void this.connection.send("step"),
      reset: () => void this.connection.send("reset"),
      seek: (frame) => void this.connection.send("seek", { frame }),
      speed: (factor) => void this.connection.send("speed", { factor }),
      screenshot: () => void this.screenshot(),
      home: () => this.stage.home(),
    });
    this.input = this.makeInput();
    const throwIt = () => this.throwAlong(this.input.cursorRay());
    const label = { label: "Throw" };
    this.throwButton = el(
      "button",
      { class: "throw", type: "button", title: "Throw (Space)", hidden: true, aria: label, onclick: throwIt },
      icon("ball"),
    );
    this.layout = this.makeLayout(canvas);
    root.replaceChildren(this.layout.root, this.help.dialog);
    this.followWindow(canvas);
    this.connection.open();
    requestAnimationFrame((now) => this.tick(now));
  }

  private makeLayout(canvas: HTMLCanvasElement): Layout {
    return new Layout({
      canvas,
      transport: this.transport.element,
      floating: [this.notices.banner, this.notices.notes, this.colourBar.element],
      throwButton: this.throwButton,
      help: () => this.help.toggle(),
      openScene: (name) => void this.connection.send("open", { scene: name }),
      sections: [
        { title: "Parameters", id: "parameters", body: this.parameters.element, open: true },
        { title: "Display", id: "display", body: this.display.element, open: true },
        { title: "Tools", id: "tools", body: this.tools.element, open: false },
        { title: "Plots", id: "plots", body: this.plots.element, open: false },
      ],
    });
  }

  private makeInput(): Input {
    return new Input(this.stage, {
      tool: () => this.tools.settings.tool,
      can: (system, action) => this.can(system, action),
      event: (system, action, args) => this.event(system, action, args),
      act: (action, hit, ray) => this.act(action, hit, ray),
      playPause: () => this.playPause(),
      step: () => void this.connection.send("step"),
      reset: () => void this.connection.send("reset"),
      throwAlong: (ray) => this.throwAlong(ray),
      source: (ray) => {
        const hit = this.stage.pick(ray);
        if (hit && this.can(hit.system, "source")) this.act("source", hit, ray);
      },
      togglePanels: () => this.layout.togglePanels(),
      toggleShadows: () => this.display.toggleShadows(),
      toggleHelp: () => this.help.toggle(),
      screenshot: () => void this.screenshot(),
      projectileSize: (factor) => this.resizeProjectile(factor),
    });
  }

  private followWindow(canvas: HTMLCanvasElement): void {
    new ResizeObserver(() => this.stage.resize(canvas.clientWidth, canvas.clientHeight)).observe(canvas);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const follow = () => this.stage.setDark(dark.matches);
    dark.addEventListener("change", follow);
    follow();
    document.getElementById("plots")?.addEventListener("toggle", () => this.plots.draw());
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    this.input.tick((now - this.lastTick) / 1000);
    this.lastTick = now;
    const frame = this.waiting;
    if (frame) {
      this.waiting = null;
      this.stage.take(frame);
      // Before drawing: the next frame travels while this one is drawn.
      this.connection.acknowledge(frame.frame_number);
      this.lastFrameNumber = frame.frame_number;
      ++this.framesTaken;
      this.display.showFrame(frame);
      this.transport.showTime(frame.frame, frame.time);
      this.showColours();
    }
    this.stage.tick(now);
  }

  // A frame that was not drawn yet may have brought triangles that the next one takes for known.
  private merged(frame: Frame): Frame {
    const before = this.waiting;
    for (const part of before ? frame.parts : []) {
      const old = before?.parts.find((p) => p.name === part.name);
      if (part.kind === "triangles" && old?.kind === "triangles") part.triangles ??= old.triangles;
      if (part.kind === "curves" && old?.kind === "curves") part.lines ??= old.lines;
    }
    return frame;
  }

  private get playback(): boolean {
    return this.hello?.mode === "playback";
  }

  private onStatus(status: Status): void {
    this.status = status;
    this.notices.connection(status);
    this.layout?.root.classList.toggle("offline", status.kind !== "open");
    if (status.kind !== "open") this.input?.letGo();
  }

  private onMessage(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.onHello(message);
        break;
      case "scene":
        this.onScene(message);
        break;
      case "state":
        this.onState(message);
        break;
      case "error":
        this.notices.note(message.message ?? "The program refused this.", message.remedy, "error");
        break;
    }
  }

  private onHello(hello: Hello): void {
    this.hello = hello;
    if (hello.protocol !== PROTOCOL_VERSION)
      this.notices.note(
        `The program speaks version ${hello.protocol} of the protocol, this page version ${PROTOCOL_VERSION}.`,
        "Reload the page.",
        "error",
      );
    this.layout.picker.replaceChildren(
      ...hello.scenes.map((s) => el("option", { value: s.name, title: s.about }, s.name)),
    );
    this.layout.picker.disabled = hello.mode === "playback";
  }

  private onScene(scene: Scene): void {
    const same = this.scene?.name === scene.name;
    this.scene = scene;
    document.title = `${scene.name} – Selkie`;
    const { picker } = this.layout;
    if (![...picker.options].some((o) => o.value === scene.name))
      picker.prepend(el("option", { value: scene.name }, scene.name));
    picker.value = scene.name;
    this.layout.about.textContent = scene.about;
    this.stage.openScene(scene, same);
    this.parameters.show(this.playback ? [] : scene.systems);
    this.display.showScene(scene);
    this.transport.showScene(scene, this.playback);
    if (!same) {
      this.tools.show(scene, this.stage.sceneSize(), this.playback);
      this.plots.reset();
    }
    this.throwButton.hidden = this.playback || !scene.systems.some((s) => s.actions.includes("throw"));
  }

  private onState(state: State): void {
    if (state.trouble && state.trouble !== this.state?.trouble)
      this.notices.note(state.trouble, "Start the scene anew to go on.", "error");
    this.state = state;
    this.stage.playing = state.playing;
    this.transport.showState(state, this.playback);
    this.layout.pages.textContent = state.clients > 1 ? `${state.clients} pages` : "";
    this.plots.take(state);
  }

  private showColours(): void {
    this.colourBar.show(this.stage.colouring, this.display.unit);
  }

  private can(system: string, action: string): boolean {
    if (this.playback || !system) return false;
    return this.scene?.systems.find((s) => s.name === system)?.actions.includes(action) ?? false;
  }

  private event(system: string, action: string, args: Record<string, unknown>): void {
    void this.connection.send("event", { system, action, arguments: args });
  }

  private playPause(): void {
    void this.connection.send(this.state?.playing ? "pause" : "play");
  }

  private act(action: string, hit: BodyHit, ray: Ray): void {
    const { settings } = this.tools;
    const { point } = hit;
    const [x, y, z] = ray.direction;
    if (action === "push") {
      const args = { point, direction: ray.direction, strength: settings.pushStrength, radius: settings.pushRadius };
      this.event(hit.system, "push", args);
    } else if (action === "impulse") {
      const impulse = [x, y, z].map((v) => v * settings.impulse);
      this.event(hit.system, "impulse", { point, impulse });
    } else this.event(hit.system, action, { point });
  }

  // From just in front of the camera, so that the projectile comes into sight.
  private throwAlong(ray: Ray): void {
    const thrower = this.scene?.systems.find((s) => s.actions.includes("throw"));
    if (!thrower || this.playback) return;
    const { shape, size, throwSpeed, density } = this.tools.settings;
    const distance = this.stage.rig.camera.position.distanceTo(this.stage.rig.target);
    const position = along(ray, Math.max(2 * size, 0.25 * distance));
    const velocity = ray.direction.map((v) => v * throwSpeed);
    this.event(thrower.name, "throw", { shape, position, velocity, size, density });
  }

  private resizeProjectile(factor: number): void {
    const { settings } = this.tools;
    const scene = this.stage.sceneSize();
    settings.size = Number(Math.min(0.25 * scene, Math.max(0.01 * scene, settings.size * factor)).toPrecision(2));
    this.notices.note(`Projectile: ${settings.size} m`);
  }

  private async screenshot(): Promise<void> {
    const blob = await this.stage.screenshot();
    const frame = String(this.stage.frame?.frame ?? 0).padStart(4, "0");
    if (blob) download(`selkie-${this.scene?.name ?? "scene"}-${frame}.png`, blob);
    else this.notices.note("The browser could not make a picture.", "", "error");
  }

  private async saveInputs(): Promise<void> {
    const reply = await this.connection.send("inputs");
    if (reply.type !== "inputs") return;
    const settings = (reply.settings ?? []).map((s) => ` --set ${s}`).join("");
    const head = settings ? `# replay with:${settings}\n` : "";
    download(
      `${this.scene?.name ?? "scene"}-inputs.toml`,
      new Blob([head, reply.toml ?? ""], { type: "application/toml" }),
    );
  }
}
