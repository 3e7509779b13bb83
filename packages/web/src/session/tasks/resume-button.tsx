import type { TaskRecord } from '@baton/protocol';
import { useState } from 'react';
import { attempt } from '../../data/attempt.ts';
import { useDaemon } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { tell } from '../../design/toasts.tsx';

const PROMPT = 'Continue where you stopped.';

type Interrupted = Pick<TaskRecord, 'session_id' | 'task_id'>;

/** Resumes an interrupted task in its session: the agent keeps what it knows. */
export function ResumeButton({ task: { session_id, task_id } }: { task: Interrupted }) {
  const { client } = useDaemon();
  const [isBusy, setBusy] = useState(false);
  const resume = async () => {
    setBusy(true);
    await attempt(async () => {
      const { data } = await client.tasks.find({ session_id, sort: 'newest', limit: 1 });
      if (data[0]?.task_id !== task_id) return tell('This session has already continued.');
      await client.sessions.executeTask(session_id, { prompt: PROMPT });
      makeStale('tasks', 'sessions', 'status');
      tell('Resuming.', { tone: 'good', view: `/sessions/${session_id}` });
    });
    setBusy(false);
  };
  return (
    <Button
      small
      icon="play"
      busy={isBusy}
      title="Tells the agent to continue, in this session"
      onClick={resume}
    >
      Resume
    </Button>
  );
}
