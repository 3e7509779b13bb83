import type { ChangedFileRecord } from '@baton/client';
import { showUnseenInLine } from '@baton/protocol';
import { Exact } from '../design/exact.tsx';
import styles from './file-list.module.css';
import { KIND_WORDS } from './kind-words.ts';

type Props = {
  files: readonly ChangedFileRecord[];
  chosen: string | undefined;
  onChoose: (path: string) => void;
};

/** The changed files by name, to go to one of them. */
export function FileList({ files, chosen, onChoose }: Props) {
  return (
    <ul className={styles.list}>
      {files.map(({ path, kind, added, removed }) => (
        <li key={path}>
          <button
            type="button"
            className={styles.file}
            aria-current={path === chosen ? 'true' : undefined}
            onClick={() => onChoose(path)}
            title={showUnseenInLine(path)}
          >
            <span className={styles.kind} data-kind={kind} title={KIND_WORDS[kind].long}>
              {KIND_WORDS[kind].letter}
            </span>
            <span className={styles.path}>
              <Exact text={path} />
            </span>
            <span className={styles.lines}>
              <span className={styles.added}>+{added}</span>{' '}
              <span className={styles.removed}>−{removed}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
