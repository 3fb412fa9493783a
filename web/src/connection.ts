// The WebSocket to the program: opens it, opens it again after a drop (waiting longer each time), and turns
// messages into events. A browser does not say why an upgrade was refused, so a plain request asks.
import { decodeFrame, ProtocolError, type Frame, type Reply, type ServerMessage } from "./protocol";

export type Status =
  | { kind: "connecting" }
  | { kind: "open" }
  | { kind: "waiting"; seconds: number; message: string }
  | { kind: "refused"; message: string; remedy: string }
  | { kind: "ended"; message: string };

export interface ConnectionEvents {
  status(status: Status): void;
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  error(message: string, remedy?: string): void;
}

const FIRST_WAIT = 0.5;
const LONGEST_WAIT = 8;

export class Connection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer = 0;
  private nextId = 1;
  private farewell = "";
  private readonly pending = new Map<number, (reply: Reply) => void>();

  constructor(
    private readonly token: string | null,
    private readonly events: ConnectionEvents,
  ) {}

  open(): void {
    window.clearTimeout(this.timer);
    if (!this.token) {
      this.events.status({
        kind: "refused",
        message: "This address has no token.",
        remedy: "Open the whole address that selkie view printed; it ends in ?token=…",
      });
      return;
    }
    this.events.status({ kind: "connecting" });
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws?token=${encodeURIComponent(this.token)}`);
    socket.binaryType = "arraybuffer";
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.wait = FIRST_WAIT;
      this.farewell = "";
      this.events.status({ kind: "open" });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.pending.clear();
      void this.closed(opened, event);
    };
    this.socket = socket;
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  // Without a connection there is nobody to tell; the banner says so.
  send(type: string, keys: Record<string, unknown> = {}): Promise<Reply> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      if (!this.isOpen) return;
      this.pending.set(id, resolve);
      this.socket?.send(JSON.stringify({ type, id, ...keys }));
    });
  }

  acknowledge(frameNumber: number): void {
    if (this.isOpen) this.socket?.send(JSON.stringify({ type: "ack", frame_number: frameNumber }));
  }

  private receive(data: string | ArrayBuffer): void {
    try {
      if (typeof data !== "string") {
        this.events.frame(decodeFrame(data));
        return;
      }
      const message = JSON.parse(data) as ServerMessage;
      if (message.type === "bye") this.farewell = message.message || "The program ended.";
      if ("id" in message && message.id !== undefined) {
        this.pending.get(message.id)?.(message);
        this.pending.delete(message.id);
      }
      this.events.message(message);
    } catch (error) {
      const text = error instanceof ProtocolError || error instanceof SyntaxError ? error.message : String(error);
      this.events.error(`A message of the program could not be read: ${text}`);
    }
  }

  private async closed(opened: boolean, event: CloseEvent): Promise<void> {
    if (event.code === 1008 || event.code === 1009) {
      this.events.status({
        kind: "refused",
        message: `The program closed the connection${event.reason ? `: ${event.reason}` : "."}`,
        remedy: "Reload the page to connect again.",
      });
      return;
    }
    if (!opened && (await this.tokenIsRefused())) {
      this.events.status({
        kind: "refused",
        message: "The program refused this page's token.",
        remedy: "The token is new at every start: open the address that selkie view printed last.",
      });
      return;
    }
    const seconds = this.wait;
    this.wait = Math.min(LONGEST_WAIT, this.wait * 1.7);
    const message = this.farewell ? `${sentence(this.farewell)} Connects again when it is back.` : "Connection lost.";
    this.events.status(this.farewell ? { kind: "ended", message } : { kind: "waiting", seconds, message });
    this.timer = window.setTimeout(() => this.open(), seconds * 1000);
  }

  private async tokenIsRefused(): Promise<boolean> {
    try {
      const reply = await fetch(`/ws?token=${encodeURIComponent(this.token ?? "")}`, { cache: "no-store" });
      return reply.status === 403;
    } catch {
      return false; // nobody answers: the program is not there (yet)
    }
  }
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
