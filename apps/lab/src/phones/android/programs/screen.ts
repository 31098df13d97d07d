import { failed, type Program, type Programs, print, type ShellCall } from '../shell-call.ts';

/** Android ends a recording of the screen after this time. */
const RECORDING_MS = 180_000;
const KEYCODE_HOME = /^(?:KEYCODE_HOME|3)$/;

/** Records the screen as H.264 until the client closes the connection. */
export async function recordScreen({ phone, out, closed }: ShellCall): Promise<number> {
  const stop = phone.screen.watch(() => out(phone.screen.videoPicture()));
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((over) => {
    timer = setTimeout(over, RECORDING_MS);
  });
  await Promise.race([closed, limit]);
  clearTimeout(timer);
  stop();
  return 0;
}

/** Records the screen into a file of the phone until the client closes the connection. The file is no video. */
const screenrecord: Program = async (call) => {
  const path = call.args.at(-1) ?? '';
  if (path === '--help') return print(call, 'Usage: screenrecord [options] <filename>');
  call.phone.files.write(path, `recording of ${call.phone.serial}`);
  call.phone.startProcess('screenrecord');
  await call.closed;
  call.phone.processes.delete('screenrecord');
  return 0;
};

const screencap: Program = ({ phone, out }) => {
  out(phone.screen.picture('png'));
  return 0;
};

const input: Program = (call) => {
  const { phone, args } = call;
  // `input` accepts the name of a source before the command.
  const words = /^(?:touchscreen|keyboard|mouse|stylus)$/.test(args[0] ?? '') ? args.slice(1) : args;
  const [command, ...values] = words;
  if (command === undefined) return failed(call, 'Usage: input [<source>] <command> [<arg>...]');
  phone.inputs.push(words.join(' '));
  const [x = 0, y = 0, endX, endY] = values.map(Number);
  if (command === 'tap') phone.showTap(x, y);
  if (command === 'swipe' || command === 'draganddrop') phone.showTap(endX ?? x, endY ?? y);
  if (command === 'motionevent') phone.showTap(Number(values[1]), Number(values[2]));
  if (command === 'text') phone.uiAutomator.typed.push(values.join(' ').replaceAll('%s', ' '));
  if (command === 'keyevent' && KEYCODE_HOME.test(values[0] ?? ''))
    phone.focus('com.android.launcher3/.Launcher');
  phone.screen.changed();
  return 0;
};

const wm: Program = (call) => {
  const { width, height } = call.phone.facts;
  if (call.args[0] === 'size') return print(call, `Physical size: ${width}x${height}`);
  if (call.args[0] === 'density') return print(call, 'Physical density: 440');
  return 0;
};

export const screenPrograms: Programs = { input, screencap, screenrecord, wm };
