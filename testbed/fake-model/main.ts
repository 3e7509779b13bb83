import { parseArgs } from 'node:util';
import { scenarios } from './scenarios.ts';
import { startFakeModel } from './server.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '8787' }, help: { type: 'boolean', short: 'h' } },
});

if (values.help) {
  console.log(`Usage: node fake-model/main.ts [--port 8787]\n\n${listScenarios()}`);
} else {
  const model = await startFakeModel({ port: Number(values.port) });
  console.log(`Fake model on ${model.url} (Ctrl-C ends it)\n\n${listScenarios()}`);
  process.once('SIGINT', () => model.close());
  process.once('SIGTERM', () => model.close());
}

function listScenarios(): string {
  const lines = [...scenarios].map(([key, { about }]) => `  ${`[[${key}]]`.padEnd(22)}${about}`);
  return `Put one of these into a prompt:\n${lines.join('\n')}`;
}
