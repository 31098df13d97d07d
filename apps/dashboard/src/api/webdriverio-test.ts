export interface WebdriverioTest {
  /** Lines that define `accessKey`, `token` and `capabilities`. */
  readonly setup: readonly string[];
  /** Expression for the address of the WebDriver server, with its base path. */
  readonly address: string;
  /** Lines that use `phone`. */
  readonly steps: readonly string[];
}

/**
 * The sample test for WebdriverIO, which the pages and the README show. It sends the credentials in the capabilities and
 * in the headers (specification 5.4, 5.7).
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
