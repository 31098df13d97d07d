import type { Lab } from './start.ts';

export interface BannerFacts extends Lab {
  readonly email: string;
  /** Built-in password, which the documentation publishes, or null if the password was changed. */
  readonly password: string | null;
  readonly signInOff: boolean;
  readonly dataDir: string;
  /** Time at which the banner is printed (ms since 1970). */
  readonly now: number;
}

/**
 * Lifetime of the token that the printed command creates (ms). The token expires, because its secret may stay in the
 * history of a terminal.
 */
const TOKEN_LIFE_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * @returns the text that is printed when the lab is ready: its address, the account, and the next steps for the user
 */
export function banner(lab: BannerFacts): string {
  const lines = ['', ...summary(lab), ''];
  if (!lab.signInOff) lines.push(...makeToken(lab), '');
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
  rows.push(['data', dataDir]);
  return rows.map(([name, value]) => `${name.padEnd(11)}${value}`);
}

function makeToken({ url, email, password, now }: BannerFacts): string[] {
  const token = JSON.stringify({ name: 'my laptop', expiresAt: new Date(now + TOKEN_LIFE_MS).toISOString() });
  const credentials = JSON.stringify({ email, password: password ?? '<password>' });
  return [
    'Sign in, make a token and read your access key:',
    '',
    `  LAB=${url}`,
    '  JSON="Content-Type: application/json"',
    `  curl -c lab.cookies -H "Origin: $LAB" -H "$JSON" $LAB/svc/api/auth/login -d '${credentials}'`,
    `  curl -b lab.cookies -H "Origin: $LAB" -H "$JSON" $LAB/svc/api/profile/tokens -d '${token}'`,
    '  curl -b lab.cookies $LAB/svc/api/profile/access-key',
  ];
}

function driveADevice({ url }: BannerFacts): string[] {
  return ['Drive a phone: this page shows a test to copy.', '', `  ${url}/svc/devices`];
}

function range(devices: readonly string[]): string {
  return devices.length === 1 ? `${devices[0]}` : `${devices[0]} to ${devices.at(-1)}`;
}
