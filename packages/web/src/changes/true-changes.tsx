import type { TrueChange, TrueChanges } from '@baton/client';
import { BatonError, type CheckpointGap, type SessionRecord } from '@baton/protocol';
import { useCallback, useMemo, useRef, useState } from 'react';
import { attempt, complain } from '../data/attempt.ts';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { Button } from '../design/button.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Empty } from '../design/empty.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { tell } from '../design/toasts.tsx';
import { useIgnoreSpace } from '../diff/ignore-space.ts';
import { LayoutButton } from '../diff/layout-button.tsx';
import { SpaceButton } from '../diff/space-button.tsx';
import { ReviewBar } from '../review/review-bar.tsx';
import { useComments } from '../review/use-comments.ts';
import { count, some } from '../text/amounts.ts';
import styles from './changes-view.module.css';
import { type Compare, CompareChoice } from './compare-choice.tsx';
import { FileList } from './file-list.tsx';
import { ReportedChanges } from './reported-changes.tsx';
import type { CurrentPlace } from './review-place.ts';
import { TrueFile, type TrueFileProps } from './true-file.tsx';
import { type OpenedFiles, useOpenedFiles } from './use-opened-files.ts';
import { useReviewKeys } from './use-review-keys.ts';
import { pathsOf, useUndo } from './use-undo.ts';
import { useViewedMarks } from './viewed-marks.ts';

type Turn = { task_id: string; label: string; position: number };
type Props = {
  session: SessionRecord;
  turns: readonly Turn[];
  isRunning: boolean;
  /** Opens the transcript at an entry. */
  onJump: (cursor: number) => void;
};

/** Others may change files at any time, and nobody reports it. */
const LOOK_MS = { running: 3000, idle: 5000 };
/** The files are on another machine, or gone; what the agent reported is all there is. */
const NOT_HERE: ReadonlySet<string> = new Set(['conflict', 'cwd_missing', 'not_found']);

/** The files of a session that differ from what they were: at the start of a turn, of the session, or of its branch. */
export function TrueChangesView({ session, turns, isRunning, onJump }: Props) {
  const { session_id, workspace, changes: told } = session;
  const [compare, setCompare] = useState<Compare>('session');
  const [turn, setTurn] = useState<string>();
  const [current, goTo] = useState<CurrentPlace>();
  const task_id = compare === 'turn' ? (turn ?? turns.at(-1)?.task_id) : undefined;
  const ignore_space = useIgnoreSpace();
  const query = useRecords(
    // The reported change is part of the key, so that it is looked at again when the agent has changed something.
    ['changes', session_id, 'true', compare, task_id, JSON.stringify(told), ignore_space],
    (client) => client.changes.find({ session_id, compare, task_id, ignore_space }),
    { everyMs: isRunning ? LOOK_MS.running : LOOK_MS.idle, onReturn: true },
  );
  const { error, data } = query;
  if (!data && BatonError.is(error) && NOT_HERE.has(error.code)) {
    return <ReportedChanges sessionId={session_id} reason={error.message} />;
  }
  return (
    <>
      <CompareChoice
        {...{ compare, turns, turn: task_id }}
        base={workspace?.kind === 'folder' ? undefined : (workspace?.base_ref ?? undefined)}
        onCompare={setCompare}
        onTurn={setTurn}
      />
      <QueryResult query={query}>
        {(found) => (
          <Found
            {...{ found, session, turns, isRunning, current, goTo, onJump }}
            undoFrom={compare === 'base' ? undefined : (task_id ?? turns[0]?.task_id)}
            isTurn={compare === 'turn'}
          />
        )}
      </QueryResult>
    </>
  );
}

type FoundProps = Pick<Props, 'onJump' | 'turns'> & {
  found: TrueChanges;
  session: SessionRecord;
  isRunning: boolean;
  current: CurrentPlace | undefined;
  goTo: (place: CurrentPlace) => void;
  /** The turn whose start the files can be taken back to. */
  undoFrom: string | undefined;
  isTurn: boolean;
};

