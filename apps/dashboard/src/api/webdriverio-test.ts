export interface WebdriverioTest {
  /** Lines of code that define `accessKey`, `token` and `capabilities`. */
  readonly setup: readonly string[];
  /** Expression (code) for the address of the WebDriver server, including its base path. */
  readonly address: string;
  /** Lines of code that use the driver, which the test names `phone`. */
  readonly steps: readonly string[];
}

/**
 * Returns the sample test for WebdriverIO that the pages and the README show. The test sends the credentials in the
 * capabilities and in the headers (specification 5.4, 5.7).
 */
export function webdriverioTest({ setup, address, steps }: WebdriverioTest): string {
  return `import { remote } from 'webdriverio';

${setup.join('\n')}
const { protocol, hostname, port, pathname } = new URL(${address});

const phone = await remote({
  protocol: protocol.slice(0, -1),
  hostname,
  port: Number(port || (protocol === 'https:' ? 443 : 80)),
  path: pathname,
  logLevel: 'warn',
  headers: { 'x-svc-access-key': accessKey, 'x-svc-token': token },
  capabilities: { ...capabilities, 'svc:options': { accessKey, token } },
});
try {
${steps.map((line) => `  ${line}\n`).join('')}} finally {
  await phone.deleteSession();
}
`;
}
