import { doorTexts } from './en/door.ts';
import { errorTexts } from './en/errors.ts';
import { profileTexts } from './en/profile.ts';
import { shellTexts } from './en/shell.ts';

/** Every text of the pages, in English; another language is another object of this type. */
export const texts = {
  ...shellTexts,
  ...doorTexts,
  errors: errorTexts,
  profile: profileTexts,
};
