// Small pieces the panels are made of. Everything is built through the DOM: text from the program is never markup.

type Child = Node | string | null | undefined | false;
type Props<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], "style" | "dataset" | "classList" | "children">
> & { class?: string; aria?: Record<string, string>; data?: Record<string, string> };

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<K> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  const { class: className, aria, data, ...rest } = props;
  if (className) element.className = className;
  for (const [key, value] of Object.entries(aria ?? {}))
    element.setAttribute(key === "role" ? key : `aria-${key}`, value);
  for (const [key, value] of Object.entries(data ?? {})) element.dataset[key] = value;
  Object.assign(element, rest);
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

const PATHS = {
  play: "M8 5.5v13l11-6.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  step: "M6 5.5v13l9-6.5zM16 5.5h2.6v13H16z",
  reset: "M12 5a7 7 0 1 1-6.6 4.7l1.9.7A5 5 0 1 0 12 7v3L7.2 6.2 12 2.4z",
  camera: "M9 5h6l1.4 2H20v12H4V7h3.6zm3 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0 1.8a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4z",
  panel: "M4 5h16v2.2H4zm0 5.9h16v2.2H4zm0 5.9h16V19H4z",
  help: "M11 17h2.2v2.2H11zM12 4.5c2.6 0 4.4 1.6 4.4 3.9 0 1.8-1 2.8-2 3.6-.9.7-1.3 1.1-1.3 2V15H11v-1.2c0-1.8.9-2.7 1.9-3.5.8-.7 1.3-1.1 1.3-1.9 0-1.1-.9-1.8-2.2-1.8-1.4 0-2.3.8-2.4 2.2H7.4C7.5 6.2 9.3 4.5 12 4.5z",
  home: "M12 4 3.5 11H6v8h4.5v-5h3v5H18v-8h2.5z",
  ball: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zm-2.6 3.3a3 3 0 0 0-2.2 3.2 1 1 0 0 0 2-.1c0-.7.3-1.1 1-1.3a1 1 0 0 0-.8-1.8z",
  close: "m6.4 5 5.6 5.6L17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z",
  save: "M11 4h2v8.2l3-3 1.4 1.4L12 16l-5.4-5.4L8 9.2l3 3zM5 17h2v1.5h10V17h2v3.5H5z",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name: IconName, label: string, onclick: () => void): HTMLButtonElement {
  return el("button", { class: "icon-button", type: "button", title: label, onclick, aria: { label } }, icon(name));
}

export function button(label: string, onclick: () => void, title = ""): HTMLButtonElement {
  return el("button", { class: "button", type: "button", title, onclick }, label);
}

export function toggle(label: string, on: boolean, onchange: (on: boolean) => void, title = ""): HTMLLabelElement {
  const box = el("input", { type: "checkbox", checked: on, onchange: () => onchange(box.checked) });
  return el("label", { class: "toggle", title }, box, el("span", {}, label));
}

export function choice(
  label: string,
  options: { value: string; label: string }[],
  value: string,
  onchange: (value: string) => void,
): HTMLSelectElement {
  const select = el("select", { onchange: () => onchange(select.value), aria: { label } });
  for (const option of options) select.append(el("option", { value: option.value }, option.label));
  select.value = value;
  return select;
}

export interface SliderOptions {
  label: string;
  unit?: string;
  title?: string;
  min: number;
  max: number;
  step?: number;
  value: number;
  logarithmic?: boolean;
  onchange(value: number): void;
}

// A slider with its value beside it.
export function slider(options: SliderOptions): HTMLElement {
  const { min, max, logarithmic } = options;
  const toSlider = (v: number) => (logarithmic ? Math.log(v / min) / Math.log(max / min) : (v - min) / (max - min));
  const fromSlider = (s: number) => (logarithmic ? min * (max / min) ** s : min + s * (max - min));
  const shown = el("output", { class: "value" }, withUnit(options.value, options.unit));
  const range = el("input", {
    type: "range",
    min: "0",
    max: "1",
    step: String(options.step && !logarithmic ? options.step / (max - min) : 0.001),
    value: String(toSlider(options.value)),
    aria: { label: options.label, valuetext: withUnit(options.value, options.unit) },
    oninput: () => {
      const value = Number(fromSlider(Number(range.value)).toPrecision(3));
      shown.textContent = withUnit(value, options.unit);
      range.setAttribute("aria-valuetext", shown.textContent);
      options.onchange(value);
    },
  });
  const name = el("span", { class: "name" }, options.label);
  return el(
    "div",
    { class: "field", title: options.title ?? "" },
    el("div", { class: "field-head" }, name, shown),
    range,
  );
}

export function withUnit(value: number, unit = ""): string {
  return unit ? `${shortNumber(value)} ${unit}` : shortNumber(value);
}

export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

export function download(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
