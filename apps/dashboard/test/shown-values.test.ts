import { describe, expect, it } from 'vitest';
import { ApiError } from '../src/api/api-error.ts';
import { bytesText } from '../src/pages/devices/bytes-text.ts';
import { waitForLease } from '../src/pages/devices/wait-for-lease.ts';
import { offsetText } from '../src/pages/sessions/offset-text.ts';
import { versionsOf } from '../src/pages/sessions/versions.ts';

it.each([
  [0, '0:00'],
  [105_600, '1:45'],
  [3_725_000, '1:02:05'],
  [-1, '0:00'],
])('%d ms after the start of a session are shown as %s', (ms, text) => {
  expect(offsetText(ms)).toBe(text);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_400, '1.4 kB'],
  [120_000_000, '120 MB'],
  [5_000_000_000_000, '5000 GB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

it('a session shows its versions from capabilities with and without prefix, and nothing that is not a text', () => {
  expect(
    versionsOf({
      platformName: 'Android',
      'appium:platformVersion': '14',
      deviceModel: 'Pixel 9',
      'appium:automationName': 'UiAutomator2',
      app: { hostile: true },
    }),
  ).toEqual([
    ['Platform', 'Android 14'],
    ['Model', 'Pixel 9'],
    ['Driver', 'UiAutomator2'],
  ]);
});

describe('waiting for a lease', () => {
  const busy = () => new ApiError({ status: 409, code: 'device_busy' });
  const lease = { leaseId: 'l' } as never;

  /** Answers the requests in order; each takes the given time. */
  const asking = (answers: readonly (() => never)[], tookMs: number) => {
    let [time, count] = [0, 0];
    const create = async () => {
      time += tookMs;
      count += 1;
      const answer = answers[count - 1];
      return answer === undefined ? lease : answer();
    };
    return { create, now: () => time, count: () => count };
  };
  const refuse = (error: Error) => () => {
    throw error;
  };

  it('waiting for a lease asks again after each minute in the queue, until the phone is leased', async () => {
    const { create, now, count } = asking([refuse(busy()), refuse(busy())], 60_000);
    expect(await waitForLease(create, now)).toBe(lease);
    expect(count()).toBe(3);
  });

  it('waiting for a lease ends with the refusal if the queue is full, so that the page does not ask without a pause', async () => {
    const { create, now, count } = asking([refuse(busy())], 20);
    await expect(waitForLease(create, now)).rejects.toMatchObject({ code: 'device_busy' });
    expect(count()).toBe(1);
  });

  it('waiting for a lease ends with any other refusal, and when the user stops waiting', async () => {
    const gone = asking([refuse(new ApiError({ status: 404, code: 'not_found' }))], 60_000);
    await expect(waitForLease(gone.create, gone.now)).rejects.toMatchObject({ code: 'not_found' });
    const left = asking([refuse(new DOMException('stopped', 'AbortError'))], 60_000);
    await expect(waitForLease(left.create, left.now)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
