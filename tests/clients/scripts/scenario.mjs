// The scenario of tests/clients/same-script.test.ts for WebdriverIO: node scenario.mjs <address of the server>
import { commandHeaders, webdriverioOptions, withCredentials } from '@svc/client';
import { attach, remote } from 'webdriverio';

const { env } = process;
const { protocol, hostname, port, pathname: path } = new URL(process.argv[2]);
const own = { accessKey: env.SVC_ACCESS_KEY, token: env.SVC_TOKEN };
const other = { accessKey: env.SVC_OTHER_ACCESS_KEY, token: env.SVC_OTHER_TOKEN };
const server = {
  protocol: protocol.slice(0, -1),
  hostname,
  port: Number(port),
  path,
  logLevel: 'silent',
  connectionRetryCount: 0,
};
const as = (pair) => ({ ...server, ...webdriverioOptions(commandHeaders(pair)) });
const wanted = { ...JSON.parse(env.SVC_CAPABILITIES), webSocketUrl: true };

const tell = (step, result) => console.log(`${step}: ${result}`);
const refusal = async (act) => {
  try {
    await act();
    return 'let through';
  } catch (error) {
    return /^WebDriverError: (?:A session is either|.*invalid session id)/.test(String(error)) ||
      error.name === 'invalid session id'
      ? 'invalid session id'
      : /session rejected/.test(String(error))
        ? 'session rejected'
        : String(error);
  }
};

tell('created without credentials', await refusal(() => remote({ ...server, capabilities: wanted })));
const phone = await remote({ ...as(own), capabilities: withCredentials(wanted, own) });
tell('created', phone.sessionId.length > 0);
tell('credentials in the answer', JSON.stringify(phone.capabilities).includes(own.token));
const idOf = (element) => Object.values(element)[0];
const field = idOf(await phone.findElement('id', 'search'));
await phone.elementClick(field);
await phone.elementSendKeys(field, 'plumber');
tell('typed', await phone.getElementText(field));
tell('rows', (await phone.findElements('xpath', '//row')).length);
tell('missing', (await phone.findElement('id', 'nothing')).error);
tell('source', (await phone.getPageSource()).includes('Groceries'));
const hasBidi = typeof phone.capabilities.webSocketUrl === 'string';
tell('bidi', hasBidi ? (await phone.sessionStatus({})).ready : 'not offered');
const attached = (options) =>
  attach({ ...options, sessionId: phone.sessionId, capabilities: {}, options: { ...options } });
const sourceAs = async (options) => (await attached(options)).getPageSource();
tell('of another owner', await refusal(() => sourceAs(as(other))));
tell('of a stranger', await refusal(() => sourceAs(server)));
tell('still there', (await phone.getPageSource()).includes('Groceries'));
await phone.deleteSession();
tell('after quit', await refusal(() => sourceAs(as(own))));
