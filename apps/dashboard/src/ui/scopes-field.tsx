import type { Answer } from '../api/client.ts';
import { caller } from '../api/current-caller.ts';
import { texts } from '../texts/en.ts';
import { Choices } from './choices.tsx';

export type Scope = Answer<'listApiKeys'>[number]['scopes'][number];

const SCOPES: readonly Scope[] = ['read', 'sessions', 'devices', 'admin'];

interface ScopesFieldProps {
  readonly legend: string;
  readonly chosen: ReadonlySet<Scope>;
  readonly onChange: (chosen: ReadonlySet<Scope>) => void;
}

/**
 * Lets the user choose the scopes of a new key or rule. Offers only the caller's own scopes, because the server refuses
 * others.
 */
export function ScopesField({ legend, chosen, onChange }: ScopesFieldProps) {
  const own = caller.value.scopes;
  const options = SCOPES.filter((scope) => own.includes(scope) || own.includes('admin')).map((scope) => ({
    value: scope,
    label: scope,
    hint: texts.apiKeys.scopeHints[scope],
  }));
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      <Choices options={options} chosen={chosen} onChange={onChange} />
    </fieldset>
  );
}

/** @returns the chosen scopes in the order in which pages list scopes */
export function inOrder(chosen: ReadonlySet<Scope>): Scope[] {
  return SCOPES.filter((scope) => chosen.has(scope));
}
