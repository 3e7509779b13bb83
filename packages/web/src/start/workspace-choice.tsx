import type { BatonClient, WorkspaceFolder } from '@baton/client';
import { BatonError, showUnseenInText } from '@baton/protocol';
import { useRecords } from '../data/queries.ts';
import { CheckField, TextField } from '../design/field.tsx';
import styles from './new-task.module.css';
import { kindOf, type WorkspaceChoices } from './workspace-request.ts';

/** Describes the folder of a new session; undefined while it is not known, or if it is not on the daemon's machine. */
export function useWorkspaceFolder(folder: string): WorkspaceFolder | undefined {
  const { data, isError } = useRecords(
    ['files', 'workspace', folder],
    (client) => client.workspaces.inspect(folder),
    { enabled: folder.startsWith('/') },
  );
  return isError || data?.folder !== folder ? undefined : data;
}

/** Describes a folder as it is now; undefined if it is not on the daemon's machine or not readable. */
export async function inspectFolder(
  client: BatonClient,
  folder: string,
): Promise<WorkspaceFolder | undefined> {
  try {
    return await client.workspaces.inspect(folder);
  } catch (error) {
    if (BatonError.is(error) && !error.retryable) return undefined;
    throw error;
  }
}

type Props = {
  folder: WorkspaceFolder;
  choices: WorkspaceChoices;
  onChoose: (choices: WorkspaceChoices) => void;
};

/** Lets the user choose between a worktree and the folder itself, and how the worktree starts. */
export function WorkspaceChoice({ folder, choices, onChoose }: Props) {
  const { branch, busy, can_have_worktree: canHave } = folder;
  const isInPlace = kindOf(folder, choices.kind) === 'in_place';
  return (
    <>
      {canHave && (
        <fieldset className={styles.workspace}>
          <legend className="only-for-readers">Workspace</legend>
          <label>
            <input
              type="radio"
              name="workspace"
              checked={!isInPlace}
              onChange={() => onChoose({ ...choices, kind: 'worktree' })}
            />{' '}
            New worktree from {choices.base.trim() || (branch ?? 'HEAD')}
          </label>
          <label>
            <input
              type="radio"
              name="workspace"
              checked={isInPlace}
              onChange={() => onChoose({ ...choices, kind: 'in_place' })}
            />{' '}
            In place
          </label>
        </fieldset>
      )}
      {!isInPlace && <WorktreeOptions {...{ folder, choices, onChoose }} />}
      {isInPlace && busy.length > 0 && <BusyNote busy={busy} />}
    </>
  );
}

/** Branch name and base of a new worktree, which have good defaults. */
function WorktreeOptions({ folder: { branch }, choices, onChoose }: Props) {
  return (
    <details className={styles.options}>
      <summary>Worktree options</summary>
      <div className={styles.fields}>
        <TextField
          label="Branch name"
          placeholder="From the prompt"
          maxLength={100}
          value={choices.name}
          onChange={(event) => onChoose({ ...choices, name: event.target.value })}
        />
        <TextField
          label="Base"
          placeholder={branch ?? 'HEAD'}
          maxLength={500}
          value={choices.base}
          onChange={(event) => onChoose({ ...choices, base: event.target.value })}
        />
      </div>
      <CheckField
        label="With my uncommitted changes"
        checked={choices.withChanges}
        onChange={(event) => onChoose({ ...choices, withChanges: event.target.checked })}
      />
    </details>
  );
}

function BusyNote({ busy }: Pick<WorkspaceFolder, 'busy'>) {
  return (
    <p className={styles.note} role="status">
      {busyWords(busy)}
    </p>
  );
}

/** Warns of the sessions that work in a folder. */
export function busyWords(busy: WorkspaceFolder['busy']): string {
  const [first] = busy;
  const title = showUnseenInText(first?.title ?? '');
  return busy.length > 1
    ? `“${title}” and ${busy.length - 1} more already work in this folder. They can overwrite each other’s changes.`
    : `“${title}” already works in this folder. Both can overwrite each other’s changes.`;
}
