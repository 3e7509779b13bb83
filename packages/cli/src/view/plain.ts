import { type AgentEvent, actionLine, type EventOf } from '@baton/protocol';
import { errorLines } from './error.ts';
import { duration } from './format.ts';
import { asked, oneLine } from './style.ts';
import type { View } from './view.ts';

/**
 * For pipes: the answer on standard output when the run is done, exactly as the agent gave it, and nothing else there.
 * What the agent says on the way goes to standard error when a person watches that or asked for it.
 */
export function plainView({ verbose = false }: { verbose?: boolean } = {}): View {
  const isWatched = process.stderr.isTTY === true;
  /** What was said last: the answer, unless something follows. */
  let said: string | undefined;
  const tell = (line: string) => void process.stderr.write(`${line}\n`);
  const narrate = () => {
    if (said && (verbose || isWatched)) tell(asked(said));
    said = undefined;
  };
  const end = ({ outcome, output, error }: EventOf<'run.completed'>) => {
    if (outcome === 'done') return answer(output);
    if (outcome === 'cancelled') return;
    if (said) tell(asked(said));
    if (error) tell(errorLines(error).join('\n'));
  };
  return {
    show(event: AgentEvent) {
      if ('parentId' in event && event.parentId) return;
      switch (event.type) {
        case 'message.completed':
          if (event.kind !== 'text') return;
          narrate();
          if (!event.incomplete) said = event.text;
          return;
        case 'tool.started':
          return narrate();
        case 'tool.completed':
          return isWatched ? tell(toolLine(event)) : undefined;
        case 'notice':
          return event.level === 'info'
            ? undefined
            : tell(`warning: ${oneLine(event.message, 200)}`);
        case 'run.completed':
          return end(event);
      }
    },
  };
}

/** Only the end of the last line is added, where it is missing. */
function answer(text: string): void {
  if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

function toolLine(event: EventOf<'tool.completed'>): string {
  const mark = event.outcome === 'ok' ? '✓' : '✗';
  const words = oneLine(actionLine(event.name, event.action), 100);
  return `${mark} ${words} (${duration(event.durationMs ?? 0)})`;
}
