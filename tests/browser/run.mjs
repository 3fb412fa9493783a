// Runs one browser test: node run.mjs FILE. A test fails as it fails; but Chromium's software renderer now and then
// stops drawing for good, and every later wait with it. Such a run, far longer than any that goes on, is ended and
// begun anew, once.
import { spawn } from "node:child_process";

const STALLED_AFTER = 140_000; // ms; an ordinary run takes 5 to 45 s

function attempt(file) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { stdio: "inherit", detached: true });
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), STALLED_AFTER);
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      resolve(signal === "SIGKILL" ? "stalled" : (code ?? 1));
    });
  });
}

let result = await attempt(process.argv[2]);
if (result === "stalled") {
  console.log(`the browser stalled for ${STALLED_AFTER / 1000} s: a second try`);
  result = await attempt(process.argv[2]);
}
process.exit(result === "stalled" ? 1 : result);
