import { setTimeout as after } from 'node:timers/promises';
import { ANDROID_14, AndroidPhones } from '@svc/lab/phones';
import { ready } from '../child.ts';

export interface PhonesFacts {
  readonly port: number;
  readonly udid: string;
}

const LINE = '01-01 00:00:00.000  1000  1000 I Bench: a line of the log\n';
/** Output of `flood`, which is sent as fast as possible. */
const FLOOD = Buffer.from(LINE.repeat(360_000));
/** Output of `log <seconds>`: 20 MB a second. */
const PART = Buffer.from(LINE.repeat(17_500));
const PART_MS = 50;

async function* logOf(seconds: number): AsyncGenerator<Buffer> {
  const began = performance.now();
  for (let at = 0; at < seconds * 1_000; at += PART_MS) {
    yield PART;
    await after(Math.max(0, began + at + PART_MS - performance.now()));
  }
}

const phones = await AndroidPhones.start({ phones: [ANDROID_14] });
const { answers } = phones.phone(ANDROID_14.serial);
answers.push({ command: /^flood$/, output: () => FLOOD });
for (const seconds of [3, 10, 15])
  answers.push({ command: new RegExp(`^log ${seconds}$`), output: () => logOf(seconds) });
const facts: PhonesFacts = { port: phones.adb.port, udid: ANDROID_14.serial };
ready('', facts, () => phones.stop());
