import { useId } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { chooseTheme, type Theme, theme } from './theme.ts';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function ThemeChoice() {
  const name = useId();
  return (
    <fieldset class="theme-choice">
      <legend>{texts.theme.title}</legend>
      {THEMES.map((each) => (
        <label key={each}>
          <input type="radio" name={name} checked={theme.value === each} onChange={() => chooseTheme(each)} />
          <span>{texts.theme[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}
