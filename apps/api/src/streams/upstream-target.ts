import type { Outbound } from '@svc/outbound';

/** Where a stream comes from. */
export interface UpstreamTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Options of the connection. */
  readonly connection: ReturnType<Outbound['connection']>;
}

/** Called each time a stream is opened. Returns null if there is none now. */
export type TargetOf = () => UpstreamTarget | null | Promise<UpstreamTarget | null>;

/** A stream that is being opened. */
export interface Opening {
  readonly isOver: boolean;
  /**
   * Ends the stream on its first call.
   * @param reason why it ended, or null if the viewer closed it and needs no notification
   */
  finish(reason: string | null): void;
}

/**
 * Connects to the target with `connect`, which returns a function that disconnects. `ended` is called once, and not
 * after a close.
 * @returns a function that closes the stream, also while the target is not known yet
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
