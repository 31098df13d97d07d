import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Field, Form, Panel, ResourceView, SelectField, TextAreaField, toast } from '../../ui/index.ts';
import { changedDescription } from './changed-description.ts';
import type { Device } from './seen-devices.ts';
import { tagsOf } from './tags-of.ts';

/**
 * Lets an Admin change the name and the note of the phone, which team sees it, and the tags by which tests select it.
 */
export function AdminPanel({ device, onSaved }: { device: Device; onSaved(): void }) {
  const teams = useResource(() => call('listTeams'));
  const { udid, name, note, team, tags } = device;
  // The unsaved choice is separate from the phone's data, so that changes reported by the lab do not overwrite it.
  const [chosen, setChosen] = useState(team?.id ?? '');
  const { admin, facts } = texts.devices;
  const save = async (form: HTMLFormElement) => {
    const given = new FormData(form);
    const wanted = tagsOf(String(given.get('tags')));
    const description = changedDescription(device, String(given.get('name')), String(given.get('note')));
    if (description !== undefined)
      await call('setDeviceDescription', { params: { udid }, body: description });
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
            <Field
              label={admin.name}
              hint={admin.nameHint}
              name="name"
              maxLength={100}
              autocomplete="off"
              defaultValue={name}
            />
            <TextAreaField
              label={admin.note}
              name="note"
              rows={3}
              maxLength={2_000}
              defaultValue={note ?? ''}
            />
            <SelectField
              label={admin.team}
              name="team"
              value={chosen}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              options={[
                { value: '', label: facts.sharedPool },
                ...all.map(({ id, name: label }) => ({ value: id, label })),
              ]}
            />
            <TextAreaField label={admin.tags} name="tags" rows={3} defaultValue={tags.join('\n')} />
          </Form>
        )}
      </ResourceView>
    </Panel>
  );
}
