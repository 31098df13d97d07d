import { Fragment } from 'preact';

/** Characters after which a long word, such as a path or an error code, may be continued on the next line. */
const BREAKS_AFTER = /(?<=[/_.@:-])/;

/** Renders a text that is broken after one of its separators rather than inside a word. */
export function Breakable({ text }: { text: string }) {
  return (
    <>
      {text.split(BREAKS_AFTER).map((part, index) => (
        <Fragment key={`${index} ${part}`}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </>
  );
}
