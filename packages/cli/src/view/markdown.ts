import { actionWords, type Entry, type SessionRecord } from '@baton/protocol';
import { duration, usageWords } from './format.ts';
import { oneLine, safe } from './style.ts';

/** So much of the output of a tool is shown. */
const SHOWN = 4000;
const MARKS = { ok: '✓', error: '✗', denied: '⊘', cancelled: '■' } as const;

/** A transcript to read. */
export function markdownOf(session: SessionRecord, entries: readonly Entry[]): string {
  const { session_id, title, cwd, backend, created_at } = session;
  const head = [
    `# ${inline(title) || `Session ${session_id.slice(0, 8)}`}`,
    `${code(backend)} in ${code(cwd)}, begun ${created_at}, session ${code(session_id)}`,
  ];
  const parts = entries.map((entry) => textOf(entry, cwd)).filter((text) => text !== undefined);
  return `${[...head, ...parts].join('\n\n')}\n`;
}

function textOf(entry: Entry, cwd: string): string | undefined {
  switch (entry.kind) {
    case 'prompt': {
      const who = [entry.backend, entry.model].filter(Boolean).join(', ');
      const when = new Date(entry.time).toISOString();
      return `## Prompt for ${code(who)}, ${when}\n\n${quoted(entry.text)}`;
    }
    case 'text':
      return `${safe(entry.text)}${entry.incomplete ? ' […]' : ''}`;
    case 'thinking':
      return `_Thinking:_\n\n${quoted(entry.text)}`;
    case 'tool': {
      const mark = entry.outcome === undefined ? '…' : MARKS[entry.outcome];
      const took = entry.durationMs === undefined ? '' : ` (${duration(entry.durationMs)})`;
      const words = code(actionWords(entry.name, entry.action, cwd));
      const output = entry.output === '' ? '' : `\n\n${fenced(shortened(entry.output))}`;
      return `${mark} ${words}${took}${output}`;
    }
    case 'permission': {
      const { tool, action } = entry.request;
      const became = entry.decision ?? 'not answered yet';
      const why = entry.reason ? `: ${inline(entry.reason)}` : '';
      return `**May I** ${code(actionWords(tool, action, cwd))}? — ${became}${why}`;
    }
    case 'question':
      return entry.questions
        .map(({ id, question }) => {
          const answers = entry.answers?.[id]?.map(inline).join(', ');
          return `**${inline(question)}** — ${answers ?? 'not answered'}`;
        })
        .join('\n\n');
    case 'plan':
      return entry.entries
        .map(({ text, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${inline(text)}`)
        .join('\n');
    case 'file':
      return `Changed ${code(entry.change.path)}`;
    case 'notice':
      return entry.level === 'info' ? undefined : `_${entry.level}: ${inline(entry.message)}_`;
    case 'unparsed':
      return undefined;
    case 'stop':
      return `_Stop requested${entry.reason ? `: ${inline(entry.reason)}` : ''}_`;
    case 'change':
      return undefined;
    case 'result': {
      const facts = [duration(entry.durationMs), ...usageWords(entry.usage)].join(' · ');
      const error = entry.error ? ` — ${inline(entry.error.message)}` : '';
      return `**${entry.outcome.replace('_', ' ')}** after ${facts}${error}`;
    }
  }
}

function inline(text: string): string {
  return oneLine(text, Number.POSITIVE_INFINITY);
}

/** Whatever the text contains, it stays inside. */
function code(text: string): string {
  const flat = inline(text);
  const ticks = '`'.repeat(longestRun(flat) + 1);
  return ticks.length === 1 ? `\`${flat}\`` : `${ticks} ${flat} ${ticks}`;
}

function fenced(text: string): string {
  const plain = safe(text).replace(/\n+$/, '');
  const fence = '`'.repeat(Math.max(3, longestRun(plain) + 1));
  return `${fence}\n${plain}\n${fence}`;
}

function longestRun(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
}

function quoted(text: string): string {
  return safe(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function shortened(text: string): string {
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, SHOWN)}\n… ${text.length - SHOWN} more characters`;
}
