// The bar below the picture: play, step, reset, the timeline of a finished run, speed, picture.
import type { Scene, State } from "../protocol";
import { choice, el, icon, iconButton, shortNumber } from "./dom";

export interface TransportCommands {
  playPause(): void;
  step(): void;
  reset(): void;
  seek(frame: number): void;
  speed(factor: number): void;
  screenshot(): void;
  home(): void;
}

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly timeline: HTMLInputElement;
  private readonly clock = el("output", { class: "clock", aria: { label: "Time of the world" } });
  private readonly speed: HTMLSelectElement;
  private readonly rate = el("span", { class: "rate", title: "Steps per second; time that was given up to keep up" });
  private scrubbing = false;
  private frames = 0;

  constructor(commands: TransportCommands) {
    this.play = iconButton("play", "Play", () => commands.playPause());
    this.play.classList.add("primary");
    this.timeline = el("input", {
      type: "range",
      class: "timeline",
      min: "0",
      step: "1",
      hidden: true,
      aria: { label: "Frame of the run" },
      oninput: () => {
        this.scrubbing = true;
        commands.seek(this.timeline.valueAsNumber);
      },
      onchange: () => (this.scrubbing = false),
    });
    const options = SPEEDS.map((s) => ({ value: String(s), label: `${s}×` }));
    this.speed = choice("Speed", options, "1", (v) => commands.speed(Number(v)));
    this.speed.title = "Seconds of the world per second of the clock";
    this.element = el(
      "div",
      { class: "transport", aria: { role: "toolbar", label: "Playing" } },
      this.play,
      iconButton("step", "One step (O)", () => commands.step()),
      iconButton("reset", "Start anew (R)", () => commands.reset()),
      this.timeline,
      this.clock,
      this.speed,
      this.rate,
      iconButton("home", "The camera's first place (H)", () => commands.home()),
      iconButton("camera", "Save a picture (C)", () => commands.screenshot()),
    );
  }

  showScene(scene: Scene, playback: boolean): void {
    this.frames = scene.frames ?? 0;
    this.timeline.hidden = !playback;
    this.timeline.max = String(this.frames);
    this.element.classList.toggle("playback", playback);
  }

  showState(state: State, playback: boolean): void {
    const label = state.playing ? "Pause (P)" : "Play (P)";
    if (this.play.title !== label) {
      this.play.replaceChildren(icon(state.playing ? "pause" : "play"));
      this.play.title = label;
      this.play.setAttribute("aria-label", state.playing ? "Pause" : "Play");
    }
    if (!this.scrubbing) this.timeline.value = String(state.frame);
    this.showSpeed(state.speed);
    const dropped = state.dropped > 0.05 ? ` · ${shortNumber(Number(state.dropped.toFixed(1)))} s given up` : "";
    this.rate.textContent = playback ? "" : `${Math.round(state.rate)} steps/s${dropped}`;
  }

  showTime(frame: number, time: number): void {
    const of = this.frames > 0 && !this.timeline.hidden ? ` / ${this.frames}` : "";
    this.clock.textContent = `${time.toFixed(2)} s · frame ${frame}${of}`;
  }

  private showSpeed(speed: number): void {
    const value = String(speed);
    if (this.speed.value === value) return;
    if (![...this.speed.options].some((o) => o.value === value))
      this.speed.append(el("option", { value }, `${shortNumber(speed)}×`));
    this.speed.value = value;
  }
}
