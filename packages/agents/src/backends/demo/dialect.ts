import { isObject, parseJson } from '@baton/config/values/json';
import type { Dialect, DialectEntry, DialectOut, Verdict } from '@baton/engine/definition/dialect';
import { judgeEnd } from '@baton/engine/normalize/end-verdict';
import { plainText } from '@baton/engine/normalize/plain-text';
import type { DemoCommand, DemoLine } from './protocol.ts';

const LABEL = 'The demo agent';

/** Reads the demo agent, which speaks Baton's own vocabulary. */
export function demoDialect(
  out: DialectOut,
  opening?: Extract<DemoCommand, { type: 'open' }>,
): Dialect {
  let open = true;
  let understood = false;
  const send = (command: DemoCommand) => out.write(JSON.stringify(command));
  return {
    open: () => opening && send(opening),
    prompt: ({ text }) => {
      open = true;
      send({ type: 'prompt', text });
    },
    line: (line) => {
      const parsed = parseJson(line);
      if (!isDemoLine(parsed)) return out.emit({ type: 'unparsed', source: 'stdout', line });
      understood = true;
      if (parsed.type !== 'turn.completed') return out.emit(parsed);
      open = false;
      out.complete(parsed.verdict);
    },
    answer: (requestId, answer) => send({ type: 'answer', requestId, answer }),
    steer: (text) => send({ type: 'steer', text }),
    interrupt: () => {
      send({ type: 'interrupt' });
      return true;
    },
    end: (end): Verdict | undefined => (open ? judgeEnd(end, LABEL, { understood }) : undefined),
  };
}

export const demoDialects: readonly DialectEntry[] = [
  {
    transport: 'live',
    recognises: (line) => isDemoLine(parseJson(line)),
    create: (out) => demoDialect(out),
  },
  { transport: 'plain', recognises: () => false, create: (out) => plainText(out, LABEL) },
];

const LINE_TYPES: ReadonlySet<string> = new Set<DemoLine['type']>([
  'run.identified',
  'message.started',
  'message.delta',
  'message.completed',
  'tool.started',
  'tool.updated',
  'tool.completed',
  'permission.requested',
  'question.requested',
  'plan.updated',
  'usage.updated',
  'notice',
  'turn.completed',
]);

function isDemoLine(value: unknown): value is DemoLine {
  return isObject(value) && typeof value.type === 'string' && LINE_TYPES.has(value.type);
}
