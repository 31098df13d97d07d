import { usePageQuery } from '../../api/page-query.ts';
import { ScimAddress } from '../../shell/scim-address.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader, Panel, Tabs } from '../../ui/index.ts';
import { GivenSettings } from './given-settings.tsx';
import { ScimKeys } from './scim-keys.tsx';
import { ServerSettings } from './server-settings.tsx';
import { Webhooks } from './webhooks.tsx';

/** Shows the server's settings, or the webhooks if the address contains `?tab=webhooks`. */
export function Page() {
  const [tab, setTab] = usePageQuery('tab');
  const selected = tab === 'webhooks' ? 'webhooks' : 'server';
  return (
    <>
      <PageHeader title={texts.pages.settings} lead={texts.settings.lead} />
      <Tabs
        label={texts.settings.tabs}
        tabs={[
          { id: 'server', label: texts.settings.tabServer },
          { id: 'webhooks', label: texts.settings.tabWebhooks },
        ]}
        selected={selected}
        onSelect={(id) => setTab(id === 'server' ? '' : id)}
      >
        {selected === 'server' ? <ServerTab /> : <Webhooks />}
      </Tabs>
    </>
  );
}

function ServerTab() {
  return (
    <>
      <ServerSettings />
      <Panel title={texts.scim.title} lead={texts.scim.lead}>
        <ScimAddress />
        <ScimKeys />
      </Panel>
      <GivenSettings />
    </>
  );
}
