import { useMemo, useState } from 'react';
import { attachFiles } from '../composer/attach-files.ts';
import { backendOf } from '../composer/backend-of.ts';
import { checkOptions } from '../composer/check-options.ts';
import { commandCompletions } from '../composer/command-completions.ts';
import { Composer, type Sent } from '../composer/composer.tsx';
import type { Draft } from '../composer/draft.ts';
import { fileCompletions } from '../composer/file-completions.ts';
import { PromptId } from '../composer/prompt-id.ts';
import {
  changesFor,
  choiceOf,
  ownChoice,
  type RunChoice,
  withChange,
} from '../composer/run-choice.ts';
import { RunChoices } from '../composer/run-choices.tsx';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { makeStale, queryClient, useRecords } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { useArchive } from './archive.ts';
import { useSession, useTasks } from './open-session.tsx';
import { Queue } from './queue.tsx';
import styles from './session-composer.module.css';
import { currentTask, isQueuePaused } from './status.ts';
import { StopButton } from './stop-button.tsx';
import { type Way, WayChoice } from './way-choice.tsx';

/** Takes the focus of what goes away in it: in the prompt, the next Enter would send what is begun there. */
const HOME = {
  'aria-label': 'Prompt and queue',
  tabIndex: -1,
  'data-focus-home': '',
} as const;

type Props = {
  /** No request of the session awaits an answer: then the prompt has the focus. */
  isIdle: boolean;
  onSent: () => void;
};

/** Where the next prompt of a session is written; also while its agent works. */
export function SessionComposer({ isIdle, onSent }: Props) {
  const { client } = useDaemon();
  const may = useMay('member');
  const session = useSession();
  const tasks = useTasks();
  const { session_id: id } = session;
  const { data: backends = [] } = useRecords(['backends'], (each) => each.backends.find());
  const [chosen, choose] = useState<Partial<RunChoice>>({});
  const own = ownChoice(session, chosen);
  const choice = { ...choiceOf(session), ...own };
  const [wanted, want] = useState<Way>('steer');
  const backend = backendOf(backends, choice.backend);
  const completions = useMemo(
    () => [
      ...fileCompletions(client, { session_id: id }),
      ...commandCompletions(backend, { client, cwd: session.cwd }),
    ],
    [client, id, backend, session.cwd],
  );
  const unarchive = useArchive();
  const current = currentTask(tasks);
  const running = current?.status === 'QUEUED' ? undefined : current;
  const canSteer = Boolean(
    running &&
      running.status !== 'STOPPING' &&
      backendOf(backends, running.backend)?.capabilities.features.steer,
  );
  const isPaused = isQueuePaused(tasks);
  const way = current || isPaused ? (canSteer ? wanted : 'queue') : undefined;

  const [promptId] = useState(() => new PromptId());
  const send = async ({ text, files }: Draft): Promise<Sent> => {
    if (way === 'steer' && running && files.length === 0) {
      const steer = { taskId: running.task_id, text, steer_id: promptId.of(text) };
      await client.sessions.steerTask(id, steer);
    } else {
      checkOptions(backend, choice.options);
      const changes = changesFor(own);
      if (Object.keys(changes).length > 0) {
        queryClient.setQueryData(['sessions', id], await client.sessions.patch(id, changes));
      }
      const { model, ...rest } = own;
      await client.sessions.executeTask(id, {
        task_id: promptId.of(text),
        prompt: text,
        ...rest,
        ...(model ? { model } : {}),
        ...(files.length > 0 ? { attachments: await attachFiles(client, id, files) } : {}),
      });
      choose({});
    }
    promptId.arrived();
    makeStale('tasks', 'sessions', 'status');
    onSent();
    return 'sent';
  };

  if (!may) {
    return (
      <div className={styles.place}>
        <Queue />
        <p className={styles.note}>You can look at this session; members and owners can write.</p>
      </div>
    );
  }
  if (session.archived) {
    return (
      <section className={styles.place} {...HOME}>
        <Queue />
        <p className={styles.note}>
          This session is archived.
          {current && <StopButton task={current} />}
          <Button small icon="unarchive" onClick={unarchive}>
            Unarchive
          </Button>
        </p>
      </section>
    );
  }
  return (
    <section className={styles.place} {...HOME}>
      <Queue />
      <Composer
        label="Prompt"
        draftKey={id}
        // On a touch screen, the focus would open the keyboard over the transcript.
        autoFocus={isIdle && !matchMedia('(pointer: coarse)').matches}
        placeholder={
          way === 'steer' ? 'Tell the agent something while it works' : 'What shall be done next?'
        }
        send={way === 'steer' ? 'Steer' : way === 'queue' ? 'Queue' : 'Send'}
        sendWithFiles={way === 'steer' ? 'Queue' : undefined}
        onSend={send}
        completions={completions}
        choices={
          <RunChoices
            value={choice}
            onChange={(change) => choose(ownChoice(session, withChange(own, change)))}
            backends={backends}
          />
        }
        actions={
          <>
            {canSteer && <WayChoice value={wanted} onChange={want} />}
            {current && <StopButton task={current} />}
          </>
        }
      />
    </section>
  );
}
