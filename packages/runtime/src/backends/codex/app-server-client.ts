import { resolve } from 'node:path';
import type { ImageInput } from '@baton/protocol';
import type { PromptInput } from '../../dialect.ts';
import type { Json } from '../../normalize/json.ts';
import { IGNORED } from './app-server-notices.ts';
import type { RpcId } from './rpc.ts';
import type { Place } from './threads.ts';

/** What was asked of the app server, so that its answer can be understood. */
export type Sent = 'initialize' | 'login' | 'thread' | 'turn' | 'steer' | 'interrupt';

/** The request that gives a thread. */
export type ThreadRequest = {
  method: 'thread/start' | 'thread/resume' | 'thread/fork';
  params: Json;
};

const CLIENT_INFO = { name: 'baton', title: 'Baton', version: '0.1.0' };

/** Writes what an app server is told. */
export class AppServerClient {
  #write: (frame: string) => void;
  #nextId = 1;
  #sent = new Map<RpcId, Sent>();

  constructor(write: (frame: string) => void) {
    this.#write = write;
  }

  initialize(): void {
    // What would be ignored need not be sent: the edits of a turn grow with it and come again after each one.
    const capabilities = { experimentalApi: true, optOutNotificationMethods: [...IGNORED] };
    this.#request('initialize', 'initialize', { clientInfo: CLIENT_INFO, capabilities });
  }

  /** Answers the greeting. */
  initialized(): void {
    this.#send({ method: 'initialized' });
  }

  login(apiKey: string): void {
    this.#request('login', 'account/login/start', { type: 'apiKey', apiKey });
  }

  openThread({ method, params }: ThreadRequest): void {
    this.#request('thread', method, params);
  }

  startTurn(threadId: string, { text, images }: PromptInput, cwd: string, turn: Json): void {
    const input = [textInput(text), ...images.map((image) => imageInput(image, cwd))];
    this.#request('turn', 'turn/start', { ...turn, threadId, input });
  }

  steer({ threadId, turnId }: Place, text: string): void {
    const input = [textInput(text)];
    this.#request('steer', 'turn/steer', { threadId, expectedTurnId: turnId, input });
  }

  interrupt({ threadId, turnId }: Place): void {
    this.#request('interrupt', 'turn/interrupt', { threadId, turnId });
  }

  answer(id: RpcId, result: Json): void {
    this.#send({ id, result });
  }

  /** Codex waits for every request of its own, so one that cannot be answered is refused. */
  refuse(id: RpcId, method: string): void {
    this.#send({ id, error: { code: -32601, message: `Baton does not support ${method}` } });
  }

  /** What an answer is the answer to; nothing in a recording, where somebody else asked. */
  answered(id: RpcId): Sent | undefined {
    const sent = this.#sent.get(id);
    this.#sent.delete(id);
    return sent;
  }

  #request(sent: Sent, method: string, params: Json): void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#sent.set(id, sent);
    this.#send({ id, method, params });
  }

  #send(frame: Json): void {
    this.#write(JSON.stringify(frame));
  }
}

function textInput(text: string): Json {
  return { type: 'text', text, text_elements: [] };
}

function imageInput(image: ImageInput, cwd: string): Json {
  if ('path' in image) return { type: 'localImage', path: resolve(cwd, image.path) };
  return { type: 'image', url: `data:${image.mimeType};base64,${image.data}` };
}
