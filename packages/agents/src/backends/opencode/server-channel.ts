import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Json, parseJson } from '@baton/config/values/json';
import type { Channel, ConnectInput } from '@baton/engine/definition/driver';
import { LineSplitter } from '@baton/process/line-splitter';
import { BatonError } from '@baton/protocol/values';
import { LABEL } from '../../dialects/opencode-json/errors.ts';

/** A request that the dialect sends as a frame; the answer comes back as a message `{ response, status, body }`. */
export type ServerRequest = {
  id: number;
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: Json | undefined;
};

type ServerInput = Pick<ConnectInput, 'onMessage' | 'onClose' | 'signal'> & {
  url: string;
  password: string;
};

/** The name that the server wants beside the password. */
export const SERVER_USER = 'opencode';

/** Connects to a server of OpenCode: its events come as they happen, and frames are requests to it. */
export async function serverChannel(input: ServerInput): Promise<Channel> {
  const { url, password, onMessage, onClose } = input;
  const quit = new AbortController();
  // Connections must not outlive the server: the next one may listen at the same address.
  const agent = new Agent({ keepAlive: true });
  const close = () => {
    quit.abort();
    agent.destroy();
  };
  const send = async ({ method, path, body }: Omit<ServerRequest, 'id'>) => {
    const headers = { 'content-type': 'application/json' };
    const auth = `${SERVER_USER}:${password}`;
    const { signal } = quit;
    const call = request(`${url}${path}`, { method, agent, auth, headers, signal });
    call.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return response;
  };
  const ask = async ({ id, ...rest }: ServerRequest): Promise<void> => {
    const response = await send(rest);
    const words = await text(response);
    const body = parseJson(words) ?? words;
    onMessage(JSON.stringify({ response: id, status: response.statusCode, body }));
  };
  input.signal.addEventListener('abort', close, { once: true });
  const events = await send({ method: 'GET', path: '/event' });
  input.signal.removeEventListener('abort', close);
  if (events.statusCode !== 200) {
    close();
    const message = `The server of ${LABEL} refused the connection (${events.statusCode}).`;
    throw new BatonError('agent_crashed', message);
  }
  readEvents(events, onMessage).then(
    () => onClose('its server ended the stream of events'),
    (error: unknown) => onClose(quit.signal.aborted ? undefined : String(error)),
  );
  return {
    send: (frame) => {
      const asked = JSON.parse(frame) as ServerRequest;
      ask(asked).catch((error: unknown) => {
        if (quit.signal.aborted) return;
        onMessage(JSON.stringify({ response: asked.id, status: 0, body: String(error) }));
      });
    },
    close,
  };
}

/** Server-sent events with one line of data each. The server's heartbeat is left out: it says nothing of the agent. */
async function readEvents(
  events: IncomingMessage,
  onMessage: (message: string) => void,
): Promise<void> {
  const lines = new LineSplitter((line) => {
    if (line.startsWith('data:') && !line.includes('"type":"server.heartbeat"')) {
      onMessage(line.slice('data:'.length).trim());
    }
  });
  for await (const chunk of events) lines.push(chunk as Buffer);
}
