import type { AndroidPhone } from '../android-phone.ts';
import { type Program, type Programs, print, type ShellCall } from '../shell-call.ts';

const HELPER = 'io.appium.settings';
const SERVER = 'io.appium.uiautomator2.server';

function start(call: ShellCall): number {
  const { args, phone } = call;
  const component = args[args.indexOf('-n') + 1];
  if (!args.includes('-n') || component === undefined) return print(call, 'Starting: Intent { }\nStatus: ok');
  const [name = ''] = component.split('/', 1);
  if (!phone.packages.has(name)) {
    call.out(`Error: Activity class {${component}} does not exist.\n`);
    return 1;
  }
  open(phone, name, component);
  return print(call, `Starting: Intent { cmp=${component} }\nStatus: ok`);
}

function open(phone: AndroidPhone, name: string, activity: string): void {
  phone.startProcess(name);
  phone.log('I', 'ActivityManager', `Displayed ${activity}`);
  if (name !== HELPER) phone.focus(activity);
}

/** Runs until the server of the UiAutomator2 driver ends or the client closes the connection. */
async function instrument({ phone, out, closed }: ShellCall): Promise<number> {
  const ended = new Promise<void>((over) => {
    const stop = phone.instrument((output) => {
      out(output);
      over();
    });
    void closed.then(() => {
      stop();
      over();
    });
  });
  await ended;
  return 0;
}

function forceStop({ phone, args }: ShellCall): number {
  const name = args.at(-1) ?? '';
  phone.processes.delete(name);
  if (name === SERVER && phone.uiAutomator.isRunning) phone.crash();
  if (phone.focused.startsWith(`${name}/`)) phone.focus('com.android.launcher3/.Launcher');
  return 0;
}

/** The helper of the UiAutomator2 driver changes the locale, if it is installed. */
function changeLocale({ phone, args }: ShellCall): void {
  const argumentOf = (name: string) => args[args.indexOf(name) + 1] ?? '';
  if (!args.includes('io.appium.settings.locale') || !phone.packages.has(HELPER)) return;
  phone.properties.set('persist.sys.locale', `${argumentOf('lang')}-${argumentOf('country')}`);
}

const am: Program = (call) => {
  switch (call.args[0]) {
    case 'start':
    case 'start-activity':
      return start(call);
    case 'instrument':
      return instrument(call);
    case 'force-stop':
      return forceStop(call);
    case 'broadcast':
      changeLocale(call);
      return print(call, 'Broadcast completed: result=-1, data=""');
    default:
      return 0;
  }
};

const monkey: Program = (call) => {
  const name = call.args[call.args.indexOf('-p') + 1] ?? '';
  if (!call.phone.packages.has(name)) return print(call, '** No activities found to run, monkey aborted.');
  open(call.phone, name, `${name}/.MainActivity`);
  return print(call, 'Events injected: 1');
};

export const activityPrograms: Programs = { am, monkey };
