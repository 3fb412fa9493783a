// What the browser tests share: the program, Chromium, and waiting. Environment: SELKIE_PROGRAM, SELKIE_WEB (folder
// with node_modules), SELKIE_PAGE (the built page). Exit code 77 tells CTest that there is nothing to test with.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(`${process.env.SELKIE_WEB}/package.json`);
export const WebSocket = require("ws");
export const small = fileURLToPath(new URL("small-sheet.toml", import.meta.url));
export const program = process.env.SELKIE_PROGRAM;

function chromiumPath() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found) return found;
  }
  console.log("skipped: no chromium on the PATH");
  process.exit(77);
}

export function launch(flags = []) {
  if (!program || !existsSync(program)) {
    console.log("skipped: the program is not built");
    process.exit(77);
  }
  const { chromium } = require("playwright-core");
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", ...flags];
  return chromium.launch({ executablePath: chromiumPath(), args });
}

// Starts `selkie view` and waits for its address.
export async function view(...options) {
  const child = spawn(program, ["view", ...options, "--json", "--threads", "1"], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const listening = await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      text += data;
      const line = text.split("\n").find((l) => l.includes("listening"));
      if (line) resolve(JSON.parse(line));
    });
    child.on("exit", (code) => reject(new Error(`selkie view ended with ${code}: ${errors}`)));
  });
  const stop = (signal = "SIGINT") => {
    if (child.exitCode === null) child.kill(signal);
    return ended;
  };
  return { url: listening.url, port: listening.port, token: new URL(listening.url).searchParams.get("token"), stop };
}

// The page's own security policy forbids the eval that Playwright's waitForFunction needs: ask again and again.
export async function until(what, ask, milliseconds = 20000) {
  const end = Date.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited ${milliseconds} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

const problems = new WeakMap();

export async function open(browser, url, { width = 480, height = 360, ...rest } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, ...rest });
  const page = await context.newPage();
  const list = [];
  problems.set(page, list);
  page.on("pageerror", (error) => list.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || /shader|webgl/i.test(message.text())) list.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== "127.0.0.1" && !/^(blob|data):/.test(request.url())) list.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

export async function openScene(browser, url, options) {
  const page = await open(browser, url, options);
  await until("the first picture", () =>
    page.evaluate(() => window.selkie?.framesTaken > 0 && window.selkie.drawn > 0),
  );
  return page;
}

// Errors of scripts, shaders and the security policy, and requests to other hosts.
export function problemsOf(page) {
  return problems.get(page).filter((p) => !/GPU stall|ERR_CONNECTION|WebSocket connection|403|426/.test(p));
}

export const frameOf = (page) => page.evaluate(() => window.selkie.frame);
export const stateOf = (page) => page.evaluate(() => window.selkie.state);
export const centreOf = (page, part) => page.evaluate((name) => window.selkie.centre(name), part);
export const distance = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]));

// How many different colours a PNG has, counted by the browser.
export function coloursOf(page, png) {
  return page.evaluate(
    async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(bytes)], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return { colours: colours.size, width: bitmap.width, height: bitmap.height };
    },
    [...png],
  );
}
