import type { DriverSession, LoggedCommand, SessionView } from '@svc/device-lab';
import { instant } from '@svc/module';
import type { DeviceLogPage, Picture, RecordingSource, RecordingView } from '../sessions/recording-source.ts';
import { escaped, PAGE_END, pageStart } from './html.ts';

export interface ReportInput extends SessionView {
  readonly recording: RecordingSource;
  readonly view: RecordingView;
  readonly commands: Iterable<LoggedCommand>;
  /** Makes texts in slices, so that other requests do not wait for a whole report. */
  readonly inTurns: (texts: Iterable<string>) => AsyncIterable<string>;
  /** Public address of this server, to which the report links, or null if it has none. */
  readonly publicUrl: string | null;
  /** Version of this server, shown in the report. */
  readonly version: string;
}

/**
 * Maximum number of pictures in a report. This limit and the three limits below keep the report small enough to be
 * attached to a test result.
 */
const MOST_PICTURES = 40;
const MOST_PICTURE_BYTES = 16 * 1024 * 1024;
const MOST_LOG_ROWS = 2_000;
/**
 * Maximum number of pages of the device log that are read. A recording has at most 12,000 rows; the rows may come from
 * a node, which could name a further page without end.
 */
const MOST_LOG_PAGES = 8;
const LONGEST_PART = 4 * 1024;

type Mark = RecordingView['marks'][number];

/**
 * Generates the report of a session as one HTML file without external resources (contract 11). All text of the session
 * is escaped.
 */
export async function* report(input: ReportInput): AsyncGenerator<string> {
  const { session } = input;
  yield pageStart(`Session ${session.name ?? session.id}`, beside(input));
  yield failure(session);
  yield record(input);
  yield* pictures(input);
  yield* input.inTurns(commands(input.commands, session.startedAt));
  yield* deviceLog(input);
  yield `<p>Written by svc ${escaped(input.version)}. Times are UTC.</p>\n${PAGE_END}`;
}

/** Status of the session, and links to its page and its phone's. */
function beside({ session: { id, status, device }, publicUrl }: ReportInput): string {
  const badge = `<span class="badge badge-${status}">${status}</span>`;
  if (publicUrl === null) return badge;
  const link = (page: string, query: Record<string, string>, text: string) =>
    ` <a href="${escaped(`${publicUrl}/svc/${page}?${new URLSearchParams(query)}`)}">${text}</a>`;
  const phone = device === null ? '' : link('devices', { udid: device.udid }, 'Open the phone');
  return badge + link('sessions', { id }, 'Open the session') + phone;
}

function failure(session: DriverSession): string {
  const text = failureOf(session);
  return text === null ? '' : `<p class="failure" role="note">${escaped(text)}</p>\n`;
}

function record({ session, owner, view }: ReportInput): string {
  const rows: (readonly [string, string | null])[] = [
    ['Status', session.status],
    ['Session', session.id],
    ['Owner', owner?.email ?? null],
    ['Device', session.device === null ? null : `${session.device.name} (${session.device.udid})`],
    ['Platform', session.device?.platform ?? null],
    ['Node', session.node],
    ['Started', instant(session.startedAt)],
    ['Ended', session.endedAt === null ? 'still running' : instant(session.endedAt)],
    ['Duration', session.endedAt === null ? null : clock(session.endedAt - session.startedAt)],
    ['Tags', session.tags.length === 0 ? null : session.tags.join(', ')],
    ['Recording', recordingOf(view)],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null ? [] : `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>\n`,
  );
  return `<h2>Record</h2>\n<dl>\n${shown.join('')}</dl>\n${folded('Capabilities', session.capabilities)}`;
}

function failureOf({ failureCategory, failureReason }: DriverSession): string | null {
  const parts = [failureCategory, failureReason].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(': ');
}

function recordingOf({ state, pictures: count, deviceLogRows }: RecordingView): string {
  if (state === 'none') return 'none; svc:options.record or the setting SVC_RECORDING switches it on';
  if (state === 'removed') return 'removed';
  return `${count} pictures, ${deviceLogRows} rows of the device log`;
}

async function* pictures({ recording, view, inTurns }: ReportInput): AsyncGenerator<string> {
  const marks = view.marks.filter(({ kind }) => kind === 'failure' || kind === 'evidence');
  if (marks.length === 0) return;
  yield '<h2>Pictures</h2>\n';
  let bytes = 0;
  for (const mark of chosen(marks)) {
    const picture = await recording.picture(mark.at).catch(() => null);
    bytes += picture?.bytes.length ?? 0;
    yield* inTurns(figure(mark, bytes > MOST_PICTURE_BYTES ? null : picture));
  }
  if (marks.length > MOST_PICTURES)
    yield `<p>${marks.length - MOST_PICTURES} more are in the recording.</p>\n`;
}

