import { type Host, showUnseenInLine } from '@baton/protocol/values';
import { style } from '../view/style.ts';
import { choiceLines } from './ask-permission.ts';
import { Keyboard } from './keyboard.ts';

const out = process.stdout;

export type TrustQuestion = {
  backend: string;
  /** Display name of the agent. */
  label: string;
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
};

/**
 * Asks the user at the terminal, once per folder, whether the agent may use the settings of the folder. Returns the
 * answer, which the host stores; undefined if there is nothing to ask, and `interrupted` if the user pressed Ctrl-C.
 */
export async function askTrust(
  host: Host,
  { label, ...request }: TrustQuestion,
): Promise<boolean | 'interrupted' | undefined> {
  const { folder, decidedBy, settings } = await host.trustOf(request);
  if (decidedBy !== undefined || settings.length === 0) return undefined;
  const names = settings.map((path) => showUnseenInLine(path)).join(', ');
  out.write(
    `${style(out, 'yellow', '?')} Do you trust ${style(out, 'bold', showUnseenInLine(folder))}?\n`,
  );
  out.write(
    style(
      out,
      'dim',
      `  It has settings for ${label} (${names}), which can start programs and allow tools.\n`,
    ),
  );
  const typed = await chosenKey();
  if (typed === 'interrupted') return 'interrupted';
  const trusted = typed === 'y';
  await host.keepTrust(folder, trusted);
  return trusted;
}

/** Anything but a yes is a no. */
async function chosenKey(): Promise<string> {
  const keyboard = new Keyboard();
  keyboard.open();
  try {
    const choices = [
      ['y', 'yes, use them'],
      ['n', 'no, run without them'],
    ] as const;
    const question = choiceLines(choices, out.columns || 80);
    const typed = await keyboard.key(question, 'yn', new AbortController().signal);
    const key = typeof typed === 'object' ? typed.text : typed;
    out.write(`${typeof typed === 'object' ? key : ''}\n`);
    return key;
  } finally {
    keyboard.close();
  }
}
