// The page itself: phone and touch, a browser without WebGL 2, and every kind of part (from the mock server).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as s from "./support.mjs";

const { startMock } = await import(`${process.env.SELKIE_WEB}/tests/mock/server.mjs`);
let browser;

before(async () => {
  browser = await s.launch();
});
after(() => browser?.close());

test("on a phone everything is in reach, and a finger takes hold of a body", async () => {
  const mock = await startMock({ scene: "sheet" });
  const page = await s.openScene(browser, mock.url, { width: 360, height: 640, hasTouch: true, isMobile: true });
  assert.equal(await page.locator("#panels").isVisible(), false, "the panels are away at first");
  await page.getByLabel("Panels (F3)").tap();
  assert.ok(await page.locator("#panels").isVisible());
  const view = await page.locator("canvas.view").boundingBox();
  assert.ok(view.height > 150, `the picture keeps ${view.height} pixels`);
  const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  assert.ok(fits, "nothing sticks out sideways");
  for (const button of await page.locator(".transport button").all()) {
    const box = await button.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 360 && box.y + box.height <= 640 && box.height >= 40);
  }
  await page.getByLabel("Panels (F3)").tap();
  await s.until("a body under the finger", () =>
    page.evaluate(() => window.selkie.pick(...window.selkie.pixel(window.selkie.centre("cloth")))?.system === "cloth"),
  );
  const [x, y] = await page.evaluate(() => window.selkie.pixel(window.selkie.centre("cloth")));
  const touch = await page.context().newCDPSession(page);
  const send = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await send("touchStart", [{ x, y }]);
  await send("touchMove", [{ x: x + 30, y: y - 20 }]);
  await s.until("the drag", () => mock.world.received.some((m) => m.action === "drag"));
  await send("touchEnd", []);
  await s.until("the release", () => mock.world.received.some((m) => m.action === "release"));
  await page.context().close();
  await mock.close();
});

test("parameters are marked, bounded and sent; those that restart keep the camera", async () => {
  const mock = await startMock({ scene: "sheet" });
  const page = await s.openScene(browser, mock.url, { width: 1000, height: 640 });
  const row = (path) => page.locator(`[data-system="cloth"] .param[data-path="${path}"]`);
  assert.equal(await row("bending").locator(".restarts").count(), 0);
  assert.equal(await row("iterations").locator(".restarts").count(), 1);
  assert.match(await row("iterations").getAttribute("title"), /Newton.*restarts/);
  const camera = await page.evaluate(() => window.selkie.camera());
  await row("iterations").locator("input[type=number]").fill("7");
  await row("iterations").locator("input[type=number]").press("Enter");
  await s.until("the new value", () => mock.world.params.iterations === 7);
  await row("bending").locator("input[type=range]").focus();
  await page.keyboard.press("End");
  await s.until("the slider's value", () => mock.world.params.bending === 1);
  await row("integrator").locator("select").selectOption("verlet");
  await s.until("the choice", () => mock.world.params.integrator === "verlet");
  await row("stiffness").locator("input").fill("1e9");
  await row("stiffness").locator("input").press("Enter");
  await page.locator(".note[data-kind=error]").waitFor();
  assert.deepEqual(await page.evaluate(() => window.selkie.camera()), camera);
  assert.deepEqual(s.problemsOf(page), []);
  await page.context().close();
  await mock.close();
});

test("every kind of part, colours by value, wire and arrows are drawn without complaint", async () => {
  const mock = await startMock({ scene: "everything" });
  const page = await s.openScene(browser, mock.url, { width: 1000, height: 640, colorScheme: "dark" });
  const kinds = await page.evaluate(() => [...new Set(window.selkie.parts().map((p) => p.kind))].sort());
  assert.deepEqual(kinds, ["curves", "height", "points", "triangles", "vectors", "volume"]);
  await page.selectOption("select[aria-label='Colour by']", "velocity");
  await page.getByLabel("wire").evaluate((box) => box.click());
  await page.getByLabel("velocity arrows").evaluate((box) => box.click());
  await page.selectOption("select[aria-label='Colour by']", "density");
  await page.locator(".colour-bar").waitFor();
  mock.world.playing = false;
  const drawn = await page.evaluate(() => window.selkie.drawn);
  await s.until("pictures", () => page.evaluate((n) => window.selkie.drawn > n, drawn));
  const { colours } = await s.coloursOf(page, await page.locator("canvas.view").screenshot());
  assert.ok(colours > 500, `${colours} colours`);
  assert.deepEqual(s.problemsOf(page), []);
  await page.context().close();
  await mock.close();
});

test("without WebGL 2 the page says what is missing", async () => {
  const mock = await startMock({ scene: "sheet" });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind === "webgl2" ? null : original.call(this, kind, ...rest);
    };
  });
  await page.goto(mock.url);
  assert.match(await page.locator("[role=alert]").textContent(), /WebGL 2/);
  await context.close();
  await mock.close();
});
