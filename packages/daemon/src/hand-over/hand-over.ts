import { actionWords, type Entry } from '@baton/protocol';

type HandOverOptions = {
  /** No longer than this. */
  maxLength: number;
  cwd: string;
};

/** An answer may be long; what an agent has to know of it is mostly at its beginning and its end. */
const LONGEST_ENTRY = 4000;
const INTRODUCTION =
  'You are continuing a conversation in this folder that another agent started. An abridged transcript:';
const CLOSING = 'Continue from there. The user now says:';
const LEFT_OUT = '[…]';

/** Tells an agent that was not there what happened in a conversation: the first prompt and as much of the end as fits. */
export function handOver(
  entries: readonly Entry[],
  { maxLength, cwd }: HandOverOptions,
): string | undefined {
  // A prompt that no agent has done anything about needs no story.
  if (!entries.some(({ kind }) => kind === 'text' || kind === 'tool')) return undefined;
  const told = entries.flatMap((entry) => paragraph(entry, cwd) ?? []);
  const [first = ''] = told;
  const whole = [INTRODUCTION, ...told, CLOSING].join('\n\n');
  if (whole.length <= maxLength) return whole;
  const frame = [INTRODUCTION, first, LEFT_OUT, CLOSING].join('\n\n').length;
  return [INTRODUCTION, first, LEFT_OUT, ...lastOf(told.slice(1), maxLength - frame), CLOSING].join(
    '\n\n',
  );
}

/** As many of the last paragraphs as fit. */
function lastOf(paragraphs: readonly string[], room: number): string[] {
  const kept: string[] = [];
  let left = room;
  for (const paragraph of paragraphs.toReversed()) {
    left -= paragraph.length + 2;
    if (left < 0) break;
    kept.unshift(paragraph);
  }
  return kept;
}

function paragraph(entry: Entry, cwd: string): string | undefined {
  // What a sub-agent does is told by its call.
  if (entry.parentKey !== undefined) return undefined;
  switch (entry.kind) {
    case 'prompt':
      return `User: ${withoutMiddle(entry.text)}`;
    case 'text':
      return entry.text === '' ? undefined : `Agent: ${withoutMiddle(entry.text)}`;
    case 'tool':
      return `[${withoutMiddle(actionWords(entry.name, entry.action, cwd))}${outcome(entry)}]`;
    case 'result':
      return entry.outcome === 'done' ? undefined : `[This ended as ${entry.outcome}.]`;
    default:
      return undefined;
  }
}

function outcome({ outcome, action }: Extract<Entry, { kind: 'tool' }>): string {
  if (action.type === 'command' && action.exitCode) return `: exit code ${action.exitCode}`;
  return outcome === undefined || outcome === 'ok' ? '' : `: ${outcome}`;
}

function withoutMiddle(text: string): string {
  if (text.length <= LONGEST_ENTRY) return text;
  const half = LONGEST_ENTRY / 2;
  return `${text.slice(0, half)} ${LEFT_OUT} ${text.slice(-half)}`;
}
