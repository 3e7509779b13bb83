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
export type Ending = Exclude<FinishAction, 'resolve' | 'push'>;

type Props = {
  session: SessionRecord;
  action: Ending;
  onClose: () => void;
};

const TITLES = {
  commit: 'Commit the changes',
  merge: 'Merge the work',
  pr: 'Create a pull request',
  discard: 'Discard the worktree?',
} as const;
const VERBS = { commit: 'Commit', merge: 'Merge', pr: 'Create', discard: 'Discard' } as const;
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
  const [title, setTitle] = useState<string>();
  const [draft, setDraft] = useState<boolean>();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [planned, setPlanned] = useState({ into, message, title });
  const request = requestOf({ action, method, draft, ...planned });
  const query = useRecords(
    ['changes', session_id, 'finish', JSON.stringify(request)],
    (client) => client.finish.plan(session_id, request),
    { everyMs: LOOK_MS },
  );
  const found = query.data;
  const plan = () => setPlanned({ into, message, title });
  const { pr } = found ?? {};
  const chosen = found?.commit?.paths.filter((path) => !left.has(path)) ?? [];
  const finish = async () => {
    if (!found) return;
    const wanted = {
      ...requestOf({ action, method, draft, into, message, title }),
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
      title={pr ? `Create a ${pr.word}` : TITLES[action]}
      open
      wide
      onClose={onClose}
      verb={action === 'pr' && pr && !pr.program ? 'Push' : VERBS[action]}
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
      {action === 'pr' && (
        <>
          <TextField
            label="Into"
            value={into}
            placeholder={pr?.base}
            onChange={(event) => setInto(event.target.value)}
            onBlur={plan}
          />
          <TextField
            label="Title"
            required
            value={title ?? pr?.title ?? ''}
            onChange={(event) => setTitle(event.target.value)}
            onBlur={plan}
          />
        </>
      )}
      {action !== 'discard' && method !== 'rebase' && (
        <TextArea
          label={action === 'pr' ? 'Text' : 'Message'}
          grows
          required={action !== 'pr'}
          value={message ?? (action === 'pr' ? pr?.body : found?.message) ?? ''}
          onChange={(event) => setMessage(event.target.value)}
          onBlur={plan}
        />
      )}
      {action === 'pr' && (
        <CheckField
          label="Draft"
          checked={draft ?? pr?.draft ?? false}
          onChange={(event) => setDraft(event.target.checked)}
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
  /** Title of a pull request, and if it is a draft; undefined while they are those of the plan. */
  title: string | undefined;
  draft: boolean | undefined;
};

function requestOf({ action, method, into, message, title, draft }: Choices): FinishRequest {
  if (action === 'discard') return { action };
  const target = into.trim() ? { into: into.trim() } : {};
  if (action === 'pr') {
    const chosen = title?.trim() ? { title: title.trim() } : {};
    return { action, ...chosen, ...target, draft, body: message };
  }
  const own = message?.trim() ? { message } : {};
  if (action === 'commit') return { action, ...own };
  return { action, method, ...own, ...target };
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

function tellFinished(done: Finished, remove: () => void): void {
  const { action, merged, committed, files } = done;
  if (done.pushed) return tellPushed(done, done.pushed.remote);
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

function tellPushed({ pull_request: made, pr }: Finished, remote: string): void {
  const open = (url: string) => () => window.open(url, '_blank', 'noreferrer');
  if (made) {
    const what = `${pr?.word} #${made.number}`;
    if (made.problem) tell(made.problem, { tone: 'bad' });
    tell(made.is_new ? `Created ${what}.` : `Pushed to the open ${what}.`, {
      tone: 'good',
      action: { words: 'Open', act: open(made.url) },
    });
    return;
  }
  if (!pr?.open_url) return tell(`Pushed to ${remote}.`, { tone: 'good' });
  tell(`Pushed to ${remote}. Create the ${pr.word} on its page.`, {
    action: { words: 'Open the page', act: open(pr.open_url) },
  });
}
