import { type AgentEvent, actionLine, type EventOf } from '@baton/protocol';
import { errorLines } from './error.ts';
import { duration } from './format.ts';
import { oneLine, safe } from './style.ts';
import type { View } from './view.ts';

/** The answer on standard output and nothing else there, for pipes; tools on standard error when a person watches it. */
export function plainView(): View {
  const watched = process.stderr.isTTY === true;
  let midLine = false;
  const say = (text: string) => {
    process.stdout.write(text);
    if (text !== '') midLine = !text.endsWith('\n');
  };
  const showTool = (event: EventOf<'tool.completed'>) => {
    const mark = event.outcome === 'ok' ? '✓' : '✗';
    const words = oneLine(actionLine(event.name, event.action), 100);
    process.stderr.write(`${mark} ${words} (${duration(event.durationMs ?? 0)})\n`);
  };
  const warn = (message: string) => {
    process.stderr.write(`warning: ${oneLine(message, 200)}\n`);
  };
  return {
    show(event: AgentEvent) {
      if ('parentId' in event && event.parentId) return;
      if (event.type === 'message.delta' && event.kind === 'text') return say(safe(event.text));
      if (event.type === 'message.completed' && midLine) return say('\n');
      if (event.type === 'tool.completed' && watched) return showTool(event);
      if (event.type === 'notice' && event.level !== 'info') return warn(event.message);
      if (event.type !== 'run.completed') return;
      if (midLine) say('\n');
      if (event.error && event.outcome !== 'cancelled')
        process.stderr.write(`${errorLines(event.error).join('\n')}\n`);
    },
  };
}
