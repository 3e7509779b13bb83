import type { StartFiles } from '@baton/client';
import { useLocation } from 'wouter';
import { complain } from '../../data/attempt.ts';
import { useDaemon } from '../../data/daemon.tsx';
import { keepDraft } from '../../data/draft.ts';
import { makeStale } from '../../data/queries.ts';
import { copyText } from '../../design/copy-text.ts';
import { tell } from '../../design/toasts.tsx';
import { useOpen } from '../feed/open-session.tsx';
import { attachedFiles } from './attached-files.ts';

type Before = { taskId: string; text: string; attachments: readonly string[] | undefined };

/** Actions on a prompt of the session. Forks and retries open the new session. */
export function usePromptActions() {
  const { client } = useDaemon();
  const { feed } = useOpen();
  const [, navigate] = useLocation();
  const goTo = (sessionId: string) => {
    const view = `/sessions/${sessionId}`;
    makeStale('sessions', 'tasks');
    navigate(view);
    return view;
  };
  /** Forks the session. With a prompt, the fork ends before it, and its text and attachments become a draft. */
  const fork = async (before?: Before, start?: StartFiles) => {
    try {
      const files = await attachedFiles(client, before?.attachments ?? []);
      const options = { before_task: before?.taskId, files: start };
      const copy = await client.sessions.fork(feed.sessionId, options);
      if (before) keepDraft(copy.session_id, { text: before.text, files });
      const view = goTo(copy.session_id);
      tell('Forked. The original session is unchanged.', { tone: 'good', view });
    } catch (error) {
      complain(error);
    }
  };
  const retryWith = async (taskId: string, changed: { prompt?: string; files?: StartFiles }) => {
    const task = await client.sessions.retryTask(feed.sessionId, { task_id: taskId, ...changed });
    goTo(task.session_id);
  };
  const retry = (taskId: string, files?: StartFiles) =>
    retryWith(taskId, files ? { files } : {}).catch(complain);
  const copy = async (text: string) => {
    if (await copyText(text)) tell('Copied.', { tone: 'good' });
  };
  return { fork, retry, retryWith, copy };
}
