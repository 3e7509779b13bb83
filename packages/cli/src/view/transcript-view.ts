import {
  type AgentEvent,
  actionLine,
  type EventOf,
  usageWords,
  wholeOutputWords,
} from '@baton/protocol';
import { asked, oneLine, safe } from './style.ts';
import type { View } from './view.ts';

/** A recording as a person would want to read it, one entry after the other. */
export function transcriptView(): View {
  const unparsed = new UnparsedCount();
  return {
    show(event) {
      for (const text of [unparsed.see(event), eventText(event)]) {
        if (text !== undefined) process.stdout.write(`${text}\n`);
      }
    },
  };
}

/** Counts unparsed lines, and reports them in one line at the end of their run. */
export class UnparsedCount {
  #counts = new Map<string, number>();

  see(event: { type: string; runId?: string }): string | undefined {
    const { type, runId = '' } = event;
    const count = this.#counts.get(runId) ?? 0;
    if (type === 'unparsed') this.#counts.set(runId, count + 1);
    if (type !== 'run.completed' || !this.#counts.delete(runId)) return undefined;
    return `?? ${unparsedWords(count)}; --json has them`;
  }
}

export function unparsedWords(count: number): string {
  return `${count === 1 ? '1 line' : `${count} lines`} of unrecognized output`;
}

/** An event as a line or some to read; nothing when there is nothing to read. */
export function eventText(event: AgentEvent): string | undefined {
  const text = wordsOf(event);
  if (text === undefined) return undefined;
  return process.stdout.isTTY ? asked(text) : safe(text);
}

function wordsOf(event: AgentEvent): string | undefined {
  const indent = 'parentId' in event && event.parentId ? '    ' : '';
  switch (event.type) {
    case 'run.started':
      return `# ${event.backend} (${event.transport})`;
    case 'run.identified':
      return `# session ${event.nativeSessionId}${event.model ? `, ${event.model}` : ''}`;
    case 'message.completed':
      return `${indent}${event.kind === 'thinking' ? '(thinking) ' : ''}${event.text}${event.incomplete ? ' […]' : ''}`;
    case 'tool.completed':
      return `${indent}[${event.outcome}] ${oneLine(actionLine(event.name, event.action), 160)}${output(event.output)}${cut(event)}`;
    case 'permission.requested':
      return `${indent}? permission: ${oneLine(actionLine(event.tool, event.action), 160)}`;
    case 'permission.resolved':
      return `${indent}  ${event.decision} (${event.by})${edit(event)}${event.reason ? `: ${event.reason}` : ''}`;
    case 'question.requested':
      return event.questions.map(({ question }) => `${indent}? ${asked(question)}`).join('\n');
    case 'question.resolved':
      return `${indent}  ${asked(answerWords(event))}`;
    case 'plan.updated':
      return event.entries.map(({ status, text }) => `${indent}- [${status}] ${text}`).join('\n');
    case 'notice':
      return `${indent}! ${event.code}: ${oneLine(event.message, 160)}`;
    case 'run.completed':
      return [
        `= ${event.outcome}`,
        ...usageWords(event.usage),
        event.error?.code,
        event.error?.message,
      ]
        .filter(Boolean)
        .join(' · ');
  }
}

function edit({ action }: EventOf<'permission.resolved'>): string {
  return action ? `, edited: ${oneLine(actionLine('', action), 160)}` : '';
}

function answerWords({ answers, by, reason }: EventOf<'question.resolved'>): string {
  const words = Object.values(answers ?? {}).map((each) => each.join(', '));
  return `${words.join('; ') || reason || 'no answer'} (${by})`;
}

function cut({ wholeOutput }: EventOf<'tool.completed'>): string {
  return wholeOutput ? `\n    [${wholeOutputWords(wholeOutput)}]` : '';
}

function output(text: string | undefined): string {
  return text ? `\n    ${oneLine(text, 200)}` : '';
}
