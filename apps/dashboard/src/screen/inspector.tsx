import { SITE } from '../api/addresses.ts';
import { call } from '../api/client.ts';
import { texts } from '../texts/en.ts';

const MINUTES = 30;

/** Makes an attach address of a session (contract 15.4). */
export function makeAddress(id: string) {
  return call('createAttachment', { params: { id }, body: { minutes: MINUTES } });
}

/** Says how to install Appium Inspector on the server. */
export function InspectorMissing() {
  return (
    <p class="hint">
      {texts.sessions.attach.notInstalled}{' '}
      <code>appium plugin install --source=npm appium-inspector-plugin</code>
    </p>
  );
}

/**
 * Opens Appium Inspector in a new tab on a new attach address. The tab is opened before the address is made, because
 * browsers allow a page to open a tab only while they handle the click.
 * @param sessionOf returns the id of the session, which it may start first
 */
export async function openInspector(sessionOf: () => Promise<string>): Promise<void> {
  const tab = window.open('', '_blank');
  try {
    const id = await sessionOf();
    const { url } = await makeAddress(id);
    const address = inspectorAddress(url, id);
    if (tab === null) location.assign(address);
    else {
      tab.opener = null;
      tab.location.href = address;
    }
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/** Address of Inspector's page, which attaches to the session immediately. */
function inspectorAddress(url: string, id: string): string {
  const { pathname } = new URL(url);
  const { hostname, port, protocol } = new URL(SITE);
  const ssl = protocol === 'https:';
  // A reverse proxy may serve this server below a longer path.
  const path = new URL(SITE).pathname.replace(/\/svc\/$/, '') + pathname;
  const remote = { hostname, port: Number(port) || (ssl ? 443 : 80), path, ssl };
  const state = JSON.stringify({ server: { remote }, serverType: 'remote', attachSessId: id });
  return `${SITE}inspector/?state=${encodeURIComponent(state)}&autoStart=1`;
}
