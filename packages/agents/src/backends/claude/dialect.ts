import { isObject, type Json, object, parseJson, string } from '@baton/config/values/json';
import type {
  Dialect,
  DialectEntry,
  DialectOut,
  PromptInput,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import type { ImageData } from '@baton/engine/kit/image-file';
import { agentWarning } from '@baton/engine/kit/notices';
import type { WordsRule } from '@baton/engine/normalize/end-verdict';
import type { ImageInput, RequestAnswer } from '@baton/protocol/values';
import type { BackgroundTask } from '../../dialects/claude-stream-json/background-tasks.ts';
import { endedWithRun } from '../../dialects/claude-stream-json/notices.ts';
import {
  isPrintedLine,
  isStreamMessage,
  printedOutput,
  printedText,
} from '../../dialects/claude-stream-json/printed-output.ts';
import { StreamJsonReader } from '../../dialects/claude-stream-json/reader.ts';
import {
  isTranscriptLine,
  transcriptReader,
} from '../../dialects/claude-stream-json/transcript.ts';
import type { Totals } from '../../dialects/claude-stream-json/usage.ts';
import type { StreamAgent } from '../../dialects/claude-stream-json/verdict.ts';
import { ControlProtocol, userFrame } from './control-protocol.ts';
import type { ReadPrompt } from './file-mentions.ts';
import { LABEL } from './index.ts';
import type { PermissionHook } from './permission-hook.ts';
import { PermissionRequests } from './permission-requests.ts';

/** Lines that Claude prints on standard error in healthy runs. */
const STDERR_NOISE: readonly RegExp[] = [
  /^Warning: no stdin data received in/,
  /^Ignoring \d+ permissions\.\w+ entr(y|ies) from /,
];

/** Error codes for a Claude that refused to start, by its text on standard error. */
const STARTUP_ERRORS: readonly WordsRule[] = [
  [/cannot be used with root\/sudo privileges/, 'root_refused'],
  [/No conversation found with session ID|does not match any session title/, 'session_not_found'],
  [
    /^Error: Session ID .+ is already in use/m,
    'usage',
    'Resume the session, or choose another id for a new one.',
  ],
  [/^error: /m, 'usage'],
  [/^Error: (--\S+ |Invalid |Input must be provided)/m, 'usage'],
];

/** Claude Code as the agent of a stream. */
export const CLAUDE: StreamAgent = { label: LABEL, noise: STDERR_NOISE, words: STARTUP_ERRORS };

/** Parts that only a live conversation needs; a recording is read without them. */
export type LiveParts = {
  /** Decides which calls Claude must ask about, whatever its own settings allow. */
  hook?: PermissionHook | undefined;
  readImage?: ((image: ImageInput) => ImageData) | undefined;
  /** Changes a prompt so that Claude reads no file before anyone is asked. */
  readPrompt?: ((text: string) => ReadPrompt) | undefined;
  /** The totals of the session that is resumed. */
  totals?: Totals | undefined;
  /** The limit of replies for a prompt. */
  maxTurns?: number | undefined;
  /** Milliseconds that a turn stays open for background commands alone; without it, as long as they run. */
  backgroundMs?: number | undefined;
};

/** Reads Claude Code in all its JSON forms, and speaks its control protocol when it listens. */
export class ClaudeDialect implements Dialect {
  #out: DialectOut;
  #reader: StreamJsonReader;
  #requests: PermissionRequests;
  #control: ControlProtocol;
  #readImage: LiveParts['readImage'];
  #readPrompt: LiveParts['readPrompt'];

  constructor(out: DialectOut, { hook, readImage, readPrompt, ...options }: LiveParts = {}) {
    this.#out = out;
    this.#readImage = readImage;
    this.#readPrompt = readPrompt;
    this.#reader = new StreamJsonReader(out, {
      agent: CLAUDE,
      ...options,
      readOwnLine: (line) => this.#readControl(line),
      onToolResult: (callId, isError) => this.#requests.settle(callId, isError),
    });
    this.#requests = new PermissionRequests(out, this.#reader.tools, hook);
    this.#control = new ControlProtocol(out, this.#requests, hook);
    this.#control.onInterrupted = () => this.#reader.interrupted();
    this.#control.onWithdrawn = (uuid) => {
      const verdict = this.#reader.turn.withdraw(uuid);
      if (verdict) out.complete(verdict);
    };
  }

  open(): void {
    this.#control.open();
  }

  prompt({ text, images }: PromptInput): void {
    const read = images.flatMap((image) => this.#readImage?.(image) ?? []);
    this.#reader.tasks.prompt();
    this.#out.write(userFrame(this.#reader.turn.prompt(), this.#read(text), read));
  }

  steer(text: string): void {
    this.#out.write(userFrame(this.#reader.turn.steer(), this.#read(text)));
  }

  #read(prompt: string): string {
    const { text, outside } = this.#readPrompt?.(prompt) ?? { text: prompt, outside: [] };
    if (outside.length > 0) {
      const message = `${LABEL} was given the names of ${outside.join(', ')} without "@": it would read files outside of the workspace before anyone is asked.`;
      this.#out.emit(agentWarning(message));
    }
    return text;
  }

  interrupt(): boolean {
    if (!this.#reader.turn.isOpen) return false;
    this.#control.withdraw(this.#reader.turn.unread);
    this.#reader.turn.interrupt();
    this.#control.interrupt();
    this.#control.stopTasks(this.#reader.tasks.own.filter(isCommand));
    return true;
  }

  /** Claude would wait for its commands in the background before it exits. */
  close(): void {
    const ended = this.#control.stopTasks(this.#reader.tasks.running.filter(isCommand));
    if (ended.length > 0) this.#out.emit(endedWithRun(ended));
  }

  answer(requestId: string, answer: RequestAnswer): void {
    if ('stop' in answer && answer.stop) this.#control.withdraw(this.#reader.turn.unread);
    this.#control.answer(requestId, answer);
  }

  line(line: string): void {
    this.#reader.line(line);
  }

  end(end: StreamEnd): Verdict | undefined {
    return this.#reader.end(end);
  }

  #readControl({ type, request_id: id, request, response }: Json): boolean {
    const requestId = string(id) ?? '';
    if (type === 'control_request') this.#control.request(requestId, object(request));
    else if (type === 'control_response') this.#control.response(object(response));
    else if (type === 'control_cancel_request') this.#requests.cancel(requestId);
    else return false;
    return true;
  }
}

