import {
  actionLine,
  escapedJson,
  type FileChange,
  type PermissionAnswer,
  type PermissionRequest,
  showUnseen,
  showUnseenInLine,
  showUnseenInText,
} from '@baton/protocol/values';
import { oneLine, safe, style } from '../view/style.ts';
import type { Keyboard, Typed } from './keyboard.ts';

const out = process.stdout;
const NO = 'Denied by the user.';
const WIDEST = 120;

/** The person's answer; nothing when they pressed Ctrl-C. */
export async function askPermission(
  request: PermissionRequest,
  keyboard: Keyboard,
  signal: AbortSignal,
  cwd?: string,
): Promise<PermissionAnswer | undefined> {
  const words = oneLine(actionLine(request.tool, request.action, cwd), WIDEST);
  out.write(`${style(out, 'yellow', '?')} Allow ${style(out, 'bold', words)}\n`);
  if (request.reason) out.write(style(out, 'dim', `  ${oneLine(request.reason, WIDEST)}\n`));
  const choices = choicesOf(request);
  const keys = choices.map(([key]) => key).join('');
  for (;;) {
    const question = choiceLines(choices, out.columns || 80);
    const typed = await keyboard.key(question, keys, signal);
    out.write(`${typeof typed === 'object' ? typed.text : ''}\n`);
    if (typed === 'interrupted') return undefined;
    if (typed === 'declined') return { decision: 'deny', reason: NO };
    if (typed.text === 'y') return { decision: 'allow', scope: 'once' };
    if (typed.text === 's') return { decision: 'allow', scope: 'session' };
    if (typed.text === 'a') return { decision: 'allow', scope: 'always' };
    if (typed.text === 'r') return deniedFor(await keyboard.line('  Reason: ', signal));
    if (typed.text === 'n') return { decision: 'deny', reason: NO };
    out.write(`${details(request)}\n`);
  }
}

type Choice = readonly [key: string, words: string];

function choicesOf({ scopes }: PermissionRequest): Choice[] {
  return [
    ['y', 'yes'],
    ...(scopes.includes('session') ? [['s', 'yes, for this session'] as const] : []),
    ...(scopes.includes('always') ? [['a', 'always'] as const] : []),
    ['n', 'no'],
    ['r', 'no, with a reason'],
    ['d', 'details'],
  ];
}

/** The choices, broken between them where a terminal is too narrow for all, with room for the key behind the last. */
export function choiceLines(choices: readonly Choice[], columns: number): string {
  let text = '';
  let column = 0;
  for (const [key, words] of choices) {
    const width = `  [${key}] ${words}`.length;
    if (column > 0 && column + width + ' x'.length > columns) {
      text += '\n';
      column = 0;
    }
    text += `  ${style(out, 'bold', `[${key}]`)} ${words}`;
    column += width;
  }
  return `${text} `;
}

/** A no with a reason, or without one; nothing when Ctrl-C was pressed instead of giving one. */
function deniedFor(typed: Typed): PermissionAnswer | undefined {
  if (typed === 'interrupted') return undefined;
  const reason = typed === 'declined' ? '' : typed.text.trim();
  return { decision: 'deny', reason: reason || NO };
}

/** All that a request says of what is to be allowed. */
export function details(request: PermissionRequest): string {
  const { action } = request;
  if (action.type === 'file.edit') {
    return action.changes.map(changeDetails).join('\n');
  }
  if (action.type === 'command') {
    const where = action.cwd === undefined ? '' : `\n  in ${showUnseenInLine(action.cwd)}`;
    return `${indent(showUnseen(action.command))}${where}`;
  }
  return indent(escapedJson(request.input ?? action));
}

function changeDetails({ path, newPath, kind, diff = '' }: FileChange): string {
  const to = newPath === undefined ? '' : ` → ${showUnseenInLine(newPath)}`;
  const head = `  ${showUnseenInLine(path)}${to}${kind === 'delete' ? ' (deleted)' : ''}`;
  return diff === '' ? head : `${head}\n${indent(safe(showUnseenInText(diff)))}`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => style(out, 'dim', `    ${line}`))
    .join('\n');
}
