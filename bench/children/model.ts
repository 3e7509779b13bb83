import { startFakeModel } from '../../testbed/fake-model/index.ts';
import type { Step } from '../../testbed/fake-model/steps.ts';

const FORGET_EVERY_MS = 2000;
const SCRIPTS: Readonly<Record<string, Step[]>> = {
  sleep: [{ tools: [{ shell: 'sleep 60' }] }],
  silence: [{ hang: 'mid-stream' }],
};

/** The fake model as a program of its own, so that its work is not measured; it ends with its standard input. */
const model = await startFakeModel();
prepare();
const forgetting = setInterval(() => {
  model.reset();
  prepare();
}, FORGET_EVERY_MS);
process.stdin.on('end', () => {
  clearInterval(forgetting);
  void model.close();
});
process.stdin.resume();
console.log(model.url);

function prepare(): void {
  for (const [key, steps] of Object.entries(SCRIPTS)) model.script(key, steps);
}
