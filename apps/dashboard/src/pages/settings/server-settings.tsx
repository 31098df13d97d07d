import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ResourceView } from '../../ui/index.ts';
import { LabLogo } from './lab-logo.tsx';
import { ProviderSetup } from './provider-setup.tsx';
import { SettingsForm } from './settings-form.tsx';

export function ServerSettings() {
  const settings = useResource((signal) => call('settings', { signal }));
  return (
    <>
      <ResourceView resource={settings}>
        {(shown) => <SettingsForm key={JSON.stringify(shown)} shown={shown} onSaved={settings.set} />}
      </ResourceView>
      <LabLogo />
      <ProviderSetup />
    </>
  );
}
