// What a pointer does to a body, and what is thrown. Only what some system of the scene can do is shown.
import type { Scene } from "../protocol";
import { button, choice, el, slider } from "./dom";

export type Tool = "grab" | "push" | "impulse" | "pin" | "unpin" | "source";

export interface ToolSettings {
  tool: Tool;
  pushStrength: number; // m/s
  pushRadius: number; // m
  impulse: number; // N·s
  shape: "ball" | "box";
  size: number; // m
  throwSpeed: number; // m/s
  density: number; // kg/m³
}

const LABELS: Record<Tool, string> = {
  grab: "Grab",
  push: "Push",
  impulse: "Tap",
  pin: "Pin",
  unpin: "Unpin",
  source: "Source",
};

export interface ToolCommands {
  throwOne(): void;
  clearThrown(): void;
  kick(system: string): void;
  saveInputs(): void;
}

export class Tools {
  readonly element = el("div", { class: "tools" });
  readonly settings: ToolSettings = {
    tool: "grab",
    pushStrength: 2,
    pushRadius: 0.15,
    impulse: 0.05,
    shape: "ball",
    size: 0.08,
    throwSpeed: 4,
    density: 500,
  };

  constructor(private readonly commands: ToolCommands) {}

  // Sizes that suit the scene, until somebody moves the sliders.
  show(scene: Scene, sceneSize: number, playback: boolean): void {
    const offered = new Set(scene.systems.flatMap((s) => s.actions));
    const { settings } = this;
    settings.size = round2(0.04 * sceneSize);
    settings.pushRadius = round2(0.08 * sceneSize);
    settings.throwSpeed = round2(2.2 * Math.sqrt(sceneSize));
    const blocks: (HTMLElement | null)[] = [];
    if (!playback) {
      blocks.push(this.pointerTools(offered, sceneSize), this.throwing(offered, sceneSize), this.kicks(scene));
      const save = button(
        "Save what was done",
        () => this.commands.saveInputs(),
        "The input log, for selkie run --inputs",
      );
      blocks.push(el("div", { class: "row" }, save));
    }
    const shown = blocks.filter((b): b is HTMLElement => b !== null);
    if (playback) shown.push(el("p", { class: "empty" }, "A finished run is shown: there is nothing to take hold of."));
    this.element.replaceChildren(...shown);
  }

  private pointerTools(offered: Set<string>, sceneSize: number): HTMLElement | null {
    const tools = (Object.keys(LABELS) as Tool[]).filter((t) => offered.has(t));
    if (tools.length === 0) return null;
    if (!tools.includes(this.settings.tool)) this.settings.tool = tools[0];
    const group = el("div", { class: "segments", aria: { role: "radiogroup", label: "What dragging a body does" } });
    const details = el("div", {});
    const choose = (tool: Tool) => {
      this.settings.tool = tool;
      details.replaceChildren(...this.toolSliders(tool, sceneSize));
    };
    for (const tool of tools) {
      const radio = el("input", {
        type: "radio",
        name: "tool",
        checked: tool === this.settings.tool,
        onchange: () => choose(tool),
      });
      group.append(el("label", {}, radio, el("span", {}, LABELS[tool])));
    }
    choose(this.settings.tool);
    return el("div", { class: "group" }, el("h3", {}, "On a body"), group, details);
  }

  private toolSliders(tool: Tool, sceneSize: number): HTMLElement[] {
    const { settings } = this;
    if (tool === "impulse")
      return [
        slider({
          label: "impulse",
          unit: "N·s",
          min: 0.001,
          max: 10,
          logarithmic: true,
          value: settings.impulse,
          onchange: (v) => (settings.impulse = v),
        }),
      ];
    if (tool !== "push") return [];
    return [
      slider({
        label: "strength",
        unit: "m/s",
        min: 0.1,
        max: 20,
        logarithmic: true,
        value: settings.pushStrength,
        onchange: (v) => (settings.pushStrength = v),
      }),
      slider({
        label: "radius",
        unit: "m",
        min: 0.01 * sceneSize,
        max: 0.5 * sceneSize,
        logarithmic: true,
        value: settings.pushRadius,
        onchange: (v) => (settings.pushRadius = v),
      }),
    ];
  }

  private throwing(offered: Set<string>, sceneSize: number): HTMLElement | null {
    if (!offered.has("throw")) return null;
    const { settings } = this;
    const shapes = [
      { value: "ball", label: "Ball" },
      { value: "box", label: "Box" },
    ];
    const shape = choice("Projectile", shapes, settings.shape, (v) => (settings.shape = v === "box" ? "box" : "ball"));
    const row = el(
      "div",
      { class: "row" },
      shape,
      button("Throw", () => this.commands.throwOne(), "Space throws towards the cursor"),
      offered.has("clear") ? button("Clear", () => this.commands.clearThrown(), "Take all thrown bodies away") : null,
    );
    return el(
      "div",
      { class: "group" },
      el("h3", {}, "Throw"),
      row,
      slider({
        label: "size",
        unit: "m",
        min: 0.01 * sceneSize,
        max: 0.25 * sceneSize,
        logarithmic: true,
        value: settings.size,
        onchange: (v) => (settings.size = v),
      }),
      slider({
        label: "speed",
        unit: "m/s",
        min: 0.2,
        max: 30,
        logarithmic: true,
        value: settings.throwSpeed,
        onchange: (v) => (settings.throwSpeed = v),
      }),
      slider({
        label: "density",
        unit: "kg/m³",
        min: 20,
        max: 8000,
        logarithmic: true,
        value: settings.density,
        onchange: (v) => (settings.density = v),
      }),
    );
  }

  private kicks(scene: Scene): HTMLElement | null {
    const systems = scene.systems.filter((s) => s.actions.includes("kick"));
    if (systems.length === 0) return null;
    const buttons = systems.map((s) =>
      button(s.name, () => this.commands.kick(s.name), "Adds an upward velocity to all of it"),
    );
    return el("div", { class: "group" }, el("h3", {}, "Kick"), el("div", { class: "row" }, ...buttons));
  }
}

function round2(value: number): number {
  return Number(value.toPrecision(2));
}
