// A live scene in Chromium: it moves, stands, steps, is dragged, changed and thrown at; two pages see one world.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import * as s from "./support.mjs";

let browser, server, page;

before(async () => {
  browser = await s.launch();
  server = await s.view(s.small, "--port", "0", "--paused");
  page = await s.openScene(browser, server.url);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const press = async (key, target = page) => {
  await target.locator("canvas.view").focus();
  await target.keyboard.press(key);
};

async function setPlaying(playing, target = page) {
  if ((await s.stateOf(target)).playing !== playing) await press("p", target);
  await s.until(`playing is ${playing}`, async () => (await s.stateOf(target)).playing === playing);
}

test("the scene moves, and so do the pixels", async () => {
  const before = await s.centreOf(page, "cloth");
  const picture = await page.locator("canvas.view").screenshot();
  await setPlaying(true);
  await s.until("the cloth to fall", async () => s.distance(before, await s.centreOf(page, "cloth")) > 0.05);
  const drawn = await page.evaluate(() => window.selkie.drawn);
  await s.until("another picture", () => page.evaluate((n) => window.selkie.drawn > n, drawn));
  assert.notDeepEqual(await page.locator("canvas.view").screenshot(), picture);
});

test("paused it stands, and a step is one step", async () => {
  await setPlaying(false);
  await page.waitForTimeout(300);
  const still = await s.frameOf(page);
  await page.waitForTimeout(500);
  assert.equal((await s.frameOf(page)).time, still.time);
  await press("o");
  await s.until("the step", async () => (await s.frameOf(page)).time !== still.time);
  await page.waitForTimeout(300);
  const { fps, steps_per_frame } = await page.evaluate(() => window.selkie.scene);
  const step = (await s.frameOf(page)).time - still.time;
  assert.ok(Math.abs(step - 1 / (fps * steps_per_frame)) < 1e-6, `a step of ${step} s`); // times come as decimals
});

test("a body that is dragged follows the cursor", async () => {
  await setPlaying(true);
  // The point under the cursor is what is taken; the vertex beside it keeps its place relative to the cursor.
  await s.until("the cloth to come to rest", async () => {
    const before = await s.centreOf(page, "cloth");
    await page.waitForTimeout(200);
    return s.distance(before, await s.centreOf(page, "cloth")) < 0.002;
  });
  const pixelOf = (index) => page.evaluate((i) => window.selkie.pixel(window.selkie.vertex("cloth", i)), index);
  const camera = await page.evaluate(() => window.selkie.camera());
  const [x, y] = await page.evaluate(() => window.selkie.pixel(window.selkie.centre("cloth")));
  const hit = await page.evaluate(([a, b]) => window.selkie.pick(a, b), [x, y]);
  assert.equal(hit?.system, "cloth", "the cursor is on the cloth");
  const nearest = await page.evaluate((point) => {
    let best = [Infinity, -1];
    for (let i = 0; i < 256; ++i) {
      const d = Math.hypot(...window.selkie.vertex("cloth", i).map((v, k) => v - point[k]));
      if (d < best[0]) best = [d, i];
    }
    return best[1];
  }, hit.point);
  const goal = [x + 45, y - 30];
  const beside = (await pixelOf(nearest)).map((v, k) => v - [x, y][k]);
  const off = async () => s.distance(await pixelOf(nearest), [goal[0] + beside[0], goal[1] + beside[1]]);
  await page.mouse.move(x, y);
  await page.mouse.down();
  try {
    await page.mouse.move(goal[0], goal[1], { steps: 8 });
    await s.until("the grabbed face at the cursor", async () => (await off()) < 12);
    assert.deepEqual(await page.evaluate(() => window.selkie.camera()), camera, "the view did not turn");
  } finally {
    await page.mouse.up();
  }
  await s.until("the cloth to swing back", async () => (await off()) > 25);
});

test("a drag beside the bodies turns the view", async () => {
  const camera = await page.evaluate(() => window.selkie.camera());
  await page.mouse.move(20, 80);
  await page.mouse.down();
  await page.mouse.move(60, 100, { steps: 3 });
  await page.mouse.up();
  assert.ok(s.distance(camera, await page.evaluate(() => window.selkie.camera())) > 0.05);
  await press("h");
  const home = await page.evaluate(() => window.selkie.camera());
  assert.ok(s.distance(camera, home) < 1e-6);
});

test("a parameter changes while the world goes on", async () => {
  await page.getByLabel("Panels (F3)").click();
  await setPlaying(true);
  const params = await page.evaluate(() => window.selkie.scene.systems.find((x) => x.name === "cloth").params);
  const value = (path) =>
    page.evaluate(
      (p) => window.selkie.scene.systems.find((x) => x.name === "cloth").params.find((y) => y.path === p).value,
      path,
    );
  const live =
    params.find((p) => p.live && p.kind === "number" && p.path === "drag") ??
    params.find((p) => p.live && p.kind === "number");
  await s.until("some time", async () => (await s.frameOf(page)).time > 0.3);
  const time = (await s.frameOf(page)).time;
  const field = (path) => page.locator(`[data-system="cloth"] .param[data-path="${path}"] input[type=number]`);
  await field(live.path).fill("0.75");
  await field(live.path).press("Enter");
  await s.until("the live value", async () => (await value(live.path)) === 0.75);
  assert.ok((await s.frameOf(page)).time >= time, "the world went on");
});

test("a value out of range is refused with a message", async () => {
  await setPlaying(false); // the panel and a moving picture together are slow to draw in software
  const field = page.locator('[data-system="cloth"] [data-path="drag"] input[type=number]');
  await field.fill("-5");
  await field.press("Enter");
  await page.locator(".note[data-kind=error]").first().waitFor();
  await page.getByLabel("Panels (F3)").click();
});

test("a thrown ball appears and flies", async (t) => {
  const able = await page.evaluate(() => window.selkie.scene.systems.some((x) => x.actions.includes("throw")));
  if (!able) return t.skip("no system of this build throws");
  await setPlaying(true);
  const names = await page.evaluate(() => window.selkie.parts().map((p) => p.name));
  await page.mouse.move(200, 150);
  await press(" ");
  const part = await s.until("the thrown body", () =>
    page.evaluate(
      (old) => window.selkie.parts().find((p) => p.system === "thrown" && !old.includes(p.name))?.name,
      names,
    ),
  );
  const first = await s.centreOf(page, part);
  await s.until("its flight", async () => {
    const now = await s.centreOf(page, part);
    return now && s.distance(first, now) > 0.1;
  });
});

test("a saved picture is not blank", async () => {
  const download = page.waitForEvent("download");
  await press("c");
  const file = await download;
  assert.match(file.suggestedFilename(), /^selkie-small-sheet-\d+\.png$/);
  const { colours, width } = await s.coloursOf(page, await readFile(await file.path()));
  assert.ok(width > 100);
  assert.ok(colours > 200, `${colours} colours`); // sky, ground and shaded cloth: thousands; a blank page: one
});

test("two pages see one world", async () => {
  const other = await s.openScene(browser, server.url);
  await setPlaying(true);
  await s.until("both to be counted", async () => (await s.stateOf(page)).clients === 2);
  await setPlaying(false, other);
  await s.until("the first page to see the pause", async () => !(await s.stateOf(page)).playing);
  await s.until("the same moment on both", async () => (await s.frameOf(page)).time === (await s.frameOf(other)).time);
  await other.context().close();
});

test("the keyboard alone is enough", async () => {
  await page.evaluate(() => document.activeElement?.blur());
  const seen = new Set();
  // Tab goes on from wherever the last click was: around, until every one was met.
  const wanted = ["Scene", "The scene", "Play", "Help (?)"];
  for (let i = 0; i < 120 && !wanted.every((x) => seen.has(x)); ++i) {
    await page.keyboard.press("Tab");
    seen.add(
      await page.evaluate(
        () => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent,
      ),
    );
  }
  for (const name of wanted) assert.ok(seen.has(name), `${name} in ${[...seen]}`);
  await page.getByRole("button", { name: "Play", exact: true }).focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  const outlined = await page.evaluate(() => getComputedStyle(document.activeElement).boxShadow !== "none");
  assert.ok(outlined, "the focus shows");
  await page.keyboard.press("Enter");
  await s.until("playing", async () => (await s.stateOf(page)).playing);
  const camera = await page.evaluate(() => window.selkie.camera());
  await press("ArrowLeft");
  assert.ok(s.distance(camera, await page.evaluate(() => window.selkie.camera())) > 0.01);
  await press("?");
  await page.locator("dialog[open]").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("dialog[open]").count(), 0);
});

test("another scene can be chosen", async () => {
  await page.selectOption("select.scene-picker", "rope");
  await s.until("the rope", () => page.evaluate(() => window.selkie.parts().some((p) => p.name.startsWith("rope"))));
});

test("nothing went wrong, nothing was asked of other hosts; the rate is reported", async (t) => {
  assert.deepEqual(s.problemsOf(page), []);
  await setPlaying(true);
  const from = await page.evaluate(() => [window.selkie.drawn, performance.now()]);
  await page.waitForTimeout(2000);
  const to = await page.evaluate(() => [window.selkie.drawn, performance.now()]);
  t.diagnostic(`Chromium draws ${((1000 * (to[0] - from[0])) / (to[1] - from[1])).toFixed(1)} pictures/s in software`);
});
