import type { BackendRecord } from '@baton/client';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { backendOf } from '../agents/backend-of.ts';
import { DEMO, firstChoice } from '../agents/list/readiness.ts';
import { attachFiles } from '../composer/attach-files.ts';
import { checkOptionValues } from '../composer/check-option-values.ts';
import { commandCompletions } from '../composer/command-completions.ts';
import { Composer, type Sent } from '../composer/composer.tsx';
import { fileCompletions } from '../composer/file-completions.ts';
import { PromptId } from '../composer/prompt-id.ts';
import { type RunChoice, withChange } from '../composer/run-choice.ts';
import { RunChoices } from '../composer/run-choices.tsx';
import { useDaemon } from '../data/daemon.tsx';
import type { Draft } from '../data/draft.ts';
import { makeStale, useRecords } from '../data/queries.ts';
import { tell } from '../design/toasts.tsx';
import { defaultFolder, isPlayground } from './default-folder.ts';
import { DraftSession } from './draft-session.ts';
import { useFolderCheck } from './folder-check.ts';
import { FolderField } from './folder-field.tsx';
import styles from './new-task.module.css';
import { NoFolder } from './no-folder.tsx';
import { useBusyQuestion } from './use-busy-question.tsx';
import { useTrustQuestion } from './use-trust-question.tsx';
import { inspectFolder, useWorkspaceFolder, WorkspaceChoice } from './workspace-choice.tsx';
import { NO_CHOICES, workspaceRequest } from './workspace-request.ts';

type Props = { backends: readonly BackendRecord[]; recent: readonly string[] };

/** Creates a session with its first prompt. */
export function NewTask({ backends, recent }: Props) {
  const { client } = useDaemon();
  const [, navigate] = useLocation();
  const [choice, setChoice] = useState<RunChoice>(() => ({
    ...{ backend: firstChoice(backends), model: '', permissionMode: 'ask', options: {} },
  }));
  const [chosenFolder, setFolder] = useState<string>();
  // It must not change while the user types.
  const [before] = useState(recent);
  const { data: usual } = useRecords(['files', 'usual', ...before], (each) =>
    defaultFolder(each, before),
  );
  const folder = chosenFolder ?? usual ?? '';
  const folderField = useRef<HTMLInputElement>(null);
  const troubleId = useId();
  const { refused, check, make, trust } = useFolderCheck();
  const isRefused = refused?.path === folder;
  const backend = backendOf(backends, choice.backend);
  const completions = useMemo(
    () => [
      ...fileCompletions(client, { cwd: folder }),
      ...commandCompletions(backend, { client, cwd: folder }),
    ],
    [client, folder, backend],
  );
  const [askTrust, trustQuestion] = useTrustQuestion(backend?.label ?? choice.backend);
  const [askBusy, busyQuestion] = useBusyQuestion();
  const isHere = useIsHere();
  const [choices, choosePlace] = useState(NO_CHOICES);
  const place = useWorkspaceFolder(folder);
  const [begun] = useState(() => new DraftSession());
  const [promptId] = useState(() => new PromptId());

  const send = async ({ text, files }: Draft): Promise<Sent> => {
    const { permissionMode, model, options } = choice;
    checkOptionValues(backend, options);
    // A user who submits before the default folder is known means that folder.
    const wanted = folder || (await defaultFolder(client, before));
    const found = await check(wanted);
    if (found === undefined) {
      folderField.current?.focus();
      return 'kept';
    }
    const cwd = wanted.startsWith('~') ? found : wanted;
    if (!(await askTrust({ folder: cwd, backend: choice.backend }))) return 'kept';
    // Others may have started there since the form was opened.
    const current = await inspectFolder(client, cwd);
    let workspace = workspaceRequest(current, choices);
    if (current && workspace?.kind === 'in_place') {
      const decision = await askBusy(current);
      if (decision === undefined) return 'kept';
      workspace = workspaceRequest(current, { ...choices, kind: decision });
    }
    const session_id = await begun.get(client, {
      ...{ cwd, backend: choice.backend, permission_mode: permissionMode, workspace },
    });
    const attachments = await attachFiles(client, session_id, files);
    await client.sessions.executeTask(session_id, {
      ...{ task_id: promptId.of(text), prompt: text, options, attachments },
      ...(model === '' ? {} : { model }),
    });
    begun.done();
    promptId.arrived();
    makeStale('sessions', 'tasks', 'status');
    const href = `/sessions/${session_id}`;
    if (isHere.current) navigate(href);
    else tell('Task started.', { tone: 'good', link: { href, words: 'View session' } });
    return 'sent';
  };
  const leaveFolder = () => {
    if (folder === '' || isPlayground(folder) || isRefused) return;
    // Whether anybody can look is told when it matters.
    check(folder).catch(() => {});
  };
  return (
    <div className={styles.task}>
      <Composer
        label="Prompt"
        draftKey="new"
        placeholder={
          choice.backend === DEMO
            ? 'Try “Show me what you can do.” The demo agent runs offline, no API key needed.'
            : 'Describe a task. Type @ to mention a file.'
        }
        send="Start"
        rows={4}
        autoFocus
        onSend={send}
        completions={completions}
        choices={
          <RunChoices
            value={choice}
            onChange={(change) => setChoice(withChange(choice, change))}
            backends={backends}
          />
        }
      />
      <FolderField
        ref={folderField}
        value={folder}
        onChange={setFolder}
        onLeave={leaveFolder}
        recent={recent}
        trouble={isRefused ? troubleId : undefined}
      />
      {place && <WorkspaceChoice folder={place} choices={choices} onChoose={choosePlace} />}
      {isRefused && (
        <NoFolder
          id={troubleId}
          error={refused.error}
          onMake={() => make(folder)}
          onTrust={() => trust(folder)}
        />
      )}
      {trustQuestion}
      {busyQuestion}
      {isPlayground(folder) && !recent.includes(folder) && (
        <p className={styles.note}>Playground folder. Created when you start the task.</p>
      )}
    </div>
  );
}

/** True while the view is mounted: a daemon that was unreachable may answer much later. */
function useIsHere() {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}
