import { pageQuery } from '../../api/page-query.ts';
import { LoadingState } from '../../ui/index.ts';
import { useLater } from '../../ui/use-later.ts';
import { DevicePage } from './device-page.tsx';
import { DevicesList, MATCH, USE_OF_WEEK } from './devices-list.tsx';
import type { MatchPage } from './match-page.tsx';
import type { UsagePage } from './usage-page.tsx';
import './devices.css';

/**
 * Shows the list of phones, one phone if the address contains `?udid=`, the use of the lab if the address contains
 * `?use=week`, or which phones fit capabilities if it contains `?use=match`.
 */
export function Page() {
  const udid = pageQuery('udid');
  if (udid !== '') return <DevicePage udid={udid} />;
  if (pageQuery('use') === MATCH) return <Match />;
  return pageQuery('use') === USE_OF_WEEK ? <Usage /> : <DevicesList />;
}

function Usage() {
  const Loaded = useLater(true, loadUsage);
  return Loaded === undefined ? <LoadingState /> : <Loaded />;
}

function Match() {
  const Loaded = useLater(true, loadMatch);
  return Loaded === undefined ? <LoadingState /> : <Loaded />;
}

const loadMatch = async (): Promise<typeof MatchPage> => (await import('./match-page.tsx')).MatchPage;
const loadUsage = async (): Promise<typeof UsagePage> => (await import('./usage-page.tsx')).UsagePage;