/**
 * Selects the marks that the report shows with a picture, at most `MOST_PICTURES`. Failures have priority over evidence
 * (moments of which the client requested a picture). The result is sorted by time.
 */
function chosen(marks: readonly Mark[]): Mark[] {
  const failures = marks.filter(({ kind }) => kind === 'failure');
  const evidence = marks.filter(({ kind }) => kind === 'evidence');
  return [...failures, ...evidence].slice(0, MOST_PICTURES).sort((a, b) => (a.at < b.at ? -1 : 1));
}

function* figure({ at, kind, label }: Mark, picture: Picture | null): Generator<string> {
  const caption = `${kind === 'failure' ? 'Failure' : 'Evidence'}, ${at}${label === undefined ? '' : `: ${label}`}`;
  const shown =
    picture === null
      ? '<p>This picture is not in the report.</p>'
      : `<img alt="${escaped(caption)}" src="data:${picture.type};base64,${picture.bytes.toString('base64')}">`;
  yield `<figure>${shown}<figcaption>${escaped(caption)}</figcaption></figure>\n`;
}

function* commands(all: Iterable<LoggedCommand>, startedAt: number): Generator<string> {
  const head = ['Time', 'Command', 'Status', 'Duration'].map((name) => `<th scope="col">${name}</th>`);
  yield '<h2>Commands</h2>\n';
  let isEmpty = true;
  for (const command of all) {
    if (isEmpty) yield `<table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n`;
    isEmpty = false;
    yield commandRow(command, startedAt);
  }
  yield isEmpty ? '<p>No commands.</p>\n' : '</tbody>\n</table>\n';
}

function commandRow(command: LoggedCommand, startedAt: number): string {
  const { at, method, path, status, durationMs, body, response, name, summary, error } = command;
  const hasFailed = error !== undefined || status >= 400;
  const what = `<strong>${escaped(name)}</strong> ${escaped(summary)}`;
  const why = error === undefined ? '' : `<p>${escaped(`${error.code}: ${error.message}`)}</p>`;
  const details = `${folded(`${method} ${path}`, body ?? '')}${folded('Response', response)}`;
  const cells = [
    `<time datetime="${instant(at)}">${clock(at - startedAt)}</time>`,
    `${what}${why}${details}`,
    `${status}${hasFailed ? ' failed' : ''}`,
    `${durationMs} ms`,
  ];
  return `<tr${hasFailed ? ' class="failed"' : ''}>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`;
}

/** @returns a time since the start of the session, such as `1:45.250` or `1:02:03.000` */
function clock(ms: number): string {
  const whole = Math.max(0, ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const [minutes, rest] = [Math.floor(whole / 60_000), whole % 60_000];
  const seconds = `${two(Math.floor(rest / 1_000))}.${String(rest % 1_000).padStart(3, '0')}`;
  return minutes < 60
    ? `${minutes}:${seconds}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${seconds}`;
}

function folded(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const cut = text.length > LONGEST_PART ? `${text.slice(0, LONGEST_PART)}…` : text;
  return `<details><summary>${escaped(name)}</summary><pre>${escaped(cut)}</pre></details>\n`;
}

async function* deviceLog({ recording, view, inTurns }: ReportInput): AsyncGenerator<string> {
  if (view.deviceLogRows === 0) return;
  yield '<h2>Device log</h2>\n';
  const rows = await newest(recording).catch(() => null);
  if (rows === null) {
    yield '<p>The device log cannot be read now.</p>\n';
    return;
  }
  if (view.deviceLogRows > rows.length)
    yield `<p>The newest ${rows.length} of ${view.deviceLogRows} rows.</p>\n`;
  yield* inTurns(logLines(rows));
}

function* logLines(rows: DeviceLogPage['items']): Generator<string> {
  let before = '<pre>';
  for (const { at, line } of rows) {
    yield `${before}${escaped(`${at} ${line}`)}`;
    before = '\n';
  }
  yield '</pre>\n';
}

async function newest(recording: RecordingSource): Promise<DeviceLogPage['items']> {
  let kept: DeviceLogPage['items'] = [];
  let after = 0;
  for (let count = 0; count < MOST_LOG_PAGES; count++) {
    const { items, next } = await recording.rows(after, MOST_LOG_ROWS);
    kept = [...kept, ...items].slice(-MOST_LOG_ROWS);
    if (next === null || next <= after) return kept;
    after = next;
  }
  return kept;
}
