import type { ComponentType } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { Board } from './board/board.tsx';
import { Boundary } from './design/boundary.tsx';
import { Empty } from './design/empty.tsx';
import { later } from './shell/later.tsx';
import { WaysOn } from './shell/ways-on.tsx';

/** Which view belongs to which address; what is not looked at every day is loaded when it is. */
const VIEWS: readonly [path: string, view: ComponentType][] = [
  ['/', later(async () => (await import('./start/start.tsx')).Start)],
  ['/board', Board],
  ['/inbox', later(async () => (await import('./inbox/inbox.tsx')).Inbox)],
  [
    '/sessions/:id/:part?',
    later(async () => (await import('./session/session-view.tsx')).SessionView),
  ],
  ['/agents/:part?', later(async () => (await import('./agents/agents.tsx')).Agents)],
  ['/machines', later(async () => (await import('./machines/machines.tsx')).Machines)],
  ['/usage', later(async () => (await import('./usage/usage.tsx')).Usage)],
  ['/settings/:part?', later(async () => (await import('./settings/settings.tsx')).Settings)],
];

/** The view at the address of the page. */
export function Views() {
  const [location] = useLocation();
  return (
    <Boundary at={location}>
      <Switch>
        {VIEWS.map(([path, view]) => (
          <Route key={path} path={path} component={view} />
        ))}
        <Route>
          <Empty icon="question" title="There is nothing at this address." actions={<WaysOn />}>
            What was here may have got another place.
          </Empty>
        </Route>
      </Switch>
    </Boundary>
  );
}
