import { signal } from '@preact/signals';
import { shellTexts } from '../texts/en/shell.ts';
import { SITE } from './addresses.ts';
import type { Answer } from './client.ts';
import { inStorage } from './storage.ts';

interface Brand {
  readonly name: string;
  /** Address of the logo. */
  readonly logo: string;
}

type Named = Pick<Answer<'authOptions'>, 'labName' | 'labLogo'>;

const KEY = 'svc-brand';

/** Name and logo of the lab. Until the server responds, those that this browser showed last. */
export const brand = signal<Brand>(brandOf(stored()));

/** Shows the name and the logo that the server named, now and on the pages that open next. */
export function showBrand({ labName, labLogo }: Named): void {
  brand.value = brandOf({ labName, labLogo });
  inStorage((storage) => storage.setItem(KEY, JSON.stringify({ labName, labLogo })));
}

function brandOf({ labName, labLogo }: Named): Brand {
  return { name: labName ?? shellTexts.product, logo: SITE + (labLogo ?? 'static/icon.svg') };
}

function stored(): Named {
  try {
    const { labName, labLogo } = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return {
      labName: typeof labName === 'string' ? labName : null,
      // Another program of this origin may have written the value, so it must not lead elsewhere.
      labLogo: /^lab-logo\?v=\w+$/.test(labLogo) ? labLogo : null,
    };
  } catch {
    return { labName: null, labLogo: null };
  }
}
