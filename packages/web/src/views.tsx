import { type ComponentType, useEffect } from 'react';
import { matchRoute, Route, Switch, useLocation, useRouter } from 'wouter';
import { Board } from './board/board.tsx';
import { Boundary } from './design/boundary.tsx';
import { Empty } from './design/empty.tsx';
import { type Later, laterView } from './shell/later.tsx';
import { WaysOn } from './shell/ways-on.tsx';

/** Which view belongs to which address; what is not looked at every day is loaded when it is. */
const VIEWS: readonly [path: string, view: ComponentType & Partial<Later<object>>][] = [
  ['/', laterView(async () => (await import('./start/start.tsx')).Start)],
  ['/board', Board],
  ['/inbox', laterView(async () => (await import('./inbox/inbox.tsx')).Inbox)],
  [
    '/sessions/:id/:part?',
    laterView(async () => (await import('./session/session-view.tsx')).SessionView, {
      isSoon: true,
    }),
  ],
  ['/agents/:part?', laterView(async () => (await import('./agents/agents.tsx')).Agents)],
  ['/machines', laterView(async () => (await import('./machines/machines.tsx')).Machines)],
  ['/usage', laterView(async () => (await import('./usage/usage.tsx')).Usage)],
  ['/settings/:part?', laterView(async () => (await import('./settings/settings.tsx')).Settings)],
];

/** Begins to load the view at the address of the page, while that still finds out who looks at it. */
export function useFirstView(): void {
  const [location] = useLocation();
  const { parser } = useRouter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first one has to be waited for
  useEffect(() => {
    const [, view] = VIEWS.find(([path]) => matchRoute(parser, path, location)[0]) ?? [];
    // What cannot be loaded is told where it would be shown.
    view?.load?.().catch(() => {});
  }, []);
}

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
