import { useState } from 'preact/hooks';
import { pageQuery, setPageQuery } from '../../api/page-query.ts';
import { texts } from '../../texts/en.ts';
import { Button, SearchBox, SelectField } from '../../ui/index.ts';
import { DEVICE_STATES, type DeviceState } from './device-holder.ts';
import { type Choice, choicesOf, FILTERS, type Filter, NONE, type Wanted } from './find-devices.ts';
import type { Device } from './seen-devices.ts';

/** @returns the filters in the address of the page, and a function that changes the filters and the address */
export function useWanted(): [wanted: Wanted, change: (part: Partial<Wanted>) => void] {
  const [wanted, setWanted] = useState(wantedByAddress);
  const change = (part: Partial<Wanted>) => {
    setPageQuery(part);
    setWanted((before) => ({ ...before, ...part }));
  };
  return [wanted, change];
}

function wantedByAddress(): Wanted {
  const status = pageQuery('status') as DeviceState;
  return {
    search: pageQuery('search'),
    status: DEVICE_STATES.includes(status) ? status : '',
    platform: pageQuery('platform'),
    version: pageQuery('version'),
    team: pageQuery('team'),
    node: pageQuery('node'),
    tag: pageQuery('tag'),
  };
}

const NOTHING_WANTED: Wanted = {
  search: '',
  status: '',
  platform: '',
  version: '',
  team: '',
  node: '',
  tag: '',
};

interface DeviceFiltersProps {
  devices: readonly Device[];
  wanted: Wanted;
  onChange(part: Partial<Wanted>): void;
}

/** Shows the search and the filters. Leaves out filters that could not shorten the list. */
export function DeviceFilters({ devices, wanted, onChange }: DeviceFiltersProps) {
  const { search, status, anyStatus, statuses, filters } = texts.devices;
  const isFiltered = Object.values(wanted).some((value) => value !== '');
  return (
    <search class="filter-bar">
      <SearchBox label={search} value={wanted.search} onSearch={(text) => onChange({ search: text })} />
      <SelectField
        label={status}
        value={wanted.status}
        options={[
          { value: '', label: anyStatus },
          ...DEVICE_STATES.map((each) => ({ value: each, label: statuses[each] })),
        ]}
        onChange={({ currentTarget }) => onChange({ status: currentTarget.value as DeviceState | '' })}
      />
      {FILTERS.map((filter) => {
        const choices = choicesOf(devices, filter, wanted);
        // A filter with a single choice is useless, because it matches every phone. This is not so for tags: a single
        // tag does not match phones without tags.
        const isUseful = choices.length > 1 || wanted[filter] !== '' || filter === 'tag';
        if (!isUseful || choices.length === 0) return null;
        return (
          <SelectField
            key={filter}
            label={filters[filter]}
            value={wanted[filter]}
            options={[
              { value: '', label: filters.anyOf[filter] },
              ...choices.map((choice) => ({ value: choice.value, label: labelOf(filter, choice) })),
            ]}
            onChange={({ currentTarget }) => onChange(changeOf(filter, currentTarget.value))}
          />
        );
      })}
      {isFiltered && (
        <Button kind="quiet" onClick={() => onChange(NOTHING_WANTED)}>
          {filters.clear}
        </Button>
      )}
    </search>
  );
}

/**
 * Returns the filters that change. A change of the platform also clears the version, because other platforms have other
 * versions.
 */
function changeOf(filter: Filter, value: string): Partial<Wanted> {
  return filter === 'platform' ? { platform: value, version: '' } : { [filter]: value };
}

function labelOf(filter: Filter, { value, label }: Choice): string {
  if (label !== null || value !== NONE) return label ?? value;
  return filter === 'team' ? texts.devices.facts.sharedPool : texts.devices.filters.noNode;
}
