import type { DeviceLab } from './device-lab.ts';

/**
 * Number of sessions that have started and ended since the server started. `ended` has one count for each failure
 * category.
 */
export class SessionMeasures {
  started = 0;
  readonly ended = new Map<string, number>();

  constructor(lab: Pick<DeviceLab, 'onStart' | 'onEnd'>) {
    lab.onStart(() => {
      this.started += 1;
    });
    lab.onEnd(({ failureCategory }) => {
      const category = failureCategory ?? 'none';
      this.ended.set(category, (this.ended.get(category) ?? 0) + 1);
    });
  }
}
