import { type FileChange, showUnseenInLine } from '@baton/protocol';
import { useMemo } from 'react';
import { Badge } from '../../design/badge.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { DiffView } from '../../diff/diff-view.tsx';
import { LayoutButton } from '../../diff/layout-button.tsx';
import { parseDiff } from '../../diff/parse-diff.ts';
import { useOpen } from '../feed/open-session.tsx';
import styles from './tools.module.css';

/** Number of lines of a change that the transcript shows before the user asks for more. */
const FIRST = 30;

/** The files that a tool changed, with their diffs. */
export function ChangedFiles({ changes }: { changes: readonly FileChange[] }) {
  return changes.map((change, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: one tool may change a file twice
    <ChangedFile key={index} change={change} />
  ));
}

function ChangedFile({ change }: { change: FileChange }) {
  const { added, removed } = useMemo(() => parseDiff(change), [change]);
  const { cwd } = useOpen();
  const path = showUnseenInLine(change.path);
  return (
    <section className={styles.file} aria-label={path}>
      <header className={styles.fileHead}>
        <span className={styles.path} dir="ltr" title={path}>
          <LiteralText text={shortPath(change.path, cwd)} />
        </span>
        <CopyButton text={change.path} label="Copy path" />
        <span className={styles.counts}>
          {added > 0 && <Badge tone="good">+{added}</Badge>}
          {removed > 0 && <Badge tone="bad">−{removed}</Badge>}
        </span>
        <span className={styles.look}>
          <LayoutButton />
        </span>
      </header>
      <DiffView change={change} first={FIRST} />
    </section>
  );
}

/** Shortens paths inside the folder of the session. */
function shortPath(path: string, cwd: string): string {
  const folder = `${cwd}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}
