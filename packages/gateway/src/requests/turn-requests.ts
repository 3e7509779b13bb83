import {
  type AgentEvent,
  answerFromText,
  BatonError,
  delay,
  type PendingRequest,
  type PermissionRequest,
  type Question,
  type QuestionRequest,
  type RequestAnswer,
  retryErrors,
  shortened,
  showUnseenInLine,
  timeoutAnswer,
} from '@baton/protocol';
import type { Button, ChannelAdapter, OutgoingMessage } from '../channel-adapter.ts';
import type { Sender } from '../config/access.ts';
import type { Turn } from '../queue/message-queue.ts';
import { fitMessage } from '../text/fit-message.ts';
import { stableId } from '../text/stable-id.ts';
import type { ChatRequestsOptions, OpenMessage, OpenMessages, Taken } from './chat-requests.ts';
import {
  DONE,
  inRows,
  permissionButtons,
  permissionChoices,
  questionButtons,
  SKIP,
} from './request-buttons.ts';
import {
  answeredText,
  permissionText,
  questionText,
  type RequestText,
  settledPermission,
  settledQuestion,
} from './request-text.ts';

const KEY_LENGTH = 16;
const NAME_LENGTH = 60;
const RETRY = { attempts: Number.POSITIVE_INFINITY, baseMs: 1000, maxMs: 60_000 };

/** Channel and context in which a request is asked. */
export type RequestPlace = {
  adapter: ChannelAdapter;
  channelId: string;
  /** The message whose run asks. */
  messageId: string;
  turn: Pick<Turn, 'id' | 'asked' | 'storeAsked'>;
  cwd: string;
  /** Aborts when no user is left who could answer. */
  silence: AbortSignal;
};

/** A message that asks something. */
type SentMessage = { id: string; text: string };

/** A request that is shown in the chat. */
type ShownRequest = {
  /** The message that asks; of several questions the current one. It rejects if it could not be sent. */
  message?: Promise<SentMessage> | undefined;
  who?: string | undefined;
  /** True if it was denied because no user was left to answer. */
  isUnanswerable?: boolean | undefined;
  scope?: string | undefined;
};

/** Asks the users in the chat the questions of an agent during one run. */
export class TurnRequests {
  #place: RequestPlace;
  #open: OpenMessages;
  #options: ChatRequestsOptions;
  #shown = new Map<string, ShownRequest>();
  /** All requests that are not settled, shown or not. */
  #pending = new Map<string, { pending: PendingRequest; times: number }>();
  /** Number of times each request was asked: a restarted agent can reuse the ids of its requests. */
  #asked = new Map<string, number>();

  /** True once a request was shown in the chat. */
  hasShown = false;

  constructor(place: RequestPlace, open: OpenMessages, options: ChatRequestsOptions) {
    this.#place = place;
    this.#open = open;
    this.#options = options;
  }

