import type { AndroidPhone } from '../android-phone.ts';
import { failed, type Program, type Programs, print, type ShellCall } from '../shell-call.ts';
import { dumpsys } from './dumpsys.ts';

function propertiesOf({ serial, facts, properties }: AndroidPhone): Readonly<Record<string, string>> {
  const isEmulator = facts.avd !== null;
  return {
    'ro.build.version.sdk': String(facts.apiLevel),
    'ro.build.version.release': facts.release,
    'ro.build.version.preview_sdk': '0',
    'ro.product.model': facts.model.replaceAll('_', ' '),
    'ro.product.manufacturer': facts.manufacturer,
    'ro.product.brand': facts.manufacturer.toLowerCase(),
    'ro.product.cpu.abi': 'arm64-v8a',
    'ro.product.cpu.abilist': 'arm64-v8a,armeabi-v7a',
    'ro.product.locale': 'en-US',
    'ro.serialno': serial,
    'ro.debuggable': '0',
    'ro.kernel.qemu': isEmulator ? '1' : '',
    'ro.boot.qemu': isEmulator ? '1' : '',
    'ro.boot.qemu.avd_name': facts.avd ?? '',
    'init.svc.bootanim': 'stopped',
    'sys.boot_completed': '1',
    'dev.bootcomplete': '1',
    'persist.sys.timezone': 'Etc/UTC',
    'persist.sys.locale': 'en-US',
    ...Object.fromEntries(properties),
  };
}

const getprop: Program = (call) => {
  const all = propertiesOf(call.phone);
  const [name] = call.args;
  if (name !== undefined) return print(call, all[name] ?? '');
  for (const [each, value] of Object.entries(all)) if (value !== '') print(call, `[${each}]: [${value}]`);
  return 0;
};

const setprop: Program = ({ phone, args: [name = '', value = ''] }) => {
  phone.properties.set(name, value);
  return 0;
};

const settings: Program = (call) => {
  const stored = call.phone.settings;
  const [action, namespace, name, ...values] = call.args;
  const key = `${namespace} ${name}`;
  switch (action) {
    case 'get':
      return print(call, stored.get(key) ?? 'null');
    case 'put':
      stored.set(key, values.join(' '));
      return 0;
    case 'delete':
      return print(call, `Deleted ${stored.delete(key) ? 1 : 0} rows`);
    case 'list':
      for (const [each, value] of stored)
        if (each.startsWith(`${namespace} `)) print(call, `${each.slice(each.indexOf(' ') + 1)}=${value}`);
      return 0;
    default:
      return failed(call, `unknown command ${action}`);
  }
};

const ps: Program = (call) => {
  call.out('USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME\n');
  for (const [name, id] of call.phone.processes)
    print(call, `u0_a100       ${id}   300 1000000  50000 0                   0 S ${name}`);
  return 0;
};

function printIds(call: ShellCall, wanted: (name: string) => boolean): number {
  const ids = [...call.phone.processes].filter(([name]) => wanted(name)).map(([, id]) => id);
  for (const id of ids) print(call, String(id));
  return ids.length === 0 ? 1 : 0;
}

/** Prints past log lines, and without `-d` further lines until the client closes the connection. */
const logcat: Program = async ({ phone, args, out, closed }) => {
  if (args.includes('-c')) {
    phone.clearLog();
    return 0;
  }
  out('--------- beginning of main\n');
  for (const line of phone.logLines) out(line);
  if (args.includes('-d')) return 0;
  const stop = phone.followLog(out);
  await closed;
  stop();
  return 0;
};

/** `service list`, and the call of the clipboard's service that empties it. */
const service: Program = (call) => {
  const [action, name, method] = call.args;
  if (action !== 'call') return print(call, '0\tactivity: [android.app.IActivityManager]');
  if (name === 'clipboard' && method === '2') call.phone.clipboard = '';
  return print(call, "Result: Parcel(00000000    '....')");
};

const reboot: Program = ({ phone }) => {
  phone.reboots += 1;
  return 0;
};

/** Programs that succeed without an effect that a scripted phone shows. */
const WITHOUT_EFFECT = ['appops', 'export', 'ime', 'kill', 'sm', 'svc', 'true'] as const;

export const systemPrograms: Programs = {
  ...Object.fromEntries(WITHOUT_EFFECT.map((name) => [name, () => 0])),
  date: (call) => print(call, String(Math.floor(Date.now() / 1000))),
  dumpsys,
  echo: (call) => print(call, call.args.join(' ')),
  getprop,
  locksettings: (call) => print(call, 'get-disabled set-disabled'),
  logcat,
  pgrep: (call) =>
    printIds(call, (name) => name.includes((call.args.at(-1) ?? '').replace(/[()|[\]$]/g, ''))),
  pidof: (call) => printIds(call, (name) => name === call.args.at(-1)),
  ps,
  reboot,
  service,
  setprop,
  settings,
  uptime: (call) => print(call, ' 08:00:00 up 1 day,  2:00,  0 users,  load average: 1.00, 1.00, 1.00'),
  whoami: (call) => print(call, 'shell'),
};
