// Runs a prompt through a daemon, and survives a cut connection. BATON_URL and BATON_TOKEN say which daemon.
import { BatonClient } from '@baton/client';

const { BATON_URL: url = 'http://127.0.0.1:3030', BATON_TOKEN: token } = process.env;
const [prompt = 'Show me what you do.'] = process.argv.slice(2);
const client = new BatonClient({ url, token });

const run = await client.launch({
  backend: 'demo',
  cwd: process.cwd(),
  prompt,
  permissionMode: 'allow-all',
  onConnection: (state) => console.log(`[connection ${state}]`),
});
for await (const text of run.text()) process.stdout.write(text);
const { outcome, durationMs } = await run.result;
console.log(`\n${outcome} in ${durationMs} ms`);
client.close();
