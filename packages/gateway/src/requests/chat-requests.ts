import { createHash } from 'node:crypto';
import {
  type AgentEvent,
  answerFromText,
  delay,
  type PendingRequest,
  type PermissionRequest,
  type Question,
  type QuestionRequest,
  type RequestAnswer,
  shortened,
  timeoutAnswer,
} from '@baton/protocol';
import type { WarningLog } from '@baton/runtime/contracts';
import type { Button, ButtonPress, ChannelAdapter, IncomingMessage } from '../channel-adapter.ts';
import { neutralizeMentions } from '../text/mentions.ts';
import { requestValue } from './button-values.ts';
import {
  permissionText,
  questionText,
  settledPermission,
  settledQuestion,
} from './request-text.ts';

const KEY_LENGTH = 16;
/** As long as Discord allows. */
const NONCE_LENGTH = 25;
const DONE = 'done';
const DENIED = 'Denied in the chat.';

/** Where a request is asked. */
export type RequestPlace = {
  adapter: ChannelAdapter;
  channelId: string;
  /** The message whose run asks. */
  messageId: string;
  turnId: string;
  cwd: string;
};

export type ChatRequestsOptions = {
  /** How long a request may wait for an answer; 0 for as long as it takes. */
  timeoutMs: number;
  /** A request that is settled sooner, such as by a rule of the daemon, is not shown. */
  showAfterMs: number;
  log: WarningLog;
};

/** A message with buttons that waits for a press or a text. */
type OpenMessage = {
  readonly channelId: string;
  /** What a pressed choice, or a typed text, means; nothing if it does not answer. */
  choose(choice: string): Promise<Taken | undefined>;
  type?(text: string): Taken | undefined;
  take(taken: Taken, who: string): void;
};
type Taken = { answer: RequestAnswer } | { options: string[] };

type ShownRequest = {
  readonly place: RequestPlace;
  readonly pending: PendingRequest;
  /** The messages that were sent for it, with their texts. */
  readonly sent: { id: string; text: string }[];
  who?: string | undefined;
  scope?: string | undefined;
};

/** Asks the people in the chat: permission requests and questions become messages with buttons. */
export class ChatRequests {
  #options: ChatRequestsOptions;
  /** By the key in the values of their buttons. */
  #open = new Map<string, OpenMessage>();
  /** By turn and request. */
  #shown = new Map<string, ShownRequest>();

  constructor(options: ChatRequestsOptions) {
    this.#options = options;
  }

  /** Asks, and resolves with the answer of the first allowed user who gives one. */
  async ask(
    place: RequestPlace,
    pending: PendingRequest,
    signal: AbortSignal,
  ): Promise<RequestAnswer> {
    const { timeoutMs, showAfterMs } = this.#options;
    await delay(showAfterMs, signal);
    const over = new AbortController();
    const isOver = AbortSignal.any([signal, over.signal]);
    const shown: ShownRequest = { place, pending, sent: [] };
    this.#shown.set(shownKey(place.turnId, pending.request.requestId), shown);
    const asking =
      pending.kind === 'permission'
        ? this.#askPermission(shown, pending.request, isOver)
        : this.#askQuestions(shown, pending.request, isOver);
    if (timeoutMs === 0) return asking;
    const timeout = delay(timeoutMs, isOver).then(() =>
      timeoutAnswer(pending, { timeoutMs, otherwise: 'deny' }),
    );
    return Promise.race([asking, timeout]).finally(() => over.abort());
  }

  /** Shows how a request was settled, here or elsewhere, and removes its buttons. */
  async settled(turnId: string, event: AgentEvent): Promise<void> {
    if (event.type !== 'permission.resolved' && event.type !== 'question.resolved') return;
    const key = shownKey(turnId, event.requestId);
    const shown = this.#shown.get(key);
    this.#shown.delete(key);
    const last = shown?.sent.at(-1);
    if (!shown || !last) return;
    const { adapter, channelId } = shown.place;
    const outcome =
      event.type === 'permission.resolved'
        ? settledPermission(event, shown.scope ?? event.scope, shown.who)
        : settledQuestion(event, shown.who);
    try {
      await adapter.edit(channelId, last.id, {
        text: fitting(`${outcome}\n${last.text}`, adapter),
      });
    } catch (error) {
      this.#options.log.warn(`Cannot show that a request was settled: ${messageOf(error)}`);
    }
  }