function Found(props: FoundProps) {
  const { found, session, isRunning, current, goTo, undoFrom, isTurn, onJump, turns } = props;
  const { session_id } = session;
  const comments = useComments(session_id);
  const may = useMay('member');
  const undo = useUndo(session_id);
  const { files, from, to } = found;
  const trees = useMemo(() => ({ from, to }), [from, to]);
  const viewed = useViewedMarks(session_id, trees);
  const opened = useOpenedFiles(viewed);
  const canUndo = may && !isRunning && undoFrom !== undefined;
  const onAnswer = useCallback(
    (taskId: string) => {
      const turn = turns.find(({ task_id }) => task_id === taskId);
      if (turn) onJump(turn.position);
    },
    [turns, onJump],
  );
  const undoPaths = (paths?: string[]) => attempt(() => undo({ task_id: undoFrom, paths }));
  const latestUndo = useRef(undoPaths);
  latestUndo.current = undoPaths;
  const onUndo = useCallback((file: TrueChange) => void latestUndo.current(pathsOf(file)), []);
  const latest = useRef(opened);
  latest.current = opened;
  // The same functions every time: a file is only rendered again when something of its own changes.
  const onOpen = useCallback<OpenedFiles['set']>((...args) => latest.current.set(...args), []);
  const onViewed = useCallback<OpenedFiles['mark']>((...args) => latest.current.mark(...args), []);
  const listedFiles = useMemo(
    () => files.map((file) => ({ ...listed(file), isViewed: viewed.has(file) })),
    [files, viewed],
  );
  const frame = useRef<HTMLDivElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  useReviewKeys({ files, opened, viewed, current, onGo: goTo, frame, filter });
  const onChoose = useCallback(
    (path: string) => {
      goTo({ path, hunk: undefined, isByKey: false });
      const file = files.find((each) => each.path === path);
      if (file) onOpen(file, true);
    },
    [files, goTo, onOpen],
  );
  return (
    <>
      <Gaps gaps={found.gaps} />
      {found.files.length === 0 ? (
        <Empty icon="file" title="No changes">
          The files are as they were {isTurn ? 'before this turn' : 'at the start'}.
        </Empty>
      ) : (
        <div className={styles.changes}>
          <aside className={styles.side}>
            <p className={styles.sum}>
              {some(found.total, 'file')}, +{found.additions} −{found.deletions} lines
            </p>
            <p className={styles.sum}>
              {count(files.filter(viewed.has).length)} of {count(files.length)} viewed
            </p>
            <FileList
              files={listedFiles}
              chosen={current?.path}
              filterRef={filter}
              onChoose={onChoose}
            />
            {found.total > found.files.length && (
              <p className={styles.sum}>and {found.total - found.files.length} more</p>
            )}
          </aside>
          <div ref={frame} className={styles.files}>
            <div className={styles.look}>
              {canUndo && (
                <Button small look="quiet" icon="retry" onClick={() => undoPaths()}>
                  {isTurn ? 'Undo this turn' : 'Undo everything'}
                </Button>
              )}
              <SpaceButton />
              <CopyPatch session_id={session_id} trees={found} />
              <span className={styles.layout}>
                <LayoutButton />
              </span>
            </div>
            {found.files.map((file) => (
              <TrueFile
                key={`${found.from} ${file.path}`}
                {...{ session_id, file, trees, onJump, onAnswer, onOpen, onViewed }}
                comments={comments}
                isOpen={opened.has(file)}
                isViewed={viewed.has(file)}
                current={file.path === current?.path ? current : undefined}
                onUndo={canUndo ? onUndo : undefined}
              />
            ))}
          </div>
        </div>
      )}
      <ReviewBar
        {...{ session_id, comments, onAnswer }}
        shown={found.files.map(({ path }) => path)}
      />
    </>
  );
}

/** Copies the changes of all files, to apply them elsewhere. */
function CopyPatch({
  session_id,
  trees: { from, to },
}: Pick<TrueFileProps, 'session_id' | 'trees'>) {
  const { client } = useDaemon();
  const patch = async () => {
    try {
      const found = await client.changes.diff({ session_id, from, to });
      if (!found.cut) return found.patch;
      tell('The patch is too long to copy.', { tone: 'bad', hint: 'Use “baton diff” instead.' });
    } catch (error) {
      complain(error);
    }
    return undefined;
  };
  return <CopyButton text={patch} label="Copy patch" words="Copy patch" />;
}

const KINDS = {
  added: 'add',
  modified: 'edit',
  replaced: 'edit',
  deleted: 'delete',
  renamed: 'rename',
} as const;

function listed({ path, kind, additions, deletions }: TrueChange) {
  return { path, kind: KINDS[kind], added: additions ?? 0, removed: deletions ?? 0 };
}

const GAP_WORDS: Readonly<Record<CheckpointGap['kind'], string>> = {
  too_large: 'Too large to compare',
  too_many: 'Too many new files to compare',
  nested: 'Nested repositories, which are not looked into',
  unreadable: 'Not readable',
};

function Gaps({ gaps }: { gaps: readonly CheckpointGap[] }) {
  return gaps.map(({ kind, paths, count }) => (
    <p key={kind} className={styles.note}>
      {GAP_WORDS[kind]}: <LiteralText text={paths.slice(0, 5).join(', ')} />
      {count > 5 && ` and ${count - 5} more`}
    </p>
  ));
}
