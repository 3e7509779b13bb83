import type { TrueChange } from '@baton/client';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import styles from './image-sides.module.css';

/** Types of the images that browsers show. Scripts in an SVG do not run, because it is only used as an image. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};

/** The type of an image by its path; undefined for other files. */
export function imageType({ path, entry }: Pick<TrueChange, 'path' | 'entry'>): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return entry === 'file' && Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
}

type Props = { session_id: string; file: TrueChange; from: string; to: string; type: string };

/** An image before and after the change, beside each other. */
export function ImageSides({ session_id, file, from, to, type }: Props) {
  const { path, old_path, kind } = file;
  return (
    <div className={styles.sides}>
      {kind !== 'added' && (
        <Side title="Before" {...{ session_id, type }} tree={from} path={old_path ?? path} />
      )}
      {kind !== 'deleted' && <Side title="After" {...{ session_id, path, type }} tree={to} />}
    </div>
  );
}

type SideProps = { title: string; session_id: string; tree: string; path: string; type: string };

function Side({ title, session_id, tree, path, type }: SideProps) {
  const query = useRecords(['changes', session_id, 'content', tree, path], (client) =>
    client.changes.content({ session_id, tree, path }),
  );
  return (
    <figure className={styles.side}>
      <figcaption>{title}</figcaption>
      <QueryResult query={query}>
        {({ content, cut }) => {
          if (cut) return <p>This image is too large to show here.</p>;
          if (content === null) return <p>No image.</p>;
          return <img src={`data:${type};base64,${content}`} alt={`${title} the change`} />;
        }}
      </QueryResult>
    </figure>
  );
}
