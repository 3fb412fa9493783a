// window.selkie: what the tests look at. Reads only; nothing in the page depends on it.
import type { App } from "./app";

export function exposeHooks(app: App): void {
  const { stage } = app;
  const pixel = (point: [number, number, number]) => {
    const box = stage.canvas.getBoundingClientRect();
    const [x, y] = stage.rig.project(point, box.width, box.height);
    return [box.left + x, box.top + y];
  };
  const hooks = {
    get frame() {
      return stage.frame ? { number: app.lastFrameNumber, frame: stage.frame.frame, time: stage.frame.time } : null;
    },
    get state() {
      return app.state;
    },
    get scene() {
      return app.scene;
    },
    get status() {
      return app.status.kind;
    },
    get drawn() {
      return stage.drawn;
    },
    get framesTaken() {
      return app.framesTaken;
    },
    parts: () => stage.frame?.parts.map((p) => ({ name: p.name, kind: p.kind, system: p.system })) ?? [],
    centre: (name: string) => stage.centreOf(name),
    camera: () => stage.rig.camera.position.toArray(),
    pixel,
    vertex: (name: string, index: number) => {
      const part = stage.frame?.parts.find((p) => p.name === name);
      return part && "positions" in part ? [...part.positions.slice(3 * index, 3 * index + 3)] : null;
    },
    pick: (x: number, y: number) => {
      const box = stage.canvas.getBoundingClientRect();
      const ray = stage.rig.ray(
        (2 * (x - box.left)) / box.width - 1,
        1 - (2 * (y - box.top)) / box.height,
        box.height,
        6,
      );
      return stage.pick(ray);
    },
  };
  Object.defineProperty(window, "selkie", { value: hooks });
}
