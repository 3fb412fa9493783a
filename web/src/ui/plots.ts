// Figures over time: a line per figure of a system, stacked bars for the phases of a step, the rate and the time
// that was given up. Histories are rings of fixed length; canvases are drawn only while the panel is open.
import type { State } from "../protocol";
import { el, shortNumber } from "./dom";

const LENGTH = 240;
const PHASE_COLOURS = ["#3b82a6", "#e0a13c", "#6aa15c", "#c0605a", "#8a6fb0", "#4fb3a9", "#b98a5e", "#7d8794"];

class History {
  readonly values: number[] = [];
  push(value: number): void {
    this.values.push(value);
    if (this.values.length > LENGTH) this.values.shift();
  }
}

interface Line {
  history: History;
  canvas: HTMLCanvasElement;
  value: HTMLElement;
  row: HTMLElement;
}

function prepared(
  canvas: HTMLCanvasElement,
): { context: CanvasRenderingContext2D; width: number; height: number } | null {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const context = canvas.getContext("2d");
  if (!context || width === 0) return null;
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

export class Plots {
  readonly element = el("div", { class: "plots" });
  private readonly lines = new Map<string, Line>();
  private readonly phases: Record<string, number>[] = [];
  private readonly bars = el("canvas", { class: "bars", aria: { role: "img", label: "Time of each step by phase" } });
  private readonly legend = el("div", { class: "phase-legend" });
  private readonly figures = el("div", { class: "figures" });
  private readonly stepTime = el("span", { class: "value" });
  private lastTime = -1;

  constructor() {
    const head = el("div", { class: "field-head" }, el("span", { class: "name" }, "step time by phase"), this.stepTime);
    this.element.append(el("div", { class: "plot" }, head, this.bars, this.legend), this.figures);
  }

  reset(): void {
    this.lines.clear();
    this.phases.length = 0;
    this.figures.replaceChildren();
    this.lastTime = -1;
  }

  take(state: State): void {
    if (state.time < this.lastTime) this.reset();
    if (state.time === this.lastTime) return;
    this.lastTime = state.time;
    this.add("steps per second", state.rate);
    this.add("time given up (s)", state.dropped);
    for (const [system, figures] of Object.entries(state.figures ?? {}))
      for (const [name, value] of Object.entries(figures))
        if (typeof value === "number") this.add(`${system}: ${name.replaceAll("_", " ")}`, value);
    this.phases.push(state.phases ?? {});
    if (this.phases.length > 60) this.phases.shift();
    this.stepTime.textContent = `${shortNumber(state.step_ms)} ms`;
    this.draw();
  }

  draw(): void {
    if (!this.element.offsetParent) return;
    for (const line of this.lines.values()) this.drawLine(line);
    this.drawBars();
  }

  private add(name: string, value: number): void {
    let line = this.lines.get(name);
    if (!line) {
      const canvas = el("canvas", { class: "spark", aria: { role: "img", label: `${name} over time` } });
      const shown = el("span", { class: "value" });
      const head = el("div", { class: "field-head" }, el("span", { class: "name" }, name), shown);
      line = { history: new History(), canvas, value: shown, row: el("div", { class: "plot" }, head, canvas) };
      this.lines.set(name, line);
      this.figures.append(line.row);
    }
    line.history.push(value);
    line.value.textContent = shortNumber(value);
  }

  private drawLine(line: Line): void {
    const ready = prepared(line.canvas);
    if (!ready) return;
    const { context, width, height } = ready;
    const values = line.history.values;
    let low = Math.min(...values);
    let high = Math.max(...values);
    // A constant is a line in the middle; noise far below its size is still a constant.
    if (high - low < 1e-6 * Math.max(Math.abs(high), Math.abs(low), 1e-30)) {
      low -= 1;
      high += 1;
    }
    const style = getComputedStyle(this.element);
    const x = (i: number) => (width * i) / (LENGTH - 1);
    const y = (v: number) => height - 2 - ((height - 4) * (v - low)) / (high - low);
    context.beginPath();
    values.forEach((v, i) => (i === 0 ? context.moveTo(x(i), y(v)) : context.lineTo(x(i), y(v))));
    context.strokeStyle = style.getPropertyValue("--accent");
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.stroke();
    context.lineTo(x(values.length - 1), height);
    context.lineTo(0, height);
    context.closePath();
    context.globalAlpha = 0.12;
    context.fillStyle = style.getPropertyValue("--accent");
    context.fill();
    context.globalAlpha = 1;
  }

  private drawBars(): void {
    const ready = prepared(this.bars);
    if (!ready) return;
    const { context, width, height } = ready;
    const names = [...new Set(this.phases.flatMap((p) => Object.keys(p)))];
    const sums = this.phases.map((p) => Object.values(p).reduce((a, b) => a + b, 0));
    const high = Math.max(1e-9, ...sums);
    const wide = width / 60;
    this.phases.forEach((phase, i) => {
      let y = height;
      names.forEach((name, k) => {
        const tall = ((phase[name] ?? 0) / high) * (height - 2);
        context.fillStyle = PHASE_COLOURS[k % PHASE_COLOURS.length];
        context.fillRect(i * wide, y - tall, Math.max(1, wide - 1), tall);
        y -= tall;
      });
    });
    if (this.legend.childElementCount === names.length) return;
    this.legend.replaceChildren(
      ...names.map((name, k) => {
        const swatch = el("span", { class: "swatch" });
        swatch.style.background = PHASE_COLOURS[k % PHASE_COLOURS.length];
        return el("span", {}, swatch, name);
      }),
    );
  }
}
