// What the page has to say: one banner for the state of the connection, passing notes for everything else.
import type { Status } from "../connection";
import { button, el, iconButton } from "./dom";

export class Notices {
  readonly banner = el("div", { class: "banner", hidden: true, aria: { role: "status", live: "polite" } });
  readonly notes = el("div", { class: "notes", aria: { role: "log", live: "polite", label: "Messages" } });
  private countdown = 0;

  constructor(private readonly reconnect: () => void) {}

  connection(status: Status): void {
    window.clearInterval(this.countdown);
    this.banner.dataset.kind = status.kind;
    if (status.kind === "open") {
      this.banner.hidden = true;
      return;
    }
    if (status.kind === "connecting") {
      if (this.banner.hidden) this.say("Connecting…");
      return;
    }
    if (status.kind === "refused") {
      this.say(status.message, status.remedy, true);
      return;
    }
    if (status.kind === "ended") {
      this.say(status.message, "", true);
      return;
    }
    let left = Math.ceil(status.seconds);
    const text = () => (left > 0 ? `Trying again in ${left} s.` : "Trying again…");
    this.say(status.message, text(), true);
    this.countdown = window.setInterval(() => {
      left = Math.max(0, left - 1);
      const detail = this.banner.querySelector(".detail");
      if (detail) detail.textContent = text();
    }, 1000);
  }

  note(message: string, remedy = "", kind: "error" | "info" = "info"): void {
    const body = el("div", {}, el("div", {}, message), remedy ? el("div", { class: "detail" }, remedy) : null);
    const note = el(
      "div",
      { class: "note", data: { kind } },
      body,
      iconButton("close", "Dismiss", () => note.remove()),
    );
    this.notes.append(note);
    while (this.notes.childElementCount > 3) this.notes.firstElementChild?.remove();
    window.setTimeout(() => note.remove(), kind === "error" ? 9000 : 3500);
  }

  private say(message: string, detail = "", again = false): void {
    this.banner.replaceChildren(
      el("span", { class: "dot" }),
      el("span", { class: "text" }, message, detail ? " " : null, el("span", { class: "detail" }, detail)),
    );
    if (again) this.banner.append(button("Connect now", this.reconnect));
    this.banner.hidden = false;
  }
}
