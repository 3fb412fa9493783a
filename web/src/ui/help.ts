// The help panel: what mouse, touch and keys do.
import { button, el } from "./dom";

const ROWS: [string, [string, string][]][] = [
  [
    "Mouse",
    [
      ["Drag a body", "take hold of it and pull"],
      ["Drag elsewhere", "look around"],
      ["Right or Shift drag", "pull a body; elsewhere: shift the view"],
      ["Middle button on a body", "push it"],
      ["Wheel", "zoom"],
      ["Ctrl + wheel", "choose the projectile's size"],
    ],
  ],
  [
    "Touch",
    [
      ["One finger on a body", "take hold of it and pull"],
      ["One finger elsewhere", "look around"],
      ["Two fingers", "zoom and shift the view"],
    ],
  ],
  [
    "Keys",
    [
      ["P", "play or pause"],
      ["O", "one step"],
      ["R", "start the scene anew"],
      ["Space", "throw, towards the cursor"],
      ["M", "a source at the cursor, where a system has one"],
      ["W A S D", "fly; Q and E: down and up"],
      ["Arrow keys", "look around; + and −: zoom"],
      ["H", "the camera's first place"],
      ["C", "save a picture"],
      ["F3 or B", "panels"],
      ["F5 or L", "shadows"],
      ["? or F1", "this panel"],
    ],
  ],
];

export class Help {
  readonly dialog = el("dialog", { class: "help", aria: { label: "Help" } });

  constructor() {
    const close = button("Close", () => this.dialog.close());
    this.dialog.append(el("div", { class: "help-head" }, el("h2", {}, "How to use the viewer"), close));
    const columns = el("div", { class: "columns" });
    for (const [title, rows] of ROWS) {
      const list = el("dl", {});
      for (const [key, meaning] of rows) list.append(el("dt", {}, key), el("dd", {}, meaning));
      columns.append(el("section", {}, el("h3", {}, title), list));
    }
    this.dialog.append(columns);
    this.dialog.append(
      el(
        "p",
        {},
        "Only what the systems of the scene can do is offered. Everything you do is recorded: Tools saves it, and selkie run --inputs replays it.",
      ),
    );
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
