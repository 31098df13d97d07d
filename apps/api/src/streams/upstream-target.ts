import type { Outbound } from '@svc/outbound';

/** Where a stream is fetched from. */
export interface UpstreamTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How it is reached. */
  readonly connection: ReturnType<Outbound['connection']>;
}

/** Asked each time the stream is opened; null: there is none now. */
export type TargetOf = () => UpstreamTarget | null | Promise<UpstreamTarget | null>;

/** A stream that is being opened. */
export interface Opening {
  readonly isOver: boolean;
  /** The first call ends it; null: whoever opened it closes it, and is told of nothing. */
  finish(reason: string | null): void;
}

/**
 * Opens `targetOf` with `connect`, which answers how to let go of it again. The returned function closes it, also while
 * the target is still asked for; `ended` is called once, never after a close.
 */
export function openUpstream(
  targetOf: TargetOf,
  ended: (reason: string) => void,
  connect: (target: UpstreamTarget, opening: Opening) => () => void,
): () => void {
  let isOver = false;
  let release: (() => void) | undefined;
  const opening: Opening = {
    get isOver() {
      return isOver;
    },
    finish: (reason) => {
      if (isOver) return;
      isOver = true;
      release?.();
      if (reason !== null) ended(reason);
    },
  };
  const begin = (target: UpstreamTarget | null): void => {
    if (isOver) return;
    if (target === null) opening.finish('no source');
    else release = connect(target, opening);
  };
  const target = targetOf();
  if (target instanceof Promise) target.then(begin).catch(() => opening.finish('no source'));
  else begin(target);
  return () => opening.finish(null);
}
