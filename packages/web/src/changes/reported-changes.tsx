import { useState } from 'react';
import { QueryResult } from '../data/query-result.tsx';
import { Empty } from '../design/empty.tsx';
import { LayoutButton } from '../diff/layout-button.tsx';
import { some } from '../text/amounts.ts';
import { ChangedFile } from './changed-file.tsx';
import styles from './changes-view.module.css';
import { FileList } from './file-list.tsx';
import { useChanges } from './use-changes.ts';

/** Number of files that are expanded initially: rendering each line takes time. */
const MOST_OPEN = 20;

/** The files that the events of a session report as changed, with their diffs. */
export function ReportedChanges({ sessionId }: { sessionId: string }) {
  const query = useChanges(sessionId);
  const [chosen, choose] = useState<string>();
  return (
    <QueryResult query={query}>
      {({ files }) =>
        files.length === 0 ? (
          <Empty icon="file" title="No changes yet">
            Files the agent creates, edits or deletes show up here.
          </Empty>
        ) : (
          <div className={styles.changes}>
            <aside className={styles.side}>
              <p className={styles.sum}>{sumOf(files)}</p>
              <FileList files={files} chosen={chosen} onChoose={choose} />
            </aside>
            <div className={styles.files}>
              <div className={`${styles.look} ${styles.layout}`}>
                <LayoutButton />
              </div>
              {files.map((file, index) => (
                <ChangedFile
                  key={file.path}
                  file={file}
                  startsOpen={index < MOST_OPEN}
                  isChosen={file.path === chosen}
                />
              ))}
            </div>
          </div>
        )
      }
    </QueryResult>
  );
}

function sumOf(files: readonly { added: number; removed: number }[]): string {
  const sum = (name: 'added' | 'removed') => files.reduce((all, file) => all + file[name], 0);
  return `${some(files.length, 'file')}, +${sum('added')} −${sum('removed')} lines`;
}
