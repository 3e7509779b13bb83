// Stops an agent while its tool runs in a session of its own, where no signal to the agent reaches it, and looks
// whether the tool survives.
import { existsSync, readFileSync } from 'node:fs';
import { loadBackend } from '@baton/runtime';

// A shell that became the sleep would have no command line for an instant, and look dead.
const tool = { shell: 'echo $$; sleep 600; true', ownSession: true };
const prompt = `demo:script ${JSON.stringify([tool])}`;
const agent = await loadBackend('demo');
const run = agent.run({ prompt, permissionMode: 'allow-all' });

let pid = 0;
for await (const event of run) {
  if (event.type !== 'tool.updated' || !event.output) continue;
  pid = Number(event.output);
  console.log(`before: process ${pid} ${isAlive(pid) ? 'runs' : 'is gone'}`);
  void run.cancel('That is enough.');
}

const { outcome, stop } = await run.result;
console.log(`after:  process ${pid} ${isAlive(pid) ? 'runs' : 'is gone'}`);
console.log(outcome, stop?.state, stop?.steps);

function isAlive(id: number): boolean {
  try {
    // The dead keep their number, but not their command line, until their parent has taken note.
    const [list, line] = ['/proc/self', `/proc/${id}/cmdline`];
    return existsSync(list) ? readFileSync(line, 'utf8') !== '' : process.kill(id, 0);
  } catch {
    return false;
  }
}
