import type { FrameSink, LineSink } from '@svc/device-lab';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MjpegParts, NotMjpeg } from '../src/formats/mjpeg-parts.ts';
import { FrameRelay } from '../src/relays/frame-relay.ts';
import { LINE_BOUNDS, LineRelay, shownLine } from '../src/relays/line-relay.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const jpegText = (content: string) => `\xff\xd8${content}\xff\xd9`;
const text = (jpeg: Uint8Array) => String.fromCharCode(...jpeg);

function partsOf(body: string, cuts: readonly number[] = []): string[] {
  const found: string[] = [];
  const parts = new MjpegParts((jpeg) => found.push(text(jpeg)));
  const all = bytes(body);
  const at = [0, ...[...cuts].map((cut) => cut % all.length).sort((a, b) => a - b), all.length];
  for (let i = 1; i < at.length; i++) parts.push(all.subarray(at[i - 1], at[i]));
  return found;
}

describe('an MJPEG body', () => {
  const frame = fc
    .array(fc.integer({ min: 0, max: 0xfe }), { maxLength: 60 })
    .map((codes) => jpegText(String.fromCharCode(...codes)));
  const named = (jpeg: string) =>
    `--BoundaryString\r\nContent-type: image/jpg\r\nContent-Length: ${jpeg.length}\r\n\r\n${jpeg}\r\n\r\n`;
  const unnamed = (jpeg: string) => `\r\n--b\r\nContent-Type: image/jpeg\r\n\r\n${jpeg}\r\n`;

  it('an MJPEG body is taken apart wherever it is cut, with and without lengths (property)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(frame, fc.boolean()), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(2_000), { maxLength: 12 }),
        (frames, cuts) => {
          const body = frames.map(([jpeg, hasLength]) => (hasLength ? named(jpeg) : unnamed(jpeg))).join('');
          expect(partsOf(body, cuts)).toEqual(frames.map(([jpeg]) => jpeg));
        },
      ),
    );
  });

  it.each([
    ['a part that is no JPEG', 'Content-Type: text/html\r\nContent-Length: 9\r\n\r\n<secret/>'],
    ['a part without length that is no JPEG', 'Content-Type: text/html\r\n\r\n<secret/>'],
    ['a PNG without length, which has no end marker', 'Content-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n'],
    ['a part that only begins like a PNG', 'Content-Length: 9\r\n\r\n\x89PNsecret'],
    ['a frame beyond the bound', 'Content-Length: 8388609\r\n\r\n'],
    ['a header without end', 'x'.repeat(8 * 1024)],
  ])('%s is refused', (_, body) => {
    expect(() => partsOf(`--b\r\n${body}`)).toThrow(NotMjpeg);
  });

  it('an MJPEG body may contain PNG pictures, as a node sends them of an adb phone (contract 8)', () => {
    const png = '\x89PNG\r\n\x1a\ncontent\r\n\r\n--b';
    expect(partsOf(named(png) + named(jpegText('1')) + named(png), [60, 100])).toEqual([
      png,
      jpegText('1'),
      png,
    ]);
  });

  it('a picture that arrives in one chunk is not copied (contract 11)', () => {
    const found: Uint8Array[] = [];
    const chunk = bytes(named(jpegText('1')) + named(jpegText('2')));
    new MjpegParts((jpeg) => found.push(jpeg)).push(chunk);
    expect(found.map(text)).toEqual([jpegText('1'), jpegText('2')]);
    expect(found.map(({ buffer }) => buffer)).toEqual([chunk.buffer, chunk.buffer]);
  });

  it('a frame that never ends is refused at the bound', () => {
    const parts = new MjpegParts(() => undefined);
    parts.push(bytes('--b\r\n\r\n\xff\xd8'));
    const chunk = new Uint8Array(1024 * 1024);
    expect(() => {
      for (let i = 0; i < 9; i++) parts.push(chunk);
    }).toThrow(NotMjpeg);
  });
});

class ToySource {
  readonly sinks: FrameSink[] = [];
  closed = 0;
  open(sink: FrameSink) {
    this.sinks.push(sink);
    return () => void this.closed++;
  }
  get sink() {
    return this.sinks.at(-1) as FrameSink;
  }
}

const viewer = () => {
  const seen: string[] = [];
  return { seen, frame: (jpeg: Uint8Array) => void seen.push(text(jpeg)), end: () => void seen.push('end') };
};

