import type { PermissionMode, TaskRecord } from '@baton/protocol';
import { useDaemon } from '../data/daemon.tsx';
import { FormDialog } from '../data/form-dialog.tsx';
import { makeStale, queryClient } from '../data/queries.ts';
import { count } from '../text/amounts.ts';
import { MODE_NAMES } from '../text/mode-names.ts';

type Props = {
  task: TaskRecord;
  mode: PermissionMode;
  onClose: () => void;
  onWidened: () => void;
};

/** Asks before a running task gets a wider permission mode. Closing the dialog leaves the mode to the next prompt. */
export function WidenQuestion({ task, mode, onClose, onWidened }: Props) {
  const { client } = useDaemon();
  const { session_id, task_id, pending_requests: pending } = task;
  const widen = async () => {
    await client.sessions.widenTask(session_id, { task_id, permission_mode: mode });
    const session = await client.sessions.patch(session_id, { permission_mode: mode });
    queryClient.setQueryData(['sessions', session_id], session);
    makeStale('tasks', 'permissions', 'status');
    onWidened();
  };
  return (
    <FormDialog
      title={`${MODE_NAMES[mode]} now?`}
      open
      onClose={onClose}
      verb="Apply now"
      back="From the next prompt"
      danger
      onSubmit={widen}
    >
      <p>{EFFECTS[mode]}</p>
      {pending > 0 && (
        <p>
          {pending === 1 ? 'The open request is' : `The ${count(pending)} open requests are`}
          {mode === 'allow-all'
            ? ' allowed. Questions stay open.'
            : ' allowed if the mode covers that.'}
        </p>
      )}
      <p>A stricter mode applies only from the next prompt. Stop the task to end it earlier.</p>
    </FormDialog>
  );
}

const EFFECTS: Readonly<Record<PermissionMode, string>> = {
  ask: '',
  auto: 'The running agent edits files in its folder without asking, except protected ones.',
  'allow-all': 'The running agent acts without asking: commands, edits and everything else.',
};
