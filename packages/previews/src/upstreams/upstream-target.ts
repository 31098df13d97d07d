import type { Outbound } from '@svc/outbound';

/** Address and connection options of the server from which a stream is read. */
export interface UpstreamTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Options of the connection, such as the proxy. */
  readonly connection: ReturnType<Outbound['connection']>;
}

/**
 * Returns the target of a stream, or null if the stream is not available now. Called each time the stream is opened.
 */
export type TargetOf = () => UpstreamTarget | null | Promise<UpstreamTarget | null>;

/** State of a stream that is open or being opened. */
export interface Opening {
  readonly isOver: boolean;
  /**
   * Ends the stream. Further calls have no effect.
   * @param reason why the stream ended, or null if the viewer closed it and needs no notification
   */
  finish(reason: string | null): void;
}

/**
 * Opens a stream: connects to the target with `connect`, which returns a function that disconnects. `ended` is called
 * once when the stream ends, unless the viewer closed it.
 * @returns a function that closes the stream. It can be called before the target is known.
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
