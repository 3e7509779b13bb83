import {
  type FinishAction,
  type Finished,
  type FinishPlan,
  type FinishRequest,
  MERGE_METHODS,
  type MergeMethod,
  type SessionRecord,
} from '@baton/protocol';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { attempt } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { FormDialog } from '../data/form-dialog.tsx';
import { makeStale, useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { Button } from '../design/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../design/field.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { tell } from '../design/toasts.tsx';
import { some } from '../text/amounts.ts';
import styles from './finish-dialog.module.css';

/** Ends that a person chooses in the dialog. */
export type Ending = Exclude<FinishAction, 'resolve'>;

type Props = {
  session: SessionRecord;
  action: Ending;
  onClose: () => void;
};

const TITLES = {
  commit: 'Commit the changes',
  merge: 'Merge the work',
  discard: 'Discard the worktree?',
} as const;
const VERBS = { commit: 'Commit', merge: 'Merge', discard: 'Discard' } as const;
const METHOD_WORDS: Readonly<Record<MergeMethod, string>> = {
  squash: 'Squash: one commit with everything',
  merge: 'Merge: the commits, and a merge commit',
  rebase: 'Rebase: the commits on top',
};
/** Number of conflicts that the sentence names. */
const NAMED = 5;
/** Files may change while the plan is read. */
const LOOK_MS = 5000;

/** Says in a sentence what a finish will do, and does it. */
export function FinishDialog({ session, action, onClose }: Props) {
  const { client } = useDaemon();
  const [, navigate] = useLocation();
  const { session_id } = session;
  const [message, setMessage] = useState<string>();
  const [method, setMethod] = useState<MergeMethod>('squash');
  const [into, setInto] = useState(session.workspace?.base_ref ?? '');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [planned, setPlanned] = useState({ into, message });
  const request = requestOf({ action, method, ...planned });
  const query = useRecords(
    ['changes', session_id, 'finish', JSON.stringify(request)],
    (client) => client.finish.plan(session_id, request),
    { everyMs: LOOK_MS },
  );
  const found = query.data;
  const plan = () => setPlanned({ into, message });
  const chosen = found?.commit?.paths.filter((path) => !left.has(path)) ?? [];
  const finish = async () => {
    if (!found) return;
    const wanted = {
      ...requestOf({ action, method, into, message }),
      ...(action === 'commit' && left.size > 0 ? { paths: chosen } : {}),
    } as FinishRequest;
    const done = await client.finish.carryOut(session_id, wanted, found);
    makeStale('changes', 'workspaces', 'sessions');
    tellFinished(done, () =>
      attempt(async () => {
        await client.workspaces.removeWorktree({
          workspace_id: session.workspace?.workspace_id ?? '',
        });
        makeStale('workspaces', 'sessions');
      }),
    );
  };
  const resolve = async () => {
    const target = into.trim();
    const resolving = { action: 'resolve', ...(target ? { into: target } : {}) } as const;
    const plan = await client.finish.plan(session_id, resolving);
    await client.finish.carryOut(session_id, resolving, plan);
    makeStale('tasks');
    onClose();
    navigate(`/sessions/${session_id}`);
  };
  return (
    <FormDialog
      title={TITLES[action]}
      open
      wide
      onClose={onClose}
      verb={VERBS[action]}
      danger={action === 'discard'}
      blocked={!found?.is_possible}
      onSubmit={finish}
    >
      {action === 'merge' && (
        <div className={styles.row}>
          <TextField
            label="Into"
            required
            value={into}
            onChange={(event) => setInto(event.target.value)}
            onBlur={plan}
          />
          <SelectField
            label="Method"
            value={method}
            onChange={(event) => setMethod(event.target.value as MergeMethod)}
            options={MERGE_METHODS.map((value) => ({ value, label: METHOD_WORDS[value] }))}
          />
        </div>
      )}
      {action !== 'discard' && method !== 'rebase' && (
        <TextArea
          label="Message"
          grows
          required
          value={message ?? found?.message ?? ''}
          onChange={(event) => setMessage(event.target.value)}
          onBlur={plan}
        />
      )}
      {action === 'commit' && found?.commit && (
        <Files {...{ left, setLeft }} paths={found.commit.paths} />
      )}
      <QueryResult query={query}>
        {(plan) => (
          <>
            <p role="status" className={styles.sentence}>
              <LiteralText text={plan.sentence} />
            </p>
            <Conflicts plan={plan} onResolve={resolve} />
          </>
        )}
      </QueryResult>
    </FormDialog>
  );
}

type Choices = {
  action: Ending;
  method: MergeMethod;
  into: string;
  /** The message that was typed; undefined while it is the draft. */
  message: string | undefined;
};

function requestOf({ action, method, into, message }: Choices): FinishRequest {
  if (action === 'discard') return { action };
  const own = message?.trim() ? { message } : {};
  if (action === 'commit') return { action, ...own };
  return { action, method, ...own, ...(into.trim() ? { into: into.trim() } : {}) };
}

type FilesProps = {
  paths: readonly string[];
  /** Files that are left out. */
  left: ReadonlySet<string>;
  setLeft: (left: ReadonlySet<string>) => void;
};

/** The changed files, each of which can be left out of the commit. */
function Files({ paths, left, setLeft }: FilesProps) {
  const toggle = (path: string) => {
    const next = new Set(left);
    if (!next.delete(path)) next.add(path);
    setLeft(next);
  };
  return (
    <details>
      <summary>
        {left.size === 0 ? 'All files' : `${paths.length - left.size} of ${paths.length} files`}
      </summary>
      <div className={styles.files}>
        {paths.map((path) => (
          <CheckField
            key={path}
            label={<LiteralText text={path} />}
            checked={!left.has(path)}
            onChange={() => toggle(path)}
          />
        ))}
      </div>
    </details>
  );
}

type ConflictsProps = { plan: FinishPlan; onResolve: () => Promise<unknown> };

/** The files that both sides changed, and the way out. */
function Conflicts({ plan: { merge }, onResolve }: ConflictsProps) {
  const [isBusy, setBusy] = useState(false);
  if (!merge || merge.conflicts.length === 0) return null;
  const { target, conflicts } = merge;
  const resolve = async () => {
    setBusy(true);
    if (!(await attempt(onResolve))) setBusy(false);
  };
  return (
    <>
      {conflicts.length > NAMED && (
        <ul className={styles.files}>
          {conflicts.map((path) => (
            <li key={path}>
              <LiteralText text={path} />
            </li>
          ))}
        </ul>
      )}
      <p>
        Your agent can resolve them: uncommitted work is committed, a merge of {target} is started
        in the worktree, and the agent gets a prompt with both sides. Then merge again.
      </p>
      <div>
        <Button busy={isBusy} onClick={resolve}>
          Let the agent resolve them
        </Button>
      </div>
    </>
  );
}

function tellFinished({ action, merged, committed, files }: Finished, remove: () => void): void {
  if (merged) {
    tell(`Merged into ${merged.target}.`, {
      tone: 'good',
      action: { words: 'Remove the worktree', act: remove },
    });
    return;
  }
  if (action === 'discard') return tell('Discarded. It can be restored for 30 days.');
  tell(`Committed ${some(files, 'file')} as ${committed?.slice(0, 10)}.`, { tone: 'good' });
}
