import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PictureSink, SharedVideo } from '../src/relays/shared-video.ts';

class ToyEncoder {
  readonly sinks: PictureSink[] = [];
  closed = 0;
  open(sink: PictureSink) {
    this.sinks.push(sink);
    return () => void this.closed++;
  }
  get running() {
    return this.sinks.length - this.closed;
  }
  send(content: number, isKey = false, size = 1) {
    this.sinks.at(-1)?.picture({ bytes: new Uint8Array(size).fill(content), isKey });
  }
  /** Ends the source. The close that follows is not counted, because an ended source is already closed. */
  end() {
    this.closed -= 1;
    this.sinks.at(-1)?.ended('closed');
    this.closed += 1;
  }
}

const viewer = () => {
  const seen: (number | string)[] = [];
  return {
    seen,
    frame: (bytes: Uint8Array) => void seen.push(bytes[0] ?? -1),
    ended: (reason: string) => void seen.push(reason),
  };
};

describe('one encoder for all viewers of a phone (contract 2 /control)', () => {
  let encoder: ToyEncoder;
  let ends: boolean[];
  let video: SharedVideo;
  beforeEach(() => {
    vi.useFakeTimers();
    encoder = new ToyEncoder();
    ends = [];
    video = new SharedVideo({
      source: encoder,
      clock: { now: Date.now },
      patience: { firstPicture: 4_000, betweenStarts: 1_000 },
      closed: (isUnusable) => void ends.push(isUnusable),
    });
  });
  afterEach(() => void vi.useRealTimers());

  it('one encoder for all viewers of a phone starts with the first and stops with the last; no timer stays (contract 2 /control)', () => {
    const [first, second] = [viewer(), viewer()];
    const leave = video.open(first);
    const leaveToo = video.open(second);
    encoder.send(1, true);
    expect([encoder.sinks.length, first.seen, second.seen]).toEqual([1, [1], [1]]);
    leave();
    leave();
    encoder.send(2);
    expect([encoder.running, first.seen, second.seen]).toEqual([1, [1], [1, 2]]);
    leaveToo();
    encoder.send(3);
    expect([encoder.running, second.seen, ends, vi.getTimerCount()]).toEqual([0, [1, 2], [false], 0]);
  });

  it('one encoder for all viewers of a phone shows a new viewer the last key picture and all since (contract 2 /control)', () => {
    const late = viewer();
    video.open(viewer());
    for (const content of [1, 2]) encoder.send(content);
    for (const content of [3, 4]) encoder.send(content, true);
    encoder.send(5);
    video.open(late);
    encoder.send(6);
    expect([late.seen, encoder.sinks.length]).toEqual([[4, 5, 6], 1]);
  });

  it.each([
    ['more than 30 pictures', () => void Array.from({ length: 30 }, () => encoder.send(2))],
    ['more than 2 MiB', () => encoder.send(2, false, 2 * 1024 * 1024)],
  ])(
    'one encoder for all viewers of a phone starts again for a new viewer after %s without a key picture; the others stay (contract 2 /control)',
    (_, send) => {
      const [first, late, later] = [viewer(), viewer(), viewer()];
      video.open(first);
      encoder.send(1, true);
      send();
      vi.advanceTimersByTime(400);
      video.open(late);
      video.open(later);
      encoder.send(3);
      expect([late.seen, encoder.sinks.length]).toEqual([[], 1]);
      vi.advanceTimersByTime(600);
      expect([encoder.sinks.length, encoder.running]).toEqual([2, 1]);
      encoder.send(4, true);
      vi.advanceTimersByTime(60_000);
      expect([first.seen.slice(-2), late.seen, later.seen]).toEqual([[3, 4], [4], [4]]);
      expect(encoder.sinks.length).toBe(2);
    },
  );

  it('one encoder for all viewers of a phone does not start again for a new viewer if a key picture comes first (contract 2 /control)', () => {
    const late = viewer();
    video.open(viewer());
    encoder.send(1, true);
    encoder.send(2, false, 2 * 1024 * 1024);
    video.open(late);
    encoder.send(3, true);
    vi.advanceTimersByTime(60_000);
    expect([late.seen, encoder.sinks.length]).toEqual([[3], 1]);
  });

  it('one encoder for all viewers of a phone starts again at its time limit, unnoticed, and at most once a second (contract 2 /control)', () => {
    const watching = viewer();
    video.open(watching);
    encoder.send(1, true);
    vi.advanceTimersByTime(180_000);
    encoder.end();
    vi.advanceTimersByTime(0);
    expect(encoder.sinks.length).toBe(2);
    encoder.send(2);
    encoder.send(3, true);
    encoder.end();
    vi.advanceTimersByTime(999);
    expect(encoder.sinks.length).toBe(2);
    vi.advanceTimersByTime(1);
    encoder.send(4, true);
    expect([watching.seen, encoder.sinks.length]).toEqual([[1, 3, 4], 3]);
  });

  it('one encoder for all viewers of a phone ends its viewers after the third start in a row without a picture; the phone stays usable (contract 2 /control)', () => {
    const watching = viewer();
    video.open(watching);
    encoder.send(1, true);
    for (const _ of [1, 2, 3]) {
      encoder.end();
      vi.advanceTimersByTime(1_000);
    }
    expect([watching.seen, ends]).toEqual([[1], []]);
    encoder.end();
    expect([watching.seen, ends, vi.getTimerCount()]).toEqual([[1, 'closed'], [false], 0]);
  });

  it('one encoder for all viewers of a phone is unusable if its first start ends, or takes longer than 4 s, without a picture (contract 2 /control)', () => {
    const [first, second] = [viewer(), viewer()];
    video.open(first);
    encoder.end();
    video.open(second);
    vi.advanceTimersByTime(4_000);
    expect([first.seen, second.seen, ends]).toEqual([['closed'], ['no picture'], [true, true]]);
    expect([encoder.running, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('one encoder for all viewers of a phone serves the others when a viewer leaves within a picture (contract 2 /control)', () => {
    const other = viewer();
    const leave = video.open({ frame: () => leave(), ended: () => undefined });
    video.open(other);
    encoder.send(1, true);
    encoder.send(2);
    expect([other.seen, encoder.running]).toEqual([[1, 2], 1]);
  });
});
