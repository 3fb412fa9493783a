// The frame of the page: bar above, picture, bar below, panels at the side (a drawer on narrow windows).
import { el, icon, iconButton } from "./dom";

export interface Pieces {
  canvas: HTMLCanvasElement;
  transport: HTMLElement;
  sections: { title: string; id: string; body: HTMLElement; open: boolean }[];
  floating: HTMLElement[];
  help: () => void;
  throwButton: HTMLButtonElement;
  openScene: (name: string) => void;
}

export class Layout {
  readonly root: HTMLElement;
  readonly picker: HTMLSelectElement;
  readonly about = el("p", { class: "about" });
  readonly pages = el("span", { class: "pages" });
  private readonly side: HTMLElement;
  private readonly panelButton: HTMLButtonElement;

  constructor(pieces: Pieces) {
    this.picker = el("select", { class: "scene-picker", aria: { label: "Scene" } });
    this.picker.onchange = () => pieces.openScene(this.picker.value);
    this.panelButton = iconButton("panel", "Panels (F3)", () => this.togglePanels());
    this.panelButton.classList.add("panel-button");
    const brand = el("span", { class: "brand" }, mark(), el("span", {}, "Selkie"));
    const header = el(
      "header",
      { class: "top" },
      brand,
      this.picker,
      el("span", { class: "spacer" }),
      this.pages,
      iconButton("help", "Help (?)", pieces.help),
      this.panelButton,
    );
    this.side = el("aside", { class: "side", id: "panels", aria: { label: "Panels" } }, this.about);
    for (const section of pieces.sections) {
      const summary = el("summary", {}, section.title);
      this.side.append(el("details", { id: section.id, open: section.open }, summary, section.body));
    }
    this.panelButton.setAttribute("aria-controls", "panels");
    const picture = el("main", { class: "picture" }, pieces.canvas, ...pieces.floating, pieces.throwButton);
    this.root = el("div", { class: "page" }, header, picture, pieces.transport, this.side);
    this.setPanels(!window.matchMedia("(max-width: 760px)").matches);
  }

  togglePanels(): void {
    this.setPanels(this.side.hidden);
  }

  private setPanels(open: boolean): void {
    this.side.hidden = !open;
    this.root.classList.toggle("with-panels", open);
    this.panelButton.setAttribute("aria-expanded", String(open));
  }
}

function mark(): SVGSVGElement {
  const svg = icon("ball");
  svg.setAttribute("class", "icon mark");
  svg.setAttribute("viewBox", "0 0 32 32");
  const path = svg.querySelector("path");
  path?.setAttribute("d", "M5 20c4-7 7-7 11-1s7 6 11-1M16 6.5a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.4z");
  return svg;
}
