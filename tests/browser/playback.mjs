// A finished run in Chromium: scrubbing, playing, stepping.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as s from "./support.mjs";

let browser, server, page, folder;

before(async () => {
  browser = await s.launch();
  folder = mkdtempSync(join(tmpdir(), "selkie-browser-"));
  const run = spawnSync(s.program, ["run", s.small, "-o", join(folder, "run"), "--frames", "24", "--quiet"], {
    encoding: "utf8",
  });
  assert.equal(run.status, 0, run.stderr);
  server = await s.view(join(folder, "run"), "--port", "0", "--paused");
  page = await s.openScene(browser, server.url);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

const seek = async (frame) => {
  await page.locator(".timeline").evaluate((input, value) => {
    input.value = String(value);
    input.dispatchEvent(new Event("input"));
    input.dispatchEvent(new Event("change"));
  }, frame);
  await s.until(`frame ${frame}`, async () => (await s.frameOf(page)).frame === frame);
  return s.centreOf(page, "cloth");
};

test("the timeline shows any frame", async () => {
  assert.equal(await page.locator(".timeline").getAttribute("max"), "24");
  const early = await seek(3);
  const late = await seek(24);
  assert.ok(s.distance(early, late) > 0.02, "the cloth fell in between");
  assert.deepEqual(await seek(3), early);
});

test("it plays and stops", async () => {
  await seek(0);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await s.until("frames to pass", async () => (await s.frameOf(page)).frame > 2);
  await s.until("an end or a pause", async () => {
    if ((await s.stateOf(page)).playing) await page.getByRole("button", { name: "Pause", exact: true }).click();
    return !(await s.stateOf(page)).playing;
  });
});

test("nothing is offered that a finished run cannot do", async () => {
  assert.equal(await page.locator("button.throw").isVisible(), false);
  assert.equal(await page.locator(".param").count(), 0);
  assert.deepEqual(s.problemsOf(page), []);
});
