import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '@baton/config/values/json';
import type { EventDraft } from '@baton/engine/definition/dialect';
import type { LibraryStart } from '@baton/engine/kit/library-host';
import { PendingRequests } from '@baton/engine/kit/pending-requests';
import { actionOf } from '@baton/engine/normalize/actions';
import type { Action, PermissionAnswer, RequestAnswer } from '@baton/protocol/values';
import type { PiToolCall } from './pi-library.ts';

/** The tools that change nothing. */
const READERS: ReadonlySet<string> = new Set(['read', 'grep', 'find', 'ls']);
/** The tools that write the file in their input. */
const WRITERS: ReadonlySet<string> = new Set(['edit', 'write']);

/** The argument in which the tools of Pi name their file. */
const PATH_KEYS = ['path'];

/** Spaces that Pi replaces in paths. */
const UNICODE_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

type Blocked = { block: true; reason: string };

/** Holds the calls of tools until they are answered; Pi itself never asks. */
export class ToolGate {
  #mode: LibraryStart['options']['permissionMode'];
  #cwd: string;
  #requests: PendingRequests<PermissionAnswer>;
  #emit: (draft: EventDraft) => void;
  #waiting = new Map<string, (answer: PermissionAnswer) => void>();
  #count = 0;
  #isClosed = false;

  constructor(
    { permissionMode, cwd }: Pick<LibraryStart['options'], 'permissionMode' | 'cwd'>,
    emit: (draft: EventDraft) => void,
  ) {
    this.#mode = permissionMode;
    this.#cwd = cwd;
    this.#emit = emit;
    this.#requests = new PendingRequests(emit);
  }

  /** Called before a tool runs; returns the reason if it must not run. */
  async hold(call: PiToolCall): Promise<Blocked | undefined> {
    const { toolName, toolCallId, input } = call;
    if (this.#isClosed) return blocked('The turn was interrupted.');
    if (this.#mode === 'allow-all' || READERS.has(toolName)) return undefined;
    if (WRITERS.has(toolName)) {
      if (typeof input.path !== 'string') return blocked('The path is missing.');
      // Pi understands paths in its own way: it gets the very path that was asked about.
      input.path = writtenPath(input.path, this.#cwd);
    }
    const answer = await this.#ask(call);
    if (answer.decision === 'deny') return blocked(answer.reason ?? 'The user denied this call.');
    if (!isObject(answer.input)) return undefined;
    for (const name of Object.keys(input)) delete input[name];
    Object.assign(input, answer.input);
    this.#emit({
      type: 'tool.updated',
      callId: toolCallId,
      input: answer.input,
      action: actionOfCall(toolName, answer.input),
    });
    return undefined;
  }

  /** Passes an answer on; `stop` when it ends the turn. */
  answer(requestId: string, answer: RequestAnswer): 'stop' | undefined {
    const given = this.#requests.answer(requestId, answer);
    if (!given) return undefined;
    this.#waiting.get(requestId)?.(given);
    this.#waiting.delete(requestId);
    return given.decision === 'deny' && given.stop ? 'stop' : undefined;
  }

  /** Lets the calls of another turn ask again. */
  open(): void {
    this.#isClosed = false;
  }

  /** Denies what waits and every later call: the turn is being interrupted. */
  close(): void {
    this.#isClosed = true;
    for (const answer of this.#waiting.values()) {
      answer({ decision: 'deny', reason: 'The turn was interrupted.' });
    }
    this.#waiting.clear();
  }

  #ask({ toolName, toolCallId, input }: PiToolCall): Promise<PermissionAnswer> {
    this.#count += 1;
    const requestId = `permission-${this.#count}`;
    const { promise, resolve: answer } = Promise.withResolvers<PermissionAnswer>();
    this.#waiting.set(requestId, answer);
    this.#requests.askPermission(
      {
        requestId,
        callId: toolCallId,
        tool: toolName,
        action: actionOfCall(toolName, input),
        input: { ...input },
        scopes: ['once'],
        editable: true,
      },
      (given) => given,
    );
    return promise;
  }
}

/** Returns the action of a call. A tool that Pi does not have edits nothing, whatever its name is. */
function actionOfCall(toolName: string, input: unknown): Action {
  const action = actionOf(toolName, input, PATH_KEYS);
  if (action.type !== 'file.edit' || WRITERS.has(toolName)) return action;
  return { type: 'other', description: toolName };
}

/** The file that Pi would write for a path of the model. */
export function writtenPath(path: string, cwd: string): string {
  const plain = path.replace(UNICODE_SPACES, ' ').replace(/^@/, '');
  if (plain === '~' || plain.startsWith('~/')) return resolve(homedir() + plain.slice(1));
  return resolve(cwd, plain.startsWith('file://') ? fileURLToPath(plain) : plain);
}

function blocked(reason: string): Blocked {
  return { block: true, reason };
}
