import type { ChangedFileRecord } from '@baton/client';
import { showUnseenInLine } from '@baton/protocol';
import { LiteralText } from '../design/literal-text.tsx';
import { KIND_WORDS } from './change-labels.ts';
import styles from './file-list.module.css';

type Props = {
  files: readonly Pick<ChangedFileRecord, 'path' | 'kind' | 'added' | 'removed'>[];
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
              <LiteralText text={path} />
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
