// The page's beginning: is there WebGL 2, is there a token, then the app.
import { App } from "./app";
import { exposeHooks } from "./hooks";
import { el } from "./ui/dom";

function haveWebGL2(): boolean {
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}

function start(): void {
  const root = document.getElementById("app");
  if (!root) return;
  if (!haveWebGL2()) {
    root.replaceChildren(
      el(
        "main",
        { class: "full-message", aria: { role: "alert" } },
        el("h1", {}, "This browser cannot draw the scene"),
        el(
          "p",
          {},
          "The viewer needs WebGL 2, and the browser offers none. Use a current Firefox, Chromium, Edge or Safari, and see that hardware acceleration is switched on in its settings.",
        ),
        el("p", {}, "Without it, selkie render makes pictures and films of the same scenes."),
      ),
    );
    return;
  }
  const token = new URLSearchParams(location.search).get("token");
  exposeHooks(new App(root, token));
}

start();
