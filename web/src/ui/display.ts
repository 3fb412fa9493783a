// The display panel: which systems are shown, colours by value, wire, arrows, shadows, cameras, volumes.
import type { Frame, Scene } from "../protocol";
import { SCALES, type ScaleName } from "../view/colours";
import type { Stage } from "../view/stage";
import { choice, el, slider, toggle } from "./dom";

export class Display {
  readonly element = el("div", { class: "display" });
  private readonly attribute = choice("Colour by", [{ value: "", label: "Own colours" }], "", (v) => this.colourBy(v));
  private readonly systems = el("div", { class: "group" });
  private readonly cameras = el("div", { class: "group" });
  private readonly volume = el("div", { class: "group", hidden: true });
  private readonly low = this.rangeField("lowest");
  private readonly high = this.rangeField("highest");
  private readonly range = el("div", { class: "row range", hidden: true }, this.low, el("span", {}, "to"), this.high);
  private readonly shadowToggle: HTMLLabelElement;
  private readonly scaleRow: HTMLElement;
  private known = "";
  private units = new Map<string, string>();

  constructor(
    private readonly stage: Stage,
    private readonly changed: () => void,
  ) {
    const scale = choice(
      "Colour scale",
      SCALES.map((s) => ({ value: s.name, label: s.label })),
      "even",
      (v) => {
        stage.colouring.scale = v as ScaleName;
        this.apply();
      },
    );
    const auto = toggle("fit the range to the values", true, (on) => {
      stage.autoRange = on;
      this.range.hidden = on;
      if (!on) {
        this.low.value = String(Number(stage.colouring.min.toPrecision(4)));
        this.high.value = String(Number(stage.colouring.max.toPrecision(4)));
      }
      this.apply();
    });
    this.scaleRow = el("div", { hidden: true }, el("div", { class: "row" }, scale), auto, this.range);
    this.shadowToggle = toggle("shadows", true, (on) => stage.setShadows(on), "F5 or L");
    this.element.append(
      this.systems,
      el(
        "div",
        { class: "group" },
        el("h3", {}, "Colour by"),
        el("div", { class: "row" }, this.attribute),
        this.scaleRow,
      ),
      el(
        "div",
        { class: "group" },
        el("h3", {}, "Overlays"),
        toggle("wire", false, (on) => this.set(() => (stage.wire = on))),
        toggle("velocity arrows", false, (on) => this.set(() => (stage.velocityArrows = on))),
        toggle("contacts and other vectors", true, (on) => this.set(() => (stage.showVectors = on))),
        this.shadowToggle,
      ),
      this.volume,
      this.cameras,
    );
    this.fillVolume();
  }

  get unit(): string {
    return this.units.get(this.stage.colouring.attribute) ?? "";
  }

  showScene(scene: Scene): void {
    this.known = "";
    this.cameras.hidden = scene.cameras.length < 2;
    const options = scene.cameras.map((c, i) => ({ value: String(i), label: c.name }));
    const picker = choice("Camera", options, "0", (v) => this.stage.takeCamera(Number(v)));
    this.cameras.replaceChildren(el("h3", {}, "Camera"), el("div", { class: "row" }, picker));
  }

  // Frames tell which parts and values there are; the lists are made anew only when they change.
  showFrame(frame: Frame): void {
    const names: string[] = [];
    const units = new Map<string, string>();
    let volumes = false;
    for (const part of frame.parts) {
      const name = part.system || part.name;
      if (!names.includes(name)) names.push(name);
      volumes ||= part.kind === "volume";
      const values = part.kind === "volume" ? part.fields : part.kind === "vectors" ? [] : part.attributes;
      for (const value of values) units.set(value.name, value.unit);
    }
    const key = JSON.stringify([names, [...units], volumes]);
    if (key === this.known) return;
    this.known = key;
    this.units = units;
    this.volume.hidden = !volumes;
    this.fillSystems(names);
    this.fillAttributes([...units.keys()]);
  }

  toggleShadows(): void {
    this.shadowToggle.querySelector("input")?.click();
  }

  private set(change: () => void): void {
    change();
    this.apply();
  }

  private apply(): void {
    this.stage.refresh();
    this.changed();
  }

  private colourBy(attribute: string): void {
    this.stage.colouring.attribute = attribute;
    this.scaleRow.hidden = attribute === "";
    this.apply();
  }

  private fillSystems(names: string[]): void {
    const boxes = names.map((name) =>
      toggle(name, !this.stage.hidden.has(name), (on) => {
        if (on) this.stage.hidden.delete(name);
        else this.stage.hidden.add(name);
        this.apply();
      }),
    );
    this.systems.replaceChildren(el("h3", {}, "Show"), ...boxes);
  }

  private fillAttributes(names: string[]): void {
    const chosen = names.includes(this.stage.colouring.attribute) ? this.stage.colouring.attribute : "";
    const label = (n: string) => (n === "velocity" ? "speed (velocity)" : n.replaceAll("_", " "));
    this.attribute.replaceChildren(
      el("option", { value: "" }, "Own colours"),
      ...names.map((n) => el("option", { value: n }, label(n))),
    );
    this.attribute.value = chosen;
    if (chosen !== this.stage.colouring.attribute) this.colourBy(chosen);
  }

  private fillVolume(): void {
    const { stage } = this;
    this.volume.append(
      el("h3", {}, "Volume"),
      slider({
        label: "samples per ray",
        min: 16,
        max: 256,
        step: 1,
        value: stage.volumeSteps,
        onchange: (v) => this.set(() => (stage.volumeSteps = Math.round(v))),
      }),
      slider({
        label: "opacity",
        min: 0.1,
        max: 10,
        logarithmic: true,
        value: 1,
        onchange: (v) => this.set(() => (stage.volumeOpacity = v)),
      }),
    );
  }

  private rangeField(label: string): HTMLInputElement {
    const input = el("input", {
      type: "number",
      class: "number",
      step: "any",
      aria: { label: `${label} value of the scale` },
      onchange: () => {
        const [low, high] = [this.low.valueAsNumber, this.high.valueAsNumber];
        if (!(low < high)) return;
        this.stage.colouring.min = low;
        this.stage.colouring.max = high;
        this.apply();
      },
    });
    return input;
  }
}
