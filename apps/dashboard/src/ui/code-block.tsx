import { CopyButton } from './copy.tsx';

/** Shows a text of several lines with a button that copies the text. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton value={text} what={label} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
