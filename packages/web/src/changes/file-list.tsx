import type { ChangedFileRecord } from '@baton/client';
import { showUnseenInLine } from '@baton/protocol';
import { memo, type Ref, useMemo, useState } from 'react';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import { Icon } from '../design/icon.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { some } from '../text/amounts.ts';
import { KIND_WORDS } from './change-labels.ts';
import styles from './file-list.module.css';
import { type TreeRow, treeRows } from './file-tree.ts';

type ListedFile = Pick<ChangedFileRecord, 'path' | 'kind' | 'added' | 'removed'> & {
  isViewed?: boolean;
};

type Props = {
  files: readonly ListedFile[];
  chosen: string | undefined;
  onChoose: (path: string) => void;
  filterRef?: Ref<HTMLInputElement>;
};

/** Number of rows that are shown before the user asks for more. */
const PIECE = 300;

/** The changed files by folder, to go to one of them; collapsed where the screen is small. */
export const FileList = memo(function FileList({
  files,
  chosen,
  onChoose,
  filterRef = null,
}: Props) {
  const [isOpen, setOpen] = useState(false);
  const [filter, setFilter] = useState('');
  const [closed, close] = useState<ReadonlySet<string>>(new Set());
  const [most, showMost] = useState(PIECE);
  const wanted = filter.trim().toLowerCase();
  const found = useMemo(
    () => files.filter(({ path }) => path.toLowerCase().includes(wanted)),
    [files, wanted],
  );
  // Folders that hide what the filter finds would make it useless.
  const rows = useMemo(
    () => treeRows(found, wanted === '' ? closed : undefined),
    [found, wanted, closed],
  );
  const left = rows.length - most;
  const toggle = (path: string) => {
    const others = new Set(closed);
    if (!others.delete(path)) others.add(path);
    close(others);
  };
  return (
    <>
      <button
        type="button"
        className={styles.disclosure}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={16} />
        Files
      </button>
      <div className={styles.body} data-open={isOpen || undefined}>
        <TextField
          label="Filter files"
          hideLabel
          type="search"
          placeholder="Filter files…"
          ref={filterRef}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            setFilter('');
            event.currentTarget.blur();
          }}
        />
        {wanted !== '' && (
          <p className={styles.found} role="status">
            {found.length} of {some(files.length, 'file')}
          </p>
        )}
        <ul className={styles.list}>
          {rows.slice(0, most).map((row) => (
            <li key={row.kind === 'file' ? row.file.path : `${row.path}/`}>
              <Row {...{ row, chosen, onChoose }} onFolder={toggle} />
            </li>
          ))}
        </ul>
        {left > 0 && (
          <Button small look="quiet" icon="chevronDown" onClick={() => showMost(most + PIECE)}>
            Show {Math.min(left, PIECE)} more
          </Button>
        )}
      </div>
    </>
  );
});

type RowProps = Pick<Props, 'chosen' | 'onChoose'> & {
  row: TreeRow<ListedFile>;
  onFolder: (path: string) => void;
};

function Row({ row, chosen, onChoose, onFolder }: RowProps) {
  const style = { paddingInlineStart: `calc(var(--space-2) + ${row.depth} * var(--space-3))` };
  if (row.kind === 'folder') {
    const { name, path, count, isOpen } = row;
    return (
      <button
        type="button"
        className={styles.file}
        style={style}
        aria-expanded={isOpen}
        title={showUnseenInLine(path)}
        onClick={() => onFolder(path)}
      >
        <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
        <span className={styles.path}>
          <LiteralText text={name} />
        </span>
        <span className={styles.lines}>{count}</span>
      </button>
    );
  }
  const { path, kind, added, removed, isViewed } = row.file;
  return (
    <button
      type="button"
      className={styles.file}
      style={style}
      aria-current={path === chosen ? 'true' : undefined}
      onClick={() => onChoose(path)}
      title={showUnseenInLine(path)}
    >
      <span className={styles.kind} data-kind={kind} title={KIND_WORDS[kind].long}>
        {KIND_WORDS[kind].letter}
      </span>
      <span className={styles.path} data-viewed={isViewed || undefined}>
        <LiteralText text={row.name} />
      </span>
      <span className={styles.lines}>
        <span className={styles.added}>+{added}</span>{' '}
        <span className={styles.removed}>−{removed}</span>
      </span>
    </button>
  );
}
