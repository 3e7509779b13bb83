import { Boundary } from '../../design/boundary.tsx';
import { useEntry } from '../feed/open-session.tsx';
import { EntryView } from './entry-view.tsx';

/** An entry by its cursor, in a row or inside another one. */
export function OneEntry({ cursor }: { cursor: number }) {
  const entry = useEntry(cursor);
  if (!entry) return null;
  return (
    <Boundary instead={<p>Couldn’t render this entry. See the raw events.</p>}>
      <EntryView entry={entry} />
    </Boundary>
  );
}
