/** Part of a page below one heading, as the search finds it. */
export interface Section {
  readonly id: number;
  /** Text of the heading. */
  readonly heading: string;
  /** Title of the page, or an empty text for the part below the title itself. */
  readonly page: string;
  /** Address relative to the site, with the anchor of the heading. */
  readonly address: string;
  readonly text: string;
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Options of the search, which have to be the same where the index is built and where it is read. */
export const SEARCH_OPTIONS = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['heading', 'page', 'address'],
  // A name such as SVC_PUBLIC_URL is found as a whole and by its parts.
  tokenize: (text: string) =>
    wordsOf(text).flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word])),
  searchOptions: {
    tokenize: wordsOf,
    boost: { heading: 4, page: 2 },
    prefix: true,
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  },
};
