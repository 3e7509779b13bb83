import { useRef, useState } from 'react';
import { useRecords } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Form } from '../../design/form.tsx';
import { FolderField } from '../../start/folder-field.tsx';
import styles from './list.module.css';

const MOST_SESSIONS = 50;

type Props = { folder: string; onSearch: (folder: string) => void };

/** Looks for chains in any folder of the daemon's machine. */
export function FolderSearch({ folder, onSearch }: Props) {
  const [typed, type] = useState(folder);
  const field = useRef<HTMLInputElement>(null);
  const { data } = useRecords(['sessions', 'start'], (client) =>
    client.sessions.find({ limit: MOST_SESSIONS }),
  );
  const recent = [...new Set(data?.data.map(({ cwd }) => cwd))];
  return (
    <Form className={styles.search} onSubmit={() => onSearch(typed.trim())}>
      <FolderField ref={field} value={typed} onChange={type} recent={recent} onLeave={() => {}} />
      <div className={styles.ways}>
        <Button type="submit" icon="search">
          Show chains
        </Button>
        {folder !== '' && (
          <Button look="quiet" onClick={() => onSearch('')}>
            All folders
          </Button>
        )}
      </div>
    </Form>
  );
}
