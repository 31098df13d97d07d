import { againstPeers } from './credentials/against-peers.ts';
import { manyTokens } from './credentials/many-tokens.ts';
import { againstNoCheck } from './credentials/unchecked.ts';
import type { Report } from './report/report.ts';

/** Cost of a credential check, compared with no check, with other libraries, and with growing numbers of tokens. */
export async function credentialsBench(report: Report): Promise<void> {
  await againstNoCheck(report);
  await againstPeers(report);
  await manyTokens(report);
}
