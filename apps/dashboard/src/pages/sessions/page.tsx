import { Comparison } from './comparison.tsx';
import { SessionDetail } from './session-detail.tsx';
import { SessionsList } from './sessions-list.tsx';
import './sessions.css';

/** Shows the list, one session (`?id=`), or two sessions side by side (`?id=` and `&against=`). */
export function Page() {
  const query = new URLSearchParams(location.search);
  const [id, against] = [query.get('id'), query.get('against')];
  if (id === null || id === '') return <SessionsList />;
  if (against === null || against === '') return <SessionDetail id={id} />;
  return <Comparison id={id} against={against} />;
}
