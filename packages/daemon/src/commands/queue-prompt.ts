import { randomUUID } from 'node:crypto';
import { BatonError, type PermissionMode } from '@baton/protocol';
import { recordsOf, type SessionRow, type Store, type TaskRow } from '@baton/store';
import { defaultOptions, withDefaults } from '../settings/default-options.ts';
import { readSettings } from '../settings/read-settings.ts';
import { queuedTasks, resumption } from './session-queue.ts';

export type NewPrompt = {
  by?: string | undefined;
  prompt: string;
  /** Backend, model and permission mode; those of the session by default. */
  backend?: string | undefined;
  model?: string | undefined;
  permissionMode?: PermissionMode | undefined;
  options?: Record<string, unknown> | undefined;
  attachments?: string[] | undefined;
  /** A new id by default. */
  taskId?: string | undefined;
};

/** Queues a prompt in its session, unless it is already queued, and returns the id of its task. */
export async function queuePrompt(
  store: Store,
  sessionId: string,
  given: NewPrompt,
): Promise<string> {
  await checkPrompt(store, given.prompt);
  const { taskId = randomUUID() } = given;
  await store.log.append(sessionId, async (state, tx) => {
    const { session } = state;
    const known = given.taskId && (await recordsOf(tx).tasks.get(taskId));
    if (known) return { drafts: again(known, sessionId), result: undefined };
    if (session.archived) {
      throw new BatonError('conflict', 'The session is archived.', {
        hint: 'Unarchive it first.',
      });
    }
    const { by, prompt, attachments } = given;
    const backend = given.backend ?? session.backend;
    const defaults = await defaultOptions(recordsOf(tx), backend);
    // The model of a task is stored separately.
    const { model, ...options } = withDefaults(given.options ?? {}, defaults);
    // Behind others the prompt is queued; without others it resumes the session.
    const resumed = queuedTasks(state).length === 0 ? resumption(state, { by }) : [];
    return {
      drafts: [
        ...resumed,
        {
          type: 'prompt.queued',
          taskId,
          by,
          prompt,
          backend,
          model: given.model ?? modelOf(session, given.backend) ?? nameOf(model),
          permissionMode: given.permissionMode ?? (session.permission_mode as PermissionMode),
          options,
          attachments,
        },
      ],
      result: undefined,
    };
  });
  return taskId;
}

/** Nothing more is to be done for a prompt that came once more. */
function again({ session_id }: TaskRow, sessionId: string): [] {
  if (session_id === sessionId) return [];
  throw new BatonError('conflict', 'A task with this id already exists in another session.');
}

/** Changes a prompt whose turn has not come. */
export async function editPrompt(
  store: Store,
  sessionId: string,
  { taskId, prompt, by }: { taskId: string; prompt: string; by?: string | undefined },
): Promise<void> {
  await checkPrompt(store, prompt);
  await store.log.append(sessionId, ({ tasks }) => {
    if (tasks.get(taskId)?.status !== 'QUEUED') {
      throw new BatonError('conflict', 'Only queued prompts can be edited.');
    }
    return { drafts: [{ type: 'prompt.edited', taskId, prompt, by }], result: undefined };
  });
}

async function checkPrompt(store: Store, prompt: string): Promise<void> {
  if (prompt.trim() === '') throw new BatonError('usage', 'The prompt is empty.');
  if (prompt.includes('\0')) throw new BatonError('usage', 'The prompt contains a NUL character.');
  const { 'prompts.max_length': most } = await readSettings(store);
  if (prompt.length <= most) return;
  const words = `The prompt has ${prompt.length} characters; the limit is ${most}.`;
  throw new BatonError('usage', words, {
    hint: 'Put the text into a file and attach it or name it, or let an owner raise "prompts.max_length".',
  });
}

function nameOf(model: unknown): string | undefined {
  return typeof model === 'string' ? model : undefined;
}

/** Returns the session's model, unless another agent is chosen, which does not know that model. */
function modelOf({ backend, model }: SessionRow, chosen = backend): string | undefined {
  return chosen === backend ? (model ?? undefined) : undefined;
}
