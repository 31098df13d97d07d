import { webdriverioTest } from '../../api/webdriverio-test.ts';

/**
 * Address of the lab for tests. `url` includes the path that a reverse proxy may add; `basePath` is Appium's base path,
 * which follows `url`.
 */
export interface LabAddress {
  readonly url: string;
  readonly basePath: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Capabilities for a session on an Android phone. */
export const REAL_PHONE = { platformName: 'Android', 'appium:automationName': 'UiAutomator2' };

const IPHONE = { platformName: 'iOS', 'appium:automationName': 'XCUITest' };

/**
 * Returns example capabilities for a lab without virtual phones: for an iPhone if the lab has only iPhones, otherwise
 * for an Android phone.
 */
export function realPhone(devices: readonly { readonly platform: string }[]): Record<string, string> {
  const isIos = devices.length > 0 && devices.every(({ platform }) => platform === 'iOS');
  return isIos ? IPHONE : REAL_PHONE;
}

export const FIRST_TEST_COMMANDS = 'npm install webdriverio@9\nnode first-test.mjs';

/** Number of commands in the test. They keep the phone busy, so that the user has time to watch it live. */
const WATCHED_STEPS = 20;

/**
 * Returns a complete test for WebdriverIO, with its credentials in capabilities and headers (specification 5.4, 5.7).
 */
export function firstTest(lab: LabAddress, accessKey: string, token: string): string {
  return webdriverioTest({
    setup: [
      `const accessKey = ${JSON.stringify(accessKey)};`,
      `const token = ${JSON.stringify(token)};`,
      `const capabilities = ${JSON.stringify(lab.capabilities, null, 2)};`,
    ],
    address: JSON.stringify(lab.url + lab.basePath),
    steps: [
      "await phone.executeScript('svc: setSessionName', [{ name: 'My first test' }]);",
      `for (let step = 1; step <= ${WATCHED_STEPS}; step++) {`,
      '  console.log(step, (await phone.getPageSource()).length);',
      '  await phone.pause(500);',
      '}',
      "await phone.executeScript('svc: setSessionStatus', [{ status: 'passed' }]);",
    ],
  });
}
