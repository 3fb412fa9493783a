// Serves the built page (dist/) and speaks the viewer's protocol with made-up worlds, so that the page can be worked
// on without the program: node tests/mock/server.mjs [port] [scene]. The token is "mock".
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { encodeFrame, partsAt } from "./world.mjs";

const DIST = process.env.SELKIE_PAGE ?? fileURLToPath(new URL("../../dist", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const CSP =
  "default-src 'self'; connect-src 'self'; img-src 'self' blob: data:; base-uri 'none'; frame-ancestors 'none'";
const SCENES = ["everything", "sheet", "smoke"].map((name) => ({ name, about: `made-up scene: ${name}` }));

function sceneMessage(name, params) {
  const all = ["grab", "drag", "release", "push", "pin", "unpin", "kick"];
  const bending = {
    path: "bending",
    kind: "number",
    unit: "N·m",
    text: "resistance to folding",
    value: params.bending,
    live: true,
    lo: 0,
    hi: 1,
  };
  const systems = [
    {
      name: "cloth",
      kind: "mass_spring",
      parts: ["cloth", "contacts"],
      actions: all,
      params: [
        bending,
        {
          path: "stiffness",
          kind: "number",
          unit: "N/m",
          text: "of the threads",
          value: 1200,
          live: true,
          lo: 0,
          hi: null,
        },
        {
          path: "integrator",
          kind: "choice",
          unit: "",
          text: "how time advances",
          value: "implicit_euler",
          live: false,
          choices: ["implicit_euler", "rk4", "verlet"],
        },
        {
          path: "iterations",
          kind: "integer",
          unit: "",
          text: "of Newton's method",
          value: params.iterations,
          live: false,
          lo: 1,
          hi: 20,
        },
        {
          path: "self_contact",
          kind: "boolean",
          unit: "",
          text: "the cloth does not pass through itself",
          value: true,
          live: true,
        },
        { path: "wind", kind: "vector", unit: "m/s", text: "of the air", value: [0.5, 0, 1], live: true },
      ],
    },
    { name: "spray", kind: "particles", parts: ["spray"], actions: ["push"], params: [] },
    {
      name: "smoke",
      kind: "smoke",
      parts: ["smoke"],
      actions: ["push", "source"],
      params: [
        {
          path: "buoyancy",
          kind: "number",
          unit: "m/s²/K",
          text: "lift per degree",
          value: 1,
          live: true,
          lo: 0,
          hi: 4,
        },
      ],
    },
    { name: "thrown", kind: "rigid", parts: [], actions: ["throw", "clear"], params: [] },
  ];
  const cameras =
    name === "sheet"
      ? [{ name: "main", position: [0.9, 1.3, 2.4], target: [0, 0.85, 0], up: [0, 1, 0], field_of_view: 38 }]
      : [];
  return {
    type: "scene",
    name,
    about: `made-up scene: ${name}, nothing is computed here`,
    fps: 60,
    steps_per_frame: 1,
    gravity: [0, -9.81, 0],
    bounds:
      name === "smoke"
        ? { min: [-1.3, 0, -1.7], max: [0.7, 1.2, 0.9] }
        : { min: [-1.3, 0, -1.7], max: [1.7, 1.5, 0.9] },
    cameras,
    light: {},
    systems,
  };
}

export function startMock({ port = 0, scene = "everything", playing = true } = {}) {
  const world = {
    scene,
    time: 0,
    frame: 0,
    playing,
    speed: 1,
    grabbed: [0, 0, 0],
    hold: null,
    params: { bending: 0.2, iterations: 4 },
    received: [],
  };
  const http = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://x").pathname);
    if (path === "/ws") return void response.writeHead(403).end();
    const file = join(DIST, path === "/" ? "index.html" : path);
    try {
      const body = await readFile(file);
      response.writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        "content-security-policy": CSP,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 65536 });
  http.on("upgrade", (request, socket, head) => {
    if (!request.url.includes("token=mock")) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    sockets.handleUpgrade(request, socket, head, (ws) => accept(ws, world, sockets));
  });
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (world.playing) advance(world, (world.speed * (now - last)) / 1000);
    last = now;
    for (const ws of sockets.clients) sendFrame(ws, world);
  }, 16);
  const slow = setInterval(() => broadcast(sockets, stateMessage(world, sockets)), 100);
  return new Promise((resolve) =>
    http.listen(port, "127.0.0.1", () => {
      const close = () => {
        clearInterval(timer);
        clearInterval(slow);
        for (const ws of sockets.clients) ws.terminate();
        http.closeAllConnections?.();
        return new Promise((done) => http.close(done));
      };
      resolve({ port: http.address().port, url: `http://127.0.0.1:${http.address().port}/?token=mock`, world, close });
    }),
  );
}

