import type { AttachmentRecord } from '@baton/client';
import { showUnseenInText } from '@baton/protocol';
import { useState } from 'react';
import { useAgentName } from '../../agents/agent-name.ts';
import { usePeople } from '../../data/people.ts';
import { useRecords } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';
import { some } from '../../text/amounts.ts';
import { useOpen, useTasks } from '../feed/open-session.tsx';
import { isQueuePaused } from '../tasks/current-task.ts';
import styles from './entries.module.css';
import type { PromptEntry } from './entry-of.ts';
import { PromptMenu } from './prompt-menu.tsx';

/** Characters of a prompt that are shown initially. */
const LONG = 1500;

/** A prompt of a user. */
export function PromptView({ entry }: { entry: PromptEntry }) {
  const { text, by, time, backend, model, attachments = [] } = entry;
  const agentName = useAgentName();
  const nameOf = usePeople('first');
  const isInQueue = useIsInPausedQueue(entry.taskId);
  const [isWhole, showWhole] = useState(false);
  const isLong = text.length > LONG;
  const shown = isLong && !isWhole ? text.slice(0, LONG) : text;
  if (isInQueue) return null;
  return (
    <article className={styles.prompt} aria-label="Prompt">
      <header className={styles.promptHead}>
        <span className={styles.who}>{nameOf(by) ?? 'Baton'}</span>
        <span className={`cut-line ${styles.faint}`}>
          to {agentName(backend)}
          {model && ` · ${model}`} · {new Date(time).toLocaleString()}
        </span>
        <PromptMenu entry={entry} />
      </header>
      <p className={styles.promptText} dir="auto">
        {showUnseenInText(shown)}
        {isLong && !isWhole && '…'}
      </p>
      {isLong && (
        <Button small look="quiet" onClick={() => showWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show ${some(text.length - LONG, 'more character')}`}
        </Button>
      )}
      {attachments.length > 0 && <Attached ids={attachments} />}
    </article>
  );
}

/** True for a prompt that is shown in the paused queue instead of the transcript. */
function useIsInPausedQueue(taskId: string | undefined): boolean {
  return isQueuePaused(useTasks().filter(({ task_id }) => task_id === taskId));
}

/** The attached files. */
function Attached({ ids }: { ids: readonly string[] }) {
  const { feed } = useOpen();
  const { sessionId: session_id } = feed;
  const { data } = useRecords(['files', 'attachments', session_id, ...ids], (client) =>
    client.attachments.find({ session_id }),
  );
  return (
    <ul className={styles.attached} aria-label="Attached files">
      {ids.map((id) => (
        <li key={id}>
          <Icon name="file" size={14} />
          <span dir="auto">{showUnseenInText(fileName(data, id))}</span>
        </li>
      ))}
    </ul>
  );
}

function fileName(known: readonly AttachmentRecord[] | undefined, id: string): string {
  return known?.find(({ attachment_id }) => attachment_id === id)?.name ?? 'A file';
}
