import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { array } from '@baton/config/values/json';
import type { EventDraft, PromptInput, Verdict } from '@baton/engine/definition/dialect';
import { readImage } from '@baton/engine/kit/image-file';
import { readOptionalJson } from '@baton/engine/kit/json-file';
import { type HostedLibrary, hostLibrary, type LibraryStart } from '@baton/engine/kit/library-host';
import { BatonError, errorInfo } from '@baton/protocol/error';
import type { RequestAnswer } from '@baton/protocol/values';
import { piError } from '../../dialects/pi-json/errors.ts';
import { PiEvents } from '../../dialects/pi-json/reader.ts';
import { findSession, piAgentDir, sessionsFolder } from './pi-home.ts';
import {
  checkGate,
  findModel,
  type PiExtension,
  type PiLibrary,
  type PiSession,
} from './pi-library.ts';
import { modelOf, toolsOf } from './pi-options.ts';
import { ToolGate } from './tool-gate.ts';

type Emit = (draft: EventDraft) => void;

/** Settings that make Pi load or run something beside its own tools. */
const LOADING = ['packages', 'extensions', 'skills', 'prompts', 'themes'];

/** Opens a session of Pi: one with the tools that the caller turned on, and nothing from the folder that runs. */
async function open(start: LibraryStart, emit: Emit): Promise<HostedLibrary> {
  const { options } = start;
  const agentDir = piAgentDir(process.env);
  // What the library does not take as an option it looks for there.
  process.env.PI_CODING_AGENT_DIR = agentDir;
  const library: PiLibrary = await import(pathToFileURL(start.library ?? '').href);
  const model = await findModel(library, agentDir, modelOf(options));
  const sessionManager = sessionOf(library, agentDir, start);
  const gate = new ToolGate(options, emit);
  const settingsManager = library.SettingsManager.inMemory(settingsOf(agentDir));
  const tools = toolsOf(options);
  const resourceLoader = new library.DefaultResourceLoader({
    cwd: options.cwd,
    agentDir,
    settingsManager,
    noExtensions: true,
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: tools.length === 0,
    // The folder may have a system prompt of its own.
    systemPromptOverride: () => undefined,
    appendSystemPromptOverride: () => (options.systemPrompt ? [options.systemPrompt] : []),
    extensionFactories: [(pi: PiExtension) => pi.on('tool_call', (call) => gate.hold(call))],
  });
  await resourceLoader.reload();
  const { session, extensionsResult } = await library.createAgentSession({
    ...model,
    cwd: options.cwd,
    agentDir,
    sessionManager,
    settingsManager,
    resourceLoader,
    thinkingLevel: options.providerOptions?.thinking ?? 'off',
    ...(tools.length > 0 ? { tools } : { noTools: 'all' }),
  });
  if (tools.length > 0 && options.permissionMode !== 'allow-all') checkGate(extensionsResult);
  return new PiHost({ session, gate, options, emit });
}

type PiHostInput = {
  session: PiSession;
  gate: ToolGate;
  options: LibraryStart['options'];
  emit: Emit;
};

/** A session of Pi, driven by Baton. */
class PiHost implements HostedLibrary {
  #session: PiSession;
  #gate: ToolGate;
  #options: LibraryStart['options'];
  #events: PiEvents;
  /** The turns of the current prompt that called tools. */
  #turns = 0;
  /** Settles when all events of the current run of the agent were read. */
  #ended = Promise.withResolvers<void>();

  constructor({ session, gate, options, emit }: PiHostInput) {
    this.#session = session;
    this.#gate = gate;
    this.#options = options;
    this.#events = new PiEvents(emit);
    this.#events.read({ type: 'session', id: session.sessionId });
    session.subscribe((event) => {
      this.#events.read(event);
      // A retry begins another run, with another end.
      if (event.type === 'agent_start') this.#ended = Promise.withResolvers();
      if (event.type === 'agent_end') this.#ended.resolve();
      if (event.type === 'turn_end' && array(event.toolResults).length > 0) this.#turnEnded();
    });
  }

  /** Pi asks the model again after the tools of a turn, unless it is stopped right here. */
  #turnEnded(): void {
    this.#turns += 1;
    if (this.#isOutOfTurns) this.interrupt();
  }

  get #isOutOfTurns(): boolean {
    const { maxTurns } = this.#options;
    return maxTurns !== undefined && this.#turns >= maxTurns;
  }

  async prompt({ text, images }: PromptInput): Promise<Verdict> {
    this.#events.nextTurn();
    this.#gate.open();
    this.#turns = 0;
    this.#ended = Promise.withResolvers();
    try {
      await this.#session.prompt(text, {
        expandPromptTemplates: false,
        images: images.map((image) => ({ type: 'image', ...readImage(image, this.#options.cwd) })),
      });
    } catch (error) {
      if (BatonError.is(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      return { outcome: 'failed', error: piError(message), usage: this.#events.usage };
    }
    await this.#ended.promise;
    if (this.#isOutOfTurns) {
      const message = `The agent used all of its ${this.#options.maxTurns} turns.`;
      const error = errorInfo('max_turns', message);
      return { outcome: 'failed', error, usage: this.#events.usage };
    }
    const verdict = this.#events.verdict();
    return verdict ?? { outcome: 'failed', error: piError('Pi ended its turn without an answer.') };
  }

  answer(requestId: string, answer: RequestAnswer): void {
    if (this.#gate.answer(requestId, answer) === 'stop') this.interrupt();
  }

  steer(text: string): void {
    void this.#session.steer(text);
  }

  interrupt(): void {
    this.#gate.close();
    void this.#session.abort();
  }
}

/** The user's settings of Pi, without what would load code. */
function settingsOf(agentDir: string): Record<string, unknown> {
  const settings = readOptionalJson(join(agentDir, 'settings.json'));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !LOADING.includes(name)));
}

/** The session to resume, a copy of it, or a new one. */
function sessionOf(library: PiLibrary, agentDir: string, { options, resume, fork }: LibraryStart) {
  const { cwd, sessionId } = options;
  const folder = sessionsFolder(agentDir, cwd);
  if (resume === undefined) {
    const session = library.SessionManager.create(cwd, folder);
    if (sessionId === undefined) return session;
    if (findSession(folder, sessionId) !== undefined) {
      throw new BatonError('usage', `Pi already has a session ${sessionId}.`, {
        hint: 'Resume it, or choose another id.',
      });
    }
    session.newSession({ id: sessionId });
    return session;
  }
  const file = findSession(folder, resume);
  if (file === undefined) {
    throw new BatonError('session_not_found', `Pi has no session ${resume} for this folder.`);
  }
  if (fork) return library.SessionManager.forkFrom(file, cwd, folder);
  return library.SessionManager.open(file, folder, cwd);
}

hostLibrary(open);