function advance(world, seconds) {
  world.time += seconds;
  world.frame = Math.round(world.time * 60);
  const goal = world.hold ?? [0, 0, 0];
  world.grabbed = world.grabbed.map((g, i) => g + 0.3 * (goal[i] - g));
}

function stateMessage(world, sockets) {
  const wave = Math.sin(world.time);
  const phases = { springs: 2 + wave, solve: 4 + 2 * Math.cos(2 * world.time), contact: 1 + 0.5 * wave };
  return {
    type: "state",
    playing: world.playing,
    speed: world.speed,
    frame: world.frame,
    time: world.time,
    dropped: 0,
    rate: 60,
    step_ms: 7 + wave,
    phases,
    figures: {
      cloth: { energy: 2 + wave * Math.exp(-0.1 * world.time), strain: 0.02 + 0.005 * wave },
      smoke: { volume: 1.2 },
    },
    clients: sockets.clients.size,
    bytes: 100000,
  };
}

function broadcast(sockets, message) {
  for (const ws of sockets.clients) ws.send(JSON.stringify(message));
}

function sendFrame(ws, world) {
  if (!ws.ready || (ws.sentScene === world.scene && ws.sentTime === world.time)) return;
  const first = ws.sentScene !== world.scene;
  ws.ready = false;
  ws.sentScene = world.scene;
  ws.sentTime = world.time;
  const parts = partsAt(world.scene, world.time, world.grabbed, first);
  ws.send(encodeFrame({ frame_number: ++ws.count, frame: world.frame, time: world.time, parts }));
}

function accept(ws, world, sockets) {
  Object.assign(ws, { ready: true, count: 0, sentTime: -1, sentScene: "" });
  ws.send(JSON.stringify({ type: "hello", protocol: 1, version: "mock", mode: "live", scenes: SCENES }));
  ws.send(JSON.stringify(sceneMessage(world.scene, world.params)));
  ws.on("message", (data) => {
    const message = JSON.parse(String(data));
    if (message.type === "ack") return void (ws.ready = true);
    world.received.push(message);
    const problem = carryOut(message, world);
    ws.send(
      JSON.stringify(
        problem
          ? { type: "error", id: message.id, message: problem, remedy: "Try another." }
          : { type: "ok", id: message.id },
      ),
    );
    if (["open", "reset", "set"].includes(message.type)) broadcast(sockets, sceneMessage(world.scene, world.params));
    broadcast(sockets, stateMessage(world, sockets));
  });
}

function carryOut(message, world) {
  if (message.type === "play") world.playing = true;
  else if (message.type === "pause") world.playing = false;
  else if (message.type === "speed") world.speed = message.factor;
  else if (message.type === "open") Object.assign(world, { scene: message.scene, time: 0 });
  else if (message.type === "reset") Object.assign(world, { time: 0, frame: 0 });
  else if (message.type === "set" && message.value > 1e6) return `${message.path} = ${message.value} is too large`;
  else if (message.type === "set") world.params[message.path] = message.value;
  else if (message.type === "step") {
    world.playing = false;
    advance(world, 1 / 60);
  } else if (message.type === "event" && message.action === "grab") world.from = message.arguments.point;
  else if (message.type === "event" && message.action === "drag")
    world.hold = message.arguments.target.map((t, i) => t - world.from[i]);
  else if (message.type === "event" && message.action === "release") world.hold = null;
  return "";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = await startMock({ port: Number(process.argv[2] ?? 8766), scene: process.argv[3] ?? "everything" });
  console.log(mock.url);
}
