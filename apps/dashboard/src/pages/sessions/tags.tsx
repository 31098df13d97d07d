/** Shows the tags of a session. They come from tests, so they are rendered only as text. */
export function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul class="tags">
      {tags.map((tag) => (
        <li key={tag} class="tag" title={tag}>
          {tag}
        </li>
      ))}
    </ul>
  );
}
