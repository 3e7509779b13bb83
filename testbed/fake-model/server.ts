import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { findPrompt } from './conversation.ts';
import { parseObject } from './json.ts';
import { perform } from './perform.ts';
import { type RecordedRequest, recordRequest } from './record.ts';
import { findRoute } from './routes.ts';
import { Scripts } from './scripts.ts';
import type { Step } from './steps.ts';
import { sendFailure, sendWhole } from './wire.ts';

/** A running server that plays the model of any agent pointed at it. */
export interface FakeModel {
  /** Without a path: agents of OpenAI want `/v1` added, the others do not. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Sets what the model does, turn by turn, after a prompt with `[[key]]` in it. */
  script(key: string, steps: Step[]): void;
  /** Forgets all scripts and requests. */
  reset(): void;
  /** Ends every connection and timer. */
  close(): Promise<void>;
}

/** Starts a fake model server on a loopback port, a free one unless told. */
export async function startFakeModel(options: { port?: number } = {}): Promise<FakeModel> {
  const scripts = new Scripts();
  const requests: RecordedRequest[] = [];
  const closing = new AbortController();
  let serial = 0;

  const server = createServer((incoming, response) => {
    const hungUp = new AbortController();
    response.once('close', () => hungUp.abort());
    const signal = AbortSignal.any([hungUp.signal, closing.signal]);
    serial += 1;
    answer(incoming, response, serial, signal).catch((error: unknown) => {
      response.destroy();
      if (!signal.aborted) throw error;
    });
  });

  async function answer(
    incoming: IncomingMessage,
    response: ServerResponse,
    serial: number,
    signal: AbortSignal,
  ): Promise<void> {
    const body = parseObject(await text(incoming));
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    const route = findRoute(incoming.method ?? '', url.pathname);
    const id = `req_fake_${String(serial).padStart(6, '0')}`;
    response.setHeader('request-id', id);
    response.setHeader('x-request-id', id);

    if (!route || 'reply' in route) {
      requests.push(recordRequest(incoming, body, { api: route?.api }));
      if (!route) return sendFailure(notFound, { response });
      return sendWhole(route.reply(body), { response });
    }
    const { dialect, api } = route;
    const request = dialect.read(body, url);
    const prompt = findPrompt(request.items);
    const { step, index } = scripts.choose(prompt);
    requests.push(recordRequest(incoming, body, { api, key: prompt.key, step: index }));
    await perform(step, { dialect, request, response, serial, turns: prompt.turns, signal });
  }

  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    script: (key, steps) => scripts.register(key, steps),
    reset: () => {
      scripts.clear();
      requests.length = 0;
    },
    close: () => {
      closing.abort();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const notFound = {
  status: 404,
  body: { error: { type: 'not_found_error', message: 'The fake model has no such path.' } },
};

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
