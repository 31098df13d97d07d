import type { DeviceSource, FrameSink, LineSink } from '@svc/device-lab';
import { runExecuteMethod } from '@svc/device-lab';
import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { openApp, type RunningApp } from '../../support/app.ts';

const PHONE = { platform: 'Fake', osVersion: '1', node: null, mjpegUrl: null, h264Url: null, logs: null };

/** @returns bytes that begin like a JPEG, because only the first bytes are checked */
export function jpeg(content: number, length = 200): Uint8Array {
  const bytes = new Uint8Array(length).fill(content);
  bytes.set([0xff, 0xd8, 0xff, 0xe0]);
  return bytes;
}

/** The smallest PNG that a browser shows. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape.
  readonly body: any;
  readonly raw: Buffer;
}

/** The API in this process with phones whose screens and logs the test controls; the phone `bare` has neither. */
export class RecordedLab {
  at = Date.UTC(2030, 0, 1, 12);
  running!: RunningApp;
  readonly #frames = new Map<string, FrameSink>();
  readonly #lines = new Map<string, LineSink>();

  static async open(env: Record<string, string> = {}): Promise<RecordedLab> {
    const lab = new RecordedLab();
    const devices = ['phone-1', 'phone-2', 'bare'].map((udid) => ({ ...PHONE, udid, name: udid }));
    const source: DeviceSource = {
      name: 'test',
      comesAndGoes: false,
      endsSessions: false,
      streams: {
        frames: (udid) => (udid === 'bare' ? null : { open: (sink) => lab.#open(lab.#frames, udid, sink) }),
        lines: (udid) => (udid === 'bare' ? null : { open: (sink) => lab.#open(lab.#lines, udid, sink) }),
      },
      start: (report) => report(devices),
      stop: () => undefined,
    };
    lab.running = await openApp(env, {
      clock: { now: () => lab.at },
      localLab: { sources: [source], capabilities: {} },
    });
    return lab;
  }

  #open<Sink>(sinks: Map<string, Sink>, udid: string, sink: Sink): () => void {
    sinks.set(udid, sink);
    return () => {
      if (sinks.get(udid) === sink) sinks.delete(udid);
    };
  }

  /**
   * Starts a session on a phone. Resolves when the session's recording, if there is one, has begun to follow the phone.
   */
  async start(
    id: string,
    udid: string,
    options: { record?: 'off' | 'failures' | 'all'; saveDeviceLogs?: boolean } = {},
    owner: Parameters<typeof sampleAdmission>[0] = {},
  ): Promise<void> {
    const { modules } = this.running.services;
    const { lab } = modules.lab.offers;
    const { record = null, saveDeviceLogs = true } = options;
    const admission = { ...sampleAdmission(owner), recording: { record, saveDeviceLogs } };
    await lab.creates.createSession(admission, { alwaysMatch: { 'appium:udid': udid } }, sampleStart(id));
    await modules.recordings.offers.recorder.opened(id);
  }

  /** Shows pictures on a phone, 250 ms apart. */
  show(udid: string, ...contents: number[]): void {
    for (const content of contents) {
      this.#frames.get(udid)?.frame(jpeg(content));
      this.at += 250;
    }
  }

  log(udid: string, ...lines: string[]): void {
    for (const line of lines) this.#lines.get(udid)?.line(line);
  }

  /** Whether a recording or a viewer follows the screen of the phone. */
  isFollowed(udid: string): boolean {
    return this.#frames.has(udid);
  }

  execute(id: string, name: string, fields: object = {}) {
    return runExecuteMethod(this.running.services.modules.lab.offers.lab, id, name, [fields]);
  }

  async end(id: string, category: 'Timeout' | null = null): Promise<void> {
    this.running.services.modules.lab.offers.lab.recordEnd(id, { category, reason: null });
  }

  /** Signs in as the first Super admin. */
  async root(): Promise<Record<string, string>> {
    const from = { address: null, peer: null, requestId: null };
    const { cookie } = await this.running.services.modules.accounts.offers.passwordSignIn.open(
      { email: 'admin@svc.local', password: 'svc-admin-please-change', network: '', userAgent: null },
      from,
    );
    return { cookie: `svc_dashboard_session=${cookie}` };
  }

  async ask(
    as: Readonly<Record<string, string>>,
    path: string,
    method: 'GET' | 'POST' | 'DELETE' = 'GET',
    json?: object,
  ): Promise<Answer> {
    const answer = await this.running.app.inject({
      method,
      url: `/svc/api${path}`,
      headers: { host: 'lab', origin: 'http://lab', ...as },
      ...(json === undefined ? {} : { payload: json }),
    });
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: isJson && answer.body !== '' ? answer.json() : answer.body,
      raw: answer.rawPayload,
    };
  }

  close(): Promise<void> {
    return this.running.close();
  }
}

/** Returns the pictures of a chunk in the format in which the API sends it. */
export function picturesIn(chunk: Buffer): { at: string; bytes: number; type: string; content: Buffer }[] {
  const pictures = [];
  for (let at = 0; at < chunk.length; ) {
    const end = chunk.indexOf('\n', at);
    const head = JSON.parse(chunk.subarray(at, end).toString('utf8'));
    const content = chunk.subarray(end + 1, end + 1 + head.bytes);
    pictures.push({ ...head, content });
    at = end + 1 + head.bytes;
  }
  return pictures;
}
