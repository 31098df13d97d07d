import { readApk } from '../apk.ts';
import { failed, type Program, type Programs, print, type ShellCall } from '../shell-call.ts';

const INSTRUMENTATION = 'io.appium.uiautomator2.server.test';
const RUNNER = `${INSTRUMENTATION}/androidx.test.runner.AndroidJUnitRunner`;

const lastOf = ({ args }: ShellCall) => args.at(-1) ?? '';

function list(call: ShellCall): number {
  const { packages } = call.phone;
  const [, what, ...options] = call.args;
  if (what === 'instrumentation') {
    if (packages.has(INSTRUMENTATION))
      print(call, `instrumentation:${RUNNER} (target=io.appium.uiautomator2.server)`);
    return 0;
  }
  const filter = options.find((each) => !each.startsWith('-')) ?? '';
  for (const { name, versionCode, isSystem } of packages.values()) {
    if (!name.includes(filter)) continue;
    if ((options.includes('-3') && isSystem) || (options.includes('-s') && !isSystem)) continue;
    const path = options.includes('-f') ? `/data/app/${name}/base.apk=` : '';
    const version = options.includes('--show-versioncode') ? ` versionCode:${versionCode}` : '';
    print(call, `package:${path}${name}${version}`);
  }
  return 0;
}

/** Installs an APK from the standard input (`-S <size>`) or from a file of the phone. */
async function install(call: ShellCall): Promise<number> {
  const { args, phone } = call;
  const size = args[args.indexOf('-S') + 1];
  const bytes = args.includes('-S') ? await call.read(Number(size)) : phone.files.get(lastOf(call))?.content;
  const app = bytes === undefined ? undefined : readApk(bytes);
  if (app === undefined) return failed(call, 'Failure [INSTALL_PARSE_FAILED_NOT_APK]');
  phone.install(app);
  return print(call, 'Success');
}

function uninstall(call: ShellCall): number {
  const name = lastOf(call);
  const app = call.phone.packages.get(name);
  if (app === undefined || app.isSystem) return failed(call, 'Failure [DELETE_FAILED_INTERNAL_ERROR]');
  call.phone.packages.delete(name);
  call.phone.processes.delete(name);
  return print(call, 'Success');
}

const packageManager: Program = (call) => {
  switch (call.args[0]) {
    case 'list':
      return list(call);
    case 'install':
      return install(call);
    case 'uninstall':
      return uninstall(call);
    case 'path':
      return call.phone.packages.has(lastOf(call))
        ? print(call, `package:/data/app/${lastOf(call)}/base.apk`)
        : 1;
    case 'resolve-activity':
      return print(call, `priority=0 preferredOrder=0 isDefault=false\n${lastOf(call)}/.MainActivity`);
    default:
      return print(call, 'Success');
  }
};

/** `pm`, and `cmd package`, which is the same. Other services of `cmd` answer `true`. */
export const packagePrograms: Programs = {
  pm: packageManager,
  cmd: (call) => {
    const [service, ...args] = call.args;
    return service === 'package' ? packageManager({ ...call, args }) : print(call, 'true');
  },
};
