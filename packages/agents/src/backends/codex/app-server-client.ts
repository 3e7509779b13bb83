import { resolve } from 'node:path';
import { array, type Json, object, string } from '@baton/config/values/json';
import type { CatalogQuery } from '@baton/engine/definition/backend-entry';
import type { PromptInput } from '@baton/engine/definition/dialect';
import {
  type JsonRpcOptions,
  JsonRpcPeer,
  type RpcAnswer,
  type RpcId,
  readRpcMessage,
} from '@baton/engine/kit/json-rpc';
import { type ImageInput, type ModelInfo, VERSION } from '@baton/protocol/values';
import { IGNORED } from './app-server-notices.ts';
import type { Place } from './thread-items.ts';

/** The request that gives a thread. */
export type ThreadRequest = {
  method: 'thread/start' | 'thread/resume' | 'thread/fork';
  params: Json;
};

const CLIENT_INFO = { name: 'baton', title: 'Baton', version: VERSION };

/** The connection to an app server, and the requests that Baton sends through it. */
export class AppServerClient {
  #rpc: JsonRpcPeer;

  constructor(options: Omit<JsonRpcOptions, 'omitsVersion'>) {
    this.#rpc = new JsonRpcPeer({ ...options, omitsVersion: true });
  }

  /** Takes a line of the app server; false when it is no message. */
  receive(line: string): boolean {
    return this.#rpc.receive(line);
  }

  initialize(answer: RpcAnswer): void {
    // What would be ignored need not be sent: the edits of a turn grow with it and come again after each one.
    const capabilities = { experimentalApi: true, optOutNotificationMethods: [...IGNORED] };
    this.#rpc.request('initialize', { clientInfo: CLIENT_INFO, capabilities }, answer);
  }

  /** Completes the handshake. */
  initialized(): void {
    this.#rpc.notify('initialized');
  }

  listModels(answer: RpcAnswer): void {
    this.#rpc.request('model/list', {}, answer);
  }

  login(apiKey: string, answer: RpcAnswer): void {
    this.#rpc.request('account/login/start', { type: 'apiKey', apiKey }, answer);
  }

  openThread({ method, params }: ThreadRequest, answer: RpcAnswer): void {
    this.#rpc.request(method, params, answer);
  }

  startTurn(params: Json, { text, images }: PromptInput, cwd: string, answer: RpcAnswer): void {
    const input = [textInput(text), ...images.map((image) => imageInput(image, cwd))];
    this.#rpc.request('turn/start', { ...params, input }, answer);
  }

  steer({ threadId, turnId }: Place, text: string, answer: RpcAnswer): void {
    const params = { threadId, expectedTurnId: turnId, input: [textInput(text)] };
    this.#rpc.request('turn/steer', params, answer);
  }

  interrupt({ threadId, turnId }: Place, answer: RpcAnswer): void {
    this.#rpc.request('turn/interrupt', { threadId, turnId }, answer);
  }

  /** Answers a request of the app server. */
  respond(id: RpcId, result: Json): void {
    this.#rpc.respond(id, result);
  }
}

function textInput(text: string): Json {
  return { type: 'text', text, text_elements: [] };
}

function imageInput(image: ImageInput, cwd: string): Json {
  if ('path' in image) return { type: 'localImage', path: resolve(cwd, image.path) };
  return { type: 'image', url: `data:${image.mimeType};base64,${image.data}` };
}

/** The app server lists its models, and which of them are hidden. It has no list of commands. */
export const codexCatalog: CatalogQuery = {
  args: ['app-server'],
  frames: modelListFrames(),
  read(line) {
    const message = readRpcMessage(line);
    if (message?.kind === 'error') return { models: [], commands: [] };
    if (message?.kind !== 'result') return undefined;
    const { data } = message.result;
    if (!Array.isArray(data)) return undefined;
    return { models: array(data).flatMap(modelOf), commands: [] };
  },
};

function modelListFrames(): string[] {
  const frames: string[] = [];
  const client = new AppServerClient({
    write: (frame) => void frames.push(frame),
    onNotification: () => {},
    onRequest: () => false,
  });
  // `read` takes the answers.
  const answer: RpcAnswer = { onError: () => {} };
  client.initialize(answer);
  client.initialized();
  client.listModels(answer);
  return frames;
}

function modelOf(each: unknown): ModelInfo[] {
  const { model, displayName, description, hidden } = object(each);
  const id = string(model);
  if (id === undefined || hidden === true) return [];
  return [{ id, label: string(displayName) ?? id, description: string(description) }];
}
