import type { ChangedFileRecord, FileChangeRecord } from '@baton/client';
import type { FileChange } from '@baton/protocol';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CopyButton } from '../design/copy-button.tsx';
import { Icon } from '../design/icon.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { DiffView } from '../diff/diff-view.tsx';
import { KIND_WORDS } from './change-labels.ts';
import styles from './changed-file.module.css';

type Props = { file: ChangedFileRecord; startsOpen: boolean; isChosen: boolean };

/** One changed file, with every change that was made to it. */
export function ChangedFile({ file, startsOpen, isChosen }: Props) {
  const place = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(startsOpen);
  useEffect(() => {
    if (!isChosen) return;
    setOpen(true);
    place.current?.scrollIntoView({ block: 'start' });
  }, [isChosen]);
  return (
    <section ref={place} className={styles.file}>
      <header className={styles.head}>
        <h3 className={styles.title}>
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={16} />
            <span className={styles.path}>
              {file.old_path && <LiteralText text={file.old_path} />}
              {file.old_path && ' → '}
              <LiteralText text={file.path} />
            </span>
          </button>
        </h3>
        <span className={styles.kind}>{KIND_WORDS[file.kind].long}</span>
        <CopyButton text={file.path} label="Copy path" />
      </header>
      {isOpen &&
        file.changes.map((change, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one event may change a file twice
          <Piece key={`${change.cursor}-${index}`} path={file.path} change={change} />
        ))}
    </section>
  );
}

function Piece({ path, change }: { path: string; change: FileChangeRecord }) {
  const { kind, diff, cut } = change;
  const shown = useMemo(
    (): FileChange => ({ path, kind, diff: diff ?? undefined }),
    [path, kind, diff],
  );
  return (
    <>
      <DiffView change={shown} />
      {cut && <p className={styles.cut}>This diff is too long; only the beginning is shown.</p>}
    </>
  );
}
