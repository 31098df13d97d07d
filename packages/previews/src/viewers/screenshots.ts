import { type Caller, Refusal } from '@svc/auth-core';
import type { DeviceControl } from '@svc/device-lab';
import { pictureType } from '../formats/picture-type.ts';
import type { Previews } from '../relays/previews.ts';

interface Tools {
  readonly deviceControl: Pick<DeviceControl, 'seen'>;
  readonly previews: Pick<Previews, 'has' | 'checkRoom' | 'watch' | 'isSampled'>;
}

/** Time (ms) for the first picture of a device that no viewer watches. */
const PICTURE_MS = 10_000;

/**
 * Takes pictures of screens from the preview of a device, also of a node's device. Anyone who may watch a device may
 * take a picture of it.
 */
export class Screenshots {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Rejects with `not_found` if the device is hidden from the caller, `no_such_source` if it has no preview,
   * `overloaded` if too many people watch it, or `driver_failed` if no picture arrives in time.
   */
  async take(caller: Caller, udid: string): Promise<{ readonly picture: Buffer; readonly type: string }> {
    const { deviceControl, previews } = this.#tools;
    const device = deviceControl.seen(caller, udid);
    if (!previews.has('frames', device)) throw new Refusal('no_such_source');
    previews.checkRoom(udid);
    // The latest of single pictures may be some seconds old. A stream has a picture for each change of the screen.
    let isFresh = !previews.isSampled(device);
    let leave: () => void = () => undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      const picture = await new Promise<Uint8Array | undefined>((done) => {
        timer = setTimeout(() => done(undefined), PICTURE_MS).unref();
        leave = previews.watch(device, {
          frame: (bytes) => {
            if (isFresh) done(bytes);
          },
          end: () => done(undefined),
        });
        isFresh = true;
      });
      // The device may have moved to another team in the meantime.
      deviceControl.seen(caller, udid);
      const type = picture === undefined ? undefined : pictureType(picture);
      if (picture === undefined || type === undefined) throw new Refusal('driver_failed', 'no picture');
      return { picture: Buffer.from(picture), type };
    } finally {
      clearTimeout(timer);
      leave();
    }
  }
}
