import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  Button,
  type Column,
  DataTable,
  DialogButton,
  EmptyState,
  Panel,
  Problem,
  ResourceView,
  SearchBox,
  toast,
  useConfirm,
} from '../../ui/index.ts';
import type { Team } from './team.ts';

type Device = Answer<'listDevices'>[number];

const TONES = { free: 'good', busy: 'warn', away: 'plain' } as const;

export function TeamPhones({ team }: { team: Team }) {
  const devices = useResource((signal) => call('listDevices', { signal }));
  const give = async ({ udid }: Device, teamId: string | null) => {
    const changed = await call('setDeviceTeam', { params: { udid }, body: { teamId } });
    devices.set((devices.value ?? []).map((each) => (each.udid === udid ? changed : each)));
  };
  const [dialog, ask] = useConfirm((device: Device) => ({
    title: texts.teams.shareTitle(device.name),
    text: texts.teams.shareText,
    confirmLabel: texts.teams.share,
    onConfirm: async () => {
      await give(device, null);
      toast(texts.teams.shared(device.name));
    },
  }));
  return (
    <Panel
      title={texts.teams.phones}
      actions={
        <DialogButton wide label={texts.teams.addPhone} title={texts.teams.addPhoneTitle(team.name)}>
          {() =>
            devices.value && (
              <OtherPhones
                team={team}
                devices={devices.value}
                onMove={async (device) => {
                  await give(device, team.id);
                  toast(texts.teams.moved(device.name, team.name));
                }}
              />
            )
          }
        </DialogButton>
      }
    >
      <ResourceView resource={devices}>
        {(all) => (
          <DataTable
            label={texts.teams.phones}
            rows={all.filter((device) => device.team?.id === team.id)}
            columns={ownColumns(ask)}
            rowKey={({ udid }) => udid}
            empty={<EmptyState title={texts.teams.noPhones} />}
          />
        )}
      </ResourceView>
      {dialog}
    </Panel>
  );
}

interface OtherPhonesProps {
  team: Team;
  devices: readonly Device[];
  onMove: (device: Device) => Promise<void>;
}

/**
 * Lists the phones that were not in the team when the dialog opened. A phone that the user moves stays in the list with
 * a note.
 */
function OtherPhones({ team, devices, onMove }: OtherPhonesProps) {
  const [search, setSearch] = useState('');
  const [own] = useState(
    () => new Set(devices.flatMap((device) => (device.team?.id === team.id ? [device.udid] : []))),
  );
  const words = search.trim().toLowerCase();
  const found = devices.filter(
    ({ name, udid }) => !own.has(udid) && `${name} ${udid}`.toLowerCase().includes(words),
  );
  return (
    <>
      <SearchBox label={texts.teams.searchPhones} value={search} onSearch={setSearch} />
      <DataTable
        label={texts.teams.addPhone}
        rows={found}
        columns={otherColumns(team, onMove)}
        rowKey={({ udid }) => udid}
        empty={<EmptyState title={texts.teams.noOtherPhones} />}
      />
    </>
  );
}

function phoneColumns(): readonly Column<Device>[] {
  const headers = texts.teams.phoneColumns;
  return [
    {
      id: 'name',
      header: headers.name,
      cell: ({ name, udid }) => (
        <span class="two-lines">
          <span>{name}</span>
          <span class="soft">{udid}</span>
        </span>
      ),
      order: ({ name }) => name,
    },
    {
      id: 'platform',
      header: headers.platform,
      cell: ({ platform, osVersion }) => `${platform} ${osVersion}`,
      order: ({ platform, osVersion }) => `${platform} ${osVersion}`,
    },
  ];
}

function ownColumns(onShare: (device: Device) => void): readonly Column<Device>[] {
  const headers = texts.teams.phoneColumns;
  return [
    ...phoneColumns(),
    {
      id: 'state',
      header: headers.state,
      cell: ({ status }) => <Badge tone={TONES[status]}>{texts.teams.states[status]}</Badge>,
      order: ({ status }) => status,
      width: '7rem',
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (device) => (
        <Button aria-label={texts.teams.shareWhat(device.name)} onClick={() => onShare(device)}>
          {texts.teams.share}
        </Button>
      ),
      width: '10rem',
    },
  ];
}

function otherColumns(team: Team, onMove: (device: Device) => Promise<void>): readonly Column<Device>[] {
  const headers = texts.teams.phoneColumns;
  return [
    ...phoneColumns(),
    {
      id: 'team',
      header: headers.team,
      cell: (device) => (device.team === null ? texts.teams.fromPool : device.team.name),
      order: (device) => device.team?.name ?? null,
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (device) => <MoveButton device={device} isHere={device.team?.id === team.id} onMove={onMove} />,
      width: '9rem',
    },
  ];
}

interface MoveButtonProps {
  device: Device;
  isHere: boolean;
  onMove: (device: Device) => Promise<void>;
}

function MoveButton({ device, isHere, onMove }: MoveButtonProps) {
  const move = useAction(() => onMove(device));
  return (
    <span role="status">
      {isHere ? (
        <span class="soft">{texts.teams.isHere}</span>
      ) : (
        <Button busy={move.isBusy} aria-label={texts.teams.moveWhat(device.name)} onClick={move.run}>
          {texts.teams.moveHere}
        </Button>
      )}
      <Problem text={move.problem} />
    </span>
  );
}
