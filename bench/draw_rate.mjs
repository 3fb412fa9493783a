// How often Chromium draws a live scene in software, at 1280 x 720: while the world moves, while the camera turns,
// too, and while only the camera turns (without the world, which wants the same processors). Prints CSV. Usage: SELKIE_PROGRAM=... SELKIE_WEB=web node bench/draw_rate.mjs SCENE [options of view...]
import * as s from "../tests/browser/support.mjs";

const SECONDS = 6;
const [scene, ...options] = process.argv.slice(2);
const browser = await s.launch();
const server = await s.view(scene, ...options);
const page = await s.openScene(browser, server.url, { width: 1280, height: 720 });

async function rates(during) {
  const read = () => page.evaluate(() => [performance.now(), window.selkie.drawn, window.selkie.framesTaken]);
  const before = await read();
  const end = Date.now() + 1000 * SECONDS;
  while (Date.now() < end) await during();
  const after = await read();
  const seconds = (after[0] - before[0]) / 1000;
  return [1, 2].map((i) => ((after[i] - before[i]) / seconds).toFixed(1));
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 50));
console.log("scene,camera,drawn_per_s,frames_taken_per_s");
console.log(`${scene},still,${(await rates(rest)).join(",")}`);
await page.mouse.move(60, 650);
await page.mouse.down();
let x = 60;
const turn = async () => {
  x = x > 900 ? 60 : x + 12;
  await page.mouse.move(x, 650);
  await rest();
};
console.log(`${scene},turning,${(await rates(turn)).join(",")}`);
await page.keyboard.press("p");
await s.until("a pause", async () => !(await s.stateOf(page)).playing);
console.log(`${scene},"turning, paused",${(await rates(turn)).join(",")}`);
await page.mouse.up();
await browser.close();
await server.stop();
