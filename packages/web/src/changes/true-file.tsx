import type { TrueChange, TrueChanges } from '@baton/client';
import type { FileChange, ReviewComment } from '@baton/protocol';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { IconButton } from '../design/button.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Icon } from '../design/icon.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import type { DiffReview } from '../diff/diff-review.ts';
import { type CurrentHunk, DiffView } from '../diff/diff-view.tsx';
import { useIgnoreSpace } from '../diff/ignore-space.ts';
import type { DiffContext } from '../diff/use-expanded-lines.ts';
import { FileReview } from '../review/file-review.tsx';
import styles from './changed-file.module.css';
import { ImageSides, imageType } from './image-sides.tsx';
import type { CurrentPlace } from './review-place.ts';
import { useNear } from './use-near.ts';
import { useWholeFile } from './use-whole-file.ts';

export type TrueFileProps = {
  session_id: string;
  file: TrueChange;
  trees: Pick<TrueChanges, 'from' | 'to'>;
  isOpen: boolean;
  isViewed: boolean;
  /** Set for the file that the user went to; another object brings it to the screen. */
  current: CurrentPlace | undefined;
  onOpen: (file: TrueChange, isOpen: boolean) => void;
  onViewed: (file: TrueChange, isViewed: boolean) => void;
  /** Opens the transcript at an entry. */
  onJump: (cursor: number) => void;
  /** All comments of the session. */
  comments: readonly ReviewComment[];
  /** Opens the transcript at the prompt that a comment was sent with. */
  onAnswer: (taskId: string) => void;
  /** Takes the file back; undefined if that is not possible now. */
  onUndo: ((file: TrueChange) => void) | undefined;
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

/** Rough heights, in pixels, that an unseen file takes until it is near the screen. */
const HEAD_HEIGHT = 42;
const LINE_HEIGHT = 20;
/** Lines of a diff that are shown at first. */
const MOST_LINES = 400;

/** One changed file; its diff is there while the file is expanded and near the screen. */
export const TrueFile = memo(function TrueFile(props: TrueFileProps) {
  const { session_id, file, trees, current, comments, onAnswer, isOpen, onOpen } = props;
  const [isOnFile, commentOnFile] = useState(false);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!current) return;
    const { hunk, isByKey } = current;
    if (hunk === undefined) place.current?.scrollIntoView({ block: 'start' });
    if (isByKey) place.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [current]);
  const currentHunk = useMemo(
    () => (current?.hunk === undefined ? undefined : { hunk: current.hunk }),
    [current],
  );
  const { isNear, height } = useNear(place);
  // A file that somebody works in keeps what is not stored, such as an unfinished comment.
  const [isInUse, setInUse] = useState(false);
  const { path, old_path } = file;
  const isShown = isNear || isInUse || isOnFile || current !== undefined;
  const placeholder = isOpen ? (height ?? estimate(file)) : HEAD_HEIGHT;
  return (
    <section
      ref={place}
      className={styles.file}
      data-path={path}
      data-current={current !== undefined || undefined}
      style={isShown ? undefined : { minHeight: placeholder }}
    >
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
        {isShown && (
          <FileActions
            {...props}
            onComment={() => {
              onOpen(file, true);
              commentOnFile(true);
            }}
          />
        )}
      </header>
      {isOpen && isShown && (
        // biome-ignore lint/a11y/noStaticElementInteractions: only notes that something in it was used
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys click too
        <div onClick={() => setInUse(true)}>
          <FileReview
            {...{ session_id, path, trees, comments, onAnswer, isOnFile }}
            onFileDone={() => commentOnFile(false)}
          >
            {(review) => <Patch {...{ session_id, file, trees, review }} current={currentHunk} />}
          </FileReview>
        </div>
      )}
    </section>
  );
});

function estimate({ additions, deletions }: TrueChange): number {
  const lines = Math.min((additions ?? 0) + (deletions ?? 0) + 6, MOST_LINES);
  return HEAD_HEIGHT + lines * LINE_HEIGHT;
}

type ActionsProps = TrueFileProps & { onComment: () => void };

/** Where a change comes from, and what can be done with the file. */
function FileActions(props: ActionsProps) {
  const { session_id, file, isViewed, onViewed, onJump, onUndo, onComment } = props;
  const may = useMay('member');
  const { path, kind, origin, entry } = file;
  const { short, long } = ORIGIN_WORDS[origin.by];
  const { cursor } = origin;
  return (
    <>
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
      {may && <IconButton small label="Comment on this file" icon="edit" onClick={onComment} />}
      {onUndo && (
        <IconButton small label="Undo this file" icon="retry" onClick={() => onUndo(file)} />
      )}
      <CopyButton text={path} label="Copy path" />
      <label className={styles.viewed}>
        <input
          type="checkbox"
          checked={isViewed}
          onChange={({ target }) => onViewed(file, target.checked)}
        />
        Viewed
      </label>
    </>
  );
}

function Patch({
  session_id,
  file,
  trees: { from, to },
  review,
  current,
}: Pick<TrueFileProps, 'session_id' | 'file' | 'trees'> & Pick<LinesProps, 'review' | 'current'>) {
  const { path, old_path, is_binary } = file;
  const ignore_space = useIgnoreSpace();
  const request = { session_id, from, to, path, old_path, ignore_space };
  const query = useRecords(
    ['changes', session_id, 'patch', from, to, path, ignore_space],
    (client) => client.changes.diff(request),
    { enabled: !is_binary },
  );
  const context = useWholeFile(file, request);
  const type = imageType(file);
  const images = type && <ImageSides {...{ session_id, file, from, to, type }} />;
  if (is_binary) return images ?? <p className={styles.cut}>Binary file.</p>;
  return (
    <>
      {images}
      <QueryResult query={query}>
        {({ patch, cut }) =>
          cut ? (
            <p className={styles.cut}>This diff is too long to show here: use “baton diff”.</p>
          ) : (
            <PatchLines {...{ file, patch, review, current, context }} />
          )
        }
      </QueryResult>
    </>
  );
}

type LinesProps = {
  file: TrueChange;
  patch: string;
  review: DiffReview;
  current: CurrentHunk | undefined;
  context: DiffContext;
};

function PatchLines({ file, patch, review, current, context }: LinesProps) {
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
      <DiffView {...{ change, review, current, context }} />
    </>
  );
}

function withoutLines({ kind, old_mode, new_mode }: TrueChange): string {
  if (old_mode && new_mode) return `Mode changed from ${old_mode} to ${new_mode}.`;
  if (kind === 'renamed') return 'Renamed without other changes.';
  return 'Empty file.';
}
