import { useState } from 'react';
import { QueryResult } from '../data/query-result.tsx';
import { Empty } from '../design/empty.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { LayoutButton } from '../diff/layout-button.tsx';
import { some } from '../text/amounts.ts';
import { ChangedFile } from './changed-file.tsx';
import styles from './changes-view.module.css';
import { FileList } from './file-list.tsx';
import { useChanges } from './use-changes.ts';

/** Number of files that are expanded initially: rendering each line takes time. */
const MOST_OPEN = 20;

type Props = {
  sessionId: string;
  /** The reason why the files themselves are not compared; undefined before the first turn. */
  reason?: string | undefined;
};

/** The files that the events of a session report as changed, with their diffs. */
export function ReportedChanges({ sessionId, reason }: Props) {
  return (
    <>
      {reason !== undefined && (
        <p className={styles.note}>
          <LiteralText text={reason} /> Only changes that the agent reported are shown.
        </p>
      )}
      <Reported sessionId={sessionId} isAll={reason === undefined} />
    </>
  );
}

function Reported({ sessionId, isAll }: { sessionId: string; isAll: boolean }) {
  const query = useChanges(sessionId);
  const [chosen, choose] = useState<string>();
  return (
    <QueryResult query={query}>
      {({ files }) =>
        files.length === 0 ? (
          <Empty icon="file" title={isAll ? 'No changes yet' : 'No reported changes'}>
            {isAll
              ? 'Files the agent creates, edits or deletes show up here.'
              : 'Commands may have changed files.'}
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
