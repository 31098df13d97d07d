import { texts } from '../../texts/en.ts';

type Version = readonly [term: string, value: string];

/** Names of capabilities that say what a session ran on, in the order in which the page shows them. */
const CAPABILITIES = [
  ['platform', ['platformName', 'platformVersion']],
  ['model', ['deviceManufacturer', 'deviceModel']],
  ['driver', ['automationName']],
  ['app', ['app', 'appPackage', 'bundleId']],
  ['browser', ['browserName', 'browserVersion']],
] as const;

/** @returns what a session ran on, from the capabilities that the driver returned. Values come from other machines. */
export function versionsOf(capabilities: Readonly<Record<string, unknown>>): readonly Version[] {
  const { environment } = texts.sessions.detail;
  return CAPABILITIES.flatMap(([name, parts]): Version[] => {
    const values = parts.map((part) => textOf(capabilities[part] ?? capabilities[`appium:${part}`]));
    const shown = values.filter((value) => value !== '').join(' ');
    return shown === '' ? [] : [[environment[name], shown]];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
