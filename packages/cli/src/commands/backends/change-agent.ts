import { compareVersions } from '@baton/agent-tools/install/compare-versions';
import {
  type InstallResult,
  type InstallStep,
  installAgent,
  uninstallAgent,
  updateAgent,
} from '@baton/agent-tools/install/install-agent';
import type { Baton } from '@baton/agents/registry/baton';
import { BatonError } from '@baton/protocol/values';
import { EXIT, exitCodeOfError } from '../../exit-codes.ts';
import { runCommand } from '../../run/list-backends.ts';
import { choiceLines } from '../../terminal/ask-permission.ts';
import { Keyboard } from '../../terminal/keyboard.ts';
import { safe, style } from '../../view/style.ts';

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const CLEAR_LINE = '\r\u001b[K';

type ChangeOptions = { isJson: boolean; allowScripts: boolean };

/** Installs, updates or removes an agent for the user, and tells what happened. */
export async function changeAgent(
  baton: Baton,
  action: 'install' | 'update' | 'remove',
  name: string,
  options: ChangeOptions,
): Promise<number> {
  try {
    return await change(baton, action, name, options);
  } catch (error) {
    if (!options.isJson || !BatonError.is(error)) throw error;
    process.stdout.write(`${JSON.stringify({ error: error.toJSON() }, null, 2)}\n`);
    return exitCodeOfError(error.code);
  }
}

async function change(
  baton: Baton,
  action: 'install' | 'update' | 'remove',
  name: string,
  options: ChangeOptions,
): Promise<number> {
  const out = process.stdout;
  if (action === 'remove') {
    const removed = uninstallAgent(baton.registry, name);
    out.write(
      options.isJson
        ? `${JSON.stringify({ removed }, null, 2)}\n`
        : `Removed ${removed.name} ${removed.version}.\n`,
    );
    return EXIT.done;
  }
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  for (const signal of STOPPING) process.on(signal, interrupt);
  const progress = new Progress();
  try {
    const put = action === 'install' ? installAgent : updateAgent;
    const result = await put(baton.registry, {
      name,
      allowScripts: scriptPolicy(options, progress, stop),
      signal: stop.signal,
      onStep: (step) => progress.show(step),
    });
    progress.clear();
    out.write(
      options.isJson ? `${JSON.stringify(result, null, 2)}\n` : words(baton, action, result),
    );
    return EXIT.done;
  } catch (error) {
    progress.clear();
    if (!BatonError.is(error) || error.code !== 'interrupted' || options.isJson) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT.interrupted;
  } finally {
    for (const signal of STOPPING) process.off(signal, interrupt);
  }
}

function words(baton: Baton, action: 'install' | 'update', result: InstallResult): string {
  const { name, version, before, integrity, scripts, skippedScripts, untested } = result;
  const newer = untested
    ? `${untested} is newer, but not yet tested with Baton. To use it: baton backends install ${name}@${untested}\n`
    : '';
  if (before === version) {
    const hint =
      action === 'install' ? ` Run "baton backends update ${name}" for a newer release.` : '';
    return `${name} ${version} is already installed.${hint}\n${newer}`;
  }
  const change =
    before === undefined
      ? `Installed ${name} ${version}`
      : `${compareVersions(version, before) < 0 ? 'Downgraded' : 'Updated'} ${name} ${before} to ${version}`;
  const lines = [
    `${change} in ~/.baton/agents/${name}.`,
    style(process.stdout, 'dim', `  checksum: ${integrity}`),
    ...(scripts.length > 0 ? [`  Install scripts run: ${scripts.join(', ')}`] : []),
    ...(skippedScripts.length > 0
      ? [`  Install scripts not run (${name} starts without them): ${skippedScripts.join(', ')}`]
      : []),
    `Try it: ${runCommand(baton, name)} "Say hello"`,
  ];
  return `${lines.join('\n')}\n${newer}`;
}

/** Scripts run if the flag allows them, or the person at the terminal does. */
function scriptPolicy(
  { isJson, allowScripts }: ChangeOptions,
  progress: Progress,
  stop: AbortController,
): 'yes' | 'no' | ((packages: readonly string[]) => Promise<boolean>) {
  if (allowScripts) return 'yes';
  const canAsk = !isJson && process.stdin.isTTY && process.stdout.isTTY;
  if (!canAsk) return 'no';
  return async (packages) => {
    progress.clear();
    const answer = await askScripts(packages, stop.signal);
    if (answer === 'interrupted') stop.abort();
    return answer === 'y';
  };
}

/** Anything but a yes is a no. */
async function askScripts(packages: readonly string[], signal: AbortSignal): Promise<string> {
  const out = process.stdout;
  out.write(
    `${style(out, 'yellow', '?')} The agent does not start without install scripts. Run those of ${packages.map(safe).join(', ')}?\n`,
  );
  out.write(style(out, 'dim', '  They are programs that run as you, now, without a sandbox.\n'));
  const keyboard = new Keyboard();
  keyboard.open();
  try {
    const choices = [
      ['y', 'yes, run them'],
      ['n', 'no, do not install the agent'],
    ] as const;
    const question = choiceLines(choices, out.columns || 80);
    const typed = await keyboard.key(question, 'yn', signal);
    const key = typeof typed === 'object' ? typed.text : typed;
    out.write(`${typeof typed === 'object' ? key : ''}\n`);
    return key;
  } finally {
    keyboard.close();
  }
}

/** One line on a terminal that tells what is being done. */
class Progress {
  #isShown = false;

  show(step: InstallStep): void {
    if (!process.stderr.isTTY) return;
    process.stderr.write(CLEAR_LINE + style(process.stderr, 'dim', stepWords(step)));
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) process.stderr.write(CLEAR_LINE);
    this.#isShown = false;
  }
}

function stepWords(step: InstallStep): string {
  switch (step.step) {
    case 'resolve':
      return 'Looking for the release…';
    case 'download':
      return `Downloading ${step.package}@${step.version}: ${step.files} files…`;
    case 'scripts':
      return `Running the install scripts of ${step.packages.join(', ')}…`;
    case 'check':
      return 'Checking that the agent starts…';
  }
}
