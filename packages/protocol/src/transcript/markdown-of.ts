import { showUnseenInLine } from '../unseen.ts';
import { actionLine } from './action-line.ts';
import type { Entry, PermissionEntry, PromptEntry, QuestionEntry, ToolEntry } from './entry.ts';
import { code, fenced, inline, quoted } from './markdown.ts';
import { plainOutput } from './plain-output.ts';
import { givenAnswers, permissionOutcome, settledBy, settledWhy } from './settlement.ts';
import { TurnOrder } from './turn-order.ts';
import { usageWords } from './usage-words.ts';

type Session = {
  session_id: string;
  title: string;
  cwd: string;
  backend: string;
  created_at: string;
};
type Attachment = { attachment_id: string; name: string };

/** So much of the output of a tool is shown. */
const SHOWN = 4000;
const MARKS = { ok: '✓', error: '✗', denied: '⊘', cancelled: '■' } as const;

/** A session as a text that people can read anywhere; the attachments are those that its prompts may name. */
export function markdownOf(
  { session_id, title, cwd, backend, created_at }: Session,
  entries: readonly Entry[],
  attachments: readonly Attachment[],
): string {
  const names = new Map(attachments.map(({ attachment_id, name }) => [attachment_id, name]));
  const order = new TurnOrder();
  const begun = order.inOrder(entries);
  // Prompts are where their turn starts, and queued ones at the end.
  const parts = [...begun, ...order.waiting()]
    .map((entry) => cancelledPart(order.cancelledBy(entry.cursor)) ?? partOf(entry, cwd, names))
    .filter((part) => part !== undefined);
  const head = [
    `# ${inline(title) || `Session ${session_id.slice(0, 8)}`}`,
    `${code(backend)} in ${code(showUnseenInLine(cwd))}, started ${created_at}, session ${code(session_id)}`,
  ];
  return `${[...head, ...parts].join('\n\n')}\n`;
}

function cancelledPart(prompt: Entry | undefined): string | undefined {
  if (prompt?.kind !== 'prompt') return undefined;
  return `_Cancelled while queued:_\n\n${quoted(prompt.text)}`;
}

function partOf(entry: Entry, cwd: string, names: ReadonlyMap<string, string>): string | undefined {
  switch (entry.kind) {
    case 'prompt':
      return promptPart(entry, names);
    case 'text':
      return `${plainOutput(entry.text)}${entry.incomplete ? ' […]' : ''}`;
    case 'thinking':
      return `_Thinking:_\n\n${quoted(entry.text)}`;
    case 'tool':
      return toolPart(entry, cwd);
    case 'permission':
      return permissionPart(entry, cwd);
    case 'question':
      return questionPart(entry);
    case 'plan':
      return entry.entries
        .map(({ text, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${inline(text)}`)
        .join('\n');
    case 'file':
      return `Changed ${code(showUnseenInLine(entry.change.path))}`;
    case 'notice':
      if (entry.code === 'steered') return `_Steered:_\n\n${quoted(entry.message)}`;
      return entry.level === 'info' ? undefined : `_${entry.level}: ${inline(entry.message)}_`;
    case 'stop':
      return `_Stop requested${entry.reason ? `: ${inline(entry.reason)}` : ''}_`;
    case 'result': {
      const facts = [seconds(entry.durationMs), ...usageWords(entry.usage)].join(' · ');
      const error = entry.error ? ` — ${inline(entry.error.message)}` : '';
      return `**${entry.outcome.replace('_', ' ')}** after ${facts}${error}`;
    }
    default:
      return undefined;
  }
}

function promptPart(
  { text, time, backend, model, attachments = [] }: PromptEntry,
  names: ReadonlyMap<string, string>,
): string {
  const who = [backend, model].filter(Boolean).join(', ');
  const head = `## Prompt for ${code(who)}, ${new Date(time).toISOString()}\n\n${quoted(text)}`;
  if (attachments.length === 0) return head;
  const files = attachments.map((id) => code(names.get(id) ?? 'a deleted file'));
  return `${head}\n\nAttached: ${files.join(', ')}`;
}

function toolPart({ name, action, outcome, durationMs, output }: ToolEntry, cwd: string): string {
  const mark = outcome === undefined ? '…' : MARKS[outcome];
  const took = durationMs === undefined ? '' : ` (${seconds(durationMs)})`;
  const line = `${mark} ${code(actionLine(name, action, cwd))}${took}`;
  return output === '' ? line : `${line}\n\n${fenced(beginningWithCount(output))}`;
}

function permissionPart(entry: PermissionEntry, cwd: string): string {
  const { tool, action } = entry.request;
  const words = code(actionLine(tool, action, cwd));
  const edit = entry.edited ? ` to ${code(actionLine(tool, entry.edited.action, cwd))}` : '';
  return `**Permission request:** ${words} — ${permissionOutcome(entry)}${edit}${reasons(entry)}`;
}

function questionPart(entry: QuestionEntry): string {
  const given = givenAnswers(entry);
  return entry.questions
    .map(({ id, question }) => {
      const answers = given?.[id]?.map(inline).join(', ');
      return `**${inline(question)}** — ${answers ?? `not answered${reasons(entry)}`}`;
    })
    .join('\n\n');
}

function reasons(entry: PermissionEntry | QuestionEntry): string {
  const by = settledBy(entry);
  const why = settledWhy(entry);
  return `${by ? ` ${by}` : ''}${why ? `: ${inline(why)}` : ''}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function beginningWithCount(text: string): string {
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, SHOWN)}\n… ${text.length - SHOWN} more characters`;
}