  /** Asks, and resolves with the answer of the first allowed user who gives one. Rejects when the signal aborts. */
  async ask(pending: PendingRequest, signal: AbortSignal): Promise<RequestAnswer> {
    const { timeoutMs, showAfterMs } = this.#options;
    const { silence } = this.#place;
    const { requestId } = pending.request;
    const times = (this.#asked.get(requestId) ?? 0) + 1;
    this.#asked.set(requestId, times);
    this.#pending.set(requestId, { pending, times });
    if (!(await delay(showAfterMs, signal))) throw notNeeded();
    const over = new AbortController();
    const isOver = AbortSignal.any([signal, silence, over.signal]);
    const shown: ShownRequest = {};
    this.#shown.set(requestId, shown);
    const asking =
      pending.kind === 'permission'
        ? this.#askPermission(shown, pending.request, times, isOver)
        : this.#askQuestions(shown, pending.request, times, isOver);
    try {
      if (timeoutMs === 0) return await asking;
      const timeout = delay(timeoutMs, isOver).then((isTimedOut) =>
        isTimedOut ? timeoutAnswer(pending, { timeoutMs, otherwise: 'deny' }) : asking,
      );
      return await Promise.race([asking, timeout]);
    } catch (error) {
      if (!silence.aborted || signal.aborted) throw error;
      shown.isUnanswerable = true;
      return unanswerable(pending);
    } finally {
      over.abort();
    }
  }

  /** Shows how a request was settled, here or elsewhere, and removes its buttons. */
  settled(resolved: AgentEvent): void {
    if (resolved.type !== 'permission.resolved' && resolved.type !== 'question.resolved') return;
    const { requestId } = resolved;
    const shown = this.#shown.get(requestId) ?? this.#shownBefore(requestId);
    this.#shown.delete(requestId);
    this.#pending.delete(requestId);
    if (!shown) return;
    // A daemon takes every answer for one of a person.
    const event = shown.isUnanswerable
      ? { ...resolved, by: 'nobody', reason: undefined }
      : resolved;
    const outcome =
      event.type === 'permission.resolved'
        ? settledPermission(event, shown.scope ?? event.scope, shown.who)
        : settledQuestion(event, shown.who);
    this.#close(shown, outcome);
  }

  /** A request that an earlier process showed, and that was settled before this one had to. */
  #shownBefore(requestId: string): ShownRequest | undefined {
    const { pending, times } = this.#pending.get(requestId) ?? {};
    if (!pending || times === undefined) return undefined;
    const { adapter, cwd, turn } = this.#place;
    const texts =
      pending.kind === 'permission'
        ? [{ key: this.#keyOf(requestId, times), ...permissionText(pending.request, cwd, adapter) }]
        : pending.request.questions.map((question, index) => ({
            key: this.#keyOf(requestId, times, index),
            ...questionText(question, adapter),
          }));
    const last = texts.findLast(({ key }) => turn.asked[key] !== undefined);
    const id = last && turn.asked[last.key];
    return id === undefined
      ? undefined
      : { message: Promise.resolve({ id, text: last?.text ?? '' }) };
  }

  async #askPermission(
    shown: ShownRequest,
    request: PermissionRequest,
    times: number,
    signal: AbortSignal,
  ): Promise<RequestAnswer> {
    const { adapter, cwd } = this.#place;
    const key = this.#keyOf(request.requestId, times);
    const choices = permissionChoices(request);
    const text = permissionText(request, cwd, adapter);
    const buttons = permissionButtons(key, choices);
    const taken = await this.#wait(shown, key, { ...text, buttons }, signal, {
      choose: (choice) => {
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
    times: number,
    signal: AbortSignal,
  ): Promise<RequestAnswer> {
    const answers: Record<string, string[]> = {};
    for (const [index, question] of questions.entries()) {
      const key = this.#keyOf(requestId, times, index);
      const taken = await this.#askQuestion(shown, key, question, signal);
      if ('answer' in taken) return taken.answer;
      answers[question.id] = taken.options;
      // The last question is closed when the agent has got all answers.
      const isLast = index === questions.length - 1;
      if (!isLast) this.#close(shown, answeredText(taken.options, 'person', shown.who));
    }
    return { answers };
  }

  #askQuestion(
    shown: ShownRequest,
    key: string,
    question: Question,
    signal: AbortSignal,
  ): Promise<Taken> {
    const { adapter } = this.#place;
    const text = questionText(question, adapter);
    const marked = new Set<string>();
    const buttonsNow = () => questionButtons(adapter, key, question, marked);
    return this.#wait(shown, key, { ...text, buttons: buttonsNow() }, signal, {
      choose: (choice, messageId) => {
        if (choice === SKIP) {
          return { answer: { declined: true, reason: 'Declined in the chat.' } };
        }
        if (choice === DONE) return marked.size > 0 ? { options: [...marked] } : undefined;
        const option = /^\d+$/.test(choice) ? question.options[Number(choice)]?.label : undefined;
        if (option === undefined) return undefined;
        if (!question.multiple) return { options: [option] };
        if (!marked.delete(option)) marked.add(option);
        this.#edit(messageId, text.text, buttonsNow());
        return undefined;
      },
      type: (typed) => {
        const options = typedAnswer(question, typed);
        return options && { options };
      },
    });
  }

  /** Sends a message with buttons, and waits until it is answered or the signal aborts. */
  async #wait(
    shown: ShownRequest,
    key: string,
    message: RequestText & { buttons: readonly Button[] },
    signal: AbortSignal,
    open: Pick<OpenMessage, 'choose' | 'type'>,
  ): Promise<Taken> {
    const answered = Promise.withResolvers<Taken>();
    const abort = () => answered.reject(notNeeded());
    const take = (taken: Taken, by: Sender) => {
      shown.who = nameOf(by);
      this.#open.delete(key);
      answered.resolve(taken);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else {
      const { channelId, turn } = this.#place;
      // A press can arrive before the platform has confirmed the message.
      let sent = turn.asked[key];
      const isMessage = (id: string) => sent === undefined || sent === id;
      this.#open.set(key, { channelId, isMessage, ...open, take });
      const onSent = (id: string) => {
        sent = id;
      };
      shown.message = this.#send(key, message, { signal, onSent });
      shown.message.catch(answered.reject);
    }
    try {
      return await answered.promise;
    } finally {
      this.#open.delete(key);
      signal.removeEventListener('abort', abort);
    }
  }

  async #send(
    key: string,
    { text, file, buttons }: RequestText & { buttons: readonly Button[] },
    { signal, onSent }: { signal: AbortSignal; onSent(id: string): void },
  ): Promise<SentMessage> {
    const { adapter, channelId, messageId, turn } = this.#place;
    const outgoing: OutgoingMessage = {
      text,
      replyTo: messageId,
      buttons: inRows(buttons, adapter),
      ...(file === undefined ? {} : { files: [detailsFile(file)] }),
    };
    this.hasShown = true;
    const send = async () => {
      const earlier = turn.asked[key];
      // What an earlier process sent works again, unless someone deleted it.
      if (earlier !== undefined && (await this.#exists(earlier, outgoing))) return earlier;
      return adapter.send(channelId, outgoing, earlier === undefined ? `q${key}` : `r${key}`);
    };
    const id = await retryErrors(send, { ...RETRY, signal });
    onSent(id);
    await turn.storeAsked(key, id);
    return { id, text };
  }

  async #exists(id: string, { text, buttons }: OutgoingMessage): Promise<boolean> {
    const { adapter, channelId } = this.#place;
    try {
      await adapter.edit(channelId, id, { text, buttons });
      return true;
    } catch (error) {
      if (BatonError.is(error) && error.code === 'not_found') return false;
      throw error;
    }
  }

  /** Adds the outcome above the request, as soon as the request has been sent. */
  #close(shown: ShownRequest, outcome: string): void {
    const { adapter } = this.#place;
    shown.message?.then(
      ({ id, text }) => this.#edit(id, fitMessage(`${outcome}\n${text}`, adapter)),
      // It was never shown.
      () => {},
    );
    shown.message = undefined;
  }

  /** Edits a message; the agent does not wait for it. */
  #edit(id: string, text: string, buttons: readonly Button[] = []): void {
    const { adapter, channelId } = this.#place;
    const message = { text, buttons: inRows(buttons, adapter) };
    adapter.edit(channelId, id, message).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.warn(`A request in ${channelId} could not be changed: ${reason}`);
    });
  }

  /** The same after a restart, so that the buttons of a run that is joined again still work. */
  #keyOf(...parts: (string | number)[]): string {
    return stableId([this.#place.turn.id, ...parts], KEY_LENGTH);
  }
}

/** Parses a typed answer: the name or number of an option, or free text. */
function typedAnswer(question: Question, typed: string): string[] | undefined {
  const isTyped = ({ label }: { label: string }) => label.toLowerCase() === typed.toLowerCase();
  const option = question.options.find(isTyped);
  return option ? [option.label] : answerFromText(question, typed);
}

function unanswerable({ kind }: PendingRequest): RequestAnswer {
  const reason = 'Nobody is left in the chat who could answer.';
  const by = 'nobody';
  return kind === 'permission' ? { decision: 'deny', reason, by } : { declined: true, reason, by };
}

function notNeeded(): Error {
  return new Error('The request needs no answer any more.');
}

function detailsFile(text: string) {
  return { name: 'request.txt', mediaType: 'text/plain', content: Buffer.from(text) };
}

/** A name that cannot pretend to be more than a name. */
function nameOf({ userName, userId }: Sender): string {
  return shortened(showUnseenInLine(userName ?? userId), NAME_LENGTH);
}
