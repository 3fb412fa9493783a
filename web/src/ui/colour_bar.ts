// The legend of a coloured surface: name, unit, the scale and its ends.
import { cssColour, type Colouring } from "../view/colours";
import { el, shortNumber } from "./dom";

export class ColourBar {
  private readonly title = el("div", { class: "title" });
  private readonly canvas = el("canvas", { width: 256, height: 1 });
  private readonly low = el("span", {});
  private readonly high = el("span", {});
  readonly element = el(
    "div",
    { class: "colour-bar", hidden: true, aria: { role: "img" } },
    this.title,
    this.canvas,
    el("div", { class: "ends" }, this.low, this.high),
  );
  private scale = "";

  show(colouring: Colouring, unit: string): void {
    this.element.hidden = colouring.attribute === "";
    if (this.element.hidden) return;
    const name = colouring.attribute.replaceAll("_", " ");
    this.title.textContent = unit ? `${name} (${unit})` : name;
    this.low.textContent = shortNumber(colouring.min);
    this.high.textContent = shortNumber(colouring.max);
    this.element.setAttribute("aria-label", `${name} from ${this.low.textContent} to ${this.high.textContent} ${unit}`);
    if (this.scale === colouring.scale) return;
    this.scale = colouring.scale;
    const context = this.canvas.getContext("2d");
    for (let i = 0; i < 256 && context; ++i) {
      context.fillStyle = cssColour(colouring.scale, i / 255);
      context.fillRect(i, 0, 1, 1);
    }
  }
}
