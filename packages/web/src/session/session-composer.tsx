import type { BackendRecord } from '@baton/client';
import { isPaused, isWider, type PermissionMode, type TaskRecord } from '@baton/protocol';
import { useMemo, useState } from 'react';
import { useAgentName } from '../agents/agent-name.ts';
import { backendOf } from '../agents/backend-of.ts';
import { attachFiles } from '../composer/attach-files.ts';
import { checkOptionValues } from '../composer/check-option-values.ts';
import { commandCompletions } from '../composer/command-completions.ts';
import { Composer, type Sent } from '../composer/composer.tsx';
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
import type { Draft } from '../data/draft.ts';
import { makeStale, queryClient, useRecords } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { MODE_NAMES } from '../text/mode-names.ts';
import { type Delivery, DeliveryChoice } from './delivery-choice.tsx';
import { useSession, useTasks } from './feed/open-session.tsx';
import { QueuedPrompts } from './queued-prompts.tsx';
import styles from './session-composer.module.css';
import { StopButton } from './stop-button.tsx';
import { currentTask, isQueuePaused } from './tasks/current-task.ts';
import { useArchive } from './use-archive.ts';
import { WidenQuestion } from './widen-question.tsx';

/** Gets the focus when a focused element in it is removed. Focusing the prompt instead would let the next Enter send a draft. */
const HOME = {
  'aria-label': 'Prompt and queue',
  tabIndex: -1,
  'data-focus-home': '',
} as const;

type Props = {
  /** True if no request of the session is pending: then the prompt has the focus. */
  isIdle: boolean;
  onSent: () => void;
};

/** The field for the next prompt of a session; also available while its agent works. */
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
  const keptSettings = useKeptSettings();
  const [wanted, want] = useState<Delivery>('steer');
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
      !isPaused(running) &&
      backendOf(backends, running.backend)?.capabilities.features.steer,
  );
  const [widening, setWidening] = useState<PermissionMode>();
  const canWiden = (mode = choice.permissionMode) =>
    running !== undefined &&
    asksWhileItWorks(running, backends) &&
    isWider(mode, running.permission_mode) &&
    choice.backend === running.backend;
  const later = running ? keptSettings(running, choice) : [];
  // The agent that works now cannot take over other settings: with them, the prompt is a task of its own.
  const isOwn = Object.keys(own).length > 0;
  const way = current || isQueuePaused(tasks) ? (canSteer && !isOwn ? wanted : 'queue') : undefined;

  const [promptId] = useState(() => new PromptId());
  const send = async ({ text, files }: Draft): Promise<Sent> => {
    if (way === 'steer' && running && files.length === 0) {
      const steer = { task_id: running.task_id, text, steer_id: promptId.of(text) };
      await client.sessions.steerTask(id, steer);
    } else {
      checkOptionValues(backend, choice.options);
      const changes = changesFor(own);
      if (Object.keys(changes).length > 0) {
        queryClient.setQueryData(['sessions', id], await client.sessions.patch(id, changes));
      }
      const { model, permissionMode: permission_mode, ...rest } = own;
      await client.sessions.executeTask(id, {
        task_id: promptId.of(text),
        prompt: text,
        permission_mode,
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
        <QueuedPrompts />
        <p className={styles.note}>
          You have read-only access. Members and owners can send prompts.
        </p>
      </div>
    );
  }
  if (session.archived) {
    return (
      <section className={styles.place} {...HOME}>
        <QueuedPrompts />
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
      <QueuedPrompts />
      <Composer
        label="Prompt"
        draftKey={id}
        // On a touch screen, the focus would open the keyboard over the transcript.
        autoFocus={isIdle && !matchMedia('(pointer: coarse)').matches}
        placeholder={way === 'steer' ? 'Message the agent while it works…' : 'Ask for a follow-up…'}
        send={way === 'steer' ? 'Steer' : way === 'queue' ? 'Queue' : 'Send'}
        sendWithFiles={way === 'steer' ? 'Queue' : undefined}
        onSend={send}
        completions={completions}
        choices={
          <RunChoices
            value={choice}
            onChange={(change) => {
              choose(ownChoice(session, withChange(own, change)));
              if (canWiden(change.permissionMode ?? 'ask')) setWidening(change.permissionMode);
            }}
            backends={backends}
          />
        }
        actions={
          <>
            {canSteer && (
              <DeliveryChoice
                value={isOwn ? 'queue' : wanted}
                onChange={want}
                isQueueOnly={isOwn}
              />
            )}
            {current && <StopButton task={current} />}
          </>
        }
      />
      <div role="status" className={styles.laterPlace}>
        {later.length > 0 && (
          <p className={styles.later}>
            From the next prompt. The running task keeps: {later.join(', ')}.
            {canWiden() && (
              <Button small look="quiet" onClick={() => setWidening(choice.permissionMode)}>
                Apply now
              </Button>
            )}
            {isOwn && (
              <Button small look="quiet" onClick={() => choose({})}>
                Reset
              </Button>
            )}
          </p>
        )}
      </div>
      {running && widening && (
        <WidenQuestion
          task={running}
          mode={widening}
          onClose={() => setWidening(undefined)}
          onWidened={() => choose(({ permissionMode: _applied, ...rest }) => rest)}
        />
      )}
    </section>
  );
}

/** True if the agent asks before it acts, so that answers can apply a wider mode to a running task. */
function asksWhileItWorks(task: TaskRecord, backends: readonly BackendRecord[]): boolean {
  if (task.status === 'STOPPING' || isPaused(task)) return false;
  const transports = backendOf(backends, task.backend)?.capabilities.transports ?? [];
  return (task.options.transport ?? transports[0]) === 'live';
}

type Running = Pick<TaskRecord, 'backend' | 'model' | 'permission_mode'>;

/** The settings of a running task that differ from those shown, which apply to the next prompt. */
function useKeptSettings() {
  const agentName = useAgentName();
  return ({ backend, model, permission_mode }: Running, shown: RunChoice): string[] => [
    ...(backend === shown.backend ? [] : [agentName(backend)]),
    ...(permission_mode === shown.permissionMode ? [] : [MODE_NAMES[permission_mode]]),
    ...((model ?? '') === shown.model || backend !== shown.backend
      ? []
      : [model ?? 'the default model']),
    ...(Object.keys(shown.options).length === 0 ? [] : ['its options']),
  ];
}
