import type { Clock } from '@svc/auth-core';
import type { DeviceKey } from '@svc/contract';
import type { Device } from '../../device.ts';
import { InputFailed } from '../../start-session.ts';
import {
  type DirectInput,
  type DirectInputs,
  InputTurns,
  InputUnsupported,
  pixelOf,
  type ScreenPoint,
  type ScreenSize,
} from '../direct-input.ts';
import type { AdbAddress } from './adb-connection.ts';
import { AdbShell } from './adb-shell.ts';
import { sizeOfDisplays, textCommands } from './input-commands.ts';

/** Time limit (ms) for one command. On an old phone, `input` starts a virtual machine, which takes about a second. */
const COMMAND_MS = 10_000;
/** Maximum size of the output of a command in bytes. `input` prints something only if it fails. */
const LARGEST_OUTPUT = 4_096;
/**
 * Time (ms) for which the size of a screen is used again. `screenrecord` notices a rotation after the same time (see
 * `adb-video.ts`), so a tap always refers to what the viewer sees.
 */
const SIZE_MS = 2_000;

/** Android key codes. */
const KEY_CODES: Readonly<Record<DeviceKey, number>> = {
  home: 3,
  back: 4,
  enter: 66,
  volumeUp: 24,
  volumeDown: 25,
  power: 26,
  backspace: 67,
  delete: 112,
  up: 19,
  down: 20,
  left: 21,
  right: 22,
  appSwitch: 187,
};

interface AdbInputOptions {
  readonly address: AdbAddress;
  /** Whether the lab uses the phones of the adb server now. */
  readonly isOn: () => boolean;
  readonly clock: Clock;
}

/**
 * Puts inputs into the phones of an adb server with Android's program `input`. It needs no driver session and nothing
 * that has to be installed. Every command is made of constants, of numbers that were computed here, and of typed text
 * in single quotes (see `textCommands`), so that a client cannot run another program.
 */
export class AdbInput implements DirectInputs {
  readonly #options: AdbInputOptions;
  readonly #shell: AdbShell;
  readonly #turns = new InputTurns();
  readonly #sizes = new Map<string, { readonly size: ScreenSize; readonly until: number }>();

  constructor(options: AdbInputOptions) {
    this.#options = options;
    this.#shell = new AdbShell(options.address);
  }

  offers({ logs, node }: Device): boolean {
    return node === null && logs === 'adb' && this.#options.isOn();
  }

  async put({ udid }: Device, input: DirectInput, check: () => void): Promise<void> {
    // Refuse before the turn, so that an input that the phone can never carry out does not wait.
    const texts = input.kind === 'text' ? textCommands(input.text) : [];
    if (input.kind === 'clipboard')
      throw new InputUnsupported('An Android phone sets its clipboard only in a session.');
    await this.#turns.run(udid, async () => {
      check();
      switch (input.kind) {
        case 'text':
          for (const command of texts) {
            check();
            await this.#run(udid, command);
          }
          return;
        case 'key':
          return await this.#run(udid, `input keyevent ${KEY_CODES[input.key]}`);
        case 'tap':
          return await this.#run(udid, `input tap ${await this.#at(udid, input)}`);
        case 'swipe': {
          const ends = `${await this.#at(udid, input.from)} ${await this.#at(udid, input.to)}`;
          return await this.#run(udid, `input swipe ${ends} ${Math.round(input.durationMs)}`);
        }
      }
    });
  }

  async #at(udid: string, { x, y }: ScreenPoint): Promise<string> {
    const { width, height } = await this.#sizeOf(udid);
    return `${pixelOf(x, width)} ${pixelOf(y, height)}`;
  }

  async #sizeOf(udid: string): Promise<ScreenSize> {
    const now = this.#options.clock.now();
    const known = this.#sizes.get(udid);
    if (known !== undefined && now < known.until && known.until <= now + SIZE_MS) return known.size;
    const output = await this.#outputOf(
      udid,
      'dumpsys window displays 2>/dev/null | grep -m 1 -o "cur=[0-9x]*"',
    );
    const size = sizeOfDisplays(output);
    if (size === null) throw new InputFailed('the size of the screen is not known');
    this.#sizes.set(udid, { size, until: now + SIZE_MS });
    return size;
  }

  /** Rejects with `InputFailed` if the command prints something, because `input` prints nothing unless it fails. */
  async #run(udid: string, command: string): Promise<void> {
    const output = await this.#outputOf(udid, command);
    // The output may quote the typed text, so it is no part of the error.
    if (output.trim() !== '') throw new InputFailed('the program input failed on the phone');
  }

  async #outputOf(udid: string, command: string): Promise<string> {
    try {
      return await this.#shell.run(udid, command, { most: LARGEST_OUTPUT, ms: COMMAND_MS });
    } catch {
      // The error may quote the command, and thereby the typed text.
      throw new InputFailed('the adb server or the phone did not carry out the input');
    }
  }
}
