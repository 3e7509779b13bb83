import { actionLine, shortened, withoutLastBreaks } from '@baton/protocol';
import type { ReactNode } from 'react';
import type { IconName } from '../../design/icon.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { some } from '../../text/amounts.ts';
import { useChildren, useOpen, useTasks } from '../feed/open-session.tsx';
import { Collapsible } from './collapsible.tsx';
import type { ToolEntry } from './entry-of.ts';
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

/** Tools that are expanded initially. */
const OPEN_AT_FIRST: ReadonlySet<string> = new Set(['command', 'file.edit', 'plan']);

/** Maximum length of a title; a long command is shown in full below it. */
const WIDEST = 400;

/** A tool call. */
export function ToolView({ entry }: { entry: ToolEntry }) {
  const { cwd, feed } = useOpen();
  const tasks = useTasks();
  const children = useChildren(entry.cursor);
  const { action, cursor, taskId } = entry;
  // The request that it waits for shows the same.
  const isAsking =
    entry.open &&
    entry.output === '' &&
    tasks.some((task) => task.task_id === taskId && task.status === 'AWAITING_PERMISSION');
  const isTold = entry.outcome === 'denied' && isDenialTold(entry, feed.entries());
  const body = { entry, inside: children, isTold };
  return (
    <Collapsible
      place={`tool ${cursor}`}
      icon={ICONS[action.type] ?? 'settings'}
      title={titleOf(entry, cwd)}
      aside={
        <>
          {children.length > 0 && some(children.length, 'step')}
          <ToolState entry={entry} />
        </>
      }
      atFirst={OPEN_AT_FIRST.has(action.type)}
    >
      {!isAsking && hasToolBody(body) && <ToolBody {...body} />}
    </Collapsible>
  );
}

function titleOf({ name, action }: ToolEntry, cwd: string): ReactNode {
  if (action.type !== 'command') return <LiteralText text={actionLine(name, action, cwd)} />;
  return (
    <code>
      <LiteralText text={shortened(withoutLastBreaks(action.command), WIDEST)} />
    </code>
  );
}
