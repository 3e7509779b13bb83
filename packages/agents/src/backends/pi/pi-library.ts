import { join } from 'node:path';
import { BatonError } from '@baton/protocol/error';
import type { ModelReference } from './pi-options.ts';

/** The part of the library that Baton uses, in both of its generations. */
export type PiLibrary = {
  createAgentSession(
    options: Record<string, unknown>,
  ): Promise<{ session: PiSession; extensionsResult: PiExtensions }>;
  SessionManager: {
    create(cwd: string, folder: string): PiSessionFile;
    open(file: string, folder: string, cwd: string): PiSessionFile;
    forkFrom(file: string, cwd: string, folder: string): PiSessionFile;
  };
  SettingsManager: { inMemory(settings: Record<string, unknown>): unknown };
  DefaultResourceLoader: new (options: Record<string, unknown>) => { reload(): Promise<void> };
  /** Keys and models, up to 0.7x. */
  AuthStorage?: { create(file: string): unknown };
  ModelRegistry: { create(auth: unknown, file: string): ModelRegistry };
  /** Both of them, in later releases. */
  ModelRuntime?: {
    create(options: { authPath: string; modelsPath: string }): Promise<ModelRuntime>;
  };
};

type PiSessionFile = { newSession(options: { id: string }): unknown };

export type PiSession = {
  sessionId: string;
  subscribe(listener: (event: Record<string, unknown>) => void): void;
  prompt(
    text: string,
    options: { expandPromptTemplates: false; images: PiImage[] },
  ): Promise<unknown>;
  steer(text: string): Promise<unknown>;
  abort(): Promise<unknown>;
};

/** The extensions of a session, with the events that each handles. */
type PiExtensions = {
  extensions?: readonly { handlers?: { has?(event: string): boolean } }[];
};

/** Rejects a release of Pi that would run tools without asking. */
export function checkGate({ extensions = [] }: PiExtensions): void {
  if (extensions.some(({ handlers }) => handlers?.has?.('tool_call'))) return;
  throw new BatonError(
    'capability_missing',
    'This release of Pi does not let Baton ask before a tool runs.',
    { hint: 'Use a tested release, turn the tools off, or use permission mode "allow-all".' },
  );
}

type PiImage = { type: 'image'; data: string; mimeType: string };

/** A call of a tool, before it runs; changes to the input take effect. */
export type PiToolCall = { toolName: string; toolCallId: string; input: Record<string, unknown> };
export type PiExtension = {
  on(
    event: 'tool_call',
    handler: (call: PiToolCall) => Promise<{ block: true; reason: string } | undefined>,
  ): void;
};

type ModelRegistry = {
  getError(): string | undefined;
  find(provider: string, id: string): object | undefined;
  getApiKeyAndHeaders(
    model: object,
  ): Promise<{ ok: true; apiKey?: string } | { ok: false; error: string }>;
};

type ModelRuntime = {
  getError(): string | undefined;
  getModel(provider: string, id: string): object | undefined;
  getAuth(model: object): Promise<object | undefined>;
};

/** Looks up a model and its key, and returns what a session needs to use them. */
export async function findModel(
  library: PiLibrary,
  agentDir: string,
  reference: ModelReference,
): Promise<Record<string, unknown>> {
  const authPath = join(agentDir, 'auth.json');
  const modelsPath = join(agentDir, 'models.json');
  const { provider, id } = reference;
  if (library.ModelRuntime) {
    const modelRuntime = await library.ModelRuntime.create({ authPath, modelsPath });
    const model = modelRuntime.getModel(provider, id);
    if (!model) throw noModel(reference, modelRuntime.getError());
    if (!(await modelRuntime.getAuth(model))) throw noKey(provider);
    return { model, modelRuntime };
  }
  const authStorage = library.AuthStorage?.create(authPath);
  const modelRegistry = library.ModelRegistry.create(authStorage, modelsPath);
  const model = modelRegistry.find(provider, id);
  if (!model) throw noModel(reference, modelRegistry.getError());
  const auth = await modelRegistry.getApiKeyAndHeaders(model);
  if (!auth.ok || !auth.apiKey) throw noKey(provider);
  return { model, authStorage, modelRegistry };
}

function noModel({ provider, id }: ModelReference, problem: string | undefined): BatonError {
  // With a file that cannot be read, Pi has only its built-in models.
  if (problem) return new BatonError('config_invalid', problem);
  return new BatonError('model_not_found', `Pi has no model ${provider}/${id}.`, {
    hint: 'Add it to models.json in the folder set by FLUX_PI_AGENT_DIR.',
  });
}

function noKey(provider: string): BatonError {
  return new BatonError('auth_missing', `Pi has no API key for the provider ${provider}.`, {
    hint: 'Set apiKey of the provider in models.json, or the environment variable of the provider.',
  });
}
