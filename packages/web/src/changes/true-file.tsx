import type { TrueChange, TrueChanges } from '@baton/client';
import type { FileChange, ReviewComment } from '@baton/protocol';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { IconButton } from '../design/button.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Icon } from '../design/icon.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import type { DiffReview } from '../diff/diff-review.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { FileReview } from '../review/file-review.tsx';
import styles from './changed-file.module.css';

export type TrueFileProps = {
  session_id: string;
  file: TrueChange;
  trees: Pick<TrueChanges, 'from' | 'to'>;
  isOpen: boolean;
  isViewed: boolean;
  isChosen: boolean;
  onOpen: (file: TrueChange, isOpen: boolean) => void;
  onViewed: (file: TrueChange, isViewed: boolean) => void;
  /** Opens the transcript at an entry. */
  onJump: (cursor: number) => void;
  /** All comments of the session. */
  comments: readonly ReviewComment[];
  /** Opens the transcript at the prompt that a comment was sent with. */
  onAnswer: (taskId: string) => void;
  /** Takes the file back; undefined if that is not possible now. */
  onUndo: (() => void) | undefined;
};

const KIND_WORDS = {
  added: 'Added',
  deleted: 'Deleted',
  modified: 'Changed',
  renamed: 'Renamed',
  replaced: 'Replaced',
} as const;

const ENTRY_WORDS = { link: 'Link', submodule: 'Submodule' } as const;

/** Causes of a change, and their explanations. */
const ORIGIN_WORDS = {
  agent: { short: 'by the agent', long: 'The agent edited this file.' },
  command: { short: 'by a command', long: 'Changed while the agent ran commands.' },
  other: { short: 'by someone else', long: 'No turn of this session changed this file.' },
} as const;

/** One changed file; its diff is loaded when it is opened. */
export function TrueFile(props: TrueFileProps) {
  const { session_id, file, trees, isChosen, onJump, onUndo } = props;
  const { comments, onAnswer, isOpen, isViewed, onOpen, onViewed } = props;
  const may = useMay('member');
  const [isOnFile, commentOnFile] = useState(false);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isChosen) place.current?.scrollIntoView({ block: 'start' });
  }, [isChosen]);
  const { path, old_path, kind, origin, entry } = file;
  const { short, long } = ORIGIN_WORDS[origin.by];
  const { cursor } = origin;
  return (
    <section ref={place} className={styles.file}>
      <header className={styles.head}>
        <h3 className={styles.title}>
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isOpen}
            onClick={() => onOpen(file, !isOpen)}
          >
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={16} />
            <span className={styles.path}>
              {old_path && <LiteralText text={old_path} />}
              {old_path && ' → '}
              <LiteralText text={path} />
            </span>
          </button>
        </h3>
        <span className={styles.kind} title={long}>
          {entry === 'file' ? '' : `${ENTRY_WORDS[entry]} `}
          {entry === 'file' ? KIND_WORDS[kind] : KIND_WORDS[kind].toLowerCase()}{' '}
          {cursor === null ? (
            short
          ) : (
            <Link
              href={`/sessions/${session_id}`}
              onClick={(event) => {
                event.preventDefault();
                onJump(cursor);
              }}
            >
              {short}
            </Link>
          )}
        </span>
        {may && (
          <IconButton
            small
            label="Comment on this file"
            icon="edit"
            onClick={() => {
              onOpen(file, true);
              commentOnFile(true);
            }}
          />
        )}
        {onUndo && <IconButton small label="Undo this file" icon="retry" onClick={onUndo} />}
        <CopyButton text={path} label="Copy path" />
        <label className={styles.viewed}>
          <input
            type="checkbox"
            checked={isViewed}
            onChange={({ target }) => onViewed(file, target.checked)}
          />
          Viewed
        </label>
      </header>
      {isOpen && (
        <FileReview
          {...{ session_id, path, trees, comments, onAnswer, isOnFile }}
          onFileDone={() => commentOnFile(false)}
        >
          {(review) => <Patch {...{ session_id, file, trees, review }} />}
        </FileReview>
      )}
    </section>
  );
}

function Patch({
  session_id,
  file,
  trees: { from, to },
  review,
}: Pick<TrueFileProps, 'session_id' | 'file' | 'trees'> & { review: DiffReview }) {
  const { path, old_path, is_binary } = file;
  const query = useRecords(
    ['changes', session_id, 'patch', from, to, path],
    (client) => client.changes.diff({ session_id, from, to, path, old_path }),
    { enabled: !is_binary },
  );
  if (is_binary) return <p className={styles.cut}>Binary file.</p>;
  return (
    <QueryResult query={query}>
      {({ patch, cut }) =>
        cut ? (
          <p className={styles.cut}>This diff is too long to show here: use “baton diff”.</p>
        ) : (
          <PatchLines {...{ file, patch, review }} />
        )
      }
    </QueryResult>
  );
}

type LinesProps = { file: TrueChange; patch: string; review: DiffReview };

function PatchLines({ file, patch, review }: LinesProps) {
  const { path, kind, old_mode, new_mode } = file;
  const change = useMemo(
    (): FileChange => ({ path, kind: kind === 'deleted' ? 'delete' : 'edit', diff: patch }),
    [path, kind, patch],
  );
  if (!patch.includes('\n@@')) return <p className={styles.cut}>{withoutLines(file)}</p>;
  return (
    <>
      {old_mode && new_mode && (
        <p className={styles.cut}>
          Mode changed from {old_mode} to {new_mode}.
        </p>
      )}
      <DiffView change={change} review={review} />
    </>
  );
}

function withoutLines({ kind, old_mode, new_mode }: TrueChange): string {
  if (old_mode && new_mode) return `Mode changed from ${old_mode} to ${new_mode}.`;
  if (kind === 'renamed') return 'Renamed without other changes.';
  return 'Empty file.';
}
