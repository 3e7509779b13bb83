/** An agent of the Agent Client Protocol that answers a prompt with as many small pieces as its argument says. */
import { createInterface } from 'node:readline';

const count = Number(process.argv[2]);
const send = (frame) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') {
    send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
  }
  if (method === 'session/new') send({ id, result: { sessionId: 'flood' } });
  if (method === 'session/prompt') {
    await flood();
    send({ id, result: { stopReason: 'end_turn' } });
  }
});

async function flood() {
  for (let piece = 1; piece <= count; piece += 1) {
    const content = { type: 'text', text: `${piece} ` };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    const isTaken = send({ method: 'session/update', params: { sessionId: 'flood', update } });
    if (!isTaken) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
