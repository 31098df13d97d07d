import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Form, Panel, ResourceView, SelectField, TextAreaField, toast } from '../../ui/index.ts';
import type { Device } from './seen-devices.ts';
import { tagsOf } from './tags-of.ts';

/** Lets an Admin choose which team sees the phone, and edit the tags by which tests select the phone. */
export function TeamAndTags({ device, onSaved }: { device: Device; onSaved(): void }) {
  const teams = useResource(() => call('listTeams'));
  const { udid, team, tags } = device;
  // The unsaved choice is separate from the phone's data, so that changes reported by the lab do not overwrite it.
  const [chosen, setChosen] = useState(team?.id ?? '');
  const { admin, facts } = texts.devices;
  const save = async (form: HTMLFormElement) => {
    const given = new FormData(form);
    const wanted = tagsOf(String(given.get('tags')));
    if (chosen !== (team?.id ?? '')) {
      await call('setDeviceTeam', { params: { udid }, body: { teamId: chosen === '' ? null : chosen } });
    }
    if (wanted.join('\n') !== tags.join('\n')) await call('setDeviceTags', { body: { udid, tags: wanted } });
    toast(admin.saved);
    onSaved();
  };
  return (
    <Panel title={admin.title} lead={admin.lead}>
      <ResourceView resource={teams}>
        {(all) => (
          <Form submitLabel={admin.save} onSubmit={save}>
            <SelectField
              label={admin.team}
              name="team"
              value={chosen}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              options={[
                { value: '', label: facts.sharedPool },
                ...all.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
            <TextAreaField label={admin.tags} name="tags" rows={3} defaultValue={tags.join('\n')} />
          </Form>
        )}
      </ResourceView>
    </Panel>
  );
}
