import type { AndroidPhone } from '../android-phone.ts';
import { type Program, print } from '../shell-call.ts';

type Dump = (phone: AndroidPhone, args: readonly string[]) => string;

const battery: Dump = ({ battery: { level, temperature, isCharging, health } }) =>
  [
    'Current Battery Service state:',
    `  AC powered: ${isCharging}`,
    '  USB powered: false',
    '  Wireless powered: false',
    `  status: ${isCharging ? 2 : 3}`,
    `  health: ${health}`,
    '  present: true',
    `  level: ${level}`,
    '  scale: 100',
    '  voltage: 4200',
    `  temperature: ${Math.round(temperature * 10)}`,
    '  technology: Li-ion',
  ].join('\n');

const activity: Dump = ({ processes }, [what, name = '']) => {
  if (what !== 'services' || !name.startsWith('io.appium.settings') || !processes.has('io.appium.settings'))
    return '(nothing)';
  return [
    'ACTIVITY MANAGER SERVICES (dumpsys activity services)',
    '  * ServiceRecord{1 u0 io.appium.settings/.ForegroundService}',
    '    isForeground=true foregroundId=1',
  ].join('\n');
};

const packageInfo: Dump = ({ packages }, [name = '']) => {
  const app = packages.get(name);
  if (app === undefined) return `Unable to find package: ${name}`;
  return [
    'Packages:',
    `  Package [${name}] (abc):`,
    '    userId=10100',
    `    versionCode=${app.versionCode} minSdk=21 targetSdk=33`,
    `    versionName=${app.versionName}`,
    '    requested permissions:',
    '      android.permission.CAMERA',
    '    User 0: ceDataInode=1 installed=true',
    '      runtime permissions:',
    '        android.permission.CAMERA: granted=false, flags=[ USER_SET ]',
  ].join('\n');
};

const windows: Dump = ({ focused, size: { width, height }, isScreenOn }) =>
  [
    'WINDOW MANAGER',
    `  mCurrentFocus=Window{abc u0 ${focused}}`,
    `  mFocusedApp=ActivityRecord{def u0 ${focused} t12}`,
    '  mShowingLockscreen=false mShowingDream=false mDreamingLockscreen=false',
    `  mAwake=${isScreenOn}`,
    `  screenState=SCREEN_STATE_${isScreenOn ? 'ON' : 'OFF'}`,
    '  KeyguardStateMonitor',
    '    mIsShowing=false',
    '    mInputRestricted=false',
    `  init=${width}x${height} 440dpi cur=${width}x${height} app=${width}x${height}`,
  ].join('\n');

const DUMPS: Readonly<Record<string, Dump>> = {
  activity,
  battery,
  package: packageInfo,
  window: windows,
  power: ({ isScreenOn }) => `mWakefulness=${isScreenOn ? 'Awake' : 'Asleep'}`,
  input_method: () => 'mInputShown=false\nmIsInputViewShown=false',
};

/** Prints the state of a service of Android. Services that are not scripted print nothing. */
export const dumpsys: Program = (call) => {
  const [service = '', ...args] = call.args;
  return print(call, DUMPS[service]?.(call.phone, args) ?? '');
};
