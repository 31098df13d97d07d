import { againstPeers } from './credentials/against-peers.ts';
import { manyTokens } from './credentials/many-tokens.ts';
import { againstNoCheck } from './credentials/unchecked.ts';
import type { Report } from './report/report.ts';

/** What a credential check costs: against no check, against other libraries, and with more and more tokens. */
export async function credentialsBench(report: Report): Promise<void> {
  await againstNoCheck(report);
  await againstPeers(report);
  await manyTokens(report);
}
