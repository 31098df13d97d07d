import { CopyButton } from './copy.tsx';

/** A text of several lines to copy whole. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton value={text} what={label} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
