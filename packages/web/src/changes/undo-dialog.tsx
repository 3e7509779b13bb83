import type { BatonClient } from '@baton/client';
import { FormDialog } from '../data/form-dialog.tsx';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { some } from '../text/amounts.ts';
import styles from './undo-dialog.module.css';
import { pathsOf, useUndo } from './use-undo.ts';

type Props = {
  sessionId: string;
  /** Task ids of the turn and of those after it, which are undone with it. */
  turns: readonly [string, ...string[]];
  onClose: () => void;
};

/** Number of files that are named. */
const MOST_FILES = 20;
/** Number of turns whose files are looked up: each is a request. */
const MOST_TURNS = 10;

/** Asks before the files of a turn are restored. */
export function UndoDialog({ sessionId, turns, onClose }: Props) {
  const undo = useUndo(sessionId);
  const [task_id, ...later] = turns;
  const query = useRecords(['changes', sessionId, 'undo', ...turns], (client) =>
    changedPaths(client, sessionId, turns.slice(0, MOST_TURNS)),
  );
  return (
    <FormDialog
      title="Undo this turn?"
      open
      onClose={onClose}
      verb="Undo this turn"
      danger
      onSubmit={() => undo({ task_id })}
    >
      <QueryResult query={query}>
        {(paths) =>
          paths.length === 0 ? (
            <p>No files changed in this turn.</p>
          ) : (
            <>
              <p>
                Restores {some(paths.length, 'file')} to the state before this turn
                {later.length > 0 && `, and undoes ${some(later.length, 'later turn')} too`}:
              </p>
              <ul className={styles.files}>
                {paths.slice(0, MOST_FILES).map((path) => (
                  <li key={path}>
                    <LiteralText text={path} />
                  </li>
                ))}
                {paths.length > MOST_FILES && <li>and {paths.length - MOST_FILES} more</li>}
                {turns.length > MOST_TURNS && (
                  <li>and files of {some(turns.length - MOST_TURNS, 'more turn', 'more turns')}</li>
                )}
              </ul>
            </>
          )
        }
      </QueryResult>
    </FormDialog>
  );
}

/** The files that any of the turns changed. */
async function changedPaths(
  client: BatonClient,
  session_id: string,
  turns: readonly string[],
): Promise<string[]> {
  const found = await Promise.all(
    turns.map((task_id) => client.changes.find({ session_id, compare: 'turn', task_id })),
  );
  return [...new Set(found.flatMap(({ files }) => files.flatMap(pathsOf)))].toSorted();
}
