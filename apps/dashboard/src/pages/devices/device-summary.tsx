import { texts } from '../../texts/en.ts';
import { countsOf, type DeviceState } from './device-holder.ts';
import type { Device } from './seen-devices.ts';

interface DeviceSummaryProps {
  devices: readonly Device[];
  /** State by which the list is filtered, or an empty text. */
  state: DeviceState | '';
  onState(state: DeviceState | ''): void;
}

/** Shows how many phones are in each state. A press on a state shows only these phones, a second press all of them. */
export function DeviceSummary({ devices, state, onState }: DeviceSummaryProps) {
  const { summary, inState } = texts.devices;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div class="device-summary" role="group" aria-label={summary}>
      {countsOf(devices).map(([each, count]) => (
        <button
          key={each}
          type="button"
          class={`state-count state-${each}`}
          aria-pressed={each === state}
          onClick={() => onState(each === state ? '' : each)}
        >
          {inState[each](count)}
        </button>
      ))}
    </div>
  );
}
