import { useState } from 'preact/hooks';
import { pageAddress } from '../../../api/addresses.ts';
import { call } from '../../../api/client.ts';
import { useResource } from '../../../api/use-resource.ts';
import { texts } from '../../../texts/en.ts';
import { Form, ResourceView, SelectField } from '../../../ui/index.ts';

/** Installs an app of the library on the phone. */
export function InstallApp({ onInstall }: { onInstall(app: string): Promise<void> }) {
  const apps = useResource(() => call('listApps'));
  const [chosen, setChosen] = useState<string>();
  const words = texts.remote.install;
  return (
    <ResourceView resource={apps}>
      {(list) => {
        const [newest] = list;
        if (newest === undefined)
          return (
            <p>
              {words.none} <a href={pageAddress('apps')}>{texts.pages.apps}</a>
            </p>
          );
        return (
          <Form submitLabel={words.action} onSubmit={() => onInstall(chosen ?? newest.id)}>
            <SelectField
              label={words.app}
              hint={words.hint}
              name="app"
              options={list.map(({ id, name }) => ({ value: id, label: name }))}
              value={chosen ?? newest.id}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            />
          </Form>
        );
      }}
    </ResourceView>
  );
}
