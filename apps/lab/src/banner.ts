import type { Lab } from './start.ts';

export interface BannerFacts extends Lab {
  readonly email: string;
  /** Built-in password, which the documentation publishes, or null if the password was changed. */
  readonly password: string | null;
  readonly signInOff: boolean;
  readonly dataDir: string;
}

/**
 * @returns the text that is printed when the lab is ready: its address, the account, and the next steps for the user
 */
export function banner(lab: BannerFacts): string {
  const lines = ['', ...summary(lab), ''];
  if (!lab.signInOff) lines.push(...signIn(lab), '');
  if (lab.devices.length > 0) lines.push(...driveADevice(lab), '');
  return lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
}

function summary({
  url,
  basePath,
  email,
  password,
  signInOff,
  devices,
  app,
  dataDir,
}: BannerFacts): string[] {
  const rows: [string, string][] = [['address', url]];
  if (basePath !== '') rows.push(['WebDriver', `${url}${basePath}`]);
  if (signInOff) rows.push(['account', 'none: sign-in is off, every caller is a Super admin']);
  else rows.push(['account', email], ['password', password ?? 'the one you have set']);
  if (devices.length > 0) rows.push(['phones', range(devices)], ['app', app]);
  const localhost = url.replace('://127.0.0.1:', '://localhost:');
  // Browsers refuse passkeys at an IP address (contract 10.2), so also print the address at `localhost`, where passkeys
  // work.
  if (!signInOff && localhost !== url) rows.push(['passkeys', `${localhost}/svc/`]);
  rows.push(['data', dataDir]);
  return rows.map(([name, value]) => `${name.padEnd(11)}${value}`);
}

function signIn({ url }: BannerFacts): string[] {
  return [
    'Sign in a terminal; the command prints a page on which you approve it:',
    '',
    `  npx -y pnpm@10 svc login ${url}`,
  ];
}

function driveADevice({ url }: BannerFacts): string[] {
  return ['Drive a phone: this page shows a test to copy.', '', `  ${url}/svc/devices`];
}

function range(devices: readonly string[]): string {
  return devices.length === 1 ? `${devices[0]}` : `${devices[0]} to ${devices.at(-1)}`;
}
