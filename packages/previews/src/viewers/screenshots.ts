import { type Caller, Refusal } from '@svc/auth-core';
import { pictureType } from '@svc/contract';
import type { DeviceControl } from '@svc/device-lab';
import type { Previews } from '../relays/previews.ts';
import type { Streams } from './streams.ts';

interface Tools {
  readonly deviceControl: Pick<DeviceControl, 'seen'>;
  readonly streams: Pick<Streams, 'admit' | 'keep' | 'hidesPicture'>;
  readonly previews: Pick<Previews, 'watch' | 'isSampled'>;
}

/** Time (ms) for the first picture of a device that no viewer watches. */
const PICTURE_MS = 10_000;

/**
 * Takes pictures of screens from the preview of a device, also of a node's device. Each is a stream of one picture:
 * the same callers may take it, and it counts as one of their streams meanwhile.
 */
export class Screenshots {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Rejects with `not_found` if the device is hidden from the caller, `no_such_source` if it has no preview or shows
   * somebody else's session that is hidden, `overloaded` if there are too many viewers, or `driver_failed` if no
   * picture arrives in time.
   */
  async take(caller: Caller, udid: string): Promise<{ readonly picture: Buffer; readonly type: string }> {
    const { deviceControl, streams, previews } = this.#tools;
    const admitted = streams.admit('frames', udid, { kind: 'caller', caller, ticket: null });
    const { device } = admitted;
    // The latest of single pictures may be some seconds old. A stream has a picture for each change of the screen.
    let isFresh = !previews.isSampled(device);
    let leave: () => void = () => undefined;
    let forget: () => void = () => undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      const picture = await new Promise<Uint8Array | undefined>((done) => {
        timer = setTimeout(() => done(undefined), PICTURE_MS).unref();
        forget = streams.keep(admitted, 'frames', () => done(undefined));
        leave = previews.watch(device, {
          frame: (bytes) => {
            if (isFresh) done(bytes);
          },
          end: () => done(undefined),
        });
        isFresh = true;
      });
      // The device may have moved to another team in the meantime, or another session may have started on it.
      deviceControl.seen(caller, udid);
      if (streams.hidesPicture(caller, 'frames', udid)) throw new Refusal('no_such_source');
      const type = picture === undefined ? undefined : pictureType(picture);
      if (picture === undefined || type === undefined) throw new Refusal('driver_failed', 'no picture');
      return { picture: Buffer.from(picture), type };
    } finally {
      clearTimeout(timer);
      forget();
      leave();
    }
  }
}
