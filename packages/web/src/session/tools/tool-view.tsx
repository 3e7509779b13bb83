import { type Action, actionWords, showUnseen } from '@baton/protocol';
import type { ReactNode } from 'react';
import type { IconName } from '../../design/icon.tsx';
import { some } from '../../text/amounts.ts';
import type { ToolEntry } from '../entry-of.ts';
import { Fold } from '../fold.tsx';
import { useChildren, useOpen, useTasks } from '../open-session.tsx';
import { isDenialTold } from './told-denial.ts';
import { hasToolBody, ToolBody } from './tool-body.tsx';
import { ToolState } from './tool-state.tsx';

const ICONS: Readonly<Record<string, IconName>> = {
  command: 'command',
  'file.read': 'file',
  'file.edit': 'edit',
  search: 'search',
  fetch: 'globe',
  plan: 'plan',
  subagent: 'agent',
  mcp: 'plug',
};

/** Tools whose work people want to see without asking for it. */
const OPEN_AT_FIRST: ReadonlySet<string> = new Set(['command', 'file.edit', 'plan']);

/** What the agent did with a tool. */
export function ToolView({ entry }: { entry: ToolEntry }) {
  const { cwd, feed } = useOpen();
  const tasks = useTasks();
  const children = useChildren(entry.cursor);
  const { action, name, cursor, taskId } = entry;
  // The request that it waits for shows the same.
  const isAsking =
    entry.open &&
    entry.output === '' &&
    tasks.some((task) => task.task_id === taskId && task.status === 'AWAITING_PERMISSION');
  const isTold = entry.outcome === 'denied' && isDenialTold(entry, feed.entries());
  const body = { entry, inside: children, isTold };
  const words = showUnseen(actionWords(name, action, cwd));
  return (
    <Fold
      place={`tool ${cursor}`}
      icon={ICONS[action.type] ?? 'settings'}
      title={titleOf(action, words)}
      aside={
        <>
          {children.length > 0 && some(children.length, 'step')}
          <ToolState entry={entry} />
        </>
      }
      atFirst={OPEN_AT_FIRST.has(action.type)}
    >
      {!isAsking && hasToolBody(body) && <ToolBody {...body} />}
    </Fold>
  );
}

function titleOf(action: Action, words: string): ReactNode {
  if (action.type === 'command') return <code dir="ltr">{showUnseen(action.command)}</code>;
  return words;
}
