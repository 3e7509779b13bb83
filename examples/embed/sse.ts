// POST a prompt, and get the events of its run as server-sent events. The agent is stopped when the client leaves.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type AgentRun, BatonError, loadBackend } from '@baton/runtime';

const agent = await loadBackend('demo');
const server = createServer(async (request, response) => {
  let run: AgentRun;
  try {
    run = agent.run({ prompt: await text(request), permissionMode: 'allow-all' });
  } catch (error) {
    response.writeHead(BatonError.is(error) ? 400 : 500).end(String(error));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  await run
    .toSSE()
    .pipeTo(Writable.toWeb(response))
    .catch(() => {}); // The client has left.
  const { outcome, stop } = await run.result;
  console.log(outcome, stop?.state ?? 'by itself');
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
