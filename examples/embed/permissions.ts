// Asks at the terminal what the agent may do. The question goes away when nobody answers it in time.
import { createInterface } from 'node:readline/promises';
import { loadBackend } from '@baton/runtime';

const [timeoutMs = '60000'] = process.argv.slice(2);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const agent = await loadBackend('demo');
const run = agent.run({
  prompt: 'demo:script [{"shell":"echo I ran > ran.txt"},{"say":"Finished."}]',
  permissionMode: 'ask',
  requests: { timeoutMs: Number(timeoutMs), otherwise: 'deny' },
  onRequest: async ({ kind, request }, { signal }) => {
    if (kind === 'question') return { declined: true };
    signal.addEventListener('abort', () => console.log('(the question is closed)'));
    const answer = await terminal.question(`Allow ${request.tool}? [y/N] `, { signal });
    return { decision: answer === 'y' ? 'allow' : 'deny' };
  },
});

for await (const event of run) {
  if (event.type === 'permission.resolved') console.log(`${event.decision} by ${event.by}`);
  if (event.type === 'tool.completed') console.log(`${event.name}: ${event.outcome}`);
}
terminal.close();
