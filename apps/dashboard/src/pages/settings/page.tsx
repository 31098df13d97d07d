import { call } from '../../api/client.ts';
import { usePageQuery } from '../../api/page-query.ts';
import { useResource } from '../../api/use-resource.ts';
import { ScimAddress } from '../../shell/scim-address.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader, Panel, ResourceView, Tabs } from '../../ui/index.ts';
import { GivenSettings } from './given-settings.tsx';
import { LabLogo } from './lab-logo.tsx';
import { ProviderSetup } from './provider-setup.tsx';
import { ScimKeys } from './scim-keys.tsx';
import { SettingsForm } from './settings-form.tsx';
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
  const settings = useResource((signal) => call('settings', { signal }));
  return (
    <>
      <ResourceView resource={settings}>
        {(shown) => <SettingsForm key={JSON.stringify(shown)} shown={shown} onSaved={settings.set} />}
      </ResourceView>
      <LabLogo />
      <ProviderSetup />
      <Panel title={texts.scim.title} lead={texts.scim.lead}>
        <ScimAddress />
        <ScimKeys />
      </Panel>
      <GivenSettings />
    </>
  );
}