/** An interrupt ends sub-agents; told to stop one, Claude would take a turn to talk about it. */
function isCommand({ isAgent }: BackgroundTask): boolean {
  return !isAgent;
}

/** Reads the bare text of `claude -p`. */
export function claudeText(out: DialectOut): Dialect {
  return printedText(out, CLAUDE);
}

/** The forms in which Claude's output comes: its own file, a stream of messages, one JSON value, or bare text. */
export const claudeDialects: readonly DialectEntry[] = [
  {
    transport: 'transcript',
    recognises: isTranscriptLine,
    create: (out) => transcriptReader(out, CLAUDE),
  },
  { transport: 'live', recognises: isStreamLine, create: (out) => new ClaudeDialect(out) },
  {
    transport: 'print',
    recognises: isPrintedLine,
    mayBe: mayBePrinted,
    create: (out) =>
      printedOutput({ json: () => new ClaudeDialect(out), text: () => claudeText(out) }),
  },
  { transport: 'plain', recognises: () => false, create: claudeText },
];

function isStreamLine(line: string): boolean {
  const value = line.trimStart().startsWith('{') ? parseJson(line) : undefined;
  return isObject(value) && isStreamMessage(value);
}

/** Of JSON over several lines the first one tells nothing yet; the dialect looks at all of them. */
function mayBePrinted(line: string): boolean {
  const text = line.trim();
  return text === '[' || text === '{';
}