  /** Takes a press of an allowed user; false if the request is no longer open. */
  async press(press: ButtonPress, key: string, choice: string): Promise<boolean> {
    const open = this.#open.get(key);
    if (!open || open.channelId !== press.channelId) return false;
    const taken = await open.choose(choice);
    if (taken) open.take(taken, nameOf(press));
    return true;
  }

  /** Takes a message of an allowed user as the answer to an open question of the channel; false if there is none. */
  type(message: IncomingMessage): boolean {
    for (const open of this.#open.values()) {
      if (open.channelId !== message.channelId) continue;
      const taken = open.type?.(message.text.trim());
      if (!taken) continue;
      open.take(taken, nameOf(message));
      return true;
    }
    return false;
  }

  async #askPermission(
    shown: ShownRequest,
    request: PermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestAnswer> {
    const key = keyOf(shown.place.turnId, request.requestId);
    const { text, file } = permissionText(request, shown.place.cwd);
    const choices = permissionChoices(request);
    const buttons = choices.map(({ id, label, style }) => ({
      label,
      style,
      value: requestValue(key, id),
    }));
    const taken = await this.#wait(shown, key, { text, file, buttons }, signal, {
      choose: async (choice) => {
        const chosen = choices.find(({ id }) => id === choice);
        if (!chosen) return undefined;
        shown.scope = chosen.id;
        return { answer: chosen.answer };
      },
    });
    return 'answer' in taken ? taken.answer : { decision: 'deny' };
  }

  async #askQuestions(
    shown: ShownRequest,
    { requestId, questions }: QuestionRequest,
    signal: AbortSignal,
  ): Promise<RequestAnswer> {
    const answers: Record<string, string[]> = {};
    for (const [index, question] of questions.entries()) {
      const key = keyOf(shown.place.turnId, `${requestId} ${index}`);
      const taken = await this.#askQuestion(shown, key, question, signal);
      if ('answer' in taken) return taken.answer;
      answers[question.id] = taken.options;
    }
    return { answers };
  }

  #askQuestion(
    shown: ShownRequest,
    key: string,
    question: Question,
    signal: AbortSignal,
  ): Promise<Taken> {
    const { adapter, channelId } = shown.place;
    const text = questionText(question);
    const marked = new Set<string>();
    const buttonsNow = () => questionButtons(adapter, key, question, marked);
    return this.#wait(shown, key, { text, buttons: buttonsNow() }, signal, {
      choose: async (choice) => {
        if (choice === 'skip') {
          return { answer: { declined: true, reason: 'Declined in the chat.' } };
        }
        if (choice === DONE) return marked.size > 0 ? { options: [...marked] } : undefined;
        const option = question.options[Number(choice)]?.label;
        if (option === undefined) return undefined;
        if (!question.multiple) return { options: [option] };
        if (!marked.delete(option)) marked.add(option);
        const sent = shown.sent.at(-1);
        const buttons = inRows(buttonsNow(), adapter);
        if (sent) await adapter.edit(channelId, sent.id, { text: sent.text, buttons });
        return undefined;
      },
      type: (typed) => {
        const options = answerFromText(question, typed);
        return options && { options };
      },
    });
  }

  /** Sends a message with buttons, and waits until it is answered or the signal aborts. */
  async #wait(
    shown: ShownRequest,
    key: string,
    message: { text: string; file?: string | undefined; buttons: readonly Button[] },
    signal: AbortSignal,
    open: Pick<OpenMessage, 'choose' | 'type'>,
  ): Promise<Taken> {
    const { adapter, channelId, messageId, turnId } = shown.place;
    const answered = Promise.withResolvers<Taken>();
    answered.promise.catch(() => {});
    const abort = () => answered.reject(new Error('The request needs no answer any more.'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const take = (taken: Taken, who: string) => {
      shown.who = who;
      this.#open.delete(key);
      answered.resolve(taken);
    };
    try {
      // A press can arrive before the platform has confirmed the message.
      this.#open.set(key, { channelId, ...open, take });
      const text = fitting(message.text, adapter);
      const nonce = `${turnId}q${key}`.slice(0, NONCE_LENGTH);
      const outgoing = {
        text,
        replyTo: messageId,
        buttons: inRows(message.buttons, adapter),
        ...(message.file === undefined ? {} : { files: [detailsFile(message.file)] }),
      };
      if (!signal.aborted) {
        shown.sent.push({ id: await adapter.send(channelId, outgoing, nonce), text });
      }
      return await answered.promise;
    } finally {
      this.#open.delete(key);
      signal.removeEventListener('abort', abort);
    }
  }
}

type PermissionChoice = {
  id: string;
  label: string;
  style: Button['style'];
  answer: RequestAnswer;
};

/** The same scopes as on the page. */
function permissionChoices({ scopes }: PermissionRequest): PermissionChoice[] {
  const allow = (id: 'once' | 'session' | 'always', label: string): PermissionChoice => ({
    id,
    label,
    style: id === 'once' ? 'primary' : 'secondary',
    answer: { decision: 'allow', scope: id },
  });
  return [
    allow('once', 'Allow once'),
    ...(scopes.includes('session') ? [allow('session', 'Allow for this session')] : []),
    ...(scopes.includes('always') ? [allow('always', 'Always allow')] : []),
    {
      id: 'deny',
      label: 'Deny',
      style: 'danger',
      answer: { decision: 'deny', reason: DENIED },
    },
  ];
}

function questionButtons(
  { limits }: ChannelAdapter,
  key: string,
  question: Question,
  marked: ReadonlySet<string>,
): Button[] {
  const room = limits.buttonsPerRow * limits.buttonRows;
  const skip: Button = { label: 'Skip', style: 'secondary', value: requestValue(key, 'skip') };
  // Those who cannot press a button can type its number.
  if (question.options.length + 2 > room) return room > 0 ? [skip] : [];
  const options = question.options.map(({ label }, index): Button => {
    const text = marked.has(label) ? `✓ ${label}` : label;
    return {
      label: shortened(text, limits.buttonLabelLength),
      style: marked.has(label) ? 'primary' : 'secondary',
      value: requestValue(key, String(index)),
    };
  });
  const done: Button = { label: 'Done', style: 'primary', value: requestValue(key, DONE) };
  return question.multiple ? [...options, done, skip] : [...options, skip];
}

function inRows(
  buttons: readonly Button[],
  { limits: { buttonsPerRow } }: ChannelAdapter,
): Button[][] {
  const rows: Button[][] = [];
  if (buttonsPerRow === 0) return rows;
  for (let at = 0; at < buttons.length; at += buttonsPerRow) {
    rows.push(buttons.slice(at, at + buttonsPerRow));
  }
  return rows;
}

/** A text that notifies nobody, within the limit of the platform. */
function fitting(text: string, { limits, mentions }: ChannelAdapter): string {
  return shortened(neutralizeMentions(text, mentions), limits.messageLength);
}

function detailsFile(text: string) {
  return { name: 'request.txt', mediaType: 'text/plain', content: Buffer.from(text) };
}

/** The same after a restart, so that the buttons of a run that is joined again still work. */
function keyOf(turnId: string, requestId: string): string {
  const name = JSON.stringify([turnId, requestId]);
  return createHash('sha256').update(name).digest('hex').slice(0, KEY_LENGTH);
}

function shownKey(turnId: string, requestId: string): string {
  return `${turnId} ${requestId}`;
}

function nameOf({ userName, userId }: { userName?: string | undefined; userId: string }): string {
  return userName ?? userId;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