describe('one source for all who look', () => {
  let source: ToySource;
  let relay: FrameRelay;
  let over: boolean;

  beforeEach(() => {
    vi.useFakeTimers();
    source = new ToySource();
    over = false;
    relay = new FrameRelay(source, { now: Date.now }, () => {
      over = true;
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('one source for all viewers is opened with the first and closed a few seconds behind the last; the next sees the latest frame at once', () => {
    const [first, second] = [viewer(), viewer()];
    const leave = relay.add(first);
    source.sink.frame(bytes('1'));
    source.sink.frame(bytes('2'));
    const leaveToo = relay.add(second);
    expect([first.seen, second.seen]).toEqual([['1', '2'], ['2']]);
    leave();
    leaveToo();
    leaveToo();
    vi.advanceTimersByTime(2_000);
    relay.add(first);
    vi.advanceTimersByTime(60_000);
    expect([source.sinks.length, source.closed, over]).toEqual([1, 0, false]);
    leave();
    relay.end();
    expect([source.closed, over]).toEqual([1, true]);
  });

  it('one source for all viewers closes behind the last one', () => {
    relay.add(viewer())();
    vi.advanceTimersByTime(3_000);
    expect([source.closed, over]).toEqual([1, true]);
  });

  it('one source for all viewers is opened again while somebody looks, ever more slowly, and given up on in the end', () => {
    const one = viewer();
    relay.add(one);
    source.sink.frame(bytes('1'));
    for (let opened = 1; !over; opened++) {
      expect(source.sinks).toHaveLength(opened);
      source.sink.ended('gone');
      if (!over) vi.advanceTimersByTime(4_000);
    }
    expect(one.seen).toEqual(['1', 'end']);
    expect(source.sinks.length).toBeLessThan(10);
  });

  it('one source for all viewers stays open for a viewer who comes between the last one and its end, also while it is about to be opened again', () => {
    const [first, second] = [viewer(), viewer()];
    const leave = relay.add(first);
    source.sink.ended('gone');
    leave();
    vi.advanceTimersByTime(1_000);
    relay.add(second);
    source.sink.frame(bytes('1'));
    vi.advanceTimersByTime(10_000);
    source.sink.frame(bytes('2'));
    expect([source.sinks.length, over, second.seen]).toEqual([2, false, ['1', '2']]);
  });

  it('one source for all viewers passes a viewer by who left while others were served, and one who comes back is another', async () => {
    vi.useRealTimers();
    const seats = Array.from({ length: 9 }, () => {
      const one = viewer();
      return { ...one, leave: relay.add(one) };
    });
    source.sink.frame(bytes('1'));
    seats[8]?.leave();
    seats[8]?.leave();
    await vi.waitFor(() => expect(seats[7]?.seen).toEqual(['1']));
    expect([seats[8]?.seen, relay.viewers]).toEqual([[], 8]);
    relay.end();
  });

  it('one source for all viewers hears nothing more of a source that was closed or has ended', () => {
    const one = viewer();
    relay.add(one);
    const old = source.sink;
    old.ended('gone');
    vi.advanceTimersByTime(250);
    old.frame(bytes('late'));
    source.sink.frame(bytes('new'));
    relay.end();
    source.sink.frame(bytes('after'));
    expect(one.seen).toEqual(['new', 'end']);
  });
});

describe('log lines for all who read along', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('log lines for all who read along are bounded in length and number, and hold no control characters', () => {
    let sink: LineSink | undefined;
    const relay = new LineRelay({
      open: (opened) => {
        sink = opened;
        return () => undefined;
      },
    });
    const seen: string[] = [];
    const read = () => relay.view({ line: (line) => void seen.push(line), end: () => void seen.push('end') });
    read();
    for (let i = 0; i < 1_700; i++) sink?.line(`line ${i}`);
    seen.length = 0;
    read();
    expect(seen).toHaveLength(LINE_BOUNDS.kept);
    expect(seen.at(-1)).toBe('line 1699');
    expect(shownLine(`a\u001b[31mb\r\nc${'x'.repeat(9_000)}`)).toHaveLength(LINE_BOUNDS.characters - 1);
    expect(shownLine('a\r\n\u001b[0mb')).toBe('a [0mb');
    seen.length = 0;
    sink?.ended('gone');
    expect(seen).toEqual(['end', 'end']);
  });
});
