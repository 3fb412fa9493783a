// Connections in Chromium: lost and found again, refused, ended, and abused by another client.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as s from "./support.mjs";

const TOKEN = "0123456789abcdef0123456789abcdef";
let browser;

before(async () => {
  browser = await s.launch();
});
after(() => browser?.close());

test("a killed server is missed and found again when it is back", async () => {
  const first = await s.view(s.small, "--port", "0", "--token", TOKEN);
  const page = await s.openScene(browser, first.url);
  await first.stop("SIGKILL");
  const banner = page.locator(".banner");
  await banner.waitFor();
  await s.until("the loss to be told", async () => /lost|trying/i.test(await banner.textContent()));
  const second = await s.view(s.small, "--port", String(first.port), "--token", TOKEN);
  try {
    await s.until("the connection", () => page.evaluate(() => window.selkie.status === "open"));
    assert.equal(await banner.isVisible(), false);
    const taken = await page.evaluate(() => window.selkie.framesTaken);
    await s.until("new frames", () => page.evaluate((n) => window.selkie.framesTaken > n + 1, taken));
    assert.deepEqual(s.problemsOf(page), []);
  } finally {
    await second.stop();
  }
  await s.until(
    "the end to be told",
    async () => (await banner.isVisible()) && (await banner.textContent()).length > 10,
  );
  await page.context().close();
});

test("after a restart with another token the page says what to do", async () => {
  const first = await s.view(s.small, "--port", "0");
  const page = await s.openScene(browser, first.url);
  await first.stop("SIGKILL");
  const second = await s.view(s.small, "--port", String(first.port));
  await s.until("the refusal", () => page.evaluate(() => window.selkie.status === "refused"));
  assert.match(await page.locator(".banner").textContent(), /token/);
  await page.context().close();
  await second.stop();
});

test("a wrong or missing token is refused, and the page says so", async () => {
  const server = await s.view(s.small, "--port", "0");
  for (const query of ["?token=00000000000000000000000000000000", ""]) {
    const page = await s.open(browser, `http://127.0.0.1:${server.port}/${query}`);
    await s.until("the refusal", () => page.evaluate(() => window.selkie?.status === "refused"));
    assert.match(await page.locator(".banner").textContent(), /token/);
    assert.equal(await page.evaluate(() => window.selkie.framesTaken), 0);
    await page.context().close();
  }
  await server.stop();
});

test("huge and malformed messages do no harm", async () => {
  const server = await s.view(s.small, "--port", "0");
  const page = await s.openScene(browser, server.url);
  const connect = () =>
    new Promise((resolve, reject) => {
      const socket = new s.WebSocket(`ws://127.0.0.1:${server.port}/ws?token=${server.token}`);
      socket.on("open", () => resolve(socket));
      socket.on("error", reject);
    });
  const closing = (socket) => new Promise((resolve) => socket.on("close", resolve));
  const huge = await connect();
  huge.send("x".repeat(100_000));
  assert.equal(await closing(huge), 1009);

  const rude = await connect();
  const errors = [];
  rude.on("message", (data, binary) => !binary && JSON.parse(String(data)).type === "error" && errors.push(data));
  const bad = [
    "not json",
    "[]",
    "{}",
    '{"type":"fly"}',
    '{"type":"set","system":"cloth","path":"drag","value":"much"}',
    '{"type":"event","system":"cloth","action":"grab","arguments":{"point":[1e999,0]}}',
    '{"type":"seek","frame":-1}',
  ];
  for (const text of bad) rude.send(text);
  rude.send(Buffer.from([1, 2, 3]));
  await s.until("the refusals", () => errors.length >= bad.length);
  const ended = closing(rude);
  for (let i = 0; i < 120; ++i) rude.send("garbage");
  assert.equal(await ended, 1008);

  const taken = await page.evaluate(() => window.selkie.framesTaken);
  await s.until("the page to go on", () => page.evaluate((n) => window.selkie.framesTaken > n + 1, taken));
  assert.equal(await page.evaluate(() => window.selkie.status), "open");
  await page.context().close();
  await server.stop();
});
