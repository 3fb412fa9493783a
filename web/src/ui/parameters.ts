// The parameter panel: one group per system, one field per parameter that the program lists. A parameter that is
// not live says that changing it starts the scene anew.
import type { Param, SystemInfo } from "../protocol";
import { choice, el, shortNumber } from "./dom";

export type SetParam = (system: string, path: string, value: unknown) => void;

function finite(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 1e12;
}

function numberField(param: Param, send: (value: unknown) => void): HTMLElement[] {
  const integer = param.kind === "integer";
  const input = el("input", {
    type: "number",
    class: "number",
    value: typeof param.value === "number" ? String(Number(param.value.toPrecision(7))) : "",
    step: integer ? "1" : "any",
    inputMode: integer ? "numeric" : "decimal",
    placeholder: "–",
    aria: { label: `${param.path}${param.unit ? `, ${param.unit}` : ""}` },
    onchange: () => {
      if (input.value === "" || !Number.isFinite(input.valueAsNumber)) return;
      send(integer ? Math.round(input.valueAsNumber) : input.valueAsNumber);
    },
  });
  if (finite(param.lo)) input.min = String(param.lo);
  if (finite(param.hi)) input.max = String(param.hi);
  if (!finite(param.lo) || !finite(param.hi) || param.hi <= param.lo) return [input];
  return [input, rangeBeside(input, param.lo, param.hi, integer, send)];
}

// While the thumb moves the number follows; the value goes out at most ten times a second. Over many powers of ten the
// slider works in powers of ten.
function rangeBeside(
  input: HTMLInputElement,
  lo: number,
  hi: number,
  integer: boolean,
  send: (value: unknown) => void,
): HTMLInputElement {
  const logarithmic = lo > 0 && hi / lo > 500;
  const toThumb = (v: number) => (logarithmic ? Math.log(v / lo) / Math.log(hi / lo) : (v - lo) / (hi - lo));
  const fromThumb = (s: number) => (logarithmic ? lo * (hi / lo) ** s : lo + s * (hi - lo));
  let timer = 0;
  const range = el("input", {
    type: "range",
    min: "0",
    max: "1",
    step: String(integer && !logarithmic ? 1 / (hi - lo) : 0.002),
    aria: { label: `${input.getAttribute("aria-label") ?? ""}, slider`, valuetext: input.value },
    oninput: () => {
      const raw = fromThumb(range.valueAsNumber);
      const value = integer ? Math.round(raw) : Number(raw.toPrecision(3));
      input.value = String(value);
      range.setAttribute("aria-valuetext", input.value);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => send(value), 100);
    },
  });
  const follow = () => (range.value = String(toThumb(input.valueAsNumber)));
  input.addEventListener("change", follow);
  follow();
  return range;
}

function vectorField(param: Param, send: (value: unknown) => void): HTMLElement {
  const values = (param.value as number[]).slice();
  const box = el("div", { class: "vector" });
  values.forEach((value, i) => {
    const input = el("input", {
      type: "number",
      class: "number",
      step: "any",
      value: String(Number(value.toPrecision(6))),
      aria: { label: `${param.path}, ${"xyzw"[i] ?? i}` },
      onchange: () => {
        if (!Number.isFinite(input.valueAsNumber)) return;
        values[i] = input.valueAsNumber;
        send(values.slice());
      },
    });
    box.append(input);
  });
  return box;
}

function control(param: Param, send: (value: unknown) => void): HTMLElement[] | null {
  const { value, choices } = param;
  if (choices && choices.length > 0)
    return [
      choice(
        param.path,
        choices.map((c) => ({ value: c, label: c.replaceAll("_", " ") })),
        String(value),
        send,
      ),
    ];
  if (typeof value === "boolean") {
    const box = el("input", {
      type: "checkbox",
      checked: value,
      aria: { label: param.path },
      onchange: () => send(box.checked),
    });
    return [box];
  }
  if (typeof value === "number" || param.kind === "number" || param.kind === "integer") return numberField(param, send);
  if (Array.isArray(value) && value.length <= 4 && value.every((v) => typeof v === "number"))
    return [vectorField(param, send)];
  if (typeof value === "string") {
    const text = el("input", { type: "text", value, aria: { label: param.path }, onchange: () => send(text.value) });
    return [text];
  }
  return null;
}

function row(system: string, param: Param, set: SetParam): HTMLElement | null {
  const parts = control(param, (value) => set(system, param.path, value));
  if (!parts) return null;
  const restart = param.live
    ? null
    : el(
        "span",
        { class: "restarts", title: "Changing this starts the scene anew", aria: { label: "restarts the scene" } },
        "↻",
      );
  const limits = finite(param.lo) && finite(param.hi) ? ` (${shortNumber(param.lo)} … ${shortNumber(param.hi)})` : "";
  const title = [param.text ?? "", limits, param.live ? "" : " — changing it restarts the scene"].join("").trim();
  const name = el("span", { class: "name" }, param.path.replaceAll("_", " "), restart);
  const head = el("div", { class: "field-head" }, name, el("span", { class: "unit" }, param.unit ?? ""), parts[0]);
  return el("div", { class: "field param", title, data: { path: param.path } }, head, parts[1] ?? null);
}

export class Parameters {
  readonly element = el("div", { class: "parameters" });

  constructor(private readonly set: SetParam) {}

  // A field that has the keyboard is given it back after the panel is made anew.
  show(systems: SystemInfo[]): void {
    const focused = document.activeElement as HTMLElement | null;
    const path = focused?.closest<HTMLElement>(".param")?.dataset.path;
    const owner = focused?.closest<HTMLElement>(".group")?.dataset.system;
    const kind = (focused as HTMLInputElement | null)?.type;
    this.element.replaceChildren();
    for (const system of systems) {
      const rows = system.params.map((p) => row(system.name, p, this.set)).filter((r): r is HTMLElement => r !== null);
      if (rows.length === 0) continue;
      const title = el("h3", {}, system.name, el("span", { class: "kind" }, system.kind.replaceAll("_", " ")));
      this.element.append(el("div", { class: "group", data: { system: system.name } }, title, ...rows));
    }
    if (!this.element.childElementCount)
      this.element.append(el("p", { class: "empty" }, "No parameters to change here."));
    else this.element.append(el("p", { class: "legend" }, "↻ starts the scene anew; everything else changes at once."));
    if (!path || !owner) return;
    const place = `[data-system="${CSS.escape(owner)}"] [data-path="${CSS.escape(path)}"]`;
    const again = this.element.querySelector<HTMLElement>(place);
    again?.querySelector<HTMLElement>(kind === "range" ? "input[type=range]" : "input, select")?.focus();
  }
}
